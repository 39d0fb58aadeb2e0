"""What speaks for and against a sentence as an answer, apart from any embedding model."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from chatsearch.llm.answer_types import asked_for
from chatsearch.llm.evidence import ACROSS, WITHIN, Evidence, Weights, WordMatch, best_around, shortlist, split, weigh
from chatsearch.prompts import PromptDocument

BARE = Weights(words=0.0)


def documents(*texts: str, title: str = "A page") -> list[PromptDocument]:
    return [PromptDocument(n, f"d{n}", title, text, "en") for n, text in enumerate(texts, 1)]


def evidence(question: str, texts: list[PromptDocument], near: list[float], weights: Weights = WITHIN) -> Evidence:
    found = split(texts, "en")
    return weigh(near, WordMatch(question, texts, found, "en"), asked_for(question, "en"), texts, found, weights)


def strongest(question: str, text: str, weights: Weights = WITHIN) -> float:
    return float(evidence(question, documents(text), [0.5], weights).around.max())


def test_the_best_cosine_around_counts_within_one_document_only() -> None:
    texts = documents("Rain fell here. Snow fell there.", "Wind blew hard.")
    assert evidence("Why?", texts, [0.1, 0.9, 0.2], BARE).around.tolist() == [0.9, 0.9, 0.2]


def test_a_sentence_that_was_not_embedded_is_no_evidence_but_its_neighbours_see_its_words() -> None:
    texts = documents("Glass was made here. It was sold abroad.")
    found = evidence("Where was glass made?", texts, [-inf, 0.4], Weights(words=0.5))
    assert found.around[0] == -inf
    assert found.around[1] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("question", "with_it", "without_it", "weights"),
    [
        ("What did the painter Rembrandt buy?", "Rembrandt bought a house.", "A man bought a house.", Weights(0.0, names=0.1)),
        ("What was built in 1642 there?", "In 1642 a house rose.", "In 1650 a house rose.", Weights(0.0, numbers=0.1)),
        ("When did he buy it?", "He bought it in 1642.", "He bought it with joy.", Weights(0.0, untyped=0.1)),
        ("How deep is the lake?", "The lake is very deep.", "The sea is very calm.", Weights(0.0, aspect=0.1)),
    ],
)
def test_what_is_missing_around_a_sentence_speaks_against_it(
    question: str, with_it: str, without_it: str, weights: Weights
) -> None:
    assert strongest(question, with_it, weights) == pytest.approx(0.5)
    assert strongest(question, without_it, weights) == pytest.approx(0.4)


def test_the_title_holds_the_name_that_the_sentences_leave_out() -> None:
    weights = Weights(0.0, names=0.1)
    texts = documents("He bought a house.", title="Rembrandt")
    assert evidence("What did Rembrandt buy?", texts, [0.5], weights).around.max() == pytest.approx(0.5)


def test_a_name_is_known_by_its_beginning_whatever_its_case_ending() -> None:
    assert strongest("Кто учил Рембрандта?", "Рембрандт учился.", Weights(0.0, names=0.1)) == pytest.approx(0.5)


def test_a_neighbour_that_holds_the_answer_is_enough() -> None:
    texts = documents("He bought it with joy. That was in 1642. Nobody knows more. It rained.")
    found = evidence("When did he buy it?", texts, [0.5] * 4, Weights(0.0, untyped=0.1))
    assert found.around.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.4])
    assert found.untyped.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_over_a_language_border_nothing_missing_counts() -> None:
    assert Weights(words=ACROSS.words) == ACROSS


def test_no_sentences_give_no_evidence() -> None:
    found = evidence("Who?", [], [])
    assert found.around.size == found.words.size == found.unnamed.size == 0


def test_best_around_reaches_as_far_as_it_is_told() -> None:
    values = np.array([[1.0], [0.0], [0.0], [2.0]])
    same = np.zeros(4, dtype=int)
    assert best_around(values, same, 1)[:, 0].tolist() == [1.0, 1.0, 2.0, 2.0]
    assert best_around(values, np.array([0, 0, 1, 2]), 1)[:, 0].tolist() == [1.0, 1.0, 0.0, 2.0]


def test_the_shortlist_prefers_the_words_of_the_question_and_takes_some_of_each_document() -> None:
    texts = documents("Rain fell. Glass was made in the town. Snow fell too.", "Wind blew hard here. It was cold there.")
    found = split(texts, "en")
    match = WordMatch("Where was glass made?", texts, found, "en")
    assert shortlist(found, match, 1) == [1]
    assert {found[place].document for place in shortlist(found, match, 1, each=1)} == {0, 1}
