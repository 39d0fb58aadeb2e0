"""Questions about the result set itself ("how many are German?", "compare 2 and 5"): a small grammar reads them, nothing is run.

A question is one of these only when a whole form of the grammar fits and all it names is in the set; any other falls through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from chatsearch.results import ResultSet
from chatsearch.set_columns import HOST, LENGTH, SetColumns, Value
from chatsearch.set_grammar import BEST, DATE, KINDS, STATISTICS, TITLE, WAYS, forms_of, named

Ask = Literal[
    "count", "count value", "count by", "values", "extreme", "list", "statistic", "sort", "filter", "compare", "no dates"
]  # fmt: skip

LANGUAGES = ("en", "de", "fr", "es")
BY_DATE, BY_TITLE = "date", "title"
_LONGEST = 160
_POLITE = re.compile(
    r"^(?:(?:please|bitte|por favor|can you|could you|kannst du|peux-tu|puedes)\s+)+|(?:[,\s]+(?:please"
    r"|bitte|por favor|s['’]il (?:te|vous) pla[iî]t))$",
    re.IGNORECASE,
)
_AND = re.compile(r"^(?:and|und|et|y)\s+(?=\S+\s)", re.IGNORECASE)


@dataclass(frozen=True)
class SetQuestion:
    """What is asked of a set, and in which language.

    `column` is a column of the set, or `length`, `date`, `title`; `value` the documents that have what was named; `descending`
    the direction of an order, or that the greatest is asked for; `statistic` mean, min or max; `numbers` what to compare.
    """

    ask: Ask
    language: str
    column: str = ""
    value: Value | None = None
    descending: bool = False
    statistic: str = ""
    numbers: tuple[int, ...] = ()


def read_set_question(question: str, results: ResultSet, language: str, *, about_the_set: bool) -> SetQuestion | None:
    """What a question asks of the set; None when it is none about the set. `language` is tried first.

    `about_the_set` says that the talk is about the results, so that "which is the oldest?" means one of them.
    """
    said = " ".join(question.split()).strip(" ¿?¡!.…")
    if not said or len(said) > _LONGEST or not len(results):
        return None
    said = _AND.sub("", _POLITE.sub("", said).strip())
    columns = SetColumns(results)
    for tried in dict.fromkeys([language, *LANGUAGES] if language in LANGUAGES else LANGUAGES):
        for name, form in forms_of(tried):
            match = form.fullmatch(said) if about_the_set or not name.endswith("?") else None
            found = _read(name.rstrip("?"), match, columns, tried, by_itself=name.endswith("?")) if match else None
            if found is not None:
                return found
    return None


def _read(name: str, match: re.Match[str], columns: SetColumns, language: str, *, by_itself: bool) -> SetQuestion | None:
    said = {key: value.strip() for key, value in match.groupdict().items() if value}
    ask = cast("Ask", name)
    if name in ("count", "list"):
        return SetQuestion(ask, language)
    if name in ("count value", "filter"):
        value = columns.value(_bare(said["value"]))
        return SetQuestion(ask, language, value.column, value) if value else None
    if name in ("count by", "values"):
        column = _kind(said["kind"], columns) if "kind" in said else HOST if any(columns.values(HOST)) else "source"
        return SetQuestion(ask, language, column) if column else None
    if name == "statistic":
        column = columns.column(said["column"])
        return SetQuestion(ask, language, column, statistic=named(STATISTICS, said["statistic"])) if column else None
    if name == "compare":
        numbers = tuple(dict.fromkeys((int(said["n"]), int(said["m"]))))
        return SetQuestion(ask, language, numbers=numbers) if len(numbers) == 2 else None
    return _sort(said, columns, language) if name == "sort" else _extreme(said, columns, language, by_itself)


def _extreme(said: dict[str, str], columns: SetColumns, language: str, by_itself: bool) -> SetQuestion | None:
    if "end" in said:
        column = columns.column(said["column"])
        greatest = said["end"].lower() in ("highest", "largest", "most")
        return SetQuestion("extreme", language, column, descending=greatest) if column else None
    best = named(BEST, said["best"])
    if best in ("longest", "shortest"):
        return SetQuestion("extreme", language, LENGTH, descending=best == "longest")
    if not columns.date_column:
        return None if by_itself else SetQuestion("no dates", language)
    return SetQuestion("extreme", language, BY_DATE, descending=best == "newest")


def _sort(said: dict[str, str], columns: SetColumns, language: str) -> SetQuestion | None:
    best = named(BEST, said.get("first", ""))
    by_date = best in ("newest", "oldest") or re.fullmatch(DATE, said.get("key", ""), re.IGNORECASE)
    by_title = re.fullmatch(TITLE, said.get("key", ""), re.IGNORECASE)
    column = BY_TITLE if by_title else BY_DATE if by_date else LENGTH if best else columns.column(said["key"])
    if column == BY_DATE and not columns.date_column:
        return SetQuestion("no dates", language)
    way = named(WAYS, said.get("way", ""))
    descending = way == "descending" if way else best not in ("oldest", "shortest") and column != BY_TITLE
    return SetQuestion("sort", language, column, descending=descending) if column else None


def _kind(said: str, columns: SetColumns) -> str:
    """The kind of value that a word names: one of the four, or a chip column; empty when the set has none of it."""
    kind = named(KINDS, said)
    if kind:
        return kind if any(columns.values(kind)) else ""
    return next((one for one in columns.shared if said.casefold() in (one.casefold(), f"{one.casefold()}s")), "")


def _bare(value: str) -> str:
    """A value without the articles and nouns around it."""
    around = r"^(?:the|in|auf|en|from|von|de|le|la|el|les|los)\s+|\s+(?:ones|please)$"
    return re.sub(around, "", value.strip(), flags=re.IGNORECASE)
