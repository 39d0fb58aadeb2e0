"""The chat's HTML page. Of Chainlit's own page only its two built files are taken: no font, style or script of anyone else."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any

from chatsearch.chat.theme import Mode, Variables

_SCRIPT = re.compile(r'<script type="module" crossorigin src="(/assets/[\w.-]+\.js)"></script>')
_STYLE = re.compile(r'<link rel="stylesheet" crossorigin href="(/assets/[\w.-]+\.css)">')
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")

# Chainlit's script expects `global`, and reads `theme`. The colours are set before it has loaded, so that nothing flashes.
_START = """
const global = globalThis;
for (const name of ['localStorage', 'sessionStorage']) {
  try { window[name].getItem(''); } catch { // storage is blocked, as in a frame on another site: this page keeps its own
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(String(key)) ?? null, setItem: (key, value) => { kept.set(String(key), String(value)); },
      removeItem: (key) => { kept.delete(String(key)); }, clear: () => kept.clear(), key: (at) => [...kept.keys()][at] ?? null,
      get length() { return kept.size; },
    };
    Object.defineProperty(window, name, { value: storage, configurable: true });
  }
}
window.theme = %(theme)s;
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem('vite-ui-theme'); } catch { /* storage is blocked: the page's own mode */ }
  const mode = chosen || %(mode)s;
  const dark = mode === 'dark' || (mode === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.classList.add(dark ? 'dark' : 'light');
  for (const [name, value] of Object.entries(window.theme[dark ? 'dark' : 'light'])) root.style.setProperty(name, value);
})();
"""


@dataclass(frozen=True)
class ChatPage:
    """What the page of one engine says of itself. `script` and `style` are paths under /assets.

    `base` is what the front end puts before every address it asks, its websocket's too: `/e/<id>`, empty for the engine of `/`.
    """

    script: str
    style: str
    title: str
    description: str
    language: str
    theme: Variables
    mode: Mode
    css: tuple[str, ...] = ("/public/chatsearch.css",)
    base: str = ""

    def render(self, nonce: str) -> str:
        """The page; its one inline script carries the nonce of this response's Content-Security-Policy."""
        title, about = html.escape(self.title), html.escape(self.description)
        language = language_tag(self.language) or "en"
        start = _START % {"theme": script_json(self.theme), "mode": script_json(self.mode)}
        styles = "\n".join(f'<link rel="stylesheet" href="{html.escape(path)}">' for path in (self.style, *self.css))
        return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="{about}">
<meta property="og:type" content="website">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{about}">
<meta property="og:root_path" content="{html.escape(self.base)}">
<link rel="icon" href="{html.escape(self.base)}/logo">
{styles}
<script nonce="{html.escape(nonce)}">{start}</script>
<script type="module" src="{html.escape(self.script)}"></script>
<script defer src="/public/chatsearch.js"></script>
</head>
<body>
<div id="root"></div>
<noscript><p>{title} needs JavaScript.</p></noscript>
</body>
</html>
"""


def language_tag(language: str) -> str:
    """The language of a spec as an attribute may have it; empty when it is none."""
    return language if _LANGUAGE.fullmatch(language) else ""


def built_files(index: str) -> tuple[str, str]:
    """The script and the style of Chainlit's built front end, from its index.html. Raises ValueError when they are not there."""
    scripts, styles = _SCRIPT.findall(index), _STYLE.findall(index)
    if len(scripts) != 1 or len(styles) != 1:
        raise ValueError("Chainlit's index.html is not as expected: one script and one style under /assets.")
    return scripts[0], styles[0]


def script_json(value: Any) -> str:
    """JSON that stays inside its `<script>` whatever texts it holds."""
    text = json.dumps(value)  # ASCII only: no U+2028
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
