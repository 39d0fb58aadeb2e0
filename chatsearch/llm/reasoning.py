"""What a model says to itself and not to the person: `<think>…</think>`, taken out of whole answers and of streams."""

from __future__ import annotations

from dataclasses import dataclass

import regex

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPEN = regex.compile(rf"<\s*(?:{_NAMES})\b[^<>]{{0,40}}>", regex.IGNORECASE)
_CLOSE = regex.compile(rf"<\s*/\s*(?:{_NAMES})\s*>", regex.IGNORECASE)


def without_reasoning(answer: str) -> str:
    """An answer without its reasoning: what stands in its tags, after one that is never closed, or before one never opened."""
    filtered = ReasoningFilter()
    text = filtered.feed(answer) + filtered.end()
    return _CLOSE.split(text)[-1].strip()


@dataclass
class ReasoningFilter:
    """Takes a stream of tokens, gives it back without what stands between the tags; an unfinished tag is held back."""

    _held: str = ""
    _inside: bool = False

    def feed(self, token: str) -> str:
        """What may be shown by now."""
        self._held += token
        out = ""
        while True:
            pattern = _CLOSE if self._inside else _OPEN
            found = pattern.search(self._held, partial=True)
            if found is None:
                out, self._held = out + ("" if self._inside else self._held), ""
                return out
            out += "" if self._inside else self._held[: found.start()]
            if found.partial:
                self._held = self._held[found.start() :]
                return out
            self._held = self._held[found.end() :]
            self._inside = not self._inside

    def end(self) -> str:
        """What was held back and is no tag after all."""
        held, self._held = self._held, ""
        return "" if self._inside else held
