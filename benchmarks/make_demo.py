"""Makes the shipped sample from XQuAD's English paragraphs (`python -m benchmarks.make_demo`); again when the model changes."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import numpy as np

from chatsearch import demo
from chatsearch.embedding import MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.index.dense import passage_key, passage_text
from chatsearch.passages import passages
from chatsearch.text import clean

SOURCE = Path(__file__).resolve().parents[2] / "shared" / "data" / "xquad-en" / "corpus.jsonl"

_WORDS = 5
_EDGE = re.compile(r"^\W+|\W+$")


def main() -> None:
    """Writes corpus.jsonl and vectors.npz into chatsearch/demo."""
    documents = list(_documents(SOURCE))
    lines = [json.dumps(document, ensure_ascii=False) + "\n" for document in documents]
    demo.CORPUS.write_text("".join(lines), encoding="utf-8")
    models = EmbeddingModels()
    texts = [passage_text(d["title"], span.of(d["text"])) for d in documents for span in passages(d["text"], "en")]
    vectors = models.encode_now(MULTILINGUAL_MODEL, texts, "passage")
    keys = np.array([list(bytes.fromhex(passage_key(text))) for text in texts], np.uint8)
    np.savez_compressed(
        demo.VECTORS, fingerprint=models.get(MULTILINGUAL_MODEL).fingerprint, keys=keys, vectors=vectors.astype(np.float16)
    )
    print(f"{len(documents)} documents, {len(texts)} passages, {demo.VECTORS.stat().st_size:,} bytes of vectors")


def paragraph_url(article: str, text: str) -> str:
    """The English Wikipedia's page of `article`, scrolled to the paragraph by a text fragment (WICG scroll-to-text-fragment)."""
    words = text.split()
    first, last = " ".join(words[:_WORDS]), " ".join(words[-_WORDS:])
    return f"https://en.wikipedia.org/wiki/{quote(article, safe='()_,')}#:~:text={_encoded(first)},{_encoded(last)}"


def _documents(source: Path) -> list[dict[str, str]]:
    paragraphs: Counter[str] = Counter()
    documents = []
    for line in source.read_text("utf-8").splitlines():
        given = json.loads(line)
        article, text = given["title"], clean(given["text"])
        paragraphs[article] += 1
        documents.append(
            {
                "id": given["_id"],
                "title": article.replace("_", " "),
                "text": text,
                "url": paragraph_url(article, text),
                "paragraph": paragraphs[article],
                "language": "en",
            }
        )
    return documents


def _encoded(words: str) -> str:
    """Punctuation at the ends goes, since a match must end at a word; "-" and "," and "&" are syntax and must be encoded."""
    return quote(_EDGE.sub("", words), safe="").replace("-", "%2D")


if __name__ == "__main__":
    main()
