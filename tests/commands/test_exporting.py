"""Exports hold what was found, said and quoted, and nothing in them runs, breaks out or is lost."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatsearch.commands.export_bibtex import as_bibtex
from chatsearch.commands.export_markdown import as_markdown
from chatsearch.commands.export_tables import as_csv, as_jsonl, as_parquet
from chatsearch.commands.exporting import FORMATS
from chatsearch.commands.registry import respond
from chatsearch.results import ResultSet, Summary
from tests.commands.sessions import answer, file_of, refusal, results, said, session_of
from tests.sources import document, result_set

ANSWER = answer("When did he die?", "He died in 1943 [1].", 1, "Tesla died in 1943.")
FORMULAS = ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "＝1"]


def entries(bibtex: str) -> dict[str, dict[str, str]]:
    """The entries of a BibTeX text, read by counting braces as BibTeX does; fails where they do not balance."""
    found: dict[str, dict[str, str]] = {}
    at = bibtex.find("@")
    while at >= 0:
        key, end = re.match(r"@misc\{(\w+),\n", bibtex[at:]), _closing(bibtex, bibtex.index("{", at))
        assert key
        body = bibtex[at + key.end() : end]
        found[key[1]] = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
        at = bibtex.find("@", end)
    return found


def _closing(text: str, at: int) -> int:
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    raise AssertionError("the braces do not balance")


@pytest.mark.parametrize("name", list(FORMATS))
async def test_every_format_is_a_file(tmp_path: Path, name: str) -> None:
    session = session_of(tmp_path, searched=True)
    file = file_of(await respond(session, f"/export {name.upper()}"))
    assert file.name == f"tesla.{FORMATS[name].ending}"
    assert file.content
    assert file_of(await respond(session, f"/export .{FORMATS[name].ending}")).name == file.name


async def test_what_is_no_format_and_what_csv_cannot_hold_is_said(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    assert "Did you mean “parquet”?" in await refusal(session, "/export parqet")
    assert "json and markdown have the texts too" in await said(session, "/export csv")
    assert "texts too" not in await said(session, "/export markdown")


def test_json_lines_say_what_each_is() -> None:
    lines = [json.loads(line) for line in as_jsonl(results(), [ANSWER]).decode().splitlines()]
    assert [next(iter(line)) for line in lines] == ["search", "document", "document", "document", "summary", "answer"]
    assert lines[4]["summary"]["footnotes"][0]["quote"] == "The Rhine is a river."
    assert lines[5]["answer"]["footnotes"][0]["n"] == 1


def csv_rows(found: ResultSet) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(found, [ANSWER]).decode("utf-8-sig"), newline="")))


def test_csv_has_a_row_per_document_with_its_quotations() -> None:
    rows = csv_rows(results())
    assert [row["id"] for row in rows] == ["c", "b", "a"]
    assert [one["in"] for one in json.loads(rows[0]["citations"])] == ["Summary", "When did he die?"]
    assert rows[2]["citations"] == ""


@pytest.mark.parametrize("formula", FORMULAS)
def test_csv_runs_no_formula_of_a_document(formula: str) -> None:
    row = csv_rows(result_set([document("a", formula, title=formula, **{formula: "x"})]))[0]
    assert row["title"] == f"'{formula}"
    assert row[f"'{formula}"] == "x"


def test_parquet_has_the_documents_and_in_its_metadata_the_texts() -> None:
    import pyarrow.parquet as pq

    rows = [document("a", words=1, mixed=1, tags=["x"], big=2**70), document("b", words=None, mixed="one", tags=None, big=1)]
    found = result_set(rows, "Tesla", summaries=results().summaries)
    table = pq.read_table(io.BytesIO(as_parquet(found, [ANSWER])))
    assert table.column("words").to_pylist() == [1, None]
    assert table.column("mixed").to_pylist() == ["1", "one"]
    assert table.column("tags").to_pylist() == ['["x"]', None]
    said = json.loads(table.schema.metadata[b"chatsearch"])
    assert said["summaries"][0]["footnotes"][0]["n"] == 1
    assert said["answers"][0]["question"] == "When did he die?"


def test_no_format_fails_on_an_empty_set_or_on_half_characters() -> None:
    empty = result_set([])
    broken = replace(answer("\ud800?", "x [1].", 1, "q"), understood_as="\udfff")
    for name, one in FORMATS.items():
        assert one.write(empty, [broken]) is not None, name


def test_bibtex_has_an_entry_per_document_with_its_quotations() -> None:
    text = as_bibtex(results(), [ANSWER]).decode()
    found = entries(text)
    assert list(found) == ["rhine1", "warsaw2", "tesla3"]
    assert found["tesla3"] == {"title": "{Tesla}", "year": "1943", "url": "https://a.example/t", "language": "en"}
    assert found["rhine1"]["note"] == "“The Rhine is a river.” “Tesla died in 1943.”"
    assert "% The Rhine is a river [1]." in text


def test_bibtex_authors() -> None:
    found = entries(as_bibtex(result_set([document("a", author=["Doe, J.", "Black and White"])]), []).decode())
    assert found["title1"]["author"] == "{Doe, J.} and {Black and White}"


@given(st.text(), st.text(), st.text())
def test_no_text_breaks_out_of_bibtex(title: str, text: str, author: str) -> None:
    found = result_set([document("a", text, title=title, author=author, url=f"https://x.example/{title}")])
    found = replace(found, asked=text, summaries=(Summary(title, text, "m"),))
    (fields,) = entries(as_bibtex(found, [answer(title, f"{text}[1]", 1, text)]).decode()).values()
    assert "title" in fields


def test_markdown_has_texts_with_markers_and_references_with_quotations() -> None:
    text = as_markdown(results(), [ANSWER]).decode()
    shown = rendered(text)
    assert "The Rhine is a river [1]. Warschau liegt an der Weichsel [2]." in shown
    assert "[1] rhine, the river." in shown
    assert "“Tesla died in 1943.” (exact)" in shown
    assert (
        text.index("## References")
        < text.index("\\[2\\]** Warsaw")
        < text.index("## Other results")
        < text.index("Tesla. <https")
    )


def rendered(text: str) -> str:
    """What a reader of the Markdown sees."""
    import html

    return html.unescape(re.sub(r"<[^>]+>", "", MarkdownIt("commonmark", {"html": False}).render(text)))


HOSTILE: list[Any] = [
    "<script>alert(1)</script>",
    "[link](javascript:alert(1))",
    "![x](https://evil.example/a.png)",
    "# heading\n- item\n\n```\ncode",
    "https://evil.example",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_shows_what_documents_say_and_obeys_none_of_it(text: str) -> None:
    found = result_set([document("a", text, title=text)], text)
    found = replace(found, summaries=(Summary(text, text, "m"),))
    html = MarkdownIt("commonmark", {"html": True}).render(as_markdown(found, [answer(text, f"{text} [1]", 1, text)]).decode())
    assert not re.search(r"<(script|img|a |pre|h3)", html)
    assert html.count("<h1>") == 1


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_csv_has_every_text_back(texts: list[str]) -> None:
    rows = csv_rows(result_set([document(str(n), text) for n, text in enumerate(texts)]))
    for row, text in zip(rows, texts, strict=True):
        wanted = text or f"The text of {row['id'].removeprefix(chr(39))}."
        assert row["full-text"] in (
            wanted,
            f"'{wanted}",
            *(one.encode("utf-8", "replace").decode() for one in (wanted, f"'{wanted}")),
        )
