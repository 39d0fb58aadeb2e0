"""Which parts of which documents fit into a number of tokens: the sentences nearest to the query, spread over the documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatsearch.languages import terms
from chatsearch.passages import Span, sentences

LEAST = 60
"""Tokens a document gets at least; where not even this is left for each, the last documents stay out."""

GAP = " … "
_GAP_TOKENS = 3
_NEIGHBOURS = 8  # code points of white space between two passages that are kept; more cost room and say nothing
_LOOKED_AT = 200_000  # code points of one document; what comes later would cost seconds to split and never fit


@dataclass(frozen=True)
class Excerpt:
    """What is kept of a text: `text`, and whether that is the `whole` of it."""

    text: str
    whole: bool


def tokens(text: str) -> int:
    """About how many tokens a language model counts in `text`: rather too many, so that what is said to fit does.

    3 ASCII characters or 2.5 bytes of other ones to a token; OpenAI's and Llama's tokenizers need 3.5 to 4.5 and 2.6 to 4.
    """
    ascii_characters = len(text.encode("ascii", "ignore"))
    other_bytes = len(text.encode("utf-8", "replace")) - ascii_characters
    return math.ceil(ascii_characters / 3 + other_bytes / 2.5)


def shares(sizes: Sequence[int], budget: int, least: int = LEAST) -> list[int]:
    """Tokens for each document, the best first: what a short one leaves goes to the longer ones; 0 for those that stay out.

    No document that is in gets less than `least` or its own size.
    """
    count = len(sizes)
    while count > 1 and sum(min(size, least) for size in sizes[:count]) > budget:
        count -= 1
    given = [0] * len(sizes)
    left, waiting = max(0, budget), sorted(range(count), key=lambda place: sizes[place])
    for done, place in enumerate(waiting):
        given[place] = min(sizes[place], left // (len(waiting) - done))
        left -= given[place]
    return given


def frames_that_fit(frames: Sequence[int], sizes: Sequence[int], left: int) -> int:
    """How many documents, the best first, fit into `left` tokens with their frames and `LEAST` tokens, or all they have."""
    count, needed = 0, 0
    for frame, size in zip(frames, sizes, strict=True):
        needed += frame + min(size, LEAST)
        if needed > left and count:
            break
        count += 1
    return count


def nearest(
    texts: Sequence[str],
    near: Sequence[Sequence[tuple[int, Span]]],
    frames: Sequence[int],
    left: int,
    clean: Callable[[str], str],
) -> dict[int, Excerpt]:
    """The passages (rank and span, by document) that fit into `left` tokens, the best-ranked first; by place, in text order.

    Spans are those of the raw texts; every piece is cleaned by itself, since cleaning moves offsets. A document's frame counts
    once. A passage that does not fit is left out, and a shorter one may take its place.
    """
    ranked = sorted((rank, place, span.start, span) for place, spans in enumerate(near) for rank, span in spans)
    chosen: dict[int, list[Span]] = {}
    for _, place, _, span in ranked:
        needed = tokens(clean(span.of(texts[place]))) + _GAP_TOKENS + (0 if place in chosen else frames[place])
        if needed <= left:
            chosen.setdefault(place, []).append(span)
            left -= needed
    return {place: _pieces(texts[place], chosen[place], clean) for place in sorted(chosen)}


def excerpt(text: str, query: str, language: str, budget: int) -> Excerpt:
    """The sentences of `text` that share most words with `query`, in their order, in at most `budget` tokens.

    Equal ones are taken from the beginning on; a sentence's neighbours count half, so that what is kept hangs together.
    """
    if tokens(text) <= budget:
        return Excerpt(text, True)
    looked_at = text[:_LOOKED_AT]
    spans = sentences(looked_at, language)
    sizes = [tokens(span.of(looked_at)) + 1 for span in spans]
    chosen, left = [], budget
    for place in _best_first(looked_at, spans, query, language):
        if sizes[place] <= left:
            chosen.append(place)
            left -= sizes[place]
    return Excerpt(_joined(looked_at, spans, sorted(chosen)) if chosen else _beginning(looked_at, budget), False)


def _best_first(text: str, spans: Sequence[Span], query: str, language: str) -> list[int]:
    wanted = set(terms(query, language)) if query.strip() else set()
    own = [len(wanted.intersection(terms(span.of(text), language))) if wanted else 0 for span in spans]
    around = [sum(own[max(0, place - 1) : place]) + sum(own[place + 1 : place + 2]) for place in range(len(own))]
    return sorted(range(len(own)), key=lambda place: (-(own[place] + 0.5 * around[place]), place))


def _joined(text: str, spans: Sequence[Span], places: Sequence[int]) -> str:
    """The sentences at `places`, with what stood between neighbours, and a sign where something was left out."""
    parts: list[str] = []
    for before, place in zip([None, *places], places, strict=False):
        if before is not None:
            parts.append(text[spans[before].end : spans[place].start] if place == before + 1 else GAP)
        parts.append(spans[place].of(text))
    return "".join(parts)


def _pieces(text: str, spans: Sequence[Span], clean: Callable[[str], str]) -> Excerpt:
    """The stretches of `spans`, cleaned, in their order; neighbours as one, with what stands between them."""
    joined: list[Span] = []
    beside: list[str] = []
    for span in sorted(spans, key=lambda one: one.start):
        beside.append(text[joined[-1].end if joined else 0 : span.start])
        if joined and len(beside[-1]) <= _NEIGHBOURS and not beside[-1].strip():
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    beside.append(text[joined[-1].end :])
    return Excerpt(GAP.join(piece for span in joined if (piece := clean(span.of(text)))), not "".join(beside).strip())


def _beginning(text: str, budget: int) -> str:
    """The first words of a text whose sentences are all too long."""
    end = min(len(text), budget * 3)
    while end and tokens(text[:end]) > budget:
        end = end * 9 // 10
    space = text.rfind(" ", end // 2, end)
    return text[: space if space > 0 else end].rstrip()
