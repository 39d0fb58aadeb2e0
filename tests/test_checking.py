"""Statements against documents by meaning: paraphrases found, altered facts not, in several languages."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatsearch.checking import StatementChecker
from chatsearch.embedding import EmbeddingModels
from chatsearch.prompts import PromptDocument
from chatsearch.statements import Check

STATEMENTS = Path(__file__).parent / "data" / "statements.jsonl"

TEXT = (
    "Nikola Tesla died in the New Yorker Hotel on 7 January 1943. He had lived there for ten years. The hotel has 43 floors and "
    "1,083 rooms. Its owner refused to lower the rent. In 1915 Germany bought 12 % of the shares."
)


@pytest.fixture(scope="module")
def checker() -> StatementChecker:
    return StatementChecker(EmbeddingModels())


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("“Nikola Tesla died in the New\n Yorker Hotel”", Check.EXACT),
        ("Tesla's death came on January 7, 1943, in the New Yorker Hotel", Check.SIMILAR),
        ("Tesla passed away in the New Yorker Hotel on 1943-01-07", Check.SIMILAR),
        ("Tesla passed away in the New Yorker Hotel on 7 June 1943", Check.NOT_FOUND),
        ("Edison passed away in the New Yorker Hotel on 7 January 1943", Check.NOT_FOUND),
        ("There are forty-three floors with 1083 rooms in the hotel", Check.SIMILAR),
        ("There are forty-two floors with 1083 rooms in the hotel", Check.NOT_FOUND),
        ("The owner agreed to lower the rent", Check.NOT_FOUND),
        ("The hotel's owner would not reduce the rent", Check.SIMILAR),
        ("12 percent of the shares were purchased by the Germans in 1915", Check.SIMILAR),
        ("In 1915 Germany sold 12 % of the shares", Check.NOT_FOUND),
        ("Tesla starb am 7. Januar 1943 im Hotel New Yorker", Check.SIMILAR),
        ("Tesla starb am 8. Januar 1943 im Hotel New Yorker", Check.NOT_FOUND),
        ("The weather was fine", Check.NOT_FOUND),
        ("…", Check.NOT_FOUND),
        ("", Check.NOT_FOUND),
    ],
)
def test_a_statement_is_compared_by_meaning_and_facts(checker: StatementChecker, statement: str, check: Check) -> None:
    assert checker.check(statement, TEXT, "en").check is check


def test_a_name_may_stand_in_the_title(checker: StatementChecker) -> None:
    text = "He died alone in his hotel room. He was 86 years old."
    assert checker.check("Tesla died alone in his hotel room", text, "en").check is Check.NOT_FOUND
    assert checker.check("Tesla died alone in his hotel room", text, "en", "Nikola_Tesla").check is Check.SIMILAR


def test_a_statement_of_two_sentences_is_found_with_both(checker: StatementChecker) -> None:
    text = "The bridge crosses the river Tyne near Hexham. It was built by Robert Mylne of granite. Fish live in the river."
    finding = checker.check("The bridge near Hexham over the river Tyne was built by Robert Mylne of granite", text, "en")
    assert finding.check is Check.SIMILAR
    assert finding.span is not None
    assert finding.span.of(text) == text.removesuffix(" Fish live in the river.")


def test_swapped_roles_about_one_verb_are_not_found(checker: StatementChecker) -> None:
    text = "In the final, Carthage defeated Syracuse by three goals."
    assert checker.check("Carthage defeated Syracuse in the final", text, "en").check is Check.SIMILAR
    assert checker.check("In the final, Syracuse was defeated by Carthage", text, "en").check is Check.SIMILAR
    assert checker.check("Syracuse defeated Carthage in the final", text, "en").check is Check.NOT_FOUND


# --- find -------------------------------------------------------------------------------------------------------------------

DOCUMENTS = [
    PromptDocument(3, "a", "Hotel", "The hotel has 43 floors and 1,083 rooms. It opened in 1930.", "en"),
    PromptDocument(5, "b", "Nikola Tesla", TEXT, "en"),
    PromptDocument(8, "c", "Schloss", "Das Schloss wurde 1742 erbaut. Heute ist darin ein Museum für Glas.", "de"),
    PromptDocument(9, "d", "Empty", "", ""),
]


@pytest.mark.parametrize(
    ("statement", "number", "check"),
    [
        ("The hotel has 43 floors and 1,083 rooms", 3, Check.EXACT),
        ("The hotel was opened in the year 1930", 3, Check.SIMILAR),
        ("Tesla passed away in the New Yorker Hotel on January 7, 1943", 5, Check.SIMILAR),
        ("Ein Glasmuseum ist heute in dem Schloss", 8, Check.SIMILAR),
    ],
)
def test_the_document_that_supports_a_statement_is_found(
    checker: StatementChecker, statement: str, number: int, check: Check
) -> None:
    found = checker.find(statement, DOCUMENTS)
    assert found is not None
    assert (found[0], found[1].check) == (number, check)
    assert found[1].span is not None
    assert found[1].span.of(next(document.text for document in DOCUMENTS if document.n == number))


@pytest.mark.parametrize(
    "statement", ["", "…", "The castle was pulled down in 1980", "Tesla passed away in 1944 in the New Yorker Hotel"]
)
def test_what_no_document_says_is_not_found(checker: StatementChecker, statement: str) -> None:
    assert checker.find(statement, DOCUMENTS) is None


def test_without_documents_nothing_is_found(checker: StatementChecker) -> None:
    assert checker.find("Tesla died", []) is None


# --- quality ----------------------------------------------------------------------------------------------------------------


def test_the_labelled_sentences_are_told_apart(checker: StatementChecker) -> None:
    """Issue 5: of the false ones at least 90 % are not found, of the true ones at most 10 %; here on what was not tuned on."""
    right: Counter[bool] = Counter()
    every: Counter[bool] = Counter()
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["half"] != "held out":
            continue
        pairs = [(one["text"], row["text"], one["kind"] == "true") for one in row["statements"]]
        pairs += [(statement, row["other"], False) for statement, _, true in pairs if true]
        for statement, text, true in pairs:
            check = checker.check(statement, text, row["document_language"], row["title"]).check
            right[true] += (check is not Check.NOT_FOUND) is true
            every[true] += 1
    assert right[False] >= 0.9 * every[False]
    assert right[True] >= 0.9 * every[True]


# --- any text ---------------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.text(max_size=150), st.sampled_from(["", "en", "de", "zh", "ru", "xx", "not a language"]))
def test_no_text_raises_and_a_finding_is_within_the_text(
    checker: StatementChecker, statement: str, text: str, language: str
) -> None:
    finding = checker.check(statement, text, language)
    assert (finding.span is None) is (finding.check is Check.NOT_FOUND)
    if finding.span:
        assert 0 <= finding.span.start < finding.span.end <= len(text)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40), st.sampled_from(["«{}»", " {}. ", "{}"]))
def test_an_exact_finding_has_the_letters_of_the_statement(
    checker: StatementChecker, statement: str, before: str, after: str, sign: str
) -> None:
    text = f"{before} {statement} {after}"
    finding = checker.check(sign.format(statement), text, "en")
    if finding.check is Check.EXACT and finding.span:
        assert letters(finding.span.of(text)) == letters(statement)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
