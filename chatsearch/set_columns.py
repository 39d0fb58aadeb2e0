"""What can be asked of a result set's columns: the values documents share (source, host, language, chips), dates, numbers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from urllib.parse import urlsplit

import numpy as np

from chatsearch.answering import text_column
from chatsearch.cells import cell_text, cells, numbers_of
from chatsearch.dates import Period, period_of
from chatsearch.labels import labels_of
from chatsearch.languages import iso639_1, words
from chatsearch.results import SOURCE_INDEX, ResultSet

SOURCE, HOST, LANGUAGE, YEAR = "source", "host", "language", "year"
LENGTH = "length"

_DATED = re.compile(r"date|year|jahr|time|publish|creat|modif|updat|datum|fecha|año|année|ann[eé]e", re.IGNORECASE)
_HOST = re.compile(r"(?:https?://)?(?:www\.)?(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})/?")
_LANGUAGES = MappingProxyType({
    "en": "english englisch anglais inglés", "de": "german deutsch allemand alemán alemana",
    "fr": "french französisch français francés", "es": "spanish spanisch espagnol español castellano",
    "it": "italian italienisch italien italiano", "ru": "russian russisch russe ruso",
    "zh": "chinese chinesisch chinois chino", "nl": "dutch niederländisch néerlandais neerlandés",
    "pt": "portuguese portugiesisch portugais portugués", "pl": "polish polnisch polonais polaco",
    "ar": "arabic arabisch arabe árabe", "ja": "japanese japanisch japonais japonés",
    "cs": "czech tschechisch tchèque checo", "sv": "swedish schwedisch suédois sueco",
    "sl": "slovenian slowenisch slovène esloveno", "tr": "turkish türkisch turc turco",
    "ko": "korean koreanisch coréen coreano", "uk": "ukrainian ukrainisch ukrainien ucraniano",
    "da": "danish dänisch danois danés", "fi": "finnish finnisch finnois finés",
    "el": "greek griechisch grec griego", "hu": "hungarian ungarisch hongrois húngaro",
})  # fmt: skip
_ENDINGS = "e|en|er|es|em|s|sprachige?[nrs]?|sprachig|a|as|os|le|les|aise?s?|esas?|nas?"
_LONGEST_VALUE = 60
_FEWEST_DATED = 0.5


@dataclass(frozen=True)
class Value:
    """A value that was asked for, as it is shown, and whether each document has it; shape (rows,)."""

    column: str
    shown: str
    rows: Sequence[bool]


class SetColumns:
    """The columns of one result set, as people call them."""

    def __init__(self, results: ResultSet) -> None:
        self.results = results
        self.frame = results.documents

    def values(self, column: str) -> list[list[str]]:
        """The values of each document: of `source`, `host`, `language`, `year`, or of a column of the frame."""
        if column == SOURCE:
            return [[part.strip() for part in one.split(",") if part.strip()] for one in cell_text(self.frame, SOURCE_INDEX)]
        if column == HOST:
            return [[one] if one else [] for one in map(host_of, cell_text(self.frame, "url"))]
        if column == LANGUAGE:
            return [[iso639_1(one) or one] if one.strip() else [] for one in cell_text(self.frame, "language")]
        if column == YEAR:
            return [[str(one.start.year)] if one else [] for one in self.periods]
        return [labels_of(value) for value in cells(self.frame[column])]

    def groups(self, column: str) -> list[tuple[str, int]]:
        """How many documents have each value, the most frequent first."""
        return Counter(one for own in self.values(column) for one in dict.fromkeys(own)).most_common()

    def value(self, said: str) -> Value | None:
        """The documents that have a value, as a person says it; None when it is no value of a kind that the set has."""
        said = said.strip(" .?!,;\"'“”„«»").casefold()
        if not said or len(said) > _LONGEST_VALUE:
            return None
        language = language_said(said) if "language" in self.frame.columns else ""
        if language:
            return self._having(LANGUAGE, language, lambda own: own == language)
        host = _HOST.fullmatch(said)
        if host and any(self.values(HOST)):
            name = host["host"]
            return self._having(HOST, name, lambda own: own == name or own.endswith(f".{name}"))
        if re.fullmatch(r"1\d{3}|20\d{2}", said) and self.date_column:
            return self._having(YEAR, said, lambda own: own == said)
        for column in (SOURCE, *self.shared):
            found = self._having(column, said, lambda own: own.casefold() == said)
            if any(found.rows):
                return found
        return None

    def column(self, said: str) -> str:
        """The numeric column a person names, `length` for the texts' length; empty when there is none."""
        name = _plain(said)
        if name in _LENGTH_NAMES:
            return LENGTH
        return next((column for column in self.numeric if name in (_plain(column), _plain(column).removesuffix("s"))), "")

    def numbers(self, column: str) -> np.ndarray:
        """The numbers of a column, or the texts' lengths in words; shape (rows,), NaN where there is none."""
        if column != LENGTH:
            return numbers_of(self.frame[column])
        if "wordCount" in self.frame.columns:
            return numbers_of(self.frame["wordCount"])
        return np.array([len(words(text)) for text in self.texts], dtype=float)

    @cached_property
    def texts(self) -> list[str]:
        return cell_text(self.frame, text_column(self.results, ""))

    @cached_property
    def numeric(self) -> list[str]:
        """The columns that hold numbers and are not the engine's own."""
        own = [str(column) for column in self.frame.columns if not str(column).startswith("_")]
        return [column for column in own if column not in ("id", "title", "url") and self._is_numeric(column)]

    @cached_property
    def shared(self) -> list[str]:
        """The columns whose values are labels: those shown as chips."""
        chips = [one for one, roles in self.results.roles.items() if "chip" in roles and one != SOURCE_INDEX]
        return [one for one in chips if one in self.frame.columns]

    @cached_property
    def date_column(self) -> str:
        """The column with dates, found by its name and what it holds; empty when there is none."""
        named = [str(column) for column in self.frame.columns if _DATED.search(str(column)) and not str(column).startswith("_")]
        for column in sorted(named, key=lambda one: "publish" not in one.lower()):
            there = [value for value in cell_text(self.frame, column) if value.strip()]
            if there and sum(period_of(value) is not None for value in there) >= _FEWEST_DATED * len(there):
                return column
        return ""

    @cached_property
    def periods(self) -> list[Period | None]:
        """The date of each document, None where it has none."""
        column = self.date_column
        return [period_of(value) for value in cell_text(self.frame, column)] if column else [None] * len(self.frame)

    def _having(self, column: str, shown: str, has: Callable[[str], bool]) -> Value:
        own = self.values(column)
        written = next((one for values in own for one in values if one.casefold() == shown), shown)
        return Value(column, written, [any(has(one) for one in values) for values in own])

    def _is_numeric(self, column: str) -> bool:
        if self.frame[column].dtype == bool:
            return False
        return bool(np.isfinite(numbers_of(self.frame[column])).any())


def host_of(url: str) -> str:
    """The host of a web address without "www."; empty for anything else."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def language_said(said: str) -> str:
    """The ISO 639-1 code of a language as English, German, French or Spanish name it; empty for another word."""
    plain = _without_accents(said)
    for code, names in _LANGUAGES.items():
        if any(re.fullmatch(rf"{name}(?:{_ENDINGS})?", plain) for name in _without_accents(names).split()):
            return code
    return ""


def language_name(code: str, language: str) -> str:
    """What a language is called in English, German, French or Spanish; its code where we do not know."""
    place = ("en", "de", "fr", "es").index(language)
    known = _LANGUAGES.get(code, "").split()
    name = known[place] if place < len(known) else code
    return name if language in ("fr", "es") else name[:1].upper() + name[1:] if known else code


_LENGTH_NAMES = frozenset(
    "length wordcount words numberofwords textlength länge wortzahl wörter textlänge longueur mots nombredemots longitud palabras"
    " númerodepalabras".split()
)  # fmt: skip


def _without_accents(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(one))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()
