"""What is sent again to a browser that was away."""

from __future__ import annotations

from typing import Any

import pytest

from chatsearch.chat.replay import GRACE, MOST, Replay


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def replay(clock: Clock) -> Replay:
    return Replay(clock)


def step(identifier: str, output: str = "", **more: Any) -> dict[str, Any]:
    return {"id": identifier, "output": output, **more}


def test_a_browser_that_was_not_away_gets_nothing_again(replay: Replay) -> None:
    replay.record("new_message", step("a"))
    assert replay.returned() == []


def test_the_present_state_of_each_message_comes_once_and_parents_first(replay: Replay) -> None:
    replay.leave()
    replay.record("new_message", step("parent"))
    replay.record("new_message", step("child", parentId="parent"))
    replay.record("update_message", step("parent", "done"))
    assert replay.returned() == [("new_message", step("parent", "done")), ("new_message", step("child", parentId="parent"))]
    assert replay.returned() == []


def test_what_was_sent_shortly_before_the_break_comes_again_and_what_is_older_does_not(replay: Replay, clock: Clock) -> None:
    replay.record("new_message", step("old"))
    clock.now += GRACE
    replay.record("new_message", step("new"))
    clock.now += 1
    replay.leave()
    clock.now += 10_000
    assert replay.returned() == [("new_message", step("new"))]


def test_a_streamed_text_is_put_together(replay: Replay) -> None:
    replay.leave()
    replay.record("stream_start", step("a", "one "))
    replay.record("stream_token", {"id": "a", "token": "two", "isSequence": False, "isInput": False})
    replay.record("stream_token", {"id": "unknown", "token": "x"})
    assert replay.returned() == [("new_message", step("a", "one two"))]


def test_a_token_that_is_the_whole_text_replaces_it(replay: Replay) -> None:
    replay.leave()
    replay.record("stream_start", step("a", "one"))
    replay.record("stream_token", {"id": "a", "token": "whole", "isSequence": True})
    assert replay.returned() == [("new_message", step("a", "whole"))]


def test_what_was_removed_is_removed_again_and_not_shown(replay: Replay) -> None:
    replay.leave()
    replay.record("new_message", step("a"))
    replay.record("delete_message", step("a"))
    replay.record("element", {"id": "a"})
    replay.record("remove_element", {"id": "a"})
    assert replay.returned() == [("delete_message", step("a")), ("remove_element", {"id": "a"})]


def test_an_action_is_not_doubled(replay: Replay) -> None:
    replay.leave()
    replay.record("action", {"id": "a"})
    assert replay.returned() == [("remove_action", {"id": "a"}), ("action", {"id": "a"})]


def test_of_the_composers_commands_only_the_last_list_comes(replay: Replay) -> None:
    replay.leave()
    replay.record("set_commands", ["a"])
    replay.record("set_commands", ["b"])
    assert replay.returned() == [("set_commands", ["b"])]


def test_no_more_than_a_bounded_number_is_remembered_the_newest(replay: Replay) -> None:
    replay.leave()
    for number in range(MOST + 5):
        replay.record("new_message", step(str(number)))
    returned = replay.returned()
    assert len(returned) == MOST
    assert returned[-1][1]["id"] == str(MOST + 4)


def test_a_connected_browsers_old_messages_are_not_kept(replay: Replay, clock: Clock) -> None:
    for _ in range(10):
        replay.record("new_message", step(str(clock.now)))
        clock.now += GRACE
    assert len(replay._sent) <= 2


def test_it_knows_whether_an_answer_is_being_made(replay: Replay) -> None:
    replay.record("task_start", {})
    assert replay.busy
    replay.record("task_end", {})
    assert not replay.busy
