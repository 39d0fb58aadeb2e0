// An engine on any page: <script src="https://host/embed.js" data-engine="ID"></script> puts a button there that opens its chat in a
// frame. Several scripts on a page are several engines. The host page's styles stay out, and ours in: it lives in a shadow root.
(() => {
  const script = document.currentScript;
  const engine = script && script.dataset.engine;
  if (!engine) {
    console.error('chatsearch: the script needs data-engine="ID"');
    return;
  }
  const base = script.src.replace(/\/embed\.js(\?.*)?$/, '');
  const address = `${base}/e/${encodeURIComponent(engine)}/`;
  const title = script.dataset.title || 'Search';
  const before = document.querySelectorAll('[data-chatsearch]').length;

  const host = document.createElement('div');
  host.dataset.chatsearch = engine;
  const root = host.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = `
    :host { all: initial; }
    button { font: 600 15px/1.2 system-ui, sans-serif; cursor: pointer; border: 0; border-radius: 999px; min-height: 44px; padding: 0 18px; background: #1f3f6b; color: #fff; box-shadow: 0 2px 10px rgb(0 0 0 / 0.25); }
    button:focus-visible { outline: 3px solid #8fb7ff; outline-offset: 2px; }
    .open { position: fixed; right: 20px; bottom: ${20 + before * 56}px; z-index: 2147483000; }
    .panel { position: fixed; right: 20px; bottom: 20px; width: min(440px, calc(100vw - 40px)); height: min(680px, calc(100vh - 40px)); z-index: 2147483001; background: #fff; border-radius: 14px; overflow: hidden; box-shadow: 0 8px 40px rgb(0 0 0 / 0.35); display: flex; flex-direction: column; }
    .panel[hidden] { display: none; }
    .bar { display: flex; justify-content: flex-end; background: #1f3f6b; }
    .bar button { box-shadow: none; min-height: 40px; border-radius: 0; }
    iframe { border: 0; flex: 1; width: 100%; background: #fff; }
    @media (max-width: 600px) { .panel { inset: 0; width: auto; height: auto; border-radius: 0; } }
    @media (prefers-color-scheme: dark) { .panel, iframe { background: #111; } }
  `;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'open';
  button.textContent = title;
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-haspopup', 'dialog');
  const panel = document.createElement('div');
  panel.className = 'panel';
  panel.hidden = true;
  panel.setAttribute('role', 'dialog');
  panel.setAttribute('aria-label', title);
  const bar = document.createElement('div');
  bar.className = 'bar';
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = 'Close';
  bar.append(close);
  panel.append(bar);

  const show = (open) => {
    if (open && !panel.querySelector('iframe')) { // the chat is loaded when somebody wants it
      const frame = document.createElement('iframe');
      frame.src = address;
      frame.title = title;
      frame.setAttribute('allow', 'clipboard-write');
      panel.append(frame);
    }
    panel.hidden = !open;
    button.hidden = open;
    button.setAttribute('aria-expanded', String(open));
    (open ? close : button).focus();
  };
  button.addEventListener('click', () => show(true));
  close.addEventListener('click', () => show(false));
  panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') show(false); });
  root.append(style, button, panel);
  (document.body || document.documentElement).append(host);
})();
