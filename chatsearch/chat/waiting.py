"""The page a person sees while the server is still loading, or could not start."""

from __future__ import annotations

import html

_SCRIPT = """
const look = async () => {
  try {
    const health = await (await fetch('/healthz', { cache: 'no-store' })).json();
    if (health.status !== 'starting') { location.reload(); return; }
  } catch { /* the server is not there for a moment: look again */ }
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
"""

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.6 system-ui, sans-serif; }
body { background: #fff; color: #1c1c1c; }
main { max-width: 34rem; padding: 1rem; text-align: center; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; }
progress { width: 12rem; accent-color: #1f5fa8; }
@media (prefers-color-scheme: dark) { body { background: #212121; color: #ededed; } progress { accent-color: #8dbdf2; } }
"""


def waiting_page(title: str, nonce: str, failure: str = "") -> str:
    """Without a failure: it looks each second whether the chat is there, without a flicker. With one: what went wrong."""
    name = html.escape(title)
    refresh = "" if failure else '<noscript><meta http-equiv="refresh" content="2"></noscript>'
    script = "" if failure else f'<script nonce="{nonce}">{_SCRIPT}</script>'
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in failure.splitlines())
    body = (
        f'<h1>{name} could not start</h1><div role="alert">{lines}</div>'
        if failure
        else f'<h1>{name}</h1><p role="status">Starting …</p><p><progress aria-label="Starting"></progress></p>'
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
{refresh}
<link rel="icon" href="data:,">
<style nonce="{nonce}">{_STYLE}</style>
</head>
<body><main>{body}</main>{script}</body>
</html>
"""


def waiting_policy(nonce: str) -> str:
    """The Content-Security-Policy of the waiting page."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
