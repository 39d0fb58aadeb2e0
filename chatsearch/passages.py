"""Where the sentences of a text begin and end, and the passages made of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from chatsearch.languages import stop_words
from chatsearch.languages import words as word_list

LONGEST_SENTENCE = 600
"""Code points; a longer one is cut. 7 of XQuAD's 1,161 English sentences are longer, most of them lists."""

PASSAGE_WORDS = 150
"""About 200 tokens: what both packaged embedding models read whole."""

_BLANK_LINE = regex.compile(r"\s*(?:\r?\n[^\S\n]*\r?\n|\f|\u2029)\s*|\s*\n\s*(?=[-*•‣–]\s)")
_ANY_LINE = regex.compile(r"\s*[\n\f\u2029]\s*")
_WRAPPED_WIDTH = 120
_LONE_SURROGATE = regex.compile(r"[\ud800-\udfff]")
# What belongs to the sentence before: quotation marks and brackets, "[citation needed]", Wikipedia's page references ":212–219".
_TRAILER = regex.compile(r"(?:\[[^\[\]]{1,40}\]|:\d[\d:,\p{Pd}]*|[^\p{L}\p{N}])*")
_REFERENCE = regex.compile(r"(?:(?:\[[^\[\]]{1,40}\]|:\d[\d:,\p{Pd}]*)\s*)+")
# Ends that are none, seen in XQuAD: "im 18. | Jahrhundert", "Э. | И. Дюпон", "Y. | p. orientalis". A stop word with a capital
# does begin a sentence: "Interstate 9. | Derzeit", "vitamin C. | The".
_INITIAL_END = regex.compile(r"(?<![^\s(])\p{Lu}\.$")
_ORDINAL_END = regex.compile(r"(?<![^\s(])(?:(\p{L}+)|\d{1,2}\.,?)\s+\d{1,2}\.$")
_SHORT_END = regex.compile(r"(?<![^\s(])\p{L}{1,5}\.$")
_FIRST_WORD = regex.compile(r"\p{L}+")
_WRITES_ORDINALS_WITH_A_DOT = frozenset({"de", "da", "no", "nb", "nn", "fi", "cs", "sk", "hr", "sl", "hu", "et", "lv"})
_SOFT_BREAKS = (regex.compile(r"\n"), regex.compile(r"[;:]\s"), regex.compile(r"[,،，、]\s?"), regex.compile(r"\s"))


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]`: Unicode code points, end exclusive."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The stretch of `text` that this is."""
        return text[self.start : self.end]


def sentences(text: str, language: str = "") -> list[Span]:
    """The sentences of `text` in order, without white space around them; together they hold every other character.

    A blank line ends a sentence, and no sentence is longer than `LONGEST_SENTENCE`. `language` is an ISO 639-1 code.
    """
    found: list[Span] = []
    for paragraph in _paragraphs(text):
        found.extend(_sentences_of_paragraph(text, paragraph, language or "en"))
    return found


def passages(text: str, language: str = "", words: int = PASSAGE_WORDS) -> list[Span]:
    """Runs of whole sentences of at most `words` words (one long sentence may have more), to be embedded one by one.

    They do not overlap and hold every sentence. A last passage of under a quarter of `words` joins the one before it. A word of
    Chinese, Japanese, Korean or Thai counts as `languages.words` counts it, a pair of characters.
    """
    runs: list[Span] = []
    sizes: list[int] = []
    for sentence in sentences(text, language):
        size = len(word_list(sentence.of(text), language))
        if runs and sizes[-1] + size <= words:
            runs[-1], sizes[-1] = Span(runs[-1].start, sentence.end), sizes[-1] + size
        else:
            runs.append(sentence)
            sizes.append(size)
    if len(runs) > 1 and sizes[-1] < words / 4:
        runs[-2:] = [Span(runs[-2].start, runs[-1].end)]
    return runs


def _paragraphs(text: str) -> Iterator[Span]:
    """The stretches between blank lines and before bullets; between any two lines where the text is not wrapped to a width."""
    start = 0
    for separator in (_BLANK_LINE if _is_wrapped(text) else _ANY_LINE).finditer(text):
        yield Span(start, separator.start())
        start = separator.end()
    yield Span(start, len(text))


def _is_wrapped(text: str) -> bool:
    in_long_lines = sum(len(line) for line in text.split("\n") if len(line) > _WRAPPED_WIDTH)
    return in_long_lines < len(text) / 2


def _sentences_of_paragraph(text: str, paragraph: Span, language: str) -> Iterator[Span]:
    import sentencex

    stretch = _LONE_SURROGATE.sub("\ufffd", paragraph.of(text))  # sentencex takes what UTF-8 can write
    ends = [paragraph.start + boundary["end_index"] for boundary in sentencex.get_sentence_boundaries(language, stretch)]
    for span in _joined(text, paragraph.start, [*(end for end in ends if end < paragraph.end), paragraph.end], language):
        yield from _cut(text, span)


def _joined(text: str, start: int, ends: list[int], language: str) -> list[Span]:
    """The spans between `ends`, trimmed, without breaks that are none and without pieces that are no sentence of their own."""
    spans: list[Span] = []
    for end in ends:
        span = _trimmed(text, Span(start, end))
        start = end
        if span.start == span.end:
            continue
        if spans and (_TRAILER.fullmatch(text, span.start, span.end) or _goes_on(text, spans[-1], span, language)):
            spans[-1] = Span(spans[-1].start, span.end)
            continue
        reference = _REFERENCE.match(text, span.start, span.end) if spans else None
        if reference:
            spans[-1] = _trimmed(text, Span(spans[-1].start, reference.end()))
            span = _trimmed(text, Span(reference.end(), span.end))
        spans.append(span)
    return spans


def _goes_on(text: str, before: Span, after: Span, language: str) -> bool:
    """Whether the full stop at the end of `before` only ends an initial, a short abbreviation or an ordinal number."""
    first = _FIRST_WORD.match(text, after.start, after.end)
    if first is None:
        return False
    if first[0][0].islower():
        return _SHORT_END.search(text, before.start, before.end) is not None
    if first[0].casefold() in stop_words(language) and not first[0].isupper():
        return False
    if _INITIAL_END.search(text, before.start, before.end):
        return True
    ordinal = _ORDINAL_END.search(text, before.start, before.end) if language in _WRITES_ORDINALS_WITH_A_DOT else None
    return ordinal is not None and (not ordinal[1] or ordinal[1].islower() or ordinal[1].casefold() in stop_words(language))


def _trimmed(text: str, span: Span) -> Span:
    stretch = span.of(text)
    start = span.start + len(stretch) - len(stretch.lstrip())
    return Span(start, start + len(stretch.strip()))


def _cut(text: str, span: Span) -> Iterator[Span]:
    """`span` in pieces of at most `LONGEST_SENTENCE` and about equal length, cut at a line, a comma or at least between words."""
    while span.end - span.start > LONGEST_SENTENCE:
        pieces = math.ceil((span.end - span.start) / LONGEST_SENTENCE)
        aim = span.start + (span.end - span.start) // pieces
        end = _soft_break(text, aim - LONGEST_SENTENCE // 4, min(aim + LONGEST_SENTENCE // 4, span.start + LONGEST_SENTENCE), aim)
        yield _trimmed(text, Span(span.start, end))
        span = _trimmed(text, Span(end, span.end))
    yield span


def _soft_break(text: str, earliest: int, latest: int, aim: int) -> int:
    for kind in _SOFT_BREAKS:
        ends = [match.end() for match in kind.finditer(text, earliest, latest)]
        if ends:
            nearest: int = min(ends, key=lambda end: abs(end - aim))
            return nearest
    return latest
