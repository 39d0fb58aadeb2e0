"""The cache of steps: how much it keeps, what goes first, what is found only on what it followed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.citations import Check, Footnote
from chatsearch.results import JourneyStep, LedgerRow, RunWarning, Summary
from chatsearch.step_cache import Kept, StepCache, StepOutcome, first_run_step, was_taken
from tests.sources import document, result_set

ROOM = 10_000_000


@dataclass
class Clock:
    """A clock that a test sets."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Walk:
    """Puts paths of steps into a cache, as runs do."""

    cache: StepCache
    last: list[Kept | None] = field(default_factory=list)

    def keep(self, *steps: str, size: int = 1) -> Kept | None:
        before: Kept | None = None
        for step in steps:
            before = self.cache.find(before, step) or self.cache.keep(before, step, outcome(step, size))
            if before is None:
                return None
        return before

    def finds(self, *steps: str) -> int:
        """How many steps of a path are there."""
        before: Kept | None = None
        for place, step in enumerate(steps):
            before = self.cache.find(before, step)
            if before is None:
                return place
        return len(steps)


def outcome(name: str = "a", size: int = 1, step: int = 1) -> StepOutcome:
    """An outcome of one document whose text has about `size` kB."""
    return StepOutcome((step,), result_set([document(name, "x" * 1000 * size)]), (LedgerRow(step, name, 0, 1, 0.5, calls=2),))


def test_a_path_is_found_as_far_as_it_was_kept() -> None:
    walk = Walk(StepCache(ROOM))
    walk.keep("source", "tf_idf", "summary")
    assert walk.finds("source", "tf_idf", "summary") == 3
    assert walk.finds("source", "tf_idf", "keywords") == 2
    assert walk.finds("source", "summary") == 1
    assert walk.finds("tf_idf") == 0


def test_an_outcome_is_found_only_on_the_one_it_followed() -> None:
    cache = StepCache(ROOM)
    first = cache.keep(None, "source", outcome("a"))
    cache.keep(first, "length", outcome("b"))
    again = cache.keep(None, "source", outcome("c"))  # as two runs at the same time do
    assert cache.find(again, "length") is None
    assert cache.find(first, "length") is None
    assert cache.keep(first, "length", outcome("b")) is None
    assert len(cache) == 1
    assert cache.keep(again, "length", outcome("d")) is not None
    assert cache.find(first, "length") is None


def test_what_was_not_used_for_longest_goes_first_and_the_end_of_a_path_before_its_beginning() -> None:
    one = Walk(StepCache(ROOM))
    one.keep("a", size=50)
    walk = Walk(StepCache(one.cache.size * 4))
    walk.keep("a", "b", size=50)
    walk.keep("c", "d", size=50)
    assert walk.finds("a") == 1  # only the beginning was used
    walk.keep("e", size=50)
    assert (walk.finds("a", "b"), walk.finds("c", "d"), walk.finds("e")) == (1, 2, 1)


def test_of_a_path_that_is_in_the_way_only_the_end_goes() -> None:
    one = Walk(StepCache(ROOM))
    one.keep("a", size=50)
    walk = Walk(StepCache(one.cache.size * 4))
    walk.keep("a", "b", "c", size=50)
    walk.keep("d", size=50)
    walk.keep("e", size=50)
    assert walk.finds("a", "b", "c") == 2


def test_what_has_no_room_at_all_is_not_kept() -> None:
    cache = StepCache(50_000)
    assert cache.keep(None, "big", outcome("big", 100)) is None
    assert (len(cache), cache.size) == (0, 0)


def test_what_is_too_old_goes_with_all_that_followed() -> None:
    clock = Clock()
    cache = StepCache(ROOM, clock)
    first = cache.keep(None, "source", outcome("a"), until=600)
    assert first is not None
    second = cache.keep(first, "length", outcome("b"))
    assert second is not None
    assert second.until == 600
    clock.now = 599.9
    assert cache.find(first, "length") is second
    clock.now = 600
    assert cache.find(None, "source") is None
    assert (len(cache), cache.size) == (0, 0)


def test_texts_lists_and_summaries_are_counted() -> None:
    def size(results: object) -> int:
        cache = StepCache(ROOM)
        cache.keep(None, "a", replace(outcome(), results=results))  # type: ignore[arg-type]
        return cache.size

    rows = [document(str(n), "x" * 1000) for n in range(100)]
    plain = size(result_set(rows))
    assert 100_000 < plain < 200_000
    assert size(result_set([{**row, "keywords": ["word" * 25] * 10} for row in rows])) > plain + 20_000
    notes = tuple(Footnote(n, "1", "", "", 0, "full-text", "q", 0, 1, Check.EXACT) for n in range(20))
    assert size(result_set(rows).with_summary(Summary("S", "y" * 5000, "m", notes))) > plain + 20_000


def test_steps_on_the_same_documents_are_counted_without_measuring_them_again() -> None:
    cache = StepCache(ROOM)
    found = result_set([document(str(n), "x" * 1000) for n in range(100)])
    first = cache.keep(None, "source", replace(outcome(), results=found))
    assert first is not None
    fewer = cache.keep(first, "reduce", replace(outcome(), results=found.with_documents(found.documents.iloc[:50])))
    longer = cache.keep(first, "length", replace(outcome(), results=found.with_column("text", ["y" * 1000] * 100)))
    assert fewer is not None
    assert longer is not None
    assert fewer.documents_bytes == first.documents_bytes // 2
    assert longer.documents_bytes > first.documents_bytes + 90_000


def test_an_outcome_takes_the_numbers_its_steps_have_now_and_costs_nothing() -> None:
    row = LedgerRow(3, "length", 2, 2, 0.7, calls=4, tokens_in=5, tokens_out=6, cost_usd=0.1, warnings=1)
    kept = StepOutcome((3,), result_set([]), (row,), (RunWarning(3, "length", "c", "m"),), (), JourneyStep(3, "length", {}))
    now = kept.replayed([2])
    assert now.rows == (LedgerRow(2, "length", 2, 2, 0.0, cached=2, warnings=1),)
    assert now.warnings[0].step == 2
    assert now.journey == JourneyStep(2, "length", {})
    assert was_taken(now.rows[0])
    assert not was_taken(row)
    assert first_run_step((*now.rows, row)) == 3
    assert first_run_step(now.rows) is None


def test_a_step_that_left_no_row_still_shows_that_it_was_taken() -> None:
    assert was_taken(StepOutcome((1,), result_set([]), (LedgerRow(1, "empty", 0, 0, 0.1),)).replayed([1]).rows[0])


def test_writing_into_a_frame_that_was_given_out_changes_nothing_that_is_kept() -> None:
    kept = outcome("a")
    frame: pd.DataFrame = kept.replayed([1]).results.documents
    frame.loc[0, "title"] = "changed"
    frame["more"] = 1
    assert kept.results.documents["title"].tolist() == ["Title a"]
    assert "more" not in kept.results.documents.columns


def test_threads_may_use_it_at_the_same_time() -> None:
    cache = StepCache(200_000)

    def use(thread: int) -> None:
        for n in range(60):
            Walk(cache).keep(f"source {n % 7}", f"step {(n + thread) % 5}", "end", size=5)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    assert 0 < cache.size <= cache.limit


@given(st.lists(st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), st.integers(1, 30)), max_size=30))
def test_it_never_takes_more_than_its_limit_and_every_kept_step_can_be_reached(paths: list[tuple[list[str], int]]) -> None:
    cache = StepCache(100_000)
    walk = Walk(cache)
    reached: dict[int, Kept] = {}
    for steps, size in paths:
        end = walk.keep(*steps, size=size)
        assert end is None or walk.finds(*steps) == len(steps)
        assert cache.size <= cache.limit
        assert cache.size == sum(one.size for one in cache._kept.values())
        for one in cache._kept.values():
            reached[id(one)] = one
            assert one.before is None or cache._kept[one.before.key] is one.before
            assert one.outcome.results.documents["id"].tolist() == [one.outcome.rows[0].module]
