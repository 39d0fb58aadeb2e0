"""Checks what a model states against the documents: by its words, its meaning, its numbers and names, and its yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.prompts import PromptDocument
from chatsearch.statement_said import Statement, statement_about
from chatsearch.statement_source import needs_source as needs_source
from chatsearch.statement_text import SplitText, SplitTexts
from chatsearch.statements import NOT_FOUND, Check, Finding, bare_statement, literal

EMBEDDED = 8
"""Sentences of a document that are embedded for one statement at most."""

SEARCHED = 24
"""Sentences of all documents that are embedded at most to find the one that supports a statement."""

OF_ONE_DOCUMENT = 3
"""How many of those may be of one document."""


@dataclass(frozen=True)
class Likeness:
    """When a sentence is taken to say what a statement says: cosine + `words` × the share of its words ≥ `enough`.

    `enough_across` is for a statement in another language than the document's, which shares few words with it.
    """

    words: float
    enough: float
    enough_across: float


# Set on the half "tuning" of tests/data/statements.jsonl (`python -m benchmarks.checker`).
LIKENESS = MappingProxyType({
    ENGLISH_MODEL: Likeness(words=0.4, enough=0.84, enough_across=0.84),
    MULTILINGUAL_MODEL: Likeness(words=0.15, enough=0.953, enough_across=0.91),
})  # fmt: skip

_NEARLY = 0.1  # a sentence that is this much less like a statement may still be the one that is meant


class StatementChecker:
    """Compares statements with documents; what is embedded is remembered by `embeddings`. Blocking: call it in a thread.

    Only the packaged embedding models are used, so no text leaves this machine.

    What it cannot see: numbers or names that are swapped between neighbouring sentences, roles swapped by another verb ("A gave
    B", "A got from B"), an opposite that no list of words has, one common noun put for another, a German name that stands
    where a noun could. Names in different scripts never agree, so a Russian statement about an English text with a name
    in it is not found. Lists of opposites and negations are for English, German, Spanish, French, Italian, Russian and Chinese.
    """

    def __init__(self, embeddings: EmbeddingModels) -> None:
        self._embeddings = embeddings
        self._split = SplitTexts()

    def check(self, statement: str, text: str, language: str = "", title: str = "") -> Finding:
        """How a statement compares with the text of a document in `language` (ISO 639-1; found out when empty).

        Exact when it stands there word by word; similar when a sentence of the text means nearly the same, all numbers, dates
        and names of the statement are in or next to it (names also in the first sentence and the title), and both say yes to
        the same; else not found. Raises `ModelError` when the embedding model cannot be had.
        """
        bare = bare_statement(statement)
        if not any(map(str.isalnum, bare)) or not text.strip():
            return NOT_FOUND
        stands = literal(bare, text)
        if stands:
            return Finding(Check.EXACT, stands)
        said = statement_about(bare, text, language)
        split = self._split.of(text, said.of_document)
        nearest = self._nearest(said, [(split, place) for place in said.candidates(split, title)[:EMBEDDED]])
        return nearest.finding if nearest else NOT_FOUND

    def find(self, statement: str, documents: Sequence[PromptDocument]) -> tuple[int, Finding] | None:
        """The number of the document that supports a statement, and how: one that has it literally, else the nearest; or None.

        Of all documents only the sentences with the most words in common are embedded. Raises `ModelError`.
        """
        bare = bare_statement(statement)
        if not any(map(str.isalnum, bare)):
            return None
        for document in documents:
            stands = literal(bare, document.text)
            if stands:
                return document.n, Finding(Check.EXACT, stands)
        numbers: dict[int, int] = {}
        found: list[_Nearest] = []
        for said, candidates in self._shortlists(bare, documents, numbers):
            nearest = self._nearest(said, candidates)
            found.extend([nearest] if nearest else [])
        if not found:
            return None
        best = max(found, key=lambda one: one.margin)
        return numbers[id(best.split)], best.finding

    def _shortlists(
        self, bare: str, documents: Sequence[PromptDocument], numbers: dict[int, int]
    ) -> list[tuple[Statement, list[tuple[SplitText, int]]]]:
        """For each language of the documents the candidates with the most words in common; `numbers` gets each text's number."""
        found: dict[str, list[tuple[float, SplitText, int]]] = {}
        statements: dict[str, Statement] = {}
        for document in documents:
            if not document.text.strip():
                continue
            said = statement_about(bare, document.text, document.language)
            said = statements.setdefault(said.of_document, said)
            split = self._split.of(document.text, said.of_document)
            places = said.candidates(split, document.title)[:OF_ONE_DOCUMENT]
            if not places:
                continue
            numbers.setdefault(id(split), document.n)
            overlap = said.overlap(split)
            found.setdefault(said.of_document, []).extend((overlap[place], split, place) for place in places)
        shortlists = []
        for language, candidates in found.items():
            candidates.sort(key=lambda one: -one[0])
            shortlists.append((statements[language], [(split, place) for _, split, place in candidates[:SEARCHED]]))
        return shortlists

    def _nearest(self, said: Statement, candidates: Sequence[tuple[SplitText, int]]) -> _Nearest | None:
        """The candidate that is most like a statement and does not say the opposite; None when none is like it enough."""
        if not candidates:
            return None
        scores, enough = self._scores(said, candidates)
        least = max(enough, max(scores) - _NEARLY)
        for score, (split, place) in sorted(zip(scores, candidates, strict=True), key=lambda one: -one[0]):
            if score < least:
                return None
            span = said.meant(split, place)
            if said.is_opposite(span.of(split.text)):
                return None
            if not said.is_negation(span.of(split.text)):  # else the sentence that is meant may be the next one
                return _Nearest(score - enough, split, Finding(Check.SIMILAR, span))
        return None

    def _scores(self, said: Statement, candidates: Sequence[tuple[SplitText, int]]) -> tuple[list[float], float]:
        """How like a statement each candidate is, and how like is enough."""
        both_english = said.language == said.of_document == "en"
        model = ENGLISH_MODEL if both_english else MULTILINGUAL_MODEL
        likeness = LIKENESS[model]
        texts = [split.sentence(place) for split, place in candidates]
        *vectors, own = self._embeddings.encode_now(model, [*texts, said.text], "passage")
        scores = [
            float(vector @ own) + likeness.words * said.share(split, place)
            for vector, (split, place) in zip(vectors, candidates, strict=True)
        ]
        return scores, likeness.enough_across if said.across else likeness.enough


@dataclass(frozen=True)
class _Nearest:
    """The candidate a statement rests on; `margin` is how much more like it is than enough."""

    margin: float
    split: SplitText
    finding: Finding
