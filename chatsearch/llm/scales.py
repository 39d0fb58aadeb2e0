"""What the cosines of the packaged embedding models mean: from which on documents are taken to answer a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chatsearch.errors import ModelError
from chatsearch.model_names import ENGLISH_MODEL, MULTILINGUAL_MODEL


@dataclass(frozen=True)
class Scale:
    """What the cosines of an embedding model mean, and how many sentences it embeds for an answer.

    `enough` is the `around` from which on documents are taken to answer, by their language, "" for all others; `enough_across`
    the same for a question in another language than the documents. `steepness` makes a probability of the distance to it.
    `embedded` are the sentences embedded at first, and in all where those do not answer plainly.
    """

    floor: float
    enough: Mapping[str, float]
    enough_across: float
    steepness: float
    embedded: Sequence[int]

    def near(self, cosine: float) -> float:
        """A cosine on a scale where unrelated texts have about 0 and equal ones 1."""
        return (cosine - self.floor) / (1 - self.floor)

    def enough_in(self, language: str) -> float:
        """The `around` from which on documents in a language (ISO 639-1) are taken to answer."""
        return self.enough.get(language, self.enough[""])


# How the numbers were got: `python -m benchmarks.extractive --set`, result sets of 20 documents, even-numbered questions only.
# - `enough`: English, the least that refuses 99 % of another article's questions; 2 % of the answerable ones go with them. E5:
#   what refuses 70 % of the hard kind and 99 % of another article's (98.6 % in Russian), and 2 to 4 % of the answerable ones;
#   German on all of XQuAD, the others on its first 80 documents. The same cosine says less in Chinese and Spanish than in German
#   and Russian. What other languages need is not measured: they get what lies between.
# - `enough_across` refuses all even-numbered questions of cranfield over German texts and 95 % of cisi's, and also a third of the
#   answerable English ones (set with older weights, which are `ACROSS` now). MiniLM's is unused.
# - `steepness` was 30 with weights under which the evidence spread two thirds as wide.
# - `embedded`: MiniLM takes about 10 ms for each, E5 50. With 16 at once German and Russian lose 4 answers in 1,000.
SCALES = MappingProxyType({
    ENGLISH_MODEL: Scale(floor=0.0, enough={"": 0.66}, enough_across=0.58, steepness=20.0, embedded=(32, 64)),
    MULTILINGUAL_MODEL: Scale(
        floor=0.7,
        enough={"": 0.6, "de": 0.575, "es": 0.68, "ru": 0.6, "zh": 0.685},
        enough_across=0.42,
        steepness=20.0,
        embedded=(16, 32),
    ),
})  # fmt: skip


def scale_of(model: str) -> Scale:
    """The scale of an embedding model. Raises `ModelError` where none is known."""
    try:
        return SCALES[model]
    except KeyError:
        raise ModelError(f"The extractive model knows no threshold for the embedding model “{model}”.") from None
