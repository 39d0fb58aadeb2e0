"""Questions about the set itself: read by whole forms alone, answered from the frame, every title with its footnote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.citations import Check, Footnote
from chatsearch.cited_titles import CitedPart
from chatsearch.embedding import EmbeddingModels
from chatsearch.results import ResultSet
from chatsearch.set_answers import answer_from_set
from chatsearch.set_columns import language_name, language_said
from chatsearch.set_comparison import compare
from chatsearch.set_questions import LANGUAGES, read_set_question
from chatsearch.set_wording import SET_WORDING
from tests.sources import document, result_set

RHINE = "The Rhine is about 1,230 km long. It flows from the Swiss Alps to the North Sea. The river passes Cologne."
WARSAW = "Warsaw is the capital of Poland. The Vistula river flows through it. Warsaw had 1.7 million people in 2015."


def results_of(*rows: dict[str, object]) -> ResultSet:
    return result_set(rows, roles={"mood": ("chip",), "_source_index_": ("chip",)}).numbered()[0]


FULL = results_of(
    document(
        "r", RHINE, title="Rhine", url="https://en.wikipedia.org/wiki/Rhine", language="en", published="2019-05-01", mood="calm"
    ),
    document("w", WARSAW, title="Warsaw", url="https://de.wikipedia.org/wiki/W", language="deu", published="2021", mood="calm"),
    document("t", "Tesla died.", title="Tesla", url="https://arts.org/x", language="en", published="2001-02-03", mood="sad"),
    document("n", "No one knows.", title="", url="", language="", published=None, mood=None),
)


def text_of(question: str, results: ResultSet = FULL, language: str = "en", *, about_the_set: bool = True) -> str:
    return "".join(part.text for part in parts_of(question, results, language, about_the_set=about_the_set))


def parts_of(question: str, results: ResultSet, language: str, *, about_the_set: bool) -> list[CitedPart]:
    asked = read_set_question(question, results, language, about_the_set=about_the_set)
    assert asked is not None, question
    return answer_from_set(asked, results)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many results are there?", "There are 4 documents."),
        ("How many documents?", "There are 4 documents."),
        ("Wie viele Ergebnisse gibt es?", "Es sind 4 Dokumente."),
        ("Combien de résultats ?", "Il y a 4 documents."),
        ("¿Cuántos resultados hay?", "Hay 4 documentos."),
        ("how many are German?", "Language “German”: 1 of 4 documents: Warsaw [2]."),
        ("how many documents are in French?", "Language “French”: 0 of 4 documents."),
        ("Wie viele sind auf Deutsch?", "Sprache “Deutsch”: 1 von 4 Dokumenten: Warsaw [2]."),
        ("wie viele sind von en.wikipedia.org?", "Host “en.wikipedia.org”: 1 von 4 Dokumenten: Rhine [1]."),
        ("¿Cuántos son en alemán?", "Idioma “alemán”: 1 de 4 documentos: Warsaw [2]."),
        ("how many are from wikipedia.org?", "Host “wikipedia.org”: 2 of 4 documents: Rhine [1], Warsaw [2]."),
        ("how many are from 2019", "Year “2019”: 1 of 4 documents: Rhine [1]."),
        ("how many are calm?", "mood “calm”: 2 of 4 documents: Rhine [1], Warsaw [2]."),
        ("how many per language", "Language: English (2), German (1), without: 1."),
        ("how many from each host?", "Host: en.wikipedia.org (1), de.wikipedia.org (1), arts.org (1), without: 1."),
        ("how many per mood?", "mood: calm (2), sad (1), without: 1."),
        ("which is the newest?", "Newest: Warsaw (2021) [2]. (without: n [4])"),
        ("what's the oldest document?", "Oldest: Tesla (2001-02-03) [3]. (without: n [4])"),
        ("Welches ist das neueste Dokument?", "Am neuesten: Warsaw (2021) [2]. (ohne: n [4])"),
        ("Quel est le plus récent ?", "Le plus récent: Warsaw (2021) [2]. (sans: n [4])"),
        ("the longest document", "Longest: Rhine (21 words) [1]."),
        ("list the titles", "The 4 documents: Rhine [1], Warsaw [2], Tesla [3], n [4]."),
        (
            "from which sources are they?",
            "Source: memory (4). Host: en.wikipedia.org (1), de.wikipedia.org (1), arts.org (1), without: 1.",
        ),
        ("In welchen Sprachen sind die Dokumente?", "Sprache: Englisch (2), Deutsch (1), ohne: 1."),
        ("minimum length", "Length in words, minimum of 4 documents: 2, Tesla [3]."),
    ],
)
def test_the_frame_answers_in_the_persons_language(question: str, answer: str) -> None:
    assert text_of(question) == answer


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        (
            "sort by date",
            "By date, newest first: Warsaw (2021) [2], Rhine (2019-05-01) [1], Tesla (2001-02-03) [3]. (without: n [4])",
        ),
        ("oldest first", "By date, oldest first: Tesla (2001-02-03) [3], Rhine"),
        ("sort by title", "Title, ascending: Rhine [1], Tesla [3], Warsaw [2]. (without: n [4])"),
        ("Sortiere nach Datum", "Nach Datum, neueste zuerst: Warsaw (2021) [2], Rhine"),
    ],
)
def test_an_order_is_a_list_in_the_answer_and_the_set_stays(question: str, beginning: str) -> None:
    assert text_of(question).startswith(beginning)


def test_a_selection_says_how_to_narrow_the_list() -> None:
    assert text_of("only German ones") == (
        "Language “German”: 1 of 4 documents: Warsaw [2]. The list itself stays as it is: to narrow it, search anew with "
        "/search, or add the step language_filter."
    )
    assert "field_filter" in text_of("only those from wikipedia.org")
    assert "Warsaw [2]" in text_of("nur die deutschen", language="de")


def test_numbers_of_a_column() -> None:
    rows = [document(f"d{n}", wordCount=n * 10, stars=value) for n, value in enumerate([1.5, 4.0, None], start=1)]
    results = results_of(*rows)
    assert text_of("average wordCount", results) == "Length in words, average of 3 documents: 20."
    assert text_of("What is the average stars?", results) == "stars, average of 2 documents: 2.75."
    assert text_of("maximum stars", results) == "stars, maximum of 2 documents: 4, Title d2 [2]."
    assert text_of("which document has the fewest stars", results) == "Lowest stars: Title d1 (1.5) [1]. (without: Title d3 [3])"


def test_without_dates_that_is_said_and_a_bare_question_is_left_to_the_documents() -> None:
    results = results_of(document("a"), document("b"))
    assert text_of("sort by date", results) == "The documents have no column with dates."
    assert read_set_question("which is the newest?", results, "en", about_the_set=True) is None


def test_a_question_that_names_no_documents_is_about_them_only_while_the_talk_is() -> None:
    assert read_set_question("which is the oldest?", FULL, "en", about_the_set=False) is None
    assert read_set_question("which is the oldest document?", FULL, "en", about_the_set=False) is not None


@pytest.mark.parametrize(
    "question",
    [
        "How many career sacks did Jared Allen have?",
        "What is the oldest university?",
        "List the causes of the Black Death",
        "How many people are German?",
        "How many are Catholic?",
        "only in winter",
        "average population of Warsaw",
        "sort the rivers by length of their names and colours",
        "which languages did he speak?",
        "What are the sources of the Rhine?",
        "compare Warsaw and Berlin",
        "how many documents did Luther write?",
        "Welches ist das älteste Gebäude?",
        "¿Cuál es la universidad más antigua?",
        "",
        "?",
    ],
)
def test_what_only_looks_like_one_falls_through(question: str) -> None:
    assert read_set_question(question, FULL, "en", about_the_set=True) is None


@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "zh"])
def test_no_real_question_is_taken_for_one_about_the_set(shared: Path, language: str) -> None:
    lines = (shared / f"xquad-{language}" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines]
    assert len(questions) == 1190
    assert [one for one in questions if read_set_question(one, FULL, language, about_the_set=True)] == []


@pytest.mark.parametrize("question", ["list the titles", "sort by date", "how many are calm?"])
def test_every_footnote_quotes_its_documents_title(question: str) -> None:
    parts = parts_of(question, FULL, "en", about_the_set=True)
    text = "".join(part.text for part in parts)
    notes = [note for part in parts for note in part.footnotes]
    assert notes
    for note in notes:
        assert text[note.at :].startswith(f"[{note.n}]")
        assert note.check is Check.EXACT
        check_quote(note, FULL)


def check_quote(note: Footnote, results: ResultSet) -> None:
    frame = results.documents
    row = int(frame.index[frame["id"] == note.id][0])
    assert note.n == results.numbers[note.id]
    assert note.column is not None
    assert note.quote == str(frame[note.column][row])[note.start : note.end]


BOTH = results_of(
    document("r", RHINE, title="Rhine", url="https://en.wikipedia.org/wiki/Rhine", language="en", published="2019-05-01"),
    document("w", WARSAW, title="Warsaw", url="https://arts.org/w", language="en", published="2021"),
)


async def test_two_documents_side_by_side() -> None:
    parts = await compare(BOTH, (1, 2), "How many people live in Warsaw?", "en", EmbeddingModels())
    text = "".join(part.text for part in parts)
    assert text.startswith("Rhine (en.wikipedia.org · 2019-05-01 · 21 words) [1]\n\nWarsaw (arts.org · 2021 · 19 words) [2]")
    assert "In both: " in text
    assert "river" in text.split("In both: ")[1].split("Only in 1: ")[0]
    assert "Warsaw had 1.7 million people in 2015. [2]" in text
    for part in parts:
        for note in part.footnotes:
            check_quote(note, BOTH)


async def test_documents_without_text_are_compared_by_what_they_have() -> None:
    results = results_of(document("a", " "), document("b", "", **{"full-text": None}))
    text = "".join(part.text for part in await compare(results, (1, 2), "why?", "de", EmbeddingModels()))
    assert "In beiden: nichts." in text


@pytest.mark.parametrize(
    ("said", "code"),
    [("deutschen", "de"), ("alemanes", "de"), ("anglais", "en"), ("inglesa", "en"), ("polish", "pl"), ("calm", "")],
)
def test_languages_by_their_names(said: str, code: str) -> None:
    assert language_said(said) == code


def test_every_language_has_all_sentences_with_the_same_places() -> None:
    assert set(SET_WORDING) == set(LANGUAGES)
    for own in SET_WORDING.values():
        assert set(own) == set(SET_WORDING["en"])
        for name, sentence in own.items():
            places = {part.split("}")[0] for part in sentence.split("{")[1:]}
            assert places == {part.split("}")[0] for part in SET_WORDING["en"][name].split("{")[1:]}, name
    assert language_name("de", "fr") == "allemand"
    assert language_name("nds", "fr") == "nds"


CELLS = st.one_of(
    st.none(), st.text(max_size=20), st.integers(), st.floats(), st.lists(st.text(max_size=5), max_size=3), st.booleans()
)
QUESTIONS = st.sampled_from(
    "list the titles|sort by date|oldest first|sort by length|sort by mood|average mood|which is the newest document?|"
    "how many per mood|how many per language|how many per year|how many are from a.b|only German ones|"
    "from which sources are they?|how many from each host".split("|")
)


@settings(max_examples=80, deadline=None)
@given(question=QUESTIONS, rows=st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=4))
def test_whatever_the_cells_there_is_an_answer_or_the_question_falls_through(
    question: str, rows: list[tuple[object, object, object, object]]
) -> None:
    made = [
        document(str(n), title=title, url=url, mood=mood, date=mood, language=language)
        for n, (title, url, mood, language) in enumerate(rows)
    ]
    results = results_of(*made)
    asked = read_set_question(question, results, "en", about_the_set=True)
    parts = answer_from_set(asked, results) if asked else []
    text = "".join(part.text for part in parts)
    for note in (note for part in parts for note in part.footnotes):
        assert text[note.at :].startswith(f"[{note.n}]")
        assert note.n in results.numbers.values()
