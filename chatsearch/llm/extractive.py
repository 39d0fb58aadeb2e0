"""The built-in model: it answers and summarises by quoting sentences of the documents, and refuses when none is near."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.errors import ModelError
from chatsearch.languages import detect, iso639_1, stop_words, words
from chatsearch.llm.evidence import WORDS_WEIGHT, Evidence, Sentence, WordMatch, shortlist, split, weigh
from chatsearch.llm.model import Meter, Piece, Quotation, Refusal
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.work import Progress

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

EMBEDDED = 64
"""Sentences that are embedded for one prompt at most, and a few of every document when each is to be judged."""


@dataclass(frozen=True)
class Scale:
    """What the cosines of an embedding model mean.

    `enough` is the `around` from which on documents are taken to answer; `enough_across` the same for a question in another
    language than the documents, which shares no words with them. `steepness` makes a probability of the distance to it.
    `aspect` is taken off where only the question's topic is spoken of and not what is asked about it, within one language.
    """

    floor: float
    enough: float
    enough_across: float
    steepness: float
    aspect: float = 0.0

    def near(self, cosine: float) -> float:
        """A cosine on a scale where unrelated texts have about 0 and equal ones 1."""
        return (cosine - self.floor) / (1 - self.floor)


# `enough` and `aspect` were set on XQuAD's even-numbered questions so that of those with an answer in the documents 2 to 3 % are
# refused: English on 240 documents, German on 50 (`python -m benchmarks.extractive`). `enough_across` of E5 refuses all
# even-numbered questions of cranfield and cisi over German texts, and also a quarter of the answerable ones. MiniLM's is unused.
SCALES = MappingProxyType({
    ENGLISH_MODEL: Scale(floor=0.0, enough=0.57, enough_across=0.58, steepness=30.0, aspect=0.12),
    MULTILINGUAL_MODEL: Scale(floor=0.7, enough=0.56, enough_across=0.42, steepness=30.0),
})  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """How sentences are chosen: how many, how many of one document, how much what stands around them and repetition count."""

    most: int
    of_one_document: int
    around_weight: float
    repetition_weight: float


WORDS_IN_SENTENCE_WEIGHT = 0.7
CHOICES = MappingProxyType({
    Task.ANSWER: Choice(most=3, of_one_document=3, around_weight=1.0, repetition_weight=0.1),
    Task.SUMMARIZE_RESULTS: Choice(most=5, of_one_document=2, around_weight=0.5, repetition_weight=0.3),
    Task.SUMMARIZE_DOCUMENT: Choice(most=3, of_one_document=3, around_weight=0.5, repetition_weight=0.3),
})  # fmt: skip

_SLACK = 0.2  # how far below `enough` a further sentence of an answer may be by itself
_TAKEN_ON_TRUST = 2  # the first two sentences hold the answer nine times in ten; later ones must be about as near as the first
_CLOSE = 0.8
_SAME = 0.97  # cosine from which on two sentences say the same


class ExtractiveModel:
    """A `LanguageModel` without an LLM: every statement is one sentence, literally from one document.

    Sentences are chosen by cosine + 0.7 × the share of the question's words in them or their title + the evidence around them,
    less what they repeat (MMR, Carbonell and Goldstein 1998). A summary of one document never refuses while there is a sentence.
    """

    name = "extractive"
    remote = False

    def __init__(self, embeddings: EmbeddingModels) -> None:
        self._embeddings = embeddings

    async def stream(
        self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None
    ) -> AsyncIterator[Piece | Refusal]:
        """Quotations, the best first (those of one document in its order), or exactly one `Refusal`. Raises `ModelError`."""
        if prompt.task not in CHOICES:
            raise ValueError(f"{prompt.task} has no text: use judge() or order()")
        _count(meter)
        view = await self._view(prompt, progress)
        if not view.sentences:
            yield Refusal("the documents hold no text")
            return
        must_be_near = prompt.task is not Task.SUMMARIZE_DOCUMENT and bool(prompt.query.strip())
        if must_be_near and view.strongest() < view.enough:
            yield Refusal(f"no document is near: {view.strongest():.2f}, not {view.enough:.2f}")
            return
        chosen = view.choose(CHOICES[prompt.task], must_be_near)
        if prompt.task is Task.SUMMARIZE_DOCUMENT:
            chosen.sort()
        for place in chosen:
            sentence = view.sentences[place]
            yield Piece(sentence.text, Quotation(prompt.documents[sentence.document].n, sentence.span.start, sentence.span.end))

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        """The relevance of each document, 0 to 1, in order; 0.5 is where an answer begins. Raises `ModelError`.

        A document without text has 0, and so has every document when the query is empty.
        """
        relevance = [0.0] * len(prompt.documents)
        if not prompt.query.strip():
            return relevance
        _count(meter)
        view = await self._view(prompt, progress, of_each=2)
        for sentence, around in zip(view.sentences, view.evidence.around, strict=True):
            relevance[sentence.document] = max(relevance[sentence.document], view.probability(float(around)))
        return relevance

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        """The places of the documents by their relevance, the best first; equal ones keep their order. Raises `ModelError`."""
        relevance = await self.judge(prompt, progress, meter)
        return sorted(range(len(relevance)), key=lambda place: -relevance[place])

    async def strength(self, prompt: Prompt) -> float:
        """The strongest evidence in the documents, which is compared with `Scale.enough`; minus infinity without any text."""
        return (await self._view(prompt, None)).strongest()

    async def _view(self, prompt: Prompt, progress: Progress | None, of_each: int = 0) -> _View:
        language, across, model = self._languages(prompt)
        found = await asyncio.to_thread(split, prompt.documents, language)
        match = await asyncio.to_thread(WordMatch, prompt.query, prompt.documents, found, language)
        places = shortlist(found, match, EMBEDDED, of_each)
        vectors = await self._embeddings.encode(model, [found[place].text for place in places], "passage", progress)
        if prompt.query.strip():
            (query,) = await self._embeddings.encode(model, [prompt.query], "query")
        else:
            query = _middle(vectors)
        scale = _scale(model)
        by_place = dict(zip(places, vectors, strict=True))
        near = [scale.near(float(by_place[place] @ query)) if place in by_place else -inf for place in range(len(found))]
        return _View(
            found,
            weigh(near, match, found, 0.0 if across else scale.aspect),
            by_place,
            scale,
            scale.enough_across if across else scale.enough,
        )

    def _languages(self, prompt: Prompt) -> tuple[str, bool, str]:
        """The documents' language, whether the question is in another one, and the embedding model that reads both."""
        language = _usual_language(prompt.documents)
        asked = detect(prompt.query)
        said = words(prompt.query)
        small_words = {one: sum(word in stop_words(one) for word in said) for one in (asked, language)}
        across = bool(asked) and asked != language and small_words[asked] > small_words[language]
        return language, across, self._embeddings.for_language(asked if across and language == "en" else language)


@dataclass(frozen=True)
class _View:
    """The sentences of a prompt as seen from its question; `vectors` has those that were embedded, by their place."""

    sentences: Sequence[Sentence]
    evidence: Evidence
    vectors: Mapping[int, Vectors]
    scale: Scale
    enough: float

    def strongest(self) -> float:
        """The strongest evidence of all sentences."""
        return max(map(float, self.evidence.around), default=-inf)

    def probability(self, around: float) -> float:
        """That a document with this evidence speaks of the question."""
        return 1 / (1 + exp(min(500.0, self.scale.steepness * (self.enough - around))))

    def choose(self, choice: Choice, must_be_near: bool) -> list[int]:
        """The places of the sentences to quote, the best first; those after it only if near by themselves, when they must be.

        Fragments are chosen only where there is nothing else.
        """
        evidence = self.evidence
        scores = evidence.near + WORDS_IN_SENTENCE_WEIGHT * evidence.words + choice.around_weight * evidence.around
        candidates = [place for place in self.vectors if self.sentences[place].whole] or list(self.vectors)
        candidates = sorted(candidates, key=lambda place: -scores[place])[: 8 * choice.most]
        chosen: list[int] = []
        while candidates and len(chosen) < choice.most:
            repeats = {place: self._repeats(place, chosen) for place in candidates}
            best = max(candidates, key=lambda place: float(scores[place]) - choice.repetition_weight * repeats[place])
            candidates.remove(best)
            if repeats[best] <= _SAME and self._may_join(best, chosen, choice, must_be_near):
                chosen.append(best)
        return chosen

    def _may_join(self, place: int, chosen: Sequence[int], choice: Choice, must_be_near: bool) -> bool:
        of_one_document = Counter(self.sentences[other].document for other in chosen)
        if of_one_document[self.sentences[place].document] >= choice.of_one_document:
            return False
        if not (chosen and must_be_near):
            return True
        least = self.enough - _SLACK
        if len(chosen) >= _TAKEN_ON_TRUST:
            least = max(least, _CLOSE * self._alone(chosen[0]))
        return self._alone(place) >= least

    def _alone(self, place: int) -> float:
        """The evidence of a sentence by itself, without what stands around it."""
        return float(self.evidence.near[place] + WORDS_WEIGHT * self.evidence.words[place])

    def _repeats(self, place: int, chosen: Sequence[int]) -> float:
        """The greatest likeness to a chosen sentence, scaled as `near` is."""
        return max((self.scale.near(float(self.vectors[place] @ self.vectors[other])) for other in chosen), default=0.0)


def _count(meter: Meter | None) -> None:
    if meter is not None:
        meter.calls += 1


def _usual_language(documents: Sequence[PromptDocument]) -> str:
    """The language most documents say they are in; where none says, that of their beginnings."""
    said = Counter(iso639_1(document.language) for document in documents if document.language)
    said.pop("", None)
    if said:
        return said.most_common(1)[0][0]
    return detect("\n".join(document.text[:200] for document in documents))


def _middle(vectors: Vectors) -> Vectors:
    """What an empty query is taken to ask for: the mean of all sentences, so that the most central ones are nearest."""
    import numpy as np

    mean: Vectors = vectors.mean(axis=0) if len(vectors) else vectors.sum(axis=0)
    return mean / (np.linalg.norm(mean) or np.float32(1))


def _scale(model: str) -> Scale:
    try:
        return SCALES[model]
    except KeyError:
        raise ModelError(f"The extractive model knows no threshold for the embedding model “{model}”.") from None
