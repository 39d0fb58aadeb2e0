"""What statements are compared by: numbers and months, names, yes and no, and which sentences need a source at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.checking import needs_source
from chatsearch.statement_names import NamesOfStatement, NamesOfText
from chatsearch.statement_numbers import agree, months, numbers, readings
from chatsearch.statement_polarity import is_negation, is_opposite, polarity
from chatsearch.statement_roles import swaps_roles

LANGUAGES = st.sampled_from(["", "en", "de", "es", "fr", "it", "ru", "zh", "nl"])

# --- numbers and months -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "language", "other_language"),
    [
        ("1,500 men", "1500 men", "en", "en"),
        ("1.500 Mann", "1,500 men", "de", "en"),
        ("5,3 %", "5.3%", "de", "en"),
        ("22 338 618 цифр", "22,338,618 digits", "ru", "en"),
        ("twelve men", "12 men", "en", "en"),
        ("twenty-seven men", "27 men", "en", "en"),
        ("thirty-seven thousand men", "37,000 men", "en", "en"),
        ("siebenunddreißig Orte", "37 places", "de", "en"),
        ("im neunzehnten Jahrhundert", "in the 19th century", "de", "en"),
        ("setenta años", "70 years", "es", "en"),
        ("£30m a year", "30 million pounds", "en", "en"),
        ("2,3 Milliarden", "2.3 billion", "de", "en"),
        ("2.3亿美元", "230 million dollars", "zh", "en"),
        ("十二个月", "12 months", "zh", "en"),
        ("6½ sacks", "6.5 sacks", "en", "en"),
        ("a fifth of them", "20% of them", "en", "en"),
        ("half of them", "50 % of them", "en", "en"),
        ("30,000 people", "30 to 50 thousand people", "en", "en"),
        ("in 1621", "in 1620–21", "en", "en"),
        ("in the 70s", "in the 1970s", "en", "en"),
        ("١٢", "12", "ar", "en"),
    ],
)
def test_numbers_are_the_same_however_they_are_written(one: str, other: str, language: str, other_language: str) -> None:
    there = readings(other, other_language)
    assert numbers(one, language)
    assert all(agree(number, there) for number in numbers(one, language))


@pytest.mark.parametrize(
    ("one", "other"), [("1,500", "1,600"), ("5.3", "53"), ("30 million", "30"), ("three", "4"), ("1620", "1621")]
)
def test_other_numbers_are_not_the_same(one: str, other: str) -> None:
    assert not all(agree(number, readings(other, "en")) for number in numbers(one, "en"))


def test_one_is_no_number_in_words() -> None:
    assert numbers("one of them", "en") == []


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("March 12, 1912", "en", {3}),
        ("12 March 1912", "en", {3}),
        ("They march on, as they may.", "en", set()),
        ("In May they met.", "en", {5}),
        ("am 12. März", "de", {3}),
        ("2015-10-08 and 8.10.2015", "en", {10}),
        ("12 марта", "ru", {3}),
        ("1912年3月12日", "zh", {3}),
    ],
)
def test_months(text: str, language: str, found: set[int]) -> None:
    assert months(text, language) == found


# --- names ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "text", "language"),
    [
        ("The chemist came from Scotland", "The Scottish chemist James Dewar", "en"),
        ("In the UK it rained", "the United Kingdom", "en"),
        ("In the United Kingdom it rained", "the UK", "en"),
        ("Luthers Schriften", "die Schriften von Luther", "de"),
        ("Он умер в Москве", "город Москва", "ru"),
        ("die Gemeinden der Hugenotten", "Hugenottengemeinden", "de"),
        ("he met Börte", "Borte", "en"),
        ("Der schottische Chemiker", "a Scottish chemist", "de"),
        ("It was late in July", "nothing", "en"),
    ],
)
def test_a_name_is_there_in_another_form(statement: str, text: str, language: str) -> None:
    assert NamesOfStatement(statement, language).missing([NamesOfText(text)]) == []


@pytest.mark.parametrize(
    ("statement", "text", "language"),
    [
        ("He came from Austria", "He came from Australia", "en"),
        ("Edison published it", "Tesla published it", "en"),
        ("Meryl Streep sang", "Marlee Matlin sang", "en"),
        ("Er reiste nach Uganda", "Er reiste nach Kenia", "de"),
        ("weder Edison noch Marconi", "weder Edison noch Tesla", "de"),
        ("Норвежская компания", "компания из Швеции", "ru"),
        ("路德去了西班牙", "路德去了意大利", "zh"),
    ],
)
def test_another_name_is_missing(statement: str, text: str, language: str) -> None:
    assert NamesOfStatement(statement, language).missing([NamesOfText(text)])


# --- yes and no -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "text", "language"),
    [
        ("He did not sing", "He sang a song", "en"),
        ("He refused to sing", "He sang a song", "en"),
        ("The price rose", "The price fell", "en"),
        ("the last geologist", "the first geologist", "en"),
        ("south of the town", "north of the town", "en"),
        ("in undeveloped countries", "in developed countries", "en"),
        ("Sound was improved", "It did not include sound improved", "en"),
        ("Der Markt wurde geschlossen", "Der Markt wurde eröffnet", "de"),
        ("Er gewann nicht", "Er gewann das Spiel", "de"),
        ("No ganó el premio", "Ganó el premio", "es"),
        ("Он не пришёл", "Он пришёл", "ru"),
        ("教会赞成征兵", "教会反对征兵", "zh"),
    ],
)
def test_opposites_and_negations_contradict(statement: str, text: str, language: str) -> None:
    said, there = polarity(statement, language), polarity(text, language)
    assert is_opposite(said, there) or is_negation(said, there)


@pytest.mark.parametrize(
    ("statement", "text", "language"),
    [
        ("The stations were out of fuel", "The stations had no fuel", "en"),
        ("Not long after the wedding", "Soon after the wedding", "en"),
        ("He not only sang", "He sang", "en"),
        ("教会不赞成征兵", "教会反对征兵", "zh"),
        ("Weder Edison noch Tesla gewann", "Tesla und Edison gewannen nicht", "de"),
    ],
)
def test_the_same_said_otherwise_does_not_contradict(statement: str, text: str, language: str) -> None:
    said, there = polarity(statement, language), polarity(text, language)
    assert not is_opposite(said, there)
    assert not is_negation(said, there)


# --- which sentences need a source ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "Here is what the documents say:",
        "Would you like to know more?",
        "I hope this helps!",
        "Sure!",
        "## Early life",
        "Early life",
        "The documents do not mention his wife.",
        "Ich hoffe, das hilft Ihnen weiter.",
        "Die Dokumente nennen das nicht.",
        "Espero que esto ayude.",
        "以下是文件的内容：",
        "**",
        "",
    ],
)
def test_what_states_nothing_needs_no_source(sentence: str) -> None:
    assert not needs_source(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tesla died in 1943.",
        "He died alone.",
        "- The hotel has 43 floors",
        "Of course, Tesla never married.",
        "Here is where Tesla died in 1943.",
        "Die Dokumente wurden 1950 gefunden.",
        "特斯拉于1943年去世。",
        "Tesla lived in the hotel for years",
    ],
)
def test_what_states_something_needs_one(sentence: str) -> None:
    assert needs_source(sentence)


# --- any text ---------------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), LANGUAGES)
def test_no_text_raises(one: str, other: str, language: str) -> None:
    numbers(one, language)
    months(one, language)
    NamesOfStatement(one, language).missing([NamesOfText(other)])
    is_opposite(polarity(one, language), polarity(other, language))
    is_negation(polarity(one, language), polarity(other, language))
    swaps_roles(one, other, language)
    needs_source(one, language)


@given(st.integers(2, 10**9))
def test_a_number_with_separators_is_itself(number: int) -> None:
    for text in (f"{number}", f"{number:,}", f"{number:,}".replace(",", "."), f"{number:,}".replace(",", " ")):
        assert agree(frozenset({str(number)}), readings(text, "en"))


@settings(deadline=None)
@given(st.text(max_size=80), LANGUAGES)
def test_a_text_contradicts_itself_never(text: str, language: str) -> None:
    said = polarity(text, language)
    assert not is_opposite(said, said)
