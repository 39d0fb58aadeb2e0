// Names for Chainlit's buttons that have only a picture, so that a screen reader can say what they do.
(() => {
  const NAMES = {
    'new-chat-button': 'New chat',
    'chat-submit': 'Send',
    'stop-button': 'Stop',
    'theme-toggle': 'Light or dark',
    'command-button': 'Commands',
    'scroll-to-bottom': 'To the newest message',
  };
  const name = () => {
    for (const [id, text] of Object.entries(NAMES)) {
      const button = document.getElementById(id);
      if (button && !button.getAttribute('aria-label')) button.setAttribute('aria-label', text);
    }
    const input = document.getElementById('chat-input');
    if (input && !input.getAttribute('aria-label')) input.setAttribute('aria-label', 'Search, or ask about the results');
    document.querySelectorAll('button:not([aria-label])').forEach((button) => {
      if (button.textContent.trim()) return;
      const drawing = button.querySelector('svg[class*="lucide-"]');
      const words = drawing && /lucide-([a-z-]+)/.exec(drawing.getAttribute('class'));
      if (words) button.setAttribute('aria-label', { 'arrow-down': 'To the newest message', copy: 'Copy', x: 'Close', 'arrow-left': 'Close' }[words[1]] || words[1].replaceAll('-', ' '));
    });
  };
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; name(); });
  }).observe(document.documentElement, { childList: true, subtree: true });
  name();
})();
