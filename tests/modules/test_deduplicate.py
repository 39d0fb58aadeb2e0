"""Removing documents that another one repeats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.near_duplicates import resemblance, word_lists
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import collection, quick_services, transformed
from tests.sources import document, result_set

DEDUPLICATE = Registry().get("deduplicate")
TEXT = " ".join(f"word{n} and some more of it" for n in range(40))


async def run(tmp_path: Path, results: ResultSet, **parameters: object) -> tuple[list[str], dict[str, str]]:
    after, _ = await transformed(DEDUPLICATE, results, quick_services(tmp_path), **parameters)
    assert after.roles["duplicates"] == ("chip",)
    frame = after.documents
    named = {one: str(names) for one, names in zip(frame["id"], frame["duplicates"], strict=True) if isinstance(names, str)}
    return list(frame["id"]), named


async def test_the_same_page_under_four_urls_is_cited_once(tmp_path: Path) -> None:
    urls = [
        "https://www.example.org/a",
        "http://example.org/a/",
        "https://example.org:443/a#top",
        "https://EXAMPLE.org/a",
        "https://example.org/b",
    ]
    rows = result_set([document(f"d{n}", f"text number {n}", url=url) for n, url in enumerate(urls)])
    left, named = await run(tmp_path, rows)
    assert left == ["d0", "d4"]
    assert named == {"d0": ", ".join(urls[1:4])}
    assert (await run(tmp_path, rows, same_url=False))[0] == ["d0", "d1", "d2", "d3", "d4"]


async def test_passages_of_one_page_are_not_one_document(tmp_path: Path) -> None:
    rows = result_set([document(one, f"about {one}", url=f"https://example.org/a#:~:text={one}") for one in ("x", "y")])
    assert (await run(tmp_path, rows))[0] == ["x", "y"]


async def test_a_doi_in_the_column_the_url_or_atop_the_text(tmp_path: Path) -> None:
    rows = result_set(
        [
            document("column", "one", doi="https://doi.org/10.1000/XYZ.1"),
            document("url", "two", url="https://publisher.example/doi/10.1000%2Fxyz.1.pdf?download=1"),
            document("text", "Title. doi:10.1000/xyz.1. Abstract of it."),
            document("other", "three", url="https://doi.org/10.1000/xyz.12"),
        ]
    )
    left, named = await run(tmp_path, rows)
    assert left == ["column", "other"]
    assert named == {"column": "https://publisher.example/doi/10.1000%2Fxyz.1.pdf?download=1, text"}
    assert len((await run(tmp_path, rows, same_doi=False))[0]) == 4


async def test_what_a_text_cites_is_not_its_own_doi(tmp_path: Path) -> None:
    cited = "A. " + "words " * 200 + "10.1000/cited"
    rows = result_set(
        [document("a", cited), document("b", "The original. 10.1000/cited"), document("c", "See 10.1000/cited and 10.1000/more.")]
    )
    assert (await run(tmp_path, rows))[0] == ["a", "b", "c"]


async def test_nearly_the_same_text_is_one_and_half_of_it_is_not(tmp_path: Path) -> None:
    rows = result_set([document("a", TEXT), document("b", TEXT.upper() + " Read more!"), document("c", TEXT[: len(TEXT) // 2])])
    assert await run(tmp_path, rows) == (["a", "c"], {"a": "b"})
    assert (await run(tmp_path, rows, similarity=0.4))[0] == ["a"]
    assert (await run(tmp_path, rows, similarity=1))[0] == ["a", "b", "c"]
    assert (await run(tmp_path, rows, same_text=False))[0] == ["a", "b", "c"]


async def test_the_best_ranked_stays_wherever_its_row_is(tmp_path: Path) -> None:
    rows = result_set([document("a", TEXT), document("b", "other words"), document("c", TEXT)])
    assert await run(tmp_path, rows.with_column("_original_ranking_", [3, 2, 1])) == (["b", "c"], {"c": "a"})
    reranked = rows.with_column("_reranking_rank_1_", [1, 3, 2])
    assert (await run(tmp_path, reranked))[1] == {"a": "c"}


async def test_what_is_known_of_a_removed_document_counts_for_the_one_that_stays(tmp_path: Path) -> None:
    rows = [
        document("a", "one", url="https://example.org/p"),
        document("b", "two", url="http://example.org/p", doi="10.1000/q"),
        document("c", "three", doi="10.1000/q"),
    ]
    assert await run(tmp_path, result_set(rows)) == (["a"], {"a": "http://example.org/p, c"})


async def test_missing_texts_and_urls_are_not_duplicates_of_each_other(tmp_path: Path) -> None:
    rows = [{**document(f"d{n}"), "full-text": text} for n, text in enumerate((None, "", " ", "…", "…"))]
    assert len((await run(tmp_path, result_set(rows)))[0]) == 5
    assert await run(tmp_path, result_set([])) == ([], {})


async def test_no_paragraph_of_a_real_collection_is_taken_for_another(shared: Path, tmp_path: Path) -> None:
    for name in ("xquad-en", "xquad-zh", "xquad-ru"):
        results = collection(shared, name, 240)
        assert len((await run(tmp_path, results))[0]) == len(results)


@given(st.lists(st.text("ab ", max_size=60), max_size=8))
def test_resemblance_is_the_share_of_shingles_in_common(texts: list[str]) -> None:
    found = word_lists(texts)
    runs = [{tuple(one[n : n + min(5, len(one))]) for n in range(len(one) - min(5, len(one)) + 1)} - {()} for one in found]
    wanted = [[len(one & other) / len(one | other) if one and other else 0.0 for other in runs] for one in runs]
    assert np.allclose(resemblance(found).toarray(), np.array(wanted).reshape(len(texts), len(texts)))
