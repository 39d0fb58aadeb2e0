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
    // ?prompt= has filled the composer: once is enough
    if (input && input.value && new URLSearchParams(location.search).has('prompt')) history.replaceState(history.state, '', location.pathname);
    if (input && !input.getAttribute('aria-label')) input.setAttribute('aria-label', 'Search, or ask about the results');
    document.querySelectorAll('button:not([aria-label])').forEach((button) => {
      if (button.textContent.trim()) return;
      const drawing = button.querySelector('svg[class*="lucide-"]');
      const words = drawing && /lucide-([a-z-]+)/.exec(drawing.getAttribute('class'));
      if (words) button.setAttribute('aria-label', { 'arrow-down': 'To the newest message', copy: 'Copy', x: 'Close', 'arrow-left': 'Close' }[words[1]] || words[1].replaceAll('-', ' '));
    });
  };
  // Enter sends a command that is typed out, such as /spec. Chainlit would pick the first of the list, which may be another one.
  document.addEventListener('keydown', (event) => {
    const input = event.target;
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !input || input.id !== 'chat-input') return;
    const typed = /^\s*\/([a-z]+)\s*$/i.exec(input.value || '');
    const known = [...document.querySelectorAll('.command-item')].map((item) => item.innerText.trim().split(/\s/)[0].toLowerCase());
    if (!typed || !known.includes(typed[1].toLowerCase())) return;
    event.preventDefault();
    event.stopPropagation();
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(input, `${input.value} `);
    input.dispatchEvent(new Event('input', { bubbles: true })); // a space after it closes the list
    const send = (tries) => {
      const button = document.getElementById('chat-submit');
      if (button && !button.disabled) button.click();
      else if (tries) requestAnimationFrame(() => send(tries - 1));
    };
    requestAnimationFrame(() => send(30));
  }, true);
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; name(); });
  }).observe(document.documentElement, { childList: true, subtree: true });
  name();
})();
