"""`/export`: the results of this chat as a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chatsearch.commands.arguments import UsageError
from chatsearch.commands.command import Command
from chatsearch.commands.export_bibtex import as_bibtex
from chatsearch.commands.export_markdown import as_markdown
from chatsearch.commands.export_tables import as_csv, as_json, as_jsonl, as_parquet
from chatsearch.commands.reply import Block, File, Note, Paragraph, Reply
from chatsearch.commands.session import Session
from chatsearch.commands.slugs import ascii_words
from chatsearch.errors import InputError, did_you_mean
from chatsearch.results import Answer, ResultSet


@dataclass(frozen=True)
class Format:
    """How a result set becomes a file; `holds_texts` says whether the summaries and answers are in it."""

    ending: str
    media_type: str
    write: Callable[[ResultSet, Sequence[Answer]], bytes]
    holds_texts: bool = True


FORMATS: Mapping[str, Format] = MappingProxyType({
    "json": Format("json", "application/json", as_json),
    "jsonl": Format("jsonl", "application/x-ndjson", as_jsonl),
    "csv": Format("csv", "text/csv", as_csv, holds_texts=False),
    "parquet": Format("parquet", "application/vnd.apache.parquet", as_parquet),
    "bibtex": Format("bib", "application/x-bibtex", as_bibtex),
    "markdown": Format("md", "text/markdown", as_markdown),
})  # fmt: skip


async def _export(session: Session, argument: str) -> Reply:
    wanted = argument.casefold().lstrip(".")
    chosen = FORMATS.get(wanted) or next((one for one in FORMATS.values() if one.ending == wanted), None)
    if chosen is None:
        said = f"“{argument[:40]}” is no format.{did_you_mean(argument, FORMATS)}" if argument else "Which format?"
        raise UsageError(f"{said} There are: {', '.join(FORMATS)}.")
    results = session.results
    if results is None:
        raise InputError("There are no results to export yet. Type what you are looking for.")
    # many long texts take a moment: away from the event loop
    content = await asyncio.to_thread(chosen.write, results, tuple(session.answers))
    texts = len(results.summaries) + len(session.answers)
    blocks: list[Block] = [
        Paragraph(f"{len(results)} documents, {len(content):,} bytes."),
        *(
            [Note("All documents are in it: a filter chooses what is shown, not what is exported.")]
            if session.view.conditions
            else []
        ),
        File(_name(results, chosen), chosen.media_type, content),
    ]
    if texts and not chosen.holds_texts:
        blocks.insert(1, Note("It has the documents with what is quoted from each; json and markdown have the texts too."))
    return Reply(tuple(blocks))


def _name(results: ResultSet, chosen: Format) -> str:
    return f"{'-'.join(ascii_words(results.asked))[:60].strip('-') or 'results'}.{chosen.ending}"


COMMANDS = (
    Command(
        name="export",
        usage=f"/export {'|'.join(FORMATS)}",
        help="Makes a file of the results, with summaries, answers and footnotes.",
        examples=("/export markdown", "/export bibtex", "/export csv"),
        perform=_export,
        icon="download",
    ),
)
