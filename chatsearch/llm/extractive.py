"""The built-in model: it answers and summarises by quoting sentences of the documents, and refuses when none is near."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatsearch.embedding import EmbeddingModels
from chatsearch.languages import detect, iso639_1, stop_words, words
from chatsearch.llm.answer_types import asked_for
from chatsearch.llm.evidence import ACROSS, WITHIN, Evidence, Sentence, WordMatch, shortlist, split, weigh
from chatsearch.llm.model import Meter, Piece, Quotation, Refusal
from chatsearch.llm.scales import SCALES as SCALES
from chatsearch.llm.scales import Scale, scale_of
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.work import Progress

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

EMBEDDED_AT_MOST = 64
"""Sentences that are embedded for a summary, or for a question in another language, whose words do not tell the likely ones."""


@dataclass(frozen=True)
class Choice:
    """How sentences are chosen: how many, how many of one document, how much what stands around them and repetition count."""

    most: int
    of_one_document: int
    around_weight: float
    repetition_weight: float


# What counts in a sentence itself, beside its cosine, which counts 1, and the evidence around it: a conditional logistic
# regression (which sentence has the gold span) on XQuAD's even questions gives .7 to 1, .13 to .23 and .3 to .4. An answer seldom
# says the names of the question again: they stand before it.
WORDS_WEIGHT, UNNAMED_WEIGHT, UNTYPED_WEIGHT = 0.75, 0.2, 0.35
CHOICES = MappingProxyType({
    Task.ANSWER: Choice(most=3, of_one_document=3, around_weight=1.0, repetition_weight=0.1),
    Task.SUMMARIZE_RESULTS: Choice(most=5, of_one_document=2, around_weight=0.5, repetition_weight=0.3),
    Task.SUMMARIZE_DOCUMENT: Choice(most=3, of_one_document=3, around_weight=0.5, repetition_weight=0.3),
})  # fmt: skip

_SLACK = 0.3  # how far below `enough` a further sentence of an answer may be by itself: 0.2 loses half a percent of the answers
_PLAINLY = 0.1  # how far above `enough` no further sentences are embedded
_TAKEN_ON_TRUST = 2  # the first two sentences hold the answer nine times in ten; later ones must be about as near as the first
_CLOSE = 0.8
_SAME = 0.97  # cosine from which on two sentences say the same


class ExtractiveModel:
    """A `LanguageModel` without an LLM: every statement is one sentence, literally from one document.

    Sentences are chosen by cosine, by the share of the question's words in them or their title, by whether they hold a name, a
    time or a number when one is asked for, and by the evidence around them, less what they repeat (MMR, Carbonell and Goldstein
    1998). A summary of one document never refuses while there is a sentence.
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
        question = await asyncio.to_thread(self._question, prompt)
        stages = question.scale.embedded if prompt.task is Task.ANSWER and not question.across else (EMBEDDED_AT_MOST,)
        for most in stages[:-1]:
            view = await self._seen(prompt, question, most, of_each, progress)
            if view.strongest() >= view.enough + _PLAINLY:
                return view
        return await self._seen(prompt, question, stages[-1], of_each, progress)

    async def _seen(self, prompt: Prompt, question: _Question, most: int, of_each: int, progress: Progress | None) -> _View:
        places = await asyncio.to_thread(shortlist, question.sentences, question.match, most, of_each)
        texts = [question.sentences[place].text for place in places]
        vectors = await self._embeddings.encode(question.model, texts, "passage", progress)
        if prompt.query.strip():
            (query,) = await self._embeddings.encode(question.model, [prompt.query], "query")
        else:
            query = _middle(vectors)
        return await asyncio.to_thread(_weighed, prompt, question, dict(zip(places, vectors, strict=True)), query)

    def _question(self, prompt: Prompt) -> _Question:
        language, across, model = self._languages(prompt)
        found = split(prompt.documents, language)
        return _Question(
            found, WordMatch(prompt.query, prompt.documents, found, language), language, across, model, scale_of(model)
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
class _Question:
    """A prompt before anything is embedded: its sentences and where the question's words are in them."""

    sentences: Sequence[Sentence]
    match: WordMatch
    language: str
    across: bool
    model: str
    scale: Scale


def _weighed(prompt: Prompt, question: _Question, vectors: Mapping[int, Vectors], query: Vectors) -> _View:
    scale, found, weights = question.scale, question.sentences, ACROSS if question.across else WITHIN
    near = [scale.near(float(vectors[place] @ query)) if place in vectors else -inf for place in range(len(found))]
    evidence = weigh(near, question.match, asked_for(prompt.query, question.language), prompt.documents, found, weights)
    enough = scale.enough_across if question.across else scale.enough_in(question.language)
    return _View(found, evidence, vectors, scale, enough, weights.words)


@dataclass(frozen=True)
class _View:
    """The sentences of a prompt as seen from its question; `vectors` has those that were embedded, by their place."""

    sentences: Sequence[Sentence]
    evidence: Evidence
    vectors: Mapping[int, Vectors]
    scale: Scale
    enough: float
    words_weight: float

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
        scores = evidence.near + WORDS_WEIGHT * evidence.words + choice.around_weight * evidence.around
        scores = scores + UNNAMED_WEIGHT * evidence.unnamed - UNTYPED_WEIGHT * evidence.untyped
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
        return float(self.evidence.near[place] + self.words_weight * self.evidence.words[place])

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
