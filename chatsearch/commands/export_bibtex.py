"""A result set as BibTeX: an entry per document with what is quoted from it; the texts come first, as comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from chatsearch.citations import Footnote
from chatsearch.commands.slugs import ascii_words
from chatsearch.dates import period_of
from chatsearch.labels import labels_of
from chatsearch.results import Answer, ResultSet
from chatsearch.web import is_web

_AUTHORS = ("author", "authors", "creator", "creators", "byline")
_DATES = ("year", "date", "published", "publication_date", "published_date", "datePublished", "publishedAt")
# BibTeX counts every brace, an escaped one too, so that braces are written by name
_ESCAPES: Mapping[str, str] = MappingProxyType({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", **{sign: f"\\{sign}" for sign in "$&#%_"},
})  # fmt: skip
_IN_URL: Mapping[str, str] = MappingProxyType({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def as_bibtex(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """UTF-8. The keys are a word of the title and the document's number: `tesla3`."""
    texts = [(summary.title, summary.text, summary.footnotes) for summary in results.summaries]
    texts += [(answer.question, answer.text, answer.footnotes) for answer in answers]
    quoted: dict[int, list[Footnote]] = {}
    for _, _, footnotes in texts:
        for note in footnotes:
            quoted.setdefault(note.n, []).append(note)
    lines = [f"% {_comment(results.asked)}", *(line for title, text, _ in texts for line in _comments(title, text)), ""]
    lines += [_entry(document, quoted.get(_number(document), [])) for document in results.documents_json()]
    return "\n".join(lines).encode("utf-8", "replace")


def _entry(document: Mapping[str, object], quoted: Sequence[Footnote]) -> str:
    title = str(document.get("title") or document["id"])
    authors = [name for column in _AUTHORS for name in labels_of(document.get(column))]
    periods = [period_of(document.get(column)) for column in _DATES]
    quotes = list(dict.fromkeys(note.quote for note in quoted if note.quote))
    url = str(document.get("url") or "")
    fields = {
        "title": f"{{{_escaped(title)}}}",
        "author": " and ".join(f"{{{_escaped(name)}}}" for name in dict.fromkeys(authors)),
        "year": next((str(period.start.year) for period in periods if period), ""),
        "url": "".join(_IN_URL.get(sign, sign) for sign in _CONTROL.sub("", url)) if is_web(url) else "",
        "language": _escaped(str(document.get("language") or "")),
        "note": _escaped(" ".join(f"“{quote}”" for quote in quotes)),
    }
    written = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{_key(title)}{_number(document)},\n{written}}}\n"


def _number(document: Mapping[str, object]) -> int:
    return int(str(document["n"]))


def _key(title: str) -> str:
    words = (word for word in ascii_words(title) if word.isalpha() and len(word) > 2)
    return next((word for word in words if word not in ("the", "and", "der", "die", "das")), "document")[:30]


def _escaped(text: str) -> str:
    flat = " ".join(_CONTROL.sub(" ", text).split())
    return "".join(_ESCAPES.get(sign, sign) for sign in flat)


def _comments(title: str, text: str) -> Iterator[str]:
    yield "%"
    yield f"% {_comment(title)}"
    yield from (f"% {_comment(line)}" for line in text.splitlines() if line.strip())


def _comment(text: str) -> str:
    """Whatever stands outside an entry is a comment, as long as it has no @."""
    return " ".join(_CONTROL.sub(" ", text).split()).replace("@", "(at)")
