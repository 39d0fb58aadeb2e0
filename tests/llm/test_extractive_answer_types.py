"""What kind of answer a question asks for, and which sentences may hold it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.llm.answer_types import AnswerType, asked_for, names, numbers
from chatsearch.llm.answer_words import ASKS_FOR_A_NAME, ASKS_FOR_A_NUMBER, ASKS_FOR_A_TIME, NUMBERS, TIMES

NAME, TIME, NUMBER = AnswerType.NAME, AnswerType.TIME, AnswerType.NUMBER
LANGUAGES = ["en", "de", "es", "fr", "it", "ru", "zh"]


@pytest.mark.parametrize(
    ("language", "question", "wanted"),
    [
        ("en", "Who designed the garden?", NAME),
        ("en", "To whom was it sold?", NAME),
        ("en", "When did Tesla die?", TIME),
        ("en", "In what year was it signed?", TIME),
        ("en", "How many points did they score?", NUMBER),
        ("en", "What percentage of the sea is ice?", NUMBER),
        ("en", "What sea bordered the empire when he died?", None),
        ("en", "Why did they leave?", None),
        ("de", "Wer entwarf den Garten?", NAME),
        ("de", "In welchem Jahr starb Tesla?", TIME),
        ("de", "Wie viele Punkte gab es?", NUMBER),
        ("de", "Warum gingen sie?", None),
        ("es", "¿Quién diseñó el jardín?", NAME),
        ("es", "¿En qué año murió Tesla?", TIME),
        ("es", "¿Cuántos puntos hubo?", NUMBER),
        ("fr", "Qui a dessiné le jardin ?", NAME),
        ("fr", "Quand est mort Tesla ?", TIME),
        ("fr", "Combien de points ont-ils marqués ?", NUMBER),
        ("fr", "Pourquoi le roi qui régnait est-il parti ?", None),
        ("it", "Chi ha disegnato il giardino?", NAME),
        ("it", "In quale anno morì Tesla?", TIME),
        ("it", "Quanti punti hanno segnato?", NUMBER),
        ("ru", "Кто спроектировал сад?", NAME),
        ("ru", "В каком году умер Тесла?", TIME),
        ("ru", "Сколько очков уступила защита?", NUMBER),
        ("zh", "谁设计了花园？", NAME),
        ("zh", "特斯拉什么时候去世？", TIME),
        ("zh", "黑豹队的防守丢了多少分？", NUMBER),
        ("xx", "Who?", None),
        ("en", "", None),
    ],
)
def test_the_words_of_a_question_tell_what_it_asks_for(language: str, question: str, wanted: AnswerType | None) -> None:
    assert asked_for(question, language).wanted is wanted


@pytest.mark.parametrize(
    ("language", "question", "holds", "lacks"),
    [
        ("en", "When did Tesla die?", "He died in 1943.", "He died in a hotel."),
        ("en", "What happened in which year after 1943?", "In 1950 it closed.", "In 1943 it opened."),
        ("en", "How many points were scored?", "They scored twelve.", "They scored often."),
        ("en", "Who met Tesla?", "He met Edison there.", "Tesla met a friend there."),
        ("de", "Wann starb Tesla?", "Er starb im Januar.", "Er starb im Hotel."),
        ("de", "Wie viele Sprachen sprach er?", "Er sprach acht.", "Er sprach leise."),
        ("es", "¿Cuándo murió?", "Murió en marzo.", "Murió en casa."),
        ("fr", "Quand est-il né ?", "Il est né en avril.", "Il a été un roi."),
        ("it", "Quando morì?", "Morì in agosto.", "Morì in casa."),
        ("ru", "Когда он умер?", "Он умер в январе.", "Он умер дома."),
        ("zh", "他什么时候去世？", "他于1943年去世。", "他在酒店去世。"),
        ("zh", "有多少人？", "有三人。", "没有人。"),
    ],
)
def test_a_sentence_may_answer_only_with_what_the_question_does_not_say(
    language: str, question: str, holds: str, lacks: str
) -> None:
    asked = asked_for(question, language)
    assert asked.may_be_answered_by(holds)
    assert not asked.may_be_answered_by(lacks)


def test_where_it_cannot_be_told_any_sentence_may_answer() -> None:
    assert asked_for("Why?", "en").may_be_answered_by("Because.")
    assert asked_for("Wer malte es?", "de").may_be_answered_by("sie malten es")
    assert asked_for("谁画的？", "zh").may_be_answered_by("画的。")


def test_a_capital_that_only_begins_the_sentence_is_no_name() -> None:
    assert names("Students met Martin Luther and NASA in Wittenberg.", "en") == {"martin", "luther", "nasa", "wittenberg"}
    assert names("NASA met them.", "en") == {"nasa"}
    assert names("", "en") == frozenset()


def test_numbers_are_read_with_their_points_and_commas() -> None:
    assert numbers("From 1,200 to 3.5 in 1943.") == {"1,200", "3.5", "1943"}


def test_every_language_has_all_words() -> None:
    assert [sorted(table) for table in (ASKS_FOR_A_NAME, ASKS_FOR_A_TIME, ASKS_FOR_A_NUMBER, TIMES)] == [sorted(LANGUAGES)] * 4
    assert sorted(NUMBERS) == sorted(set(LANGUAGES) - {"zh"})


@given(st.sampled_from([*LANGUAGES, "", "ja"]), st.text(max_size=60), st.text(max_size=80))
def test_any_text_can_be_asked_and_looked_at(language: str, question: str, sentence: str) -> None:
    asked = asked_for(question, language)
    assert asked.may_be_answered_by(sentence) in (True, False)
    assert not asked.names - names(question, language)
