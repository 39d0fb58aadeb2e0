"""A reply as plain text: for the terminal, and for tests."""

from __future__ import annotations

from collections.abc import Iterator

from chatsearch.commands.differences import shown
from chatsearch.commands.reply import (
    Block,
    Card,
    Cards,
    Code,
    File,
    Form,
    FormStep,
    Heading,
    Note,
    Offer,
    Paragraph,
    Picture,
    Reply,
    Table,
    Upload,
)
from chatsearch.terminal import plain_text

_WIDEST = 60


def plain(reply: Reply) -> str:
    """The blocks as lines, without what a terminal would obey. Files and forms are named, their content is the surface's."""
    return "\n".join(line for block in reply.blocks for line in plain_text("\n".join(_lines(block))).split("\n"))


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Cards(cards):
            yield from (line for card in cards for line in _card(card))
        case Form(steps):
            yield from (line for step in steps for line in _form_step(step))
        case _:
            yield _line(block)


def _line(block: Block) -> str:
    match block:
        case Heading(text):
            return f"\n{text}"
        case Note(text):
            return f"! {text}"
        case File(name, media_type, content):
            return f"[{name}, {media_type}, {len(content):,} bytes]"
        case Picture(_, alt):
            return f"[{alt}]"
        case Upload(label, command):
            return f"  > {label}: {command} JSON"
        case Offer(label, command):
            return f"  > {label}: {command}" if label != command else f"  > {command}"
        case Paragraph(text) | Code(text):
            return text
        case _:
            return f"  {block}"


def _table(block: Table) -> Iterator[str]:
    """Columns side by side; only the last one may be wide."""
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in (block.headers, *block.rows)]
    widths = [min(_WIDEST, max(len(row[column]) for row in rows)) for column in range(len(block.headers) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def _card(card: Card) -> Iterator[str]:
    rows = f"  {card.rows_in} → {card.rows_out} documents, {card.seconds:.2f} s" if card.seconds is not None else ""
    yield f"{card.number}  {card.module}{'' if card.enabled else ' (off)'}{rows}"
    yield from (f"     {name} = {value}" for name, value in card.parameters)


def _form_step(step: FormStep) -> Iterator[str]:
    yield f"{step.number}  {step.module}{'' if step.enabled else ' (off)'}: {step.description}"
    yield from (f"     {field.name} = {shown(field.value, field.name)}  ({field.allowed})" for field in step.fields)
