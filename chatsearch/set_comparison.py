"""Two documents of a set side by side: title, source, date, length, terms, and the sentence of each nearest to what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chatsearch.answering import text_column
from chatsearch.cells import cell_text
from chatsearch.cited_titles import CitedPart, CitedTitles
from chatsearch.embedding import EmbeddingModels
from chatsearch.keywords import Candidates, Key, candidates
from chatsearch.languages import detect, iso639_1
from chatsearch.passages import Span, sentences
from chatsearch.results import SOURCE_INDEX, ResultSet
from chatsearch.set_columns import HOST, LENGTH, SetColumns
from chatsearch.set_wording import say

_TERMS = 5
_MOST_SENTENCES = 64


async def compare(
    results: ResultSet, numbers: tuple[int, int], question: str, language: str, embeddings: EmbeddingModels
) -> list[CitedPart]:
    """What two documents, by their numbers, have in common and not; `question` is what the talk last asked. Raises ModelError."""
    text = CitedTitles(results)
    rows = [next(row for row in range(len(results)) if text.number(row) == number) for number in numbers]
    columns = SetColumns(results)
    for row in rows:
        text.name(row, _facts(columns, row, language))
        text.say("\n\n")
    text.say(await asyncio.to_thread(_terms, columns, rows, numbers, language))
    column = text_column(results, "")
    texts = [columns.texts[row] for row in rows]
    spans = [await _nearest(one, question, embeddings) for one in texts] if question.strip() else [None, None]
    if any(spans):
        text.say(f"\n\n{say(language, 'nearest', question=question)}:")
        for row, span in zip(rows, spans, strict=True):
            if span is not None:
                text.say(" ")
                text.quote(row, column, span)
    return text.parts


def _facts(columns: SetColumns, row: int, language: str) -> str:
    source = columns.values(HOST)[row] or [cell_text(columns.frame, SOURCE_INDEX)[row]]
    date = cell_text(columns.frame, columns.date_column)[row] if columns.date_column else ""
    length = columns.numbers(LENGTH)[row]
    facts = [*source, date, say(language, "words", count=int(length)) if length == length else ""]
    return f" ({' · '.join(fact for fact in facts if fact)})"


def _terms(columns: SetColumns, rows: Sequence[int], numbers: Sequence[int], language: str) -> str:
    stated = cell_text(columns.frame, "language")
    one, other = (candidates(columns.texts[row], iso639_1(stated[row]) or detect(columns.texts[row])) for row in rows)
    both = [key for key in one.counts if key in other.counts]
    shared = sorted(both, key=lambda key: (-min(one.counts[key], other.counts[key]) * len(key), key))
    parts = [f"{say(language, 'shared')}: {_listed(shared, one, language)}."]
    for n, own, against in ((numbers[0], one, other), (numbers[1], other, one)):
        alone = {key: -times * len(key) for key, times in own.counts.items() if key not in against.counts}
        only = [key for _, key in sorted((weight, key) for key, weight in alone.items())]
        parts.append(f"{say(language, 'only', n=n)}: {_listed(only, own, language)}.")
    return " ".join(parts)


def _listed(keys: Sequence[Key], texts: Candidates, language: str) -> str:
    """The first few that share no word with one before them."""
    chosen: list[Key] = []
    for key in keys:
        if len(chosen) < _TERMS and not any(set(key) & set(before) for before in chosen):
            chosen.append(key)
    return ", ".join(texts.surfaces[key] for key in chosen) or say(language, "none")


async def _nearest(text: str, question: str, embeddings: EmbeddingModels) -> Span | None:
    """The sentence of a text with the greatest cosine to the question; None for a text without sentences."""
    language = await asyncio.to_thread(detect, text)
    spans = (await asyncio.to_thread(sentences, text, language))[:_MOST_SENTENCES]
    if not spans:
        return None
    asked = await asyncio.to_thread(detect, question)
    model = embeddings.for_language(language if asked in ("", "en") else asked)
    vectors = await embeddings.encode(model, [span.of(text) for span in spans], "passage")
    (wanted,) = await embeddings.encode(model, [question], "query")
    return spans[int((vectors @ wanted).argmax())]
