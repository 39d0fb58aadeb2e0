"""Codes, detection, words and terms, in the scripts people search in."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.languages import _words_of_any_script, detect, iso639_1, stop_words, terms, words


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        *[(code, "de") for code in ("deu", "ger", "de", "DE", "de-AT", "de_CH", "german", "German", "Deutsch", " deu ")],
        *[
            ("eng", "en"),
            ("en_US", "en"),
            ("zho", "zh"),
            ("cmn", "zh"),
            ("zh-Hans-CN", "zh"),
            ("iw", "he"),
            ("nob", "nb"),
            ("tl", "tl"),
        ],
        *[(code, "") for code in ("", "xx", "und", "mul", "C", "unknown", "haw", "\x00", "a" * 500, "de;DROP TABLE")],
    ],
)
def test_a_language_code_of_any_kind_becomes_two_letters(code: str, expected: str) -> None:
    assert iso639_1(code) == expected


@given(st.text(max_size=30))
def test_no_code_whatever_breaks_the_lookup(code: str) -> None:
    assert len(iso639_1(code)) in (0, 2)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("When did Tesla die?", "en"),
        ("Wann starb Tesla?", "de"),
        ("Und wo?", "de"),
        ("¿Cuándo murió Tesla?", "es"),
        ("Что пела Леди Гага?", "ru"),
        ("特斯拉什么时候去世的？", "zh"),
        ("متى توفي تسلا؟", "ar"),
        ("Πότε πέθανε ο Τέσλα;", "el"),
    ],
)
def test_short_questions_are_told_by_their_small_words(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", ["", "  \n", "42", "???", "Tesla", "Nikola Tesla", "Wien", "🙂", "1943-01-07"])
def test_too_little_text_has_no_language(text: str) -> None:
    assert detect(text) == ""


@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "zh"])
def test_nearly_every_question_of_xquad_is_told_right(shared: Path, language: str) -> None:
    lines = (shared / f"xquad-{language}" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    right = [detect(json.loads(line)["text"]) == language for line in lines]
    assert sum(right) / len(right) >= 0.995


def test_words_are_folded_and_keep_their_numbers() -> None:
    assert words("The ＮＡＳＡ spent $1,200.50 in 1969 on Straße No. 7.") == [
        *["the", "nasa", "spent", "1,200.50", "in", "1969", "on", "strasse", "no", "7"]
    ]


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert words("Cafe\u0301 na\u00efve") == words("Caf\u00e9 nai\u0308ve") == ["café", "naïve"]


def test_invisible_characters_and_optional_marks_do_not_part_words() -> None:
    assert words("Donau\u00addampf\u200bschiff \u200fabc\u200e") == ["donaudampfschiff", "abc"]
    assert words("за́мок") == ["замок"]
    assert words("كِتَابٌ") == words("كتاب")


def test_indian_vowel_signs_stay_in_their_word() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_scripts_without_spaces_become_pairs_of_characters() -> None:
    assert words("我们学习NLP 8") == ["我们", "们学", "学习", "nlp", "8"]
    assert words("水") == ["水"]
    assert words("タワー") == ["タワ", "ワー"]
    assert words("ที่นี่") == ["ที่นี่"]


def test_french_articles_are_words_of_their_own_and_english_ones_are_not() -> None:
    assert words("L’homme qu'il aima", "fr") == ["l", "homme", "qu", "il", "aima"]
    assert words("Tesla’s don't", "en") == ["tesla's", "don't"]


def test_turkish_knows_two_letters_i() -> None:
    assert words("IŞIK İzmir", "tr") == ["ışık", "izmir"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "The patents of Tesla", "a patent by Tesla's"),
        ("de", "Die Häuser der Straße", "ein Haus in den Strassen"),
        ("ru", "Он любил города", "любят город"),
        ("el", "οι άνθρωποι", "των ανθρώπων"),
        ("nb", "husene", "huset"),
    ],
)
def test_inflected_words_share_a_term(language: str, one: str, other: str) -> None:
    common = set(terms(one, language)) & set(terms(other, language))
    assert common
    assert not common & stop_words(language)


def test_arabic_terms_lose_article_and_stop_words() -> None:
    assert terms("كتاب عن المدارس في القاهرة", "ar") == ["كتاب", "مدارس", "قاهر"]


def test_chinese_terms_are_pairs_without_the_small_words() -> None:
    assert terms("因为北京大学", "zh") == ["为北", "北京", "京大", "大学"]


def test_a_text_of_stop_words_only_keeps_them() -> None:
    assert terms("To be, or not to be", "en") == ["to", "be", "or", "not", "to", "be"]


def test_a_language_without_tools_has_plain_words() -> None:
    assert terms("Kia ora koutou katoa", "mi") == words("Kia ora koutou katoa")
    assert terms("Kia ora", "") == ["kia", "ora"]


@given(st.text(), st.sampled_from(["", "en", "de", "fr", "tr", "ru", "zh", "ar", "th"]))
def test_every_letter_and_digit_is_in_some_word(text: str, language: str) -> None:
    found = words(text, language)
    assert all(found)
    assert bool(terms(text, language)) == bool(found)


def test_stemming_in_many_threads_gives_what_one_gives() -> None:
    texts = [f"running libraries number {n} compared" for n in range(200)]
    expected = [terms(text, "en") for text in texts]
    results: dict[int, list[list[str]]] = {}
    threads = [threading.Thread(target=lambda n=n: results.update({n: [terms(text, "en") for text in texts]})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[n] == expected for n in range(8))


def test_importing_the_module_loads_no_data() -> None:
    heavy = "py3langid langcodes stopwordsiso Stemmer"
    code = f"import sys, chatsearch.languages; print([name for name in '{heavy}'.split() if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.text(st.sampled_from("aB3 .,'-_\n\t\x00/:9Z"), max_size=30), st.sampled_from(["", "en", "de", "fr", "tr"]))
def test_the_short_way_through_ascii_finds_the_same_words(text: str, language: str) -> None:
    assert words(text, language) == _words_of_any_script(text, language)
