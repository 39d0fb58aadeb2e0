"""The `chatsearch` command. Everything heavy is imported inside the commands, so that `--help` is there at once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chatsearch import __version__
from chatsearch.errors import ChatsearchError

if TYPE_CHECKING:
    from rich.console import Console

    from chatsearch.services import Services

app = typer.Typer(
    help="Turns a collection of documents into a search engine you talk to.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
spec_app = typer.Typer(help="Look at the spec of an engine.", no_args_is_help=True, rich_markup_mode=None)
index_app = typer.Typer(help="Build and look at the indexes of this machine.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(spec_app, name="spec")
app.add_typer(index_app, name="index")

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Where indexes and caches live. Default: CHATSEARCH_DATA_DIR, else the user's data folder."),
]
SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A spec's file, or the name of a built-in engine such as demo.")
]


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


class ListFormat(StrEnum):
    TABLE = "table"
    JSON = "json"


class ModulesFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: exit 0 good, 1 a clear error on stderr, 2 wrong usage."""
    try:
        app(arguments)
    except ChatsearchError as error:
        logging.getLogger(__name__).debug("the error in full", exc_info=True)
        from chatsearch.terminal import show_error

        show_error(_stderr(), str(error))
        sys.exit(1)


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Show the version and exit.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log what happens, with the traceback of every failure.")
    ] = False,
) -> None:
    if version:
        typer.echo(f"chatsearch {__version__}")
        raise typer.Exit
    logging.basicConfig(level=logging.DEBUG if verbose else logging.CRITICAL, format="%(levelname)s %(name)s: %(message)s")


@app.command()
def search(
    spec: SpecArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to search for.")],
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="QUESTION", help="A question to answer from the results; may be repeated."),
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="table for people, json for all of it, jsonl and csv for the documents alone.")
    ] = Format.TABLE,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each step cost and how it moved each document.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Run an engine over QUERY: results, a summary with footnotes, and answers from the results only."""
    import asyncio

    from chatsearch.cli_search import search_and_show

    asyncio.run(search_and_show(_services(data_dir), spec, query, ask or [], output.value, explain))


@app.command()
def chat(spec: SpecArgument = "demo", data_dir: DataDir = None) -> None:
    """Talk to an engine in the terminal: the first line searches, later ones are answered from the results; /help has more."""
    import asyncio

    from chatsearch.terminal_chat import chat_in_terminal

    asyncio.run(chat_in_terminal(_services(data_dir), spec))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 is every one of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=0, max=65535)] = 8000,
    data_dir: DataDir = None,
) -> None:
    """Open the chat in the browser's reach, on the engine of the setting default_engine (the demo)."""
    from chatsearch.server import serve as run_server

    run_server(lambda: _services(data_dir), host, port)


@app.command()
def modules(
    module: Annotated[str | None, typer.Argument(metavar="[ID]", help="A module, to see its parameters.")] = None,
    output: Annotated[
        ModulesFormat, typer.Option("--format", help="table for people, json for programs, markdown for docs/modules.md.")
    ] = ModulesFormat.TABLE,
    data_dir: DataDir = None,
) -> None:
    """List the modules a pipeline can use, or the parameters of one."""
    from chatsearch.cli_lists import show_module, show_modules

    registry = _services(data_dir).registry
    if module is None:
        show_modules(registry, _stdout(), output.value)
    else:
        show_module(registry.get(module), _stdout(), output.value)


@app.command()
def models(
    output: Annotated[ListFormat, typer.Option("--format", help="table for people, json for programs.")] = ListFormat.TABLE,
    try_them: Annotated[bool, typer.Option("--try/--no-try", help="Ask each model once, to see whether it answers.")] = True,
    data_dir: DataDir = None,
) -> None:
    """List the models that are configured, and try each with one call."""
    from chatsearch.cli_models import show_models

    show_models(_services(data_dir), _stdout(), output.value, try_them)


@spec_app.command("check")
def spec_check(spec: SpecArgument, data_dir: DataDir = None) -> None:
    """Say what is wrong with a spec, all of it at once."""
    from chatsearch.cli_lists import check_spec

    check_spec(_services(data_dir), spec, _stdout())


@spec_app.command("show")
def spec_show(
    spec: SpecArgument,
    output: Annotated[
        ListFormat, typer.Option("--format", help="table for people, json for the spec itself.")
    ] = ListFormat.TABLE,
    canonical: Annotated[bool, typer.Option("--canonical", help="The canonical form, whose SHA-256 is the digest.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Show an engine's pipeline, or its JSON."""
    from chatsearch.cli_lists import show_spec

    show_spec(_services(data_dir), spec, _stdout(), "canonical" if canonical else output.value)


@spec_app.command("schema")
def spec_schema(data_dir: DataDir = None) -> None:
    """Print the JSON Schema of a spec."""
    import json

    from chatsearch.spec_schema import json_schema

    typer.echo(json.dumps(json_schema(_services(data_dir).registry), indent=2, ensure_ascii=False))


@index_app.command("build")
def index_build(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the index: letters, digits, - _ and .")],
    sources: Annotated[
        list[Path], typer.Argument(metavar="SOURCE…", help="Files: .jsonl, .ndjson, .csv, .tsv (also .gz), .parquet.")
    ],
    language: Annotated[str, typer.Option(help="The documents' language, such as de; default: found from the texts.")] = "",
    dense: Annotated[bool, typer.Option("--dense/--no-dense", help="Also embed the texts, for search by meaning.")] = True,
    model: Annotated[str, typer.Option(help="The embedding model. Default: by the language of the texts.")] = "",
    chunk: Annotated[int | None, typer.Option(help="The longest passage that is embedded, in words.", min=20, max=1000)] = None,
    id_column: Annotated[str, typer.Option(help="The column of the id.")] = "",
    title_column: Annotated[str, typer.Option(help="The column of the title.")] = "",
    text_column: Annotated[str, typer.Option(help="The column of the text.")] = "",
    url_column: Annotated[str, typer.Option(help="The column of the URL.")] = "",
    language_column: Annotated[str, typer.Option(help="The column of the language.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Make the documents of files searchable; an index of that name is replaced when the new one is whole."""
    from chatsearch.cli_index import build

    columns = {"id": id_column, "title": title_column, "text": text_column, "url": url_column, "language": language_column}
    chosen = {role: column for role, column in columns.items() if column}
    build(_services(data_dir), name, sources, language, model if dense else None, chunk, chosen, _stdout(), _stderr())


@index_app.command("list")
def index_list(
    output: Annotated[ListFormat, typer.Option("--format", help="table or json.")] = ListFormat.TABLE, data_dir: DataDir = None
) -> None:
    """List the indexes of this machine."""
    from chatsearch.cli_index import show_list

    show_list(_services(data_dir), _stdout(), output.value)


@index_app.command("info")
def index_info(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    output: Annotated[ListFormat, typer.Option("--format", help="table or json.")] = ListFormat.TABLE,
    data_dir: DataDir = None,
) -> None:
    """Show what an index holds and how it was made."""
    from chatsearch.cli_index import show_info

    show_info(_services(data_dir), name, _stdout(), output.value)


@index_app.command("remove")
def index_remove(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Delete an index from this machine."""
    from chatsearch.cli_index import remove

    services = _services(data_dir)
    if not yes:
        typer.confirm(f"Delete the index {name} in {services.indexes_dir}?", abort=True)
    remove(services, name, _stdout())


def _services(data_dir: Path | None) -> Services:
    from chatsearch.services import Services
    from chatsearch.settings import load_settings

    return Services(load_settings(data_dir=data_dir))


def _stdout() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


if __name__ == "__main__":
    main()
