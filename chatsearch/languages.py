"""What is peculiar to a language: its code, the words of a text, and the terms they are compared by."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier
    from Stemmer import Stemmer

# Scripts written without spaces between words; Hangul has spaces but glues particles to its nouns.
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]"
_WORD = regex.compile(
    rf"(?P<run>(?:{_UNSPACED}\p{{M}}*)+)"
    r"|\p{N}+(?:[.,]\p{N}+)*(?![\p{L}\p{M}\p{N}])"
    rf"|(?:(?!{_UNSPACED})[\p{{L}}\p{{M}}\p{{N}}])+(?:['’](?:(?!{_UNSPACED})[\p{{L}}\p{{M}}])+)*"
)
_ASCII_WORD = re.compile(r"\d+(?:[.,]\d+)*(?![a-z0-9])|[a-z0-9]+(?:'[a-z]+)*")
_CLUSTER = regex.compile(r"\P{M}\p{M}*")
_INVISIBLE = regex.compile(r"\p{Cf}+")
# Vowel points and stress marks that most writers leave out: Hebrew, Arabic (with the tatweel), accents on Cyrillic.
_OPTIONAL_MARKS = regex.compile(r"[\u0591-\u05C7\u064B-\u0652\u0670\u0640]|(?<=\p{Cyrillic})[\u0300\u0301]")
_ELIDING = frozenset({"fr", "it", "ca", "oc"})
_DOTLESS_I = frozenset({"tr", "az"})

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_SAME_TOOLS = {"nb": "no", "nn": "no"}

# A question is often too short for the classifier: under _SURE the stop words decide between its _GUESSES first languages, under
# _HARDLY without a stop word nothing does. Right for 1,188 (en), 1,189 (de) and 1,190 (es, ru, zh) of XQuAD's 1,190 questions.
_SURE, _HARDLY, _GUESSES = 0.6, 0.2, 10
_ENOUGH_TEXT = 4_000

_lock = threading.Lock()


@lru_cache(maxsize=4096)
def iso639_1(code: str) -> str:
    """The two-letter code of a language tag, ISO 639-2/3 code or name ("deu", "ger", "de-AT", "german": "de"), "" if unknown."""
    import langcodes
    from langcodes.tag_parser import LanguageTagError

    tag = code.strip().replace("_", "-")
    try:
        language = langcodes.Language.get(tag)
    except LanguageTagError:
        if not tag.replace(" ", "").isalpha():
            return ""
        try:
            language = langcodes.find(tag)
        except LookupError:
            return ""
    own, wide = language.language or "", language.prefer_macrolanguage().language or ""
    if not language.is_valid():
        return ""
    return next((found for found in (own, wide, tag.lower()) if len(found) == 2), "")


def detect(text: str) -> str:
    """The ISO 639-1 code of the language `text` is written in; "" when there is too little to tell."""
    sample = text[:_ENOUGH_TEXT]
    if not any(character.isalpha() for character in sample):
        return ""
    ranked = _identifier().rank(sample)[:_GUESSES]
    language, confidence = ranked[0]
    if confidence >= _SURE:
        return str(language)
    votes = [sum(word in stop_words(guess) for word in words(sample, guess)) for guess, _ in ranked]
    if max(votes) > 0:
        return str(ranked[votes.index(max(votes))][0])
    return str(language) if confidence >= _HARDLY else ""


def words(text: str, language: str = "") -> list[str]:
    """The words of `text` in order: NFKC, case folded, numbers kept, without the marks that most writers leave out.

    Runs of scripts that put no spaces between words become overlapping pairs of characters (one character when it stands alone).
    """
    if text.isascii() and language not in _ELIDING and language not in _DOTLESS_I:
        return _ASCII_WORD.findall(text.lower())  # the same, three times as fast
    return _words_of_any_script(text, language)


def _words_of_any_script(text: str, language: str) -> list[str]:
    found: list[str] = []
    for match in _WORD.finditer(_normalised(text, language)):
        if match["run"]:
            found.extend(_pairs(match["run"]))
        elif language in _ELIDING:
            found.extend(part for part in regex.split("['’]", match[0]) if part)
        else:
            found.append(match[0].replace("’", "'"))
    return found


def terms(text: str, language: str) -> list[str]:
    """What a text is compared by: its words without stop words, stemmed, as far as there are tools for `language` (ISO 639-1).

    A text made of stop words only ("to be or not to be") keeps them, stemmed.
    """
    code = _SAME_TOOLS.get(language, language)
    every = words(text, code)
    stop = stop_words(code)
    kept = [word for word in every if word not in stop] or every
    return stems(kept, code)


def stems(found: Sequence[str], language: str) -> list[str]:
    """The Snowball stem of each word (case folded); the words as they are where there is no stemmer for `language`."""
    stemmer = _stemmer(_SAME_TOOLS.get(language, language))
    if stemmer is None:
        return list(found)
    with _lock:  # a stemmer keeps state while it works
        return [str(stem) for stem in stemmer.stemWords(list(found))]


def has_stemmer(language: str) -> bool:
    """Whether there is a Snowball stemmer for a language (ISO 639-1)."""
    return _SAME_TOOLS.get(language, language) in _STEMMERS


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1) as `words` would write them; empty where none are known."""
    import stopwordsiso

    code = _SAME_TOOLS.get(language, language)
    if not stopwordsiso.has_lang(code):
        return frozenset()
    return frozenset(_normalised(word, code).replace("’", "'") for word in stopwordsiso.stopwords(code))


def _normalised(text: str, language: str) -> str:
    if language in _DOTLESS_I:
        text = text.replace("İ", "i").replace("I", "ı")
    composed = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    return _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKC", composed))


def _pairs(run: str) -> list[str]:
    clusters: list[str] = _CLUSTER.findall(run)
    if len(clusters) == 1:
        return clusters
    return [first + second for first, second in pairwise(clusters)]


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Stemmer | None:
    import Stemmer

    algorithm = _STEMMERS.get(language)
    return Stemmer.Stemmer(algorithm) if algorithm else None


@lru_cache(maxsize=1)
def _load_identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2])
    return identifier


def _identifier() -> LanguageIdentifier:
    with _lock:  # lru_cache alone would let two threads load it at once
        return _load_identifier()
