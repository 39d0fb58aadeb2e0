"""Sentence boundaries: what holds for every text, and the faults seen in real ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatsearch.languages import words
from chatsearch.passages import LONGEST_SENTENCE, Span, passages, sentences

LANGUAGES = ["", "en", "de", "es", "ru", "zh", "ar", "xx"]
AWKWARD = [
    *["Mr. ", "e.g. ", "J. R. ", "7. ", "No. 5", "The end. ", "Wirklich? ", "好。", "…” ", "[4] ", ":12–13 ", "- "],
    *["\n\n", "\n", "\r\n\r\n", "\f", "\u2029", "😀😀. ", "\x00", "\u200f", "\ud800", "x" * 700, "word " * 200],
]
TEXTS = st.lists(st.one_of(st.text(max_size=20), st.sampled_from(AWKWARD)), max_size=12).map("".join)


@given(TEXTS, st.sampled_from(LANGUAGES))
@example("a\x00b. C\n\n\u200fابت. ثم", "ar")
@example("😀. 😀", "en")
def test_sentences_hold_every_visible_character_once_and_in_order(text: str, language: str) -> None:
    spans = sentences(text, language)
    position = 0
    for span in spans:
        assert position <= span.start < span.end <= len(text)
        assert not text[position : span.start].strip()
        assert span.of(text) == span.of(text).strip()
        position = span.end
    assert not text[position:].strip()


@given(TEXTS, st.sampled_from(LANGUAGES))
def test_no_sentence_is_over_long(text: str, language: str) -> None:
    assert all(span.end - span.start <= LONGEST_SENTENCE for span in sentences(text, language))


@given(TEXTS, st.sampled_from(LANGUAGES), st.integers(1, 60))
def test_passages_are_runs_of_whole_sentences(text: str, language: str, size: int) -> None:
    spans, runs = sentences(text, language), passages(text, language, words=size)
    starts, ends = {span.start for span in spans}, {span.end for span in spans}
    assert all(run.start in starts and run.end in ends for run in runs)
    assert all(sum(run.start <= span.start and span.end <= run.end for run in runs) == 1 for span in spans)


def split(text: str, language: str = "en") -> list[str]:
    return [span.of(text) for span in sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("en", ["Bus No. 5 took Dr. Smith to St. Peter, 3.5 km away.", "He left."]),
        ("en", ["J. R. R. Tolkien wrote it.", "It sold."]),
        ("en", ["Yersinia pestis strains Y. p. orientalis and Y. p. medievalis.", "They differ."]),
        ("en", ["He took vitamin C.", "The rest is known."]),
        ("en", ['"Stop!" he said.', "Nobody did."]),
        ("de", ["Am 7. Januar 1943 starb er im 20. Jahrhundert.", "Danach nichts."]),
        ("de", ["Im 16. und 17. Jahrhundert trat die Pest auf.", "Sie blieb."]),
        ("de", ["Sie liegt an der Interstate 9.", "Derzeit wird gebaut."]),
        ("ru", ["Э. И. Дюпон де Немур приехал.", "Он остался."]),
        ("zh", ["特斯拉于 1943 年去世。", "他住在纽约。"]),
    ],
)
def test_full_stops_that_end_nothing_end_nothing(language: str, parts: list[str]) -> None:
    joiner = "" if language == "zh" else " "
    assert split(joiner.join(parts), language) == parts


def test_a_reference_belongs_to_the_sentence_before_it() -> None:
    text = "He never married.[citation needed] :121,154 He lived in hotels. [4] He died."
    assert split(text) == ["He never married.[citation needed] :121,154", "He lived in hotels. [4]", "He died."]


def test_a_blank_line_ends_a_sentence_and_so_does_a_bullet() -> None:
    assert split("A heading\n\nIts text goes on\nhere") == ["A heading", "Its text goes on\nhere"]
    assert split("We sell:\n- apples\n- pears") == ["We sell:", "- apples", "- pears"]


def test_lines_of_an_unwrapped_text_are_paragraphs() -> None:
    paragraph = "This is a long line as web pages have it, " * 4 + "and it ends here."
    assert split(f"A heading\n{paragraph}\nAnother heading\n{paragraph}") == [
        "A heading",
        paragraph,
        "Another heading",
        paragraph,
    ]


def test_an_over_long_sentence_is_cut_between_words_into_equal_parts() -> None:
    text = "alpha beta, gamma " * 60
    parts = split(text.strip())
    assert len(parts) == 2
    assert " ".join(parts) == text.strip()
    assert all(part.endswith(("beta,", "gamma")) for part in parts)
    assert abs(len(parts[0]) - len(parts[1])) < 40


def test_texts_without_words_have_no_sentences_or_one() -> None:
    assert sentences("") == sentences(" \n\t\n ") == passages("") == []
    assert split("???") == ["???"]


def test_passages_keep_to_their_size_and_leave_no_crumb() -> None:
    text = " ".join(f"This is sentence number {n} of a text." for n in range(41))
    runs = passages(text, "en", words=80)
    assert [len(words(run.of(text))) for run in runs] == [80, 80, 80, 88]
    assert passages("One sentence.", "en") == [Span(0, 13)]


@pytest.mark.parametrize(("language", "allowed"), [("en", 1), ("de", 3), ("es", 4), ("ru", 3), ("zh", 1)])
def test_gold_answers_of_xquad_are_not_cut_in_two(shared: Path, language: str, allowed: int) -> None:
    folder = shared / f"xquad-{language}"
    corpus = {
        row["_id"]: row["text"] for row in map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    }
    qrels = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:])
    whole = {name: split(text, language) for name, text in corpus.items()}
    cut = 0
    for row in map(json.loads, (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()):
        name = qrels[row["_id"]]
        cut += sum(answer in corpus[name] and not any(answer in one for one in whole[name]) for answer in row["answers"])
    assert cut <= allowed
