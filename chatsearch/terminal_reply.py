"""What a command says, in a terminal: blocks through rich where a person reads them, plain lines where a pipe does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from chatsearch.commands import reply as blocks
from chatsearch.commands.plain import plain
from chatsearch.commands.reply import Block, Reply
from chatsearch.errors import InputError
from chatsearch.terminal import plain_text

_MOST_NUMBERS = 999


def show_blocks(console: Console, reply: Reply) -> None:
    """The blocks as plain lines: the same wherever they go."""
    shown = tuple(block for block in reply.blocks if not isinstance(block, blocks.File))
    if shown:
        console.print(plain(Reply(shown)), markup=False, highlight=False, soft_wrap=True)


def show_styled_blocks(console: Console, reply: Reply) -> None:
    """The blocks for a person; offers, files and forms are left to `show_offers`, `write_file` and the editor."""
    for block in reply.blocks:
        if not isinstance(block, blocks.Offer | blocks.File | blocks.Form):
            console.print(_styled(block))


def show_offers(console: Console, offers: Sequence[blocks.Offer]) -> None:
    """Numbered lines: whoever types the number sends the command."""
    for number, offer in enumerate(offers, start=1):
        command = "" if offer.label == offer.command else plain_text(_one_line(offer.command))
        line = Text.assemble((f"  {number}  ", "bold"), plain_text(_one_line(offer.label)), (f"  {command}", "dim"))
        console.print(line, no_wrap=True, overflow="ellipsis")


def write_file(file: blocks.File, folder: Path) -> Path:
    """Write a file into the folder and never over another: a number is added then. Raises InputError when it cannot be."""
    name = Path(Path(file.name).name)
    names = [name.name, *(f"{name.stem}-{number}{name.suffix}" for number in range(2, _MOST_NUMBERS + 1))]
    free = next((folder / one for one in names if not (folder / one).exists()), None)
    if free is None:
        raise InputError(f"{folder} has {_MOST_NUMBERS} files called {name} already. Move some of them.")
    try:
        with free.open("xb") as new:  # x: also when it came to be meanwhile
            new.write(file.content)
    except OSError as error:
        raise InputError(f"{free} cannot be written ({error.strerror}). Start the chat in a folder you may write to.") from error
    return free


def _styled(block: Block) -> RenderableType:
    match block:
        case blocks.Heading(text):
            return Text(f"\n{plain_text(text)}", style="bold")
        case blocks.Note(text):
            return Text.assemble(("! ", "yellow bold"), plain_text(text))
        case blocks.Changed():
            return Text.assemble(("  ✎ ", "green"), plain_text(str(block)))
        case blocks.Code(text, "json"):
            return _json(plain_text(text))
        case blocks.Table():
            return _table(block)
        case blocks.Upload(_, command):
            return Text(f"  {command} PATH opens a JSON file of this machine.")
        case blocks.Cards(cards):
            return Group(*map(_card, cards), "")
        case _:
            return Text(plain(Reply((block,))))


def _json(text: str) -> RenderableType:
    from rich.syntax import Syntax

    return Syntax(text, "json", theme="ansi_dark", background_color="default", word_wrap=True)


def _table(block: blocks.Table) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_header=any(block.headers), pad_edge=False)
    for place, header in enumerate(block.headers):
        table.add_column(Text(header), overflow="fold", ratio=None if place + 1 < len(block.headers) else 1)
    for row in block.rows:
        table.add_row(*(Text(plain_text(_one_line(cell))) for cell in row))
    return table


def _card(card: blocks.Card) -> Text:
    style = "" if card.enabled else "dim"
    line = Text.assemble((f"{card.number:>3}  ", "bold"), (card.name, "bold"), (f"  {card.module}", "dim"), style=style)
    if not card.enabled:
        line.append("  off", style="yellow")
    if card.seconds is not None:
        line.append(f"  {card.rows_in} → {card.rows_out} documents, {card.seconds:.2f} s", style="cyan")
    for name, value in card.parameters:
        line.append(f"\n     {plain_text(name)} = {plain_text(_one_line(value))}")
    return line


def _one_line(text: str) -> str:
    return " ".join(text.split())
