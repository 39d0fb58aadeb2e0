"""What a command says: blocks that each surface renders in its own way.

Every text in a block is plain text, whoever wrote it: nothing is Markdown, so a renderer escapes all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Note:
    """Something the person should know: a value that is ignored, a pipeline that cannot run yet."""

    text: str


@dataclass(frozen=True)
class Changed:
    """One thing that changed: what, its value before and after as a person writes them; None where there was, or is, none."""

    what: str
    old: str | None
    new: str | None

    def __str__(self) -> str:
        if self.old is None:
            return f"{self.what}: {_shown(self.new)} (new)"
        if self.new is None:
            return f"{self.what}: {_shown(self.old)} (removed)"
        return f"{self.what}: {_shown(self.old)} → {_shown(self.new)}"


@dataclass(frozen=True)
class Code:
    """Text to be shown as it is, in a fixed-width font; `language` is `json` or `text`."""

    text: str
    language: str = "text"


@dataclass(frozen=True)
class Table:
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Card:
    """A step: its module, the parameters that differ from their defaults, and what came in and went out in the last run."""

    number: int
    module: str
    name: str
    category: str
    parameters: tuple[tuple[str, str], ...]
    enabled: bool = True
    rows_in: int | None = None
    rows_out: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class File:
    """A file to download."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True)
class Picture:
    """A picture that we drew ourselves, as SVG, and what it shows in words."""

    svg: str
    alt: str


@dataclass(frozen=True)
class Upload:
    """A button that takes a JSON file of the person's machine and sends its text after `command`."""

    label: str
    command: str


@dataclass(frozen=True)
class Offer:
    """A button: what it says, and the message that it sends."""

    label: str
    command: str


@dataclass(frozen=True)
class FormField:
    """A parameter in a form; `kind` is `column`, `choice`, `boolean`, `integer`, `number` or `text`, `allowed` is in words."""

    name: str
    kind: str
    value: object
    default: object
    choices: tuple[str, ...]
    allowed: str
    description: str


@dataclass(frozen=True)
class FormStep:
    number: int
    module: str
    name: str
    description: str
    enabled: bool
    fields: tuple[FormField, ...]


@dataclass(frozen=True)
class Form:
    """All steps with their parameters, and the spec as JSON text, to be edited and handed to `apply_form` or `apply_edit`."""

    steps: tuple[FormStep, ...]
    json: str


Block = Heading | Paragraph | Note | Changed | Code | Table | Cards | File | Picture | Upload | Offer | Form


@dataclass(frozen=True)
class Reply:
    """The blocks to show, and what the surface has to do.

    `spec_changed`: the session has another spec. `view_changed`: the list has to be drawn again. `run_again`: a query to offer
    to run again. `search`: a query to search now. `ask`: a question to answer from the results now.
    """

    blocks: tuple[Block, ...] = ()
    spec_changed: bool = False
    view_changed: bool = False
    run_again: str = ""
    search: str = ""
    ask: str = ""


def say(*texts: str) -> Reply:
    """A reply of paragraphs alone."""
    return Reply(tuple(map(Paragraph, texts)))


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    return Table(tuple(headers), tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows))


def _shown(value: str | None) -> str:
    return value or "(empty)"
