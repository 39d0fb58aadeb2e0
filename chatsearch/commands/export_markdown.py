"""A result set as Markdown (CommonMark): the texts with their markers, then the references with what is quoted from each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatsearch.chat.markdown import escape
from chatsearch.citations import Footnote
from chatsearch.results import Answer, ResultSet
from chatsearch.web import is_web

_SIGNS = frozenset("<> \\")


def as_markdown(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """UTF-8. Texts of documents and models are escaped; a reference has the number of its document."""
    notes = [note for summary in results.summaries for note in summary.footnotes]
    notes += [note for answer in answers for note in answer.footnotes]
    parts = [f"# {escape(results.asked)}"]
    for summary in results.summaries:
        parts += [f"## {escape(summary.title)}", *_paragraphs(summary.text)]
    for answer in answers:
        parts += [f"## {escape(answer.question)}", *_paragraphs(answer.text)]
    return ("\n\n".join([*parts, *_references(results, notes)]) + "\n").encode("utf-8", "replace")


def _paragraphs(text: str) -> list[str]:
    return [escape(line) for line in text.splitlines() if line.strip()]


def _references(results: ResultSet, notes: Sequence[Footnote]) -> Iterator[str]:
    quoted: dict[int, list[Footnote]] = {}
    for note in notes:
        quoted.setdefault(note.n, []).append(note)
    documents = {int(str(document["n"])): document for document in results.documents_json()}
    for heading, numbers in (("References", sorted(quoted)), ("Other results", sorted(set(documents) - set(quoted)))):
        if not numbers:
            continue
        yield f"## {heading}"
        lines: list[str] = []
        for n in numbers:
            # a document that is gone from the set is still named by its footnotes
            first = quoted[n][0] if n in quoted else None
            document = documents.get(n) or {"title": first.title if first else "", "url": first.url if first else ""}
            lines.append(_reference(n, str(document["title"] or ""), str(document["url"] or "")))
            lines += dict.fromkeys(f"  - “{escape(note.quote)}” ({note.check.value})" for note in quoted.get(n, []) if note.quote)
        yield "\n".join(lines)


def _reference(n: int, title: str, url: str) -> str:
    shown = escape(title) or "Untitled"
    link = f" <{url}>" if is_web(url) and not _SIGNS & set(url) else ""
    return f"- **\\[{n}\\]** {shown}.{link}"
