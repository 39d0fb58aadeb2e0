"""Files become documents; what cannot is named, and good records are never lost with it."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatsearch.errors import ReadError
from chatsearch.index.readers import ColumnNames, Document, Skipped, files, read

Write = Callable[..., Path]


def documents(path: Path, **names: str) -> list[Document]:
    return [item for item in read(path, ColumnNames(**names)) if isinstance(item, Document)]


def skipped(path: Path) -> list[str]:
    return [str(item) for item in read(path) if isinstance(item, Skipped)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "A.JSONL", "a.jsonl.gz"])
def test_json_lines(write: Write, name: str) -> None:
    content = b'{"_id": 7, "title": "T", "text": "Hello", "link": "https://e.org", "lang": "deu", "tags": ["a"]}\n\n'
    path = write(gzip.compress(content) if name.endswith(".gz") else content, name)
    assert documents(path) == [Document("7", "T", "Hello", "https://e.org", "de", {"tags": ["a"]})]


def test_a_broken_line_is_named_and_the_others_are_read(write: Write) -> None:
    path = write('{"text": "one"}\n{"text": "tw\n[1, 2]\n3\n' + "[" * 100_000 + '\n{"text": "six"}\n{"text": 1e999}\n')
    assert [document.text for document in documents(path)] == ["one", "six"]
    broken = skipped(path)
    assert [line.split(": ")[0].removeprefix(f"{path}, ") for line in broken] == [f"line {n}" for n in (2, 3, 4, 5, 7)]
    assert "broken JSON" in broken[0]
    assert "not a JSON object (a list)" in broken[1]


@pytest.mark.parametrize("value", ['""', '"  "', "null", "NaN", '"\\u0000\\u202e"'])
def test_a_record_without_text_is_skipped_with_the_reason(write: Write, value: str) -> None:
    path = write(f'{{"text": "one"}}\n{{"id": 1, "text": {value}}}\n')
    assert len(documents(path)) == 1
    assert skipped(path) == [f"{path}, line 2: has no text"]


def test_a_key_is_the_text_only_where_it_has_a_value(write: Write) -> None:
    path = write([{"plain_text": None, "description": "about"}, {"plain_text": "all", "description": "about"}])
    assert [(d.text, d.metadata) for d in documents(path)] == [("about", {}), ("all", {"description": "about"})]


@pytest.mark.parametrize("key", ["text", "full-text", "plain_text", "contents", "body", "abstract", "Text", " BODY "])
def test_text_columns_are_recognised(write: Write, key: str) -> None:
    assert [d.text for d in documents(write([{key: "hello"}]))] == ["hello"]


def test_columns_can_be_named(write: Write) -> None:
    path = write([{"text": "no", "story": "yes", "pk": "7", "id": "8"}])
    (document,) = documents(path, text="story", id="pk")
    assert (document.text, document.id) == ("yes", "7")
    assert document.metadata == {"original_text": "no", "original_id": "8"}


def test_text_is_cleaned_where_it_enters(write: Write) -> None:
    path = write(
        [{"title": "Tom &amp;amp; Jerry", "text": "MÃ¼nchen\u0000 \u202efoo\u200f", "by\u0000": "a&amp;b", "odd": "\ud800"}]
    )
    (document,) = documents(path)
    assert (document.title, document.text) == ("Tom & Jerry", "München foo")
    assert document.metadata == {"by": "a&b", "odd": "\ufffd"}


def test_not_a_number_is_missing(write: Write) -> None:
    (document,) = documents(write('{"text": "t", "score": NaN, "top": Infinity, "n": [NaN, 1]}'))
    assert document.metadata == {"n": [None, 1]}


def test_owners_wishes_of_the_open_web_index(write: Write) -> None:
    path = write([{"text": "a", "ows_index": False}, {"text": "b", "ows_index": True, "ows_genai": False}])
    (document,) = documents(path)
    assert document.metadata["_no_llm_"] is True
    assert skipped(path) == [f"{path}, line 1: its owner does not want it indexed"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_of_any_encoding_and_delimiter(write: Write, encoding: str, delimiter: str) -> None:
    table = [
        ["id", "Title", "text", "year"],
        ["1", "Käse", 'Müller says "Grüezi", often; really', "1999"],
        ["2", "x", "two\nlines", ""],
    ]
    quoted = "\r\n".join(delimiter.join('"' + field.replace('"', '""') + '"' for field in row) for row in table)
    found = documents(write(quoted.encode(encoding), "a.csv"))
    assert [(d.id, d.title, d.text) for d in found] == [("1", "Käse", table[1][2]), ("2", "x", "two\nlines")]
    assert [d.metadata for d in found] == [{"year": "1999"}, {}]


def test_a_comma_in_a_one_column_table_is_no_delimiter(write: Write) -> None:
    assert [d.text for d in documents(write("text\nhello\nworld\n", "a.csv"))] == ["hello", "world"]


def test_rows_of_a_table_that_do_not_fit_are_skipped(write: Write) -> None:
    path = write("id,text\n1,one\n2,two,three\n\n3\n4,four\n", "a.csv")
    assert [d.id for d in documents(path)] == ["1", "4"]
    assert skipped(path) == [f"{path}, row 2: more fields than columns (3 fields, 2 columns)", f"{path}, row 4: has no text"]


def test_tab_separated(write: Write) -> None:
    assert [d.text for d in documents(write("id\ttext\n1\ta, b; c\n", "a.tsv"))] == ["a, b; c"]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = {"record_id": ["x", "y"], "plain_text": ["one", None], "n": [1.5, math.nan], "day": [date(2024, 5, 1), None]}
    pq.write_table(pa.table({**rows, "geo": [{"lat": 1.0}, None], "raw": [b"\xff", b""]}), path)
    assert documents(path) == [
        Document("x", "", "one", "", "", {"n": 1.5, "day": "2024-05-01", "geo": {"lat": 1.0}, "raw": "\ufffd"})
    ]
    assert skipped(path) == [f"{path}, row 2: has no text"]


def test_a_real_slice_of_the_open_web_index(shared: Path) -> None:
    (document,) = documents(shared / "owi" / "resilipipe_sample_metadata.parquet")
    assert document.url.startswith("http")
    assert len(document.text) > 20
    assert document.language


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.jsonl.gz"])
def test_an_empty_file(write: Write, name: str) -> None:
    with pytest.raises(ReadError, match="empty \\(0 bytes\\)"):
        documents(write(b"", name))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="nowhere.jsonl is not there"):
        documents(tmp_path / "nowhere.jsonl")
    with pytest.raises(ReadError, match="nowhere.jsonl is not there"):
        files([tmp_path / "nowhere.jsonl"])


def test_a_format_that_nobody_reads(write: Write) -> None:
    with pytest.raises(ReadError, match=r"a\.pdf is of a format nobody here reads.*\.jsonl.*\.parquet"):
        files([write("x", "a.pdf")])


@pytest.mark.parametrize(("name", "content"), [("a.jsonl", '{"titel": "x", "inhalt": "y"}'), ("a.csv", "titel,inhalt\nx,y\n")])
def test_no_column_holds_text(write: Write, name: str, content: str) -> None:
    with pytest.raises(ReadError, match="titel, inhalt.*--text-column"):
        documents(write(content, name))


def test_a_named_column_that_is_not_there(write: Write) -> None:
    with pytest.raises(ReadError, match="no column “storey”. Did you mean “story”\\?.*Its columns: story, text"):
        documents(write([{"story": "x", "text": "y"}]), text="storey")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", b"PAR1 this is none", "cannot be read as Parquet"),
        ("a.jsonl.gz", gzip.compress(b'{"text": "x"}\n' * 1000)[:-20], "not a whole gzip file"),
        ("a.jsonl.gz", b'{"text": "x"}\n', "not a whole gzip file"),
        ("a.jsonl", b"\n\n", "holds no record"),
        ("a.csv", b"\n", "no column names"),
    ],
)
def test_a_file_that_is_not_what_its_name_says(write: Write, name: str, content: bytes, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        documents(write(content, name))


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path, write: Write) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    wanted = [write("x", "in/a.csv"), write("x", "in/deep/b.jsonl")]
    write("x", "in/readme.md")
    assert files([tmp_path / "in"]) == wanted
    (tmp_path / "none").mkdir()
    with pytest.raises(ReadError, match="holds no file ending in"):
        files([tmp_path / "none"])


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.jsonl.gz", "a.parquet"])
def test_any_bytes_are_read_or_refused(write: Write, name: str, content: bytes) -> None:
    try:
        list(read(write(content, name)))
    except ReadError as error:
        assert name in error.message  # noqa: PT017 - reading it is as good as refusing it


@given(
    st.dictionaries(
        st.text(max_size=5), st.text() | st.floats() | st.none() | st.lists(st.integers()) | st.booleans(), max_size=4
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_record_can_be_stored(write: Write, record: dict[str, object]) -> None:
    (document,) = documents(write(json.dumps({**record, "text": "here"})))
    json.dumps(document.metadata, allow_nan=False).encode()
