"""Chooses the passages of a whole result set that a language model reads for a question, when not all documents fit whole."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.fitting import tokens
from chatsearch.languages import detect, iso639_1
from chatsearch.llm.evidence import Sentence, WordMatch, best_around, shortlist, split
from chatsearch.passages import Span
from chatsearch.prompts import Prompt, PromptDocument, RankedPassage, Task, fits

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

CHOSEN_FOR = frozenset({Task.ANSWER, Task.SUMMARIZE_RESULTS})
"""The tasks that read passages of many documents for one question."""

PASSAGE_TOKENS = 120
"""About 60 words, or one longer sentence: two or three sentences, so that many documents have their say."""

EMBEDDED = 32
"""Sentences that are embedded for one question at most: a quarter of a second of the packaged English model."""

EMBEDDED_BY_SLOW = 8
"""The same for any other model: the packaged multilingual one takes 0.1 to 0.2 s for a sentence."""

WORDS_WEIGHT = 0.7
"""What all words of a question in one sentence are worth beside a cosine of 1, as in the extractive model."""

WORDS_AROUND_WEIGHT = 0.3
"""The same for the sentences around it."""

_FLOOR = 0.7  # cosine of unrelated texts in the packaged multilingual model
_NEAR = 0.5  # share of the best score from which on a document has its best passage in the prompt before others a second one
_REPEATS = 0.8  # share of terms two passages have in common from which on one says nothing new
_COMPARED = 60  # passages that others are compared with
_SPARE = 1.5  # times the room: what the prompt itself takes is not known here, and what does not fit is passed over
_LOOKED_AT = 2_000_000  # code points of all documents, shared equally: splitting takes 0.5 s a million
_LEAST_LOOKED_AT = 20_000  # code points of one document


async def with_passages(prompt: Prompt, embeddings: EmbeddingModels, room: int) -> Prompt:
    """`prompt` with passages ranked for its query (`PromptDocument.near`), if its documents do not fit into `room` tokens.

    Sentences are weighed by their words (idf) and what stands around them; the best few dozen are embedded too. First comes the
    best passage of every document that is near, then the others by score, those that repeat one at the end. A prompt that fits,
    has no query or another task is itself. Raises `ModelError` when sentences cannot be embedded.
    """
    if prompt.task not in CHOSEN_FOR or not prompt.query.strip() or await asyncio.to_thread(fits, prompt, room):
        return prompt
    language, model = await asyncio.to_thread(_languages, prompt, embeddings)
    found, match, places = await asyncio.to_thread(_by_words, prompt, language, model)
    vectors = await embeddings.encode(model, [found[place].text for place in places], "passage")
    (query,) = await embeddings.encode(model, [prompt.query], "query")
    documents = await asyncio.to_thread(_ranked, prompt, found, match, _near(places, vectors @ query, len(found), model), room)
    return replace(prompt, documents=documents)


@dataclass(frozen=True)
class _Passage:
    """A run of sentences, the `place`th of the document at `document`; `size` in tokens, `terms` those of its sentences."""

    document: int
    place: int
    span: Span
    score: float
    size: int
    terms: frozenset[str]


def _languages(prompt: Prompt, embeddings: EmbeddingModels) -> tuple[str, str]:
    """The language most documents are in, and the embedding model that reads them and the question."""
    said = Counter(code for document in prompt.documents if (code := iso639_1(document.language)))
    usual = said.most_common(1)[0][0] if said else detect("\n".join(document.text[:200] for document in prompt.documents))
    asked = prompt.language or detect(prompt.query)
    return usual, embeddings.for_language(asked if asked and usual == "en" else usual)


def _by_words(prompt: Prompt, language: str, model: str) -> tuple[list[Sentence], WordMatch, list[int]]:
    """The sentences of all documents, how they match the question's words, and the places of those to embed."""
    limit = max(_LEAST_LOOKED_AT, _LOOKED_AT // len(prompt.documents))
    found = split([replace(document, text=document.text[:limit]) for document in prompt.documents], language)
    match = WordMatch(prompt.query, prompt.documents, found, language)
    most = EMBEDDED if model == ENGLISH_MODEL else EMBEDDED_BY_SLOW
    return found, match, shortlist(found, match, most)[:most]


def _near(places: Sequence[int], cosines: Vectors, count: int, model: str) -> list[float]:
    """How near each of `count` sentences is; one that was not embedded is taken to be as far as the farthest that was."""
    floor = _FLOOR if model == MULTILINGUAL_MODEL else 0.0
    scaled = [(float(cosine) - floor) / (1 - floor) for cosine in cosines]
    near = [min(scaled, default=0.0)] * count
    for place, value in zip(places, scaled, strict=True):
        near[place] = value
    return near


def _ranked(
    prompt: Prompt, found: Sequence[Sentence], match: WordMatch, near: Sequence[float], room: int
) -> tuple[PromptDocument, ...]:
    scores = _scores(found, match, near)
    of: dict[int, list[RankedPassage]] = {}
    left = room * _SPARE
    for rank, passage in enumerate(_without_repetition(_in_turn(_passages(found, scores))), start=1):
        left -= passage.size
        if left < 0:
            break
        of.setdefault(passage.document, []).append(RankedPassage(passage.span, rank))
    return tuple(replace(document, near=tuple(of.get(place, ()))) for place, document in enumerate(prompt.documents))


def _scores(found: Sequence[Sentence], match: WordMatch, near: Sequence[float]) -> list[float]:
    """How well each sentence fits: its own words and nearness, and the best of those around it."""
    import numpy as np

    column = np.array(near, dtype=float)
    around = best_around(column[:, None], np.array([one.document for one in found]))[:, 0]
    scores = column + around + WORDS_WEIGHT * match.shares() + WORDS_AROUND_WEIGHT * match.shares_around()
    return [float(score) for score in scores]


def _passages(found: Sequence[Sentence], scores: Sequence[float]) -> list[_Passage]:
    """Runs of neighbouring sentences, each with the score of its best one."""
    made: list[_Passage] = []
    for sentence, score in zip(found, scores, strict=True):
        size = tokens(sentence.text) + 1
        last = made[-1] if made else None
        if last is not None and last.document == sentence.document and last.size + size <= PASSAGE_TOKENS:
            span, terms = Span(last.span.start, sentence.span.end), last.terms | sentence.terms
            made[-1] = _Passage(last.document, last.place, span, max(last.score, score), last.size + size, terms)
        else:
            place = last.place + 1 if last is not None and last.document == sentence.document else 0
            made.append(_Passage(sentence.document, place, sentence.span, score, size, sentence.terms))
    return made


def _in_turn(passages: Sequence[_Passage]) -> list[_Passage]:
    """The best passage of every document that is near, then the rest by score; equal ones from all documents in turn."""
    ordered = sorted(passages, key=lambda passage: (-round(passage.score, 6), passage.place, passage.document))
    least = _NEAR * ordered[0].score if ordered else 0.0
    heads: dict[int, _Passage] = {}
    for passage in ordered:
        if passage.score >= least:
            heads.setdefault(passage.document, passage)
    return [*heads.values(), *(one for one in ordered if heads.get(one.document) is not one)]


def _without_repetition(passages: Sequence[_Passage]) -> Iterator[_Passage]:
    """The passages that say something new, then those that repeat one before them (as MMR, with the words they share)."""
    kept: list[frozenset[str]] = []
    repeated: list[_Passage] = []
    for passage in passages:
        if any(_repeats(passage.terms, one) for one in kept):
            repeated.append(passage)
            continue
        if len(kept) < _COMPARED:
            kept.append(passage.terms)
        yield passage
    yield from repeated


def _repeats(terms: frozenset[str], others: frozenset[str]) -> bool:
    shared = len(terms & others)
    return shared > 0 and shared >= _REPEATS * (len(terms) + len(others) - shared)
