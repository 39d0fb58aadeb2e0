"""Measures the extractive model on result sets of twenty documents: answers found, questions refused, quotes literal.

    python -m benchmarks.extractive                                    English texts and questions
    python -m benchmarks.extractive --texts de
    python -m benchmarks.extractive --texts ru --documents 80 --foreign 40
    python -m benchmarks.extractive --set                              what the thresholds should be, from the even half

The result sets come from a stand-in for the index: BM25 over terms and the best cosine of a document's passages, each scaled
to 0..1 and added, the first twenty (`--depth`). Thresholds were set on the even-numbered questions of each kind; "held out" are
the odd ones.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

from chatsearch.embedding import MULTILINGUAL_MODEL, PACKAGED, EmbeddingModel, EmbeddingModels, Kind, Loader
from chatsearch.languages import terms
from chatsearch.llm.extractive import ExtractiveModel
from chatsearch.llm.model import Piece
from chatsearch.passages import passages
from chatsearch.prompts import Prompt, PromptDocument, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chatsearch.embedding import Vectors

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 1


@dataclass(frozen=True)
class Question:
    """A question with its gold spans and its paragraph; both empty for a question of another collection."""

    text: str
    answers: tuple[str, ...] = ()
    paragraph: str = ""


@dataclass
class Situation:
    """Questions of one kind, each asked of a result set. `answered` says whether the documents hold the answer."""

    name: str
    answered: bool
    asked: list[tuple[Question, tuple[PromptDocument, ...]]]
    quoted: list[list[str]] = field(default_factory=list)
    strengths: list[float] = field(default_factory=list)
    literal: list[bool] = field(default_factory=list)

    def half(self, odd: bool) -> range:
        return range(int(odd), len(self.asked), 2)

    def refused(self, odd: bool) -> float:
        return statistics.mean(not self.quoted[row] for row in self.half(odd))

    def found(self, first: int, odd: bool) -> float:
        """The share of all questions, refused ones too, with a gold span in the first sentences of the answer."""
        return statistics.mean(
            any(answer in sentence for sentence in self.quoted[row][:first] for answer in self.asked[row][0].answers)
            for row in self.half(odd)
        )


def main() -> None:
    options = _options()
    embeddings = EmbeddingModels(_remembering(options.cache) if options.cache else PACKAGED, remembered=100_000)
    documents = _documents(options.data / f"xquad-{options.texts}", options.texts)[: options.documents]
    questions = _questions(options.data / f"xquad-{options.questions}", {one.id for one in documents})
    if options.questions != options.texts:  # the spans to be found are those of the documents' language; the ids are the same
        gold = _questions(options.data / f"xquad-{options.texts}", {one.id for one in documents})
        questions = [replace(asked, answers=same.answers) for asked, same in zip(questions, gold, strict=True)]
    situations = _situations(options, Search(documents, embeddings, options), questions)
    model = ExtractiveModel(embeddings)
    for situation in situations:
        asyncio.run(_ask(situation, model, strengths=options.set))
    title = f"xquad-{options.questions} questions over {len(documents)} documents of xquad-{options.texts}"
    _report(title, situations, options.markdown)
    if options.set:
        _propose(situations)
    warm = asyncio.run(_warm_milliseconds(situations[0], model))
    Console().print(f"A warm answer over {options.depth} documents: median {warm[0]:.0f} ms, 95 % under {warm[1]:.0f} ms.")


class Search:
    """The stand-in for a hybrid index; dense alone for questions in another language, which have no words in common with it."""

    def __init__(self, documents: Sequence[PromptDocument], embeddings: EmbeddingModels, options: argparse.Namespace) -> None:
        from rank_bm25 import BM25Okapi

        self.documents = documents
        self._embeddings, self._language = embeddings, options.texts
        self._hybrid, self._depth = options.texts == options.questions, options.depth
        language = self._language
        self._model = embeddings.for_language(language) if self._hybrid else MULTILINGUAL_MODEL
        self._bm25 = BM25Okapi([terms(f"{one.title} {one.text}", language) for one in documents])
        parts = [[f"{one.title}\n{span.of(one.text)}" for span in passages(one.text, language)] for one in documents]
        self._passages = [embeddings.encode_now(self._model, part, "passage") for part in track(parts, "documents")]

    def top(self, question: str) -> tuple[PromptDocument, ...]:
        import numpy as np

        (query,) = self._embeddings.encode_now(self._model, [question], "query")
        lexical = self._bm25.get_scores(terms(question, self._language))
        dense = np.array([float((part @ query).max()) for part in self._passages])
        best = np.argsort(-(_scaled(lexical) * self._hybrid + _scaled(dense)), kind="stable")[: self._depth]
        return tuple(self.documents[place] for place in best)


def _situations(options: argparse.Namespace, search: Search, questions: list[Question]) -> list[Situation]:
    tops = [search.top(question.text) for question in track(questions, "searching")]
    chance = random.Random(SEED)
    elsewhere = []
    for question in questions:
        article = question.paragraph.split("-")[0]
        foreign = [top for other, top in zip(questions, tops, strict=True) if not other.paragraph.startswith(f"{article}-")]
        elsewhere.append(tuple(one for one in chance.choice(foreign) if not one.id.startswith(f"{article}-")))
    removed = [tuple(one for one in top if one.id != question.paragraph) for question, top in zip(questions, tops, strict=True)]
    found = [
        Situation("own results", True, list(zip(questions, tops, strict=True))),
        Situation("another article's results", False, list(zip(questions, elsewhere, strict=True))),
        Situation("own results without the answering paragraph", False, list(zip(questions, removed, strict=True))),
    ]
    for name in ("cranfield", "cisi"):
        foreign_questions = _questions(options.data / name, None)[: options.foreign]
        asked = [(question, search.top(question.text)) for question in track(foreign_questions, name)]
        found.append(Situation(f"questions of {name}", False, asked))
    return found


async def _ask(situation: Situation, model: ExtractiveModel, strengths: bool) -> None:
    for question, documents in track(situation.asked, situation.name):
        prompt = Prompt(Task.ANSWER, question.text, documents)
        pieces = [piece async for piece in model.stream(prompt) if isinstance(piece, Piece)]
        situation.quoted.append([piece.text for piece in pieces])
        situation.literal.extend(_is_literal(piece, documents) for piece in pieces)
        if strengths:
            situation.strengths.append(await model.strength(prompt))


def _is_literal(piece: Piece, documents: Sequence[PromptDocument]) -> bool:
    quotation = piece.quotation
    texts = {document.n: document.text for document in documents}
    return quotation is not None and texts[quotation.n][quotation.start : quotation.end] == piece.text


def _report(title: str, situations: Sequence[Situation], markdown: bool) -> None:
    head = ["questions", "n", "refused, even", "refused, held out", "gold span in the first 1, 2, 3 sentences, even", "held out"]
    rows = []
    for one in situations:
        spans = [
            ", ".join(f"{one.found(first, odd):.3f}" for first in (1, 2, 3)) if one.answered else "" for odd in (False, True)
        ]
        rows.append([one.name, str(len(one.asked)), f"{one.refused(False):.3f}", f"{one.refused(True):.3f}", *spans])
    literal = [one for situation in situations for one in situation.literal]
    Console().print(f"{title}: {sum(literal)} of {len(literal)} quotes are literal.")
    if markdown:
        Console(width=240).print("\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]))
        return
    table = Table(*head, title=title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _propose(situations: Sequence[Situation]) -> None:
    import numpy as np

    own = np.array(situations[0].strengths)
    for rate in (0.015, 0.02, 0.025, 0.03, 0.035, 0.04):
        enough = float(np.quantile(own[::2], rate))
        shares = [f"{one.name} {np.mean(np.array(one.strengths)[::2] < enough):.3f}" for one in situations]
        Console().print(f"enough = {enough:.3f}: of the even half refused: {'; '.join(shares)}")


async def _warm_milliseconds(situation: Situation, model: ExtractiveModel) -> tuple[float, float]:
    seconds = []
    for question, documents in situation.asked[:200]:
        start = time.perf_counter()
        _ = [piece async for piece in model.stream(Prompt(Task.ANSWER, question.text, documents))]
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20)[-1] * 1000


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    span = scores.max() - scores.min()
    scaled: NDArray[np.float64] = (scores - scores.min()) / (span or 1)
    return scaled


def _documents(folder: Path, language: str) -> list[PromptDocument]:
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    return [PromptDocument(n, row["_id"], row["title"].replace("_", " "), row["text"], language) for n, row in enumerate(rows, 1)]


def _questions(folder: Path, paragraphs: set[str] | None) -> list[Question]:
    """The questions of a collection: those with an answer in `paragraphs`, or all of them without their answers."""
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    if paragraphs is None:
        return [Question(row["text"]) for row in rows]
    qrels = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:])
    own = [Question(row["text"], tuple(row["answers"]), qrels[row["_id"]]) for row in rows]
    return [question for question in own if question.paragraph in paragraphs]


def _remembering(folder: Path) -> dict[str, Loader]:
    """The packaged models, their vectors kept in `folder` from one run to the next."""
    folder.mkdir(parents=True, exist_ok=True)
    return {name: partial(_OnDisk, loader, folder) for name, loader in PACKAGED.items()}


class _OnDisk:
    remote = False

    def __init__(self, loader: Loader, folder: Path) -> None:
        self._model: EmbeddingModel = loader()
        self._folder = folder
        self.name, self.fingerprint, self.dimensions = self._model.name, self._model.fingerprint, self._model.dimensions

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        import numpy as np

        paths = [self._path(text, kind) for text in texts]
        missing = [place for place, path in enumerate(paths) if not path.exists()]
        if missing:
            made = self._model.encode([texts[place] for place in missing], kind)
            for place, vector in zip(missing, made, strict=True):
                np.save(paths[place], vector)
        vectors: Vectors = np.array([np.load(path) for path in paths], dtype=np.float32)
        return vectors

    def _path(self, text: str, kind: Kind) -> Path:
        key = sha256(repr((self.fingerprint, kind, text)).encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{key}.npy"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder of judged collections")
    parser.add_argument("--texts", default="en", help="language of the documents")
    parser.add_argument("--questions", default="", help="language of the questions, the documents' when not given")
    parser.add_argument("--documents", type=int, default=240, help="how many of the documents, for slow models")
    parser.add_argument("--depth", type=int, default=20, help="documents in a result set")
    parser.add_argument("--foreign", type=int, default=1_000, help="how many questions of cranfield and of cisi at most")
    parser.add_argument("--set", action="store_true", help="propose thresholds from the even-numbered questions")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--cache", type=Path, help="a folder to keep vectors in from one run to the next")
    options = parser.parse_args()
    options.questions = options.questions or options.texts
    return options


if __name__ == "__main__":
    main()
