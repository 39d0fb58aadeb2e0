"""The names in a text: runs of words with a capital, and which of them a talk was about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chatsearch.languages import stop_words
from chatsearch.turns import Turn

WORD = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*", re.UNICODE)

_JOINS_NAMES = frozenset("of the de von van der la le and & di du al bin".split())
_ASKS = re.compile(r"wo(?:r?(?:von|auf|an|mit|für|gegen|zu|durch|in|aus|bei|um|über|nach|unter))?$", re.IGNORECASE)  # German
_DETERMINERS = frozenset(
    "der die das den dem des ein eine einen einem einer eines welche welcher welches welchem welchen viele im am zum zur vom beim"
    .split()
)  # fmt: skip


def names(text: str, language: str = "en") -> list[str]:
    """The names in a text: runs of words with a capital, small joining words between them, in order, without a genitive's 's.

    The first word counts only when it is no word that questions begin with ("When", "Name").
    """
    return [run for _, run in runs(text, language)]


def runs(text: str, language: str) -> list[tuple[int, str]]:
    """The names of a text, each with where it begins."""
    stop = stop_words(language) | stop_words("en")
    found: list[list[re.Match[str]]] = []
    for word in WORD.finditer(text):
        begins = not any(map(str.isalnum, text[: word.start()]))
        first = begins and (word[0].lower() in stop or (language == "de" and _ASKS.match(word[0]) is not None))
        together = bool(found) and _may_join(found[-1][-1][0], text[found[-1][-1].end() : word.start()])
        if together and (word[0][0].isupper() or word[0][0].isdigit()):
            found[-1].append(word)
        elif word[0][0].isupper() and not first and word[0] != "I":
            found.append([word])
    return [(run[0].start(), re.sub(r"['’]s$", "", text[run[0].start() : run[-1].end()])) for run in found]


def names_asked(turn: Turn, language: str) -> list[str]:
    """What a question names, first what its answer's document is about; in German without the nouns that follow an article."""
    named = runs(turn.question, language)
    title = set(plain_words(turn.topic.replace("_", " ")))
    of_title = [name for _, name in named if title & set(plain_words(name))]
    bare = [name for start, name in named if language != "de" or not _has_article(turn.question[:start])]
    return [*of_title, *(name for name in bare if name not in of_title)]


def names_of(turns: Sequence[Turn], language: str) -> Iterator[str]:
    """The names the talk was about, the latest first; the title of a quoted document where a question names nothing."""
    for turn in reversed(turns):
        asked = names_asked(turn, language)
        if asked:
            yield asked[0]
        elif turn.topic:
            yield turn.topic.replace("_", " ")


def with_article(name: str, turns: Sequence[Turn]) -> str:
    """An English name as the talk said it: "the Night Watch" where it was asked about with its article."""
    said = any(re.search(rf"\bthe {re.escape(name)}(?![\w-])(?! \w+[?.]?$)", turn.question, re.IGNORECASE) for turn in turns)
    return f"the {name}" if said and not name.lower().startswith("the ") else name


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case, hyphens and apostrophes within them kept."""
    return [word.lower() for word in WORD.findall(text)]


def _may_join(before: str, between: str) -> bool:
    """Whether what stands between two words keeps them one name: a space, small joining words, the dot of an initial."""
    rest = between.removeprefix(".") if len(before) == 1 else between
    return all(word in _JOINS_NAMES for word in rest.split())


def _has_article(before: str) -> bool:
    """Whether German text ends with an article, or with one and an adjective: every noun has a capital, a name has no article."""
    said = WORD.findall(before)[-2:]
    return bool(said) and (said[-1].lower() in _DETERMINERS or (said[-1].islower() and said[0].lower() in _DETERMINERS))
