"""Lists that models write: orders and grades in every form seen, repaired, counted, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.errors import ModelAnswerError
from chatsearch.llm.answers import UNJUDGED, parse_judgements, parse_order
from chatsearch.llm.reasoning import ReasoningFilter, without_reasoning


@pytest.mark.parametrize(
    ("answer", "numbers", "repaired"),
    [
        ("1 > 3 > 2", [1, 3, 2], 0),
        ("[2] > [1] > [3]", [2, 1, 3], 0),
        ("[2]>[1]>[3]", [2, 1, 3], 0),
        ("[3, 1, 2]", [3, 1, 2], 0),
        ('```json\n{"order": ["3", "1", "2"]}\n```', [3, 1, 2], 0),
        ("Sure! Here is the ranking of the 3 documents: [2] > [1]", [2, 1, 3], 1),
        ("1. [3]\n2. [1]\n3. [2]", [3, 1, 2], 0),
        ("1. Document 3\n2. Document 1\n3. Document 2", [3, 1, 2], 0),
        ("1. 3\n2. 1\n3. 2", [3, 1, 2], 0),
        ("3\n1\n2", [3, 1, 2], 0),
        ("**[2]** > **[1]** > **[3]**", [2, 1, 3], 0),
        ("Document 2 > Document 1 > Document 3", [2, 1, 3], 0),
        ("<think>1 > 2 > 3?</think>\n[3] > [2] > [1]", [3, 2, 1], 0),
        ("1 > 2, no, wait </think> [3] > [2] > [1]", [3, 2, 1], 0),
        ("٣ > ١ > ٢", [3, 1, 2], 0),
        ("３ ＞ ".replace("＞", ">") + "１ > ２", [3, 1, 2], 0),
        ("३, १, २", [3, 1, 2], 0),
        ("2 > 2 > 9 > 1", [2, 1, 3], 3),
        ("[0] > [2]", [2, 1, 3], 3),
        ("3", [3, 1, 2], 2),
        ("The best is [2].", [2, 1, 3], 2),
    ],
)
def test_an_order_is_read_however_it_is_written(answer: str, numbers: list[int], repaired: int) -> None:
    order = parse_order(answer, 3)
    assert [place + 1 for place in order.places] == numbers
    assert order.repaired == repaired


@pytest.mark.parametrize(
    "answer",
    ["", "  ", "<think>[1] > [2]", "I cannot rank these 3 documents, sorry.", "[7] > [8]", "All of them are good."],
)
def test_an_answer_that_orders_nothing_is_an_error(answer: str) -> None:
    with pytest.raises(ModelAnswerError, match="names none of the 3 documents"):
        parse_order(answer, 3)


@given(st.text(alphabet="0123456789 >[],.\n<>/think-abc٣", max_size=80), st.integers(1, 12))
def test_an_order_has_each_place_once(answer: str, count: int) -> None:
    try:
        order = parse_order(answer, count)
    except ModelAnswerError:
        return
    assert sorted(order.places) == list(range(count))
    assert order.repaired >= 0


@given(st.permutations(list(range(1, 13))), st.sampled_from([" > ", ", ", "\n", "] > ["]))
def test_a_whole_order_comes_back_as_it_was_written(numbers: list[int], between: str) -> None:
    order = parse_order("[" + between.join(map(str, numbers)) + "]", 12)
    assert ([place + 1 for place in order.places], order.repaired) == (numbers, 0)


@pytest.mark.parametrize(
    ("answer", "count", "relevance"),
    [
        ("1: 7\n2: 3", 2, [0.7, 0.3]),
        ("2: 3\n1: 7", 2, [0.7, 0.3]),
        ("1: yes\n2: no", 2, [1, 0]),
        ("[1] relevant\n[2] not relevant", 2, [1, 0]),
        ('{"1": 7, "2": 10}', 2, [0.7, 1]),
        ('[{"n": 1, "score": 8}, {"n": 2, "score": 2}]', 2, [0.8, 0.2]),
        ("[7, 3]", 2, [0.7, 0.3]),
        ("7\n3", 2, [0.7, 0.3]),
        ("1. 7/10\n2. 2/5", 2, [0.7, 0.4]),
        ("Document 1: Score: 8\nDocument 2: 1", 2, [0.8, 0.1]),
        ("<think>1: 2</think>1: 9\n2: 0", 2, [0.9, 0]),
        ("١: ٧\n٢: ٣", 2, [0.7, 0.3]),
        ("1: 70\n2: 3", 2, [1, 0.3]),
        ("Yes.", 1, [1]),
        ("No, it is about something else.", 1, [0]),
        ("8", 1, [0.8]),
        ("3.5/5", 1, [0.7]),
        ("1: 7", 2, [0.7, UNJUDGED]),
    ],
)
def test_grades_are_read_however_they_are_written(answer: str, count: int, relevance: list[float]) -> None:
    judged = parse_judgements(answer, count)
    assert list(judged.relevance) == pytest.approx(relevance)
    assert judged.repaired == relevance.count(UNJUDGED)


@pytest.mark.parametrize("answer", ["", "They are both fine, I think.", "<think>1: 7", "9: 7"])
def test_an_answer_that_judges_nothing_is_an_error(answer: str) -> None:
    with pytest.raises(ModelAnswerError, match="judges none of the 2 documents"):
        parse_judgements(answer, 2)


@given(st.text(alphabet='0123456789:/[]{}"yesno \n,.', max_size=60), st.integers(1, 5))
def test_grades_are_between_0_and_1(answer: str, count: int) -> None:
    try:
        judged = parse_judgements(answer, count)
    except ModelAnswerError:
        return
    assert len(judged.relevance) == count
    assert all(0 <= one <= 1 for one in judged.relevance)


@given(st.text(alphabet="ab<>/think ", max_size=40), st.integers(1, 7))
def test_reasoning_is_filtered_alike_however_the_stream_is_cut(text: str, size: int) -> None:
    whole, parts = ReasoningFilter(), ReasoningFilter()
    expected = whole.feed(text) + whole.end()
    assert "".join(parts.feed(text[at : at + size]) for at in range(0, len(text), size)) + parts.end() == expected


def test_reasoning_is_taken_out_in_every_form() -> None:
    assert without_reasoning("<think>a</think>b <thinking>c</thinking>d") == "b d"
    assert without_reasoning("<THINK reason='x'>a</THINK>b") == "b"
    assert without_reasoning("b <think>a") == "b"
    assert without_reasoning("a</think>b") == "b"
    assert without_reasoning("x < y and <b>z</b>") == "x < y and <b>z</b>"
