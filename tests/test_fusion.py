"""Lists of several sources become one: the formula, the same document once, nothing lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.fusion import K, SourceList, canonical_url, fuse
from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX
from tests.sources import document, documents


def ids(frame: pd.DataFrame) -> list[str]:
    return list(frame["id"])


def test_the_score_is_reciprocal_rank_fusion_with_k_60() -> None:
    # a: 1/61; b: 1/62 + 1/61; c: 1/63 + 1/62; d: 1/63. So b (.0325), c (.0320), a (.0164), d (.0159)
    left = SourceList("left", [document(one, url=f"https://x.org/{one}") for one in "abc"])
    right = SourceList("right", [document(one, url=f"https://x.org/{one}") for one in "bcd"])
    frame, merged = fuse([left, right])
    assert K == 60
    assert ids(frame) == ["b", "c", "a", "d"]
    assert list(frame[ORIGINAL_RANKING]) == [1, 2, 3, 4]
    assert list(frame[SOURCE_INDEX]) == ["left, right", "left, right", "left", "right"]
    assert merged == 2


def test_a_weight_counts_a_source_s_ranks_more() -> None:
    light, heavy = SourceList("light", documents("a", "b"), 1.0), SourceList("heavy", documents("c", "d"), 1.1)
    # heavy 1.1/61 = .01803, 1.1/62 = .01774; light 1/61 = .01639
    assert ids(fuse([light, heavy])[0]) == ["c", "d", "a", "b"]


def test_equal_scores_are_taken_in_the_order_of_the_sources() -> None:
    frame, _ = fuse([SourceList("left", documents("a", "b")), SourceList("right", documents("c", "d"))])
    assert ids(frame) == ["a", "c", "b", "d"]


def test_one_source_keeps_its_order_and_its_duplicates() -> None:
    same = document("x", "the same text", url="https://x.org")
    frame, merged = fuse([SourceList("only", [document("z"), same, same, document("a")])])
    assert ids(frame) == ["z", "x", "only:x", "a"]
    assert merged == 0


SPELLINGS = ["http://www.Example.org:80/a/", "https://example.org/a", "HTTPS://example.org:443/a#top", "https://example.org/a/"]


def test_the_same_url_under_four_spellings_is_one_row_naming_all_sources() -> None:
    lists = [SourceList(f"s{n}", [document(f"d{n}", f"text {n}", url=url)]) for n, url in enumerate(SPELLINGS)]
    frame, merged = fuse(lists)
    assert list(frame[SOURCE_INDEX]) == ["s0, s1, s2, s3"]
    assert merged == 3


def test_other_pages_and_passages_of_a_site_are_other_documents() -> None:
    urls = [
        "https://x.org/a?p=1",
        "https://x.org/a?p=2",
        "https://x.org/A",
        "https://x.org/a#:~:text=one",
        "https://x.org/a#:~:text=two",
    ]
    assert len({canonical_url(url) for url in urls}) == 5


def test_letters_of_a_url_may_be_encoded_or_not() -> None:
    assert canonical_url("https://x.org/Zürich?q=ä") == canonical_url("https://x.org/Z%c3%bcrich?q=%C3%A4")


@pytest.mark.parametrize(
    "url", ["", "   ", "not a url", "http://[::1", "http://x:99999/", "mailto:a@b", "file:///tmp/a", "\ud800"]
)
def test_what_is_no_url_is_taken_as_it_is(url: str) -> None:
    assert isinstance(canonical_url(url), str)


def test_the_same_text_without_urls_is_one_row() -> None:
    left = SourceList("left", [document("a", "One  text\nhere.")])
    right = SourceList("right", [{"id": "b", "title": "", "url": None, "body": "One text here."}], text_column="body")
    frame, merged = fuse([left, right])
    assert merged == 1
    assert frame["body"][0] == "One text here."
    assert frame["full-text"][0] == "One  text\nhere."


def test_documents_without_text_and_url_are_never_merged() -> None:
    empty = {"id": "x", "title": "", "url": "", "full-text": ""}
    frame, merged = fuse([SourceList("left", [empty]), SourceList("right", [empty])])
    assert (len(frame), merged) == (2, 0)


def test_missing_values_are_filled_from_the_other_source() -> None:
    left = document("a", url="https://x.org", title="", author=None, year=float("nan"), language="en")
    right = document("b", url="https://x.org", title="A title", author="Anna", year=1999, language="de")
    frame, _ = fuse([SourceList("left", [left]), SourceList("right", [right])])
    assert [frame[name][0] for name in ("id", "title", "author", "year", "language")] == ["a", "A title", "Anna", 1999, "en"]


def test_columns_are_united_and_the_core_comes_first() -> None:
    frame, _ = fuse([SourceList("left", [document("a", one=1)]), SourceList("right", [document("b", two=2)])])
    assert list(frame.columns) == ["id", "title", "url", "full-text", SOURCE_INDEX, ORIGINAL_RANKING, "one", "two"]


def test_whole_numbers_stay_whole_where_others_miss_them() -> None:
    frame, _ = fuse([SourceList("s", [document("a", year=1999, record=2**60 + 1, on=True), document("b")])])
    assert frame["year"][0] == 1999
    assert int(frame["record"][0]) == 2**60 + 1
    assert str(frame["year"].dtype) == "Int64"
    assert frame["on"][0] is True


def test_ids_stay_unique_texts() -> None:
    left = SourceList("left", [document("1"), {**document("x"), "id": 7}, {**document("y"), "id": None}])
    right = SourceList("right", [document("1", "other"), document("7", "other again"), document("right:1", "third")])
    frame, _ = fuse([left, right])
    assert len(set(frame["id"])) == 6
    assert all(isinstance(one, str) and one for one in frame["id"])


def test_a_later_source_appends_and_its_ranks_go_on() -> None:
    first, _ = fuse([SourceList("first", documents("a", "b"))])
    second, _ = fuse([SourceList("second", documents("c", "d"))], first)
    assert ids(second) == ["a", "b", "c", "d"]
    assert list(second[ORIGINAL_RANKING]) == [1, 2, 3, 4]


def test_a_later_source_s_finding_of_a_document_joins_the_row_that_is_there() -> None:
    first, _ = fuse([SourceList("first", [document("a", url="https://x.org"), document("b")])])
    second, merged = fuse([SourceList("second", [document("z", url="https://x.org/", author="Anna"), document("c")])], first)
    assert ids(second) == ["a", "b", "c"]
    assert list(second[SOURCE_INDEX]) == ["first, second", "first", "second"]
    assert second["author"][0] == "Anna"
    assert (merged, list(second[ORIGINAL_RANKING])) == (1, [1, 2, 3])


@pytest.mark.parametrize("lists", [[], [SourceList("a", [])], [SourceList("a", []), SourceList("b", [])]])
def test_empty_lists_give_an_empty_frame_with_the_columns(lists: list[SourceList]) -> None:
    frame, merged = fuse(lists)
    assert (len(frame), merged) == (0, 0)
    assert {"id", "title", "url", SOURCE_INDEX, ORIGINAL_RANKING} <= set(frame.columns)


SOME = st.fixed_dictionaries(
    {
        "id": st.one_of(st.none(), st.sampled_from(["1", "2", "s0:1", "s1:2#2", ""]), st.integers(0, 3)),
        "title": st.one_of(st.none(), st.sampled_from(["", "T"])),
        "url": st.one_of(st.none(), st.sampled_from(["", *SPELLINGS, "https://example.org/b"])),
        "full-text": st.one_of(st.none(), st.sampled_from(["", "one", "two", " one "])),
    },
    optional={"year": st.one_of(st.none(), st.integers(1900, 2000)), "_original_ranking_": st.integers(0, 9)},
)
LISTS = st.lists(st.lists(SOME, max_size=6), max_size=4)


@given(LISTS, LISTS)
def test_no_document_is_lost_ranks_have_no_gaps_and_ids_are_unique(
    first: Sequence[Sequence[Mapping[str, object]]], later: Sequence[Sequence[Mapping[str, object]]]
) -> None:
    frame, merged = fuse([SourceList(f"s{n}", rows) for n, rows in enumerate(first)])
    both, merged_later = fuse([SourceList(f"t{n}", rows) for n, rows in enumerate(later)], frame)
    assert len(frame) + merged == sum(map(len, first))
    assert len(both) + merged_later == len(frame) + sum(map(len, later))
    assert list(both[ORIGINAL_RANKING]) == list(range(1, len(both) + 1))
    assert len(set(both["id"])) == len(both)
    assert isinstance(both.index, pd.RangeIndex)
