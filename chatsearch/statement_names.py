"""The names of a statement, and which of them a text does not have, across inflections and nations' names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

from chatsearch.languages import stop_words
from chatsearch.statement_nations import folded, nation_of, nations_in_han
from chatsearch.statement_number_words import MONTHS, OF_LANGUAGE
from chatsearch.statement_words import COMPASS, FIRST_WORD_VERBS, GERMAN_BEFORE_NAMES, GERMAN_DETERMINERS, GERMAN_NO_NAMES

_WORD = regex.compile(r"(?P<word>[\p{L}\p{M}\p{Nd}]+(?:[&'’.](?=\p{L})[\p{L}\p{M}\p{Nd}]+)*)(?P<after>[^\p{L}\p{M}\p{Nd}]*)")
_GENITIVE = regex.compile(r"['’]s?$")
_NO_NAME_EN = regex.compile(r"(?:ing|ly|ion|ions|ment|ity|ness|ance|ence|ism|ics|[^'’s]s|er|ers|ful|ive|al|able)$")
_NO_NAME_DE = regex.compile(
    r"(?:(?<!i)en|ern|er|ung|heit|keit|schaft|ion|e|tät|ismus|nis|tum|ik|enz|anz|chen|in|innen|ling|ment)$"
)
_NO_NAME_IN_LIST_DE = regex.compile(r"(?:(?<!i)en|ern|er|ung|heit|keit|schaft|ion|tät|nis|tum)$")
_CASES = {
    "ru": regex.compile(
        r"(?:ами|ями|ого|его|ому|ему|ыми|ими|ах|ях|ов|ев|ой|ей|ом|ем|ам|ям|ый|ий|ая|яя|ое|ее|ые|ие|ую|юю|ых|их|ою|"
        r"[аеёиоуыэюяьй])$"
    ),
}
_ENDINGS = frozenset({
    "", *"s e en er es n an ian ic ish ese i ia ie ien isch ische ischen ischer ile ilian land y ies ern in ns ans ers a o "
    "as os al ical ity".split(),
})  # fmt: skip
"""What may follow the common beginning of two forms of one name."""
_FEWEST_COMMON = 4
_TRANSLITERATED = frozenset(
    "阿埃艾安奥巴贝比宾波伯勃布查达戴丹德登迪蒂顿多厄恩尔法菲费芬佛弗福夫盖冈戈格根古哈海汉赫亨霍基吉加杰金卡凯坎康考科克肯库拉莱兰朗劳勒雷"
    "里利莉林琳卢鲁伦伊罗洛马玛麦曼芒梅门蒙米密明莫默姆穆纳奈内尼涅宁纽努诺欧帕潘佩彭皮珀普奇乔切萨塞桑森沙绍舍什史士斯丝松苏索塔泰坦汤"
    "特滕廷图托瓦威韦维温沃乌西希锡夏肖谢辛休雅亚杨耶叶因英尤约泽扎詹兹茨伦敦罗"
)

_FOREIGN = regex.compile(rf"[{''.join(sorted(_TRANSLITERATED))}]{{2,}}")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    after: str

    @property
    def capital(self) -> bool:
        return self.text[0].isupper() or (self.text[0].isdigit() and any(map(str.isupper, self.text)))

    @property
    def mixed(self) -> bool:
        """Whether it is written as only names are: BSkyB, V&A, AC."""
        return any(map(str.isupper, self.text[1:])) and any(map(str.isalpha, self.text))


class NamesOfText:
    """The words of a text that names are looked for among; what was looked for is remembered."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found = [match["word"] for match in _WORD.finditer(text)]
        self._words = frozenset(map(bare, self._found))
        self._known: dict[tuple[str, str], bool] = {}

    def has(self, name: str, language: str) -> bool:
        """Whether a word of the text is this name, another form of it, or a compound with it."""
        key = (name, language)
        if key not in self._known:
            self._known[key] = self._has(name, bare(name), language)
        return self._known[key]

    def has_initials(self, run: Sequence[str]) -> bool:
        """Whether the text has the initials of a run of words: UK for United Kingdom."""
        return len(run) > 1 and "".join(word[0] for word in run).upper() in self._found

    def has_nation(self, nation: str) -> bool:
        return nation in self._nations

    def has_characters(self, run: str) -> bool:
        """Whether two characters of a run that stand next to each other are both in the text."""
        return any(run[at] in self._text and run[at + 1] in self._text for at in range(len(run) - 1))

    @cached_property
    def _initials(self) -> frozenset[str]:
        return _initials(self._found)

    @cached_property
    def _nations(self) -> frozenset[str]:
        return frozenset(filter(None, map(nation_of, self._words))) | nations_in_han(self._text)

    def _has(self, name: str, wanted: str, language: str) -> bool:
        nation = nation_of(wanted)
        if wanted in self._words or (nation and nation in self._nations) or (name.isupper() and wanted in self._initials):
            return True
        return any(_one_name(wanted, word, language) for word in self._words)


class NamesOfStatement:
    """The names of a statement: capitals that are no common word, and nations in any form.

    In German a capital makes no name: a word counts that stands where a name can and a noun without an article hardly. In
    Chinese a run of characters used to write foreign names counts. A first word counts only where a name is likely.
    """

    def __init__(self, statement: str, language: str) -> None:
        self._language = language
        self._runs = list(name_runs(statement, language))
        said = (nation_of(bare(match["word"])) for match in _WORD.finditer(statement))
        self._nations = frozenset(filter(None, said)) | nations_in_han(statement)
        self._characters = _FOREIGN.findall(statement) if language == "zh" else []

    def __bool__(self) -> bool:
        return bool(self._runs or self._nations or self._characters)

    def missing(self, texts: Sequence[NamesOfText]) -> list[str]:
        """Those that none of `texts` has."""
        runs = [run for run in self._runs if not any(text.has_initials(run) for text in texts)]
        missing = [name for run in runs for name in run if not any(text.has(name, self._language) for text in texts)]
        missing.extend(nation for nation in self._nations if not any(text.has_nation(nation) for text in texts))
        missing.extend(run for run in self._characters if not any(text.has_characters(run) for text in texts))
        return missing


def name_runs(statement: str, language: str) -> Iterator[list[str]]:
    """The names of a statement in order, words next to each other as one."""
    every = [_Word(match["word"], match["after"]) for match in _WORD.finditer(statement)]
    run: list[str] = []
    for place, word in enumerate(every):
        if _is_name(every, place, language):
            run.append(word.text)
        if run and (place + 1 == len(every) or word.after.strip() or not _is_name(every, place + 1, language)):
            yield run
            run = []


def bare(word: str) -> str:
    """A word to be compared: folded, without the genitive's 's."""
    return folded(_GENITIVE.sub("", word))


def _is_name(every: Sequence[_Word], place: int, language: str) -> bool:
    word = every[place]
    if not word.capital or bare(word.text) in _no_names(language) or len(word.text) < 2:
        return False
    if word.mixed:
        return True
    if language in {"de", "lb"}:
        return _is_german_name(every, place)
    begins = place == 0 or any(mark in every[place - 1].after for mark in '.:!?“”"«»„')
    return not begins or _may_begin_with_name(every, place)


def _may_begin_with_name(every: Sequence[_Word], place: int) -> bool:
    """Whether the first word of a sentence is likely a name: before a capital or a verb, and not made like a common noun."""
    word = every[place]
    after = every[place + 1] if place + 1 < len(every) else None
    if after is None:
        return False
    if word.text.endswith(("'s", "’s")) or (after.capital and not word.after.strip()):
        return True
    if _NO_NAME_EN.search(word.text):
        return False
    return after.text.casefold() in FIRST_WORD_VERBS or (after.text.endswith(("ed", "ó")) and after.text.islower())


def _is_german_name(every: Sequence[_Word], place: int) -> bool:
    word = every[place]
    before = every[place - 1] if place else None
    after = every[place + 1] if place + 1 < len(every) else None
    if bare(word.text) in GERMAN_NO_NAMES:
        return False
    may_be = not _NO_NAME_DE.search(word.text)
    if before is None or (any(mark in before.after for mark in ".:!?") and not before.text.isdigit()):
        next_is_capital = after is not None and after.capital and not word.after.strip()
        return next_is_capital or (may_be and after is not None and after.text.islower())
    lead = before.text.casefold()
    if lead in GERMAN_DETERMINERS or before.text.isdigit():
        return False
    if lead in GERMAN_BEFORE_NAMES:
        return may_be
    if before.capital and not before.after.strip():
        return may_be or not before.text.endswith("s")
    if lead in {"und", "oder", "noch", "sowie"} or before.after.strip() == ",":
        earlier = every[place - 2] if place > 1 and not before.capital else before
        return earlier.capital and not _NO_NAME_IN_LIST_DE.search(word.text)
    return False


@lru_cache(maxsize=32)
def _no_names(language: str) -> frozenset[str]:
    """The words with a capital that are no names: months, number words, compass points, and stop words."""
    months = (month for names in MONTHS.values() for month in names)
    counted = OF_LANGUAGE.get(language, {})
    return frozenset(map(folded, {*months, *counted, *COMPASS.get(language, {}), *stop_words(language or "en"), "i"}))


def _initials(found: Sequence[str]) -> frozenset[str]:
    """The initials of every two to five words with a capital in a row; small words between them do not count."""
    kept = [word[0].casefold() for word in found if word[0].isupper()]
    return frozenset("".join(kept[at : at + size]) for size in range(2, 6) for at in range(len(kept) - size + 1))


@lru_cache(maxsize=65536)
def _one_name(wanted: str, word: str, language: str) -> bool:
    if language in {"de", "lb"} and len(wanted) >= _FEWEST_COMMON and wanted in word:  # a compound: "Dach" in "Holzdaches"
        return True
    if wanted[0] != word[0]:
        return False
    cases = _CASES.get(language)
    if cases and len(wanted) > 2:
        one, other = cases.sub("", wanted), cases.sub("", word)
        if one == other or (len(one) > 3 and len(other) > 3 and (one.startswith(other) or other.startswith(one))):
            return True
    common = next((at for at, (a, b) in enumerate(zip(wanted, word, strict=False)) if a != b), min(len(wanted), len(word)))
    least = _FEWEST_COMMON if min(len(wanted), len(word)) > 3 else 3
    return common >= least and wanted[common:] in _ENDINGS and word[common:] in _ENDINGS
