"""What a follow-up question means: a complete one passes unchanged, one that lacks something is completed from the last turns."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.citations import Check, Footnote
from chatsearch.completing import complete
from chatsearch.names import names
from chatsearch.restriction import restriction, with_note, without_note
from chatsearch.results import Answer, Summary
from chatsearch.turns import Turn, turns_of
from chatsearch.understanding import Kind, Understanding, understand
from tests.sources import documents, result_set

TESLA = [Turn("What year did Tesla die?", "Nikola Tesla")]
SET = result_set(documents("a", "b", "c", "d", "e")).numbered()[0]


def completed(question: str, turns: list[Turn], language: str) -> str:
    return complete(question, turns, language, range(1, 6)).question


def understood(question: str, *turns: Turn, language: str = "en") -> Understanding:
    return understand(question, turns or [Turn("tesla")], language, SET)


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("Where did he live?", "Where did Tesla live?"),
        ("where was he born", "where was Tesla born"),
        ("When was he elected by Nixon?", "When was Tesla elected by Nixon?"),
        ("Who was his father?", "Who was Tesla’s father?"),
        ("Who paid him?", "Who paid Tesla?"),
        ("What did she invent?", "What did Tesla invent?"),
        ("What is it?", "What is Tesla?"),
        ("Where are they now?", "Where are Tesla now?"),
        ("Who paid her for the work?", "Who paid Tesla for the work?"),
        ("Where is her house?", "Where is Tesla’s house?"),
        ("How long did it take him to build the tower?", "How long did it take Tesla to build the tower?"),
        ("In 1900, where did he live?", "In 1900, where did Tesla live?"),
        ("After the war, where did he live?", "After the war, where did Tesla live?"),
        ("What year was his son born?", "What year was Tesla’s son born?"),
        ("What is the population of its capital?", "What is the population of Tesla’s capital?"),
        ("Besides his inventions, what did he do?", "Besides Tesla’s inventions, what did he do?"),
        ("How was it made to shine?", "How was Tesla made to shine?"),
        ("Who bought it?", "Who bought Tesla?"),
        ("Where did he meet his wife?", "Where did Tesla meet his wife?"),
        ("How many languages did they speak?", "How many languages did Tesla speak?"),
    ],
)
def test_a_pronoun_becomes_the_name_of_the_last_turn(question: str, understood: str) -> None:
    assert completed(question, TESLA, "en") == understood


@pytest.mark.parametrize(
    "question",
    [
        "What did Edison say when he died?",
        "How did Tesla finance his work?",
        "What was named “The Tesla” in his honor?",
        "Who designed the palace?",
        "How long did it take?",
        "Is it true that the tower fell?",
        "What is it called when prices rise?",
        "Which university has its origins in a school?",
        "Other than his scientific achievements what was Tesla famous for?",
        "Outside of its use of automobiles, what else is California famous for?",
        "This person proposed explanations for the origins of earthquakes, what was his name?",
        "What happened to the tower after it was built?",
        "What tool do stratigraphers use to see their data?",
        "In modern times, firms may offer themselves as what?",
        "How was it determined how many would go?",
        "What university member was known for his work?",
        "Which country signed a treaty to give it special status?",
        "",
        "?",
        "he",
        "The history of her",
    ],
)
def test_a_question_that_says_what_it_means_passes_unchanged(question: str) -> None:
    expected = {"he": "Tesla", "The history of her": "The history of Tesla"}.get(question, question)
    assert completed(question, TESLA, "en") == expected


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("Wo lebte er?", "Wo lebte Tesla?"),
        ("Wie hieß seine Mutter?", "Wie hieß Teslas Mutter?"),
        ("Wer half ihm?", "Wer half Tesla?"),
        ("Können Sie mir helfen?", "Können Sie mir helfen?"),
        ("Wo lebte der König, als er starb?", "Wo lebte der König, als er starb?"),
        ("Wie spät ist es?", "Wie spät ist es?"),
    ],
)
def test_german_pronouns_too(question: str, understood: str) -> None:
    assert completed(question, [Turn("In welchem Jahr starb Tesla?")], "de") == understood


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Qui était son père ?", "Qui était le père de Tesla ?"),
        ("Que fit-il ?", "Que fit Tesla ?"),
        ("Où vivait-il en 1900 ?", "Où Tesla vivait-il en 1900 ?"),
        ("Où est-il né ?", "Où Tesla est-il né ?"),
        ("Quand est-ce qu'il est mort ?", "Quand est-ce que Tesla est mort ?"),
        ("Y a-t-il des tours ?", "Y a-t-il des tours ?"),
        ("Que s'est-il passé ?", "Que s'est-il passé ?"),
        ("Combien de temps Edison a-t-il vécu ?", "Combien de temps Edison a-t-il vécu ?"),
    ],
)
def test_french_pronouns_too(question: str, whole: str) -> None:
    assert completed(question, [Turn("Où vivait Tesla ?")], "fr") == whole


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("¿Dónde vivía él?", "¿Dónde vivía Tesla?"),
        ("¿Cuándo murió?", "¿Cuándo murió Tesla?"),
        ("¿Quién era su padre?", "¿Quién era el padre de Tesla?"),
        ("¿Quién fue su madre?", "¿Quién fue la madre de Tesla?"),
        ("¿Qué usan los cidípidos para capturar a sus presas?", "¿Qué usan los cidípidos para capturar a sus presas?"),
        ("¿Cómo funciona?", "¿Cómo funciona?"),
    ],
)
def test_spanish_pronouns_too(question: str, whole: str) -> None:
    assert completed(question, [Turn("¿Dónde vivía Tesla?")], "es") == whole


def test_other_languages_pass_unchanged() -> None:
    assert completed("Где он жил?", TESLA, "ru") == "Где он жил?"
    assert completed("他住在哪里？", TESLA, "zh") == "他住在哪里？"


def test_the_latest_name_counts_and_a_title_stands_in_where_none_was_said() -> None:
    turns = [*TESLA, Turn("Who was Edison?"), Turn("and then?", "")]
    assert completed("Where did he live?", turns, "en") == "Where did Edison live?"
    assert completed("Where did he live?", [Turn("the inventor", "Nikola_Tesla")], "en") == "Where did Nikola Tesla live?"
    assert completed("Where did he live?", [Turn("the inventor")], "en") == "Where did he live?"
    assert completed("Where did he live?", [], "en") == "Where did he live?"


def test_of_several_names_that_of_the_quoted_document_is_meant() -> None:
    turns = [Turn("When did King Leopold visit Warsaw?", "Warsaw")]
    assert completed("How large is it?", turns, "en") == "How large is Warsaw?"


def test_names_that_end_in_s_get_an_apostrophe_alone() -> None:
    assert completed("Who was his wife?", [Turn("Who was Arthur Sykes?")], "en") == "Who was Arthur Sykes’ wife?"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who painted the Night Watch?", ["Night Watch"]),
        ("When did Genghis Khan die?", ["Genghis Khan"]),
        ("What is the V&A?", ["V&A"]),
        ("Who won Super Bowl 50 in Santa Clara?", ["Super Bowl 50", "Santa Clara"]),
        ("What work of Luther's became popular?", ["Luther"]),
        ("who was J. R. R. Tolkien", ["J. R. R. Tolkien"]),
        ("What did Ludwig van Beethoven write?", ["Ludwig van Beethoven"]),
        ("What do I do?", []),
        ("", []),
        ("Where is Kraków?", ["Kraków"]),
        ("Кто такой Пётр Великий?", ["Кто", "Пётр Великий"]),
    ],
)
def test_names_are_runs_of_capitalised_words(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_small_talk_is_no_turn_and_a_summary_is_about_the_set() -> None:
    answers = [
        Answer("thanks", "thanks", "You are welcome.", False, "none"),
        Answer("[2]", "What does document 2 say?", "x", False, "extractive"),
        Answer("list the titles", "list the titles", "x", False, "results"),
    ]
    assert [turn.about_the_set for turn in turns_of(SET, answers)] == [False, True, True]


def test_the_turns_of_a_talk_are_the_search_and_the_answers() -> None:
    note = Footnote(1, "a", "Nikola Tesla", "", 0, "full-text", "q", 0, 1, Check.EXACT)
    results = result_set(documents("a"), "tesla death").with_summary(Summary("S", "t", "m", (note,)))
    answers = [
        Answer("Where did he live?", "Where did Nikola Tesla live?", "x", False, "m", (note,)),
        Answer("?", "?", "no", True, "m"),
    ]
    assert turns_of(results, answers) == [
        Turn("tesla death", "Nikola Tesla", "t"),
        Turn("Where did Nikola Tesla live?", "Nikola Tesla", "x", (1,)),
        Turn("?"),
    ]
    assert turns_of(result_set([], "q"), []) == [Turn("q", "")]


PRONOUN = re.compile(r"\b(he|him|his|she|her|hers|they|them|their|theirs|it|its)\b", re.IGNORECASE)
MAY_CHANGE = {  # nothing in these says what the pronoun means; each was read
    "When was he elected by Nixon?",
    "His poem is considered the first kind of what type of protest?",
    "What is the metric they use to determine how busy airports are?",
    "Who may not require that its teachers be certified?",
    "Because of certain statements what was the believed state of his religious views?",
}


MAY_CHANGE_DE = {
    "Was wurde zu seinen Ehren „die Tesla-Einheit“ genannt?",
    "Wann wurde er von Nixon ausgewählt?",
    "Sein Gedicht gilt als die erste Darstellung welcher Art von Protest?",
}


@pytest.mark.parametrize(("language", "may_change"), [("en", MAY_CHANGE), ("de", MAY_CHANGE_DE), ("es", set())])
def test_real_questions_that_are_complete_pass_unchanged(shared: Path, language: str, may_change: set[str]) -> None:
    questions = _questions(shared, language)
    assert len(questions) == 1190
    drawn = random.Random(1)
    answer = "In 1905 the Treaty of Rome and the Battle of Bonn were. [1]"
    changed = set()
    for question in questions:
        turns = [Turn(drawn.choice(questions), "Some Title", answer)]
        meant = understand(question, turns, language, SET)
        assert meant.kind is Kind.QUESTION
        assert meant.numbers == ()
        if meant.understood_as != question:
            assert PRONOUN.search(question) or language != "en"
            changed.add(question.strip())
    assert changed <= may_change


MAY_CHANGE_AFTER_ITS_NEIGHBOUR = {  # as above
    "What is the metric they use to determine how busy airports are?",
    "When was he elected by Nixon?",
    "His poem is considered the first kind of what type of protest?",
    "Was wurde zu seinen Ehren „die Tesla-Einheit“ genannt?",
}


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_real_questions_pass_unchanged_after_one_on_the_same_paragraph(shared: Path, language: str) -> None:
    questions = _questions(shared, language)
    pairs = itertools.pairwise(questions)
    changed = {one.strip() for before, one in pairs if completed(one, [Turn(before)], language) != one}
    assert changed <= MAY_CHANGE_AFTER_ITS_NEIGHBOUR


def _questions(shared: Path, language: str) -> list[str]:
    lines = (shared / f"xquad-{language}" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


LIVED = Turn("Where did Tesla live?", "Nikola Tesla", "He lived in New York. [1]", (1,))
PEOPLE = Turn("What was Warsaw's population in 1900?", "Warsaw", "In 1900 the city had 700,000 people. [2]", (2,))
PAINTED = Turn("Who painted the Night Watch?", "The Night Watch", "Rembrandt painted it in 1642. [1]", (1,))


@pytest.mark.parametrize(
    ("turn", "question", "whole"),
    [
        (LIVED, "when?", "When did Tesla live?"),
        (LIVED, "And why?", "Why did Tesla live?"),
        (LIVED, "where exactly?", "Where exactly did Tesla live?"),
        (LIVED, "and in 1905?", "Where did Tesla live in 1905?"),
        (LIVED, "and in May?", "Where did Tesla live in May?"),
        (LIVED, "and her brother?", "Where did Tesla’s brother live?"),
        (LIVED, "what about Edison?", "Where did Edison live?"),
        (LIVED, "What about its population", "What about Tesla’s population?"),
        (LIVED, "and where did he die?", "Where did Tesla die?"),
        (PEOPLE, "and in 1905?", "What was Warsaw's population in 1905?"),
        (PEOPLE, "and Berlin?", "What was Berlin's population in 1900?"),
        (PEOPLE, "what about its area", "What was Warsaw’s area in 1900?"),
        (PAINTED, "when?", "Who painted the Night Watch, and when?"),
        (PAINTED, "and Guernica?", "Who painted Guernica?"),
        (PAINTED, "and where is it now?", "Where is the Night Watch now?"),
        (Turn("How many people live in Warsaw?"), "and in Berlin?", "How many people live in Berlin?"),
        (Turn("Did Tesla live in New York?"), "why?", "Why did Tesla live in New York?"),
        (Turn("How long is the Rhine?", "Rhine"), "and the Danube?", "How long is the Danube?"),
        (Turn("tesla death"), "when?", "tesla death: when?"),
    ],
)
def test_what_is_left_out_is_taken_from_the_question_before(turn: Turn, question: str, whole: str) -> None:
    assert completed(question, [turn], "en") == whole


@pytest.mark.parametrize(
    ("language", "before", "question", "whole"),
    [
        ("de", "Wo lebte Tesla?", "und wann?", "Wann lebte Tesla?"),
        ("de", "Wo lebte Tesla?", "und im Mai?", "Wo lebte Tesla im Mai?"),
        ("de", "Wo lebte Tesla?", "wo genau?", "Wo genau lebte Tesla?"),
        ("de", "Wo lebte Tesla?", "und sein Bruder?", "Wo lebte Teslas Bruder?"),
        ("de", "Wer malte die Nachtwache?", "und wann?", "Wer malte die Nachtwache, und wann?"),
        ("fr", "Où vivait Tesla ?", "et en 1905 ?", "Où vivait Tesla en 1905 ?"),
        ("fr", "Où vivait Tesla ?", "et quand ?", "Quand vivait Tesla ?"),
        ("fr", "Où vivait Tesla ?", "et son frère ?", "Où vivait le frère de Tesla ?"),
        ("es", "¿Dónde vivía Tesla?", "¿y cuándo?", "¿Cuándo vivía Tesla?"),
        ("es", "¿Quién pintó la Ronda de noche?", "¿y dónde?", "¿Quién pintó la Ronda de noche, y dónde?"),
        ("es", "¿Dónde vivía Tesla?", "¿y en 1905?", "¿Dónde vivía Tesla en 1905?"),
    ],
)
def test_other_languages_leave_things_out_too(language: str, before: str, question: str, whole: str) -> None:
    assert completed(question, [Turn(before)], language) == whole


@pytest.mark.parametrize(
    "question",
    [
        "who?",
        "and then?",
        "and?",
        "by whom?",
        "how many?",
        "Edison",
        "and in 1905 or so, who knows?",
        "okay",
        "and what happened?",
    ],
)
def test_where_the_rules_are_unsure_the_question_stays(question: str) -> None:
    assert completed(question, [LIVED], "en") == question


def test_a_follow_up_in_another_language_is_not_mixed_into_the_question_before() -> None:
    assert completed("¿y en 1945?", [PEOPLE], "es") == "¿y en 1945?"
    assert completed("und wann?", [LIVED], "de") == "und wann?"


def test_a_time_is_not_put_into_a_question_for_a_time() -> None:
    assert completed("and in 1905?", TESLA, "en") == "and in 1905?"
    assert completed("when?", [PEOPLE], "en") == "when?"


TREATIES = Turn("Which treaties founded the EU?", "EU", "The Treaty of Lisbon and the Treaty of Rome did. [1]", (1,))


@pytest.mark.parametrize(
    ("turn", "question", "whole"),
    [
        (PAINTED, "What else happened that year?", "What else happened in 1642?"),
        (PAINTED, "What happened before that year?", "What happened before 1642?"),
        (PEOPLE, "Who founded this city?", "Who founded Warsaw?"),
        (TREATIES, "Who signed this treaty?", "Who signed the Treaty of Lisbon?"),
        (TREATIES, "When was the second one signed?", "When was the Treaty of Rome signed?"),
        (TREATIES, "And the last one?", "What about the Treaty of Rome?"),
        (LIVED, "What happened that year?", "What happened that year?"),
        (LIVED, "Who signed this treaty?", "Who signed this treaty?"),
        (LIVED, "When was the second one signed?", "When was the second one signed?"),
        (TREATIES, "Was Rome or Bonn the second one?", "Was Rome or Bonn the second one?"),
        (LIVED, "Who designed the systems that Tesla installed?", "Who designed the systems that Tesla installed?"),
        (PEOPLE, "Who signed that treaty?", "Who signed that treaty?"),
        (TREATIES, "Who wrote the paper that the graph is based on?", "Who wrote the paper that the graph is based on?"),
    ],
)
def test_words_that_point_back_become_what_was_said_where_that_is_sure(turn: Turn, question: str, whole: str) -> None:
    assert completed(question, [turn], "en") == whole


def test_that_year_in_german() -> None:
    assert (
        completed("Was geschah in diesem Jahr?", [Turn("Wann starb Tesla?", "", "Er starb 1943. [1]")], "de")
        == "Was geschah im Jahr 1943?"
    )


def test_the_second_one_of_a_list_of_documents_is_a_document() -> None:
    listed = Turn("only long ones", "", "A [4], B [2]", (4, 2), about_the_set=True)
    meant = understood("What does the second one say?", Turn("tesla"), listed)
    assert (meant.kind, meant.numbers, meant.understood_as) == (Kind.SUMMARY, (2,), "What does document 2 say?")


def test_the_second_one_by_itself_is_a_document_where_the_answer_lists_nothing() -> None:
    assert understood("the second one", LIVED).numbers == (2,)
    assert understood("When was the second one signed?", LIVED).numbers == ()


@pytest.mark.parametrize(
    ("question", "numbers", "query"),
    [
        ("Where did he live, according to document 3?", (3,), "Where did Tesla live?"),
        ("In doc 3, where did he live?", (3,), "where did Tesla live?"),
        ("How long is the Rhine? [4]", (4,), "How long is the Rhine?"),
        ("What do results 2 and 5 say about the Rhine?", (2, 5), "What do they say about the Rhine?"),
        ("only the first two", (1, 2), "Where did Tesla live?"),
        ("nur Dokument 2", (2,), "Where did Tesla live?"),
        ("and document 2-4?", (2, 3, 4), "Where did Tesla live?"),
        ("the last document", (5,), ""),
        ("document 3", (3,), ""),
        ("[4]", (4,), ""),
        ("fasse Dokument 3 zusammen", (3,), ""),
        ("les deux premiers documents seulement", (1, 2), "Where did Tesla live?"),
        ("¿Qué dice el documento 2?", (2,), ""),
    ],
)
def test_documents_that_are_named_restrict_the_answer(question: str, numbers: tuple[int, ...], query: str) -> None:
    meant = understood(question, LIVED)
    assert (meant.numbers, meant.query) == (numbers, query)
    assert all(str(number) in meant.understood_as for number in numbers)


@pytest.mark.parametrize(
    ("question", "missing"), [("document 7", (7,)), ("[2] and [9]: how long?", (9,)), ("compare 1 and 12", (12,))]
)
def test_numbers_that_are_not_there_are_said(question: str, missing: tuple[int, ...]) -> None:
    meant = understood(question, LIVED)
    assert (meant.kind, meant.missing, meant.numbers) == (Kind.NO_SUCH_DOCUMENT, missing, ())


@pytest.mark.parametrize(
    "question",
    [
        "What happened in [2024]?",
        "Who signed the first document of the commission?",
        "What were the names of the first two kings?",
        "a[1] = 2.5%?",
    ],
)
def test_what_only_looks_like_a_number_of_a_document_restricts_nothing(question: str) -> None:
    found = restriction(question.replace("a[1]", "a1"), range(1, 6))
    assert found is None


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru"])
@pytest.mark.parametrize("numbers", [(3,), (1, 2, 5)])
def test_the_note_of_a_restriction_is_no_part_of_the_question_later(language: str, numbers: tuple[int, ...]) -> None:
    assert without_note(with_note("Where is it (now)?", numbers, language)) == "Where is it (now)?"


@pytest.mark.parametrize(
    ("said", "language", "beginning"),
    [
        ("hello", "en", "Hello"),
        ("Thanks a lot!", "en", "You are"),
        ("wer bist du?", "en", "Ich bin"),
        ("Was kannst du?", "de", "Ich beantworte"),
        ("bonjour !", "en", "Bonjour"),
        ("¡Gracias!", "es", "De nada"),
        ("hello, who are you?", "en", "I am"),
    ],
)
def test_small_talk_gets_a_short_answer_in_its_language(said: str, language: str, beginning: str) -> None:
    meant = understood(said, language=language)
    assert meant.kind is Kind.SMALL_TALK
    assert meant.reply.startswith(beginning)


@pytest.mark.parametrize(
    "said", ["hello world program", "thanks to whom?", "who are you talking about?", "help with taxes", "hi, where did he live?"]
)
def test_something_with_content_is_no_small_talk(said: str) -> None:
    assert understood(said, LIVED).kind is not Kind.SMALL_TALK


FRAGMENTS = st.sampled_from(
    "and what about document 3 [4] [99] the first two results only 2-5 his brother in 1905 ? ! that year this the second one "
    "wann und et y compare how many are German sort by date Tesla “ ¿ ( ) \\ {x} *".split(" ")
)
ANYTHING = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=12).map(" ".join))


@settings(max_examples=150, deadline=None)
@given(question=ANYTHING, before=ANYTHING, answer=ANYTHING, language=st.sampled_from(["en", "de", "fr", "es", "ru", ""]))
def test_any_text_is_understood_somehow_and_its_documents_are_in_the_set(
    question: str, before: str, answer: str, language: str
) -> None:
    turns = [Turn("tesla"), Turn(before, answer[:20], answer, (1, 3), about_the_set=len(answer) % 2 == 0)]
    for results in (SET, result_set([])):
        meant = understand(question, turns, language, results)
        assert set(meant.numbers) <= set(results.numbers.values())
        assert not set(meant.missing) & set(results.numbers.values())
