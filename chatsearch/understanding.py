"""What a follow-up question means: a complete one passes unchanged, a pronoun is replaced by what the talk was about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatsearch.languages import stop_words
from chatsearch.results import Answer, ResultSet


@dataclass(frozen=True)
class Turn:
    """An earlier question as it was understood, and the title of the document its answer quoted first (may be empty)."""

    question: str
    topic: str = ""


@dataclass(frozen=True)
class _Pronouns:
    personal: frozenset[str]
    possessive: frozenset[str]
    genitive: str


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# First form: the pronouns that name a person or thing of an earlier turn. Left out: "es" and "ihr" (es gibt …, ihr seid …), and
# "itself", "themselves", which always mean something in their own sentence.
_PRONOUNS = {
    "en": _Pronouns(_set("he him she her they them it"), _set("his her hers their theirs its"), "{name}’s"),
    "de": _Pronouns(
        _set("er ihn ihm sie ihnen"), _set("sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres"), "{name}s"
    ),
}
_PERSONS = _set("he him his she her hers")
_PLURAL = _set("they them their theirs")
_PERSON_NOUNS = _set(
    "person man woman someone anyone member leader king queen president author artist scientist player child actor"
)
_PLURAL_NOUNS = _set("people children men women")
_AUXILIARIES = _set(
    "is are was were be been do does did has have had can could will would shall should may might must isn't wasn't didn't"
)
_QUESTION_WORDS = _set("who whom whose what which when where why how")
_PREPOSITIONS = _set("in during after before since on at by until from within under for to of with")
_GOES_ON = _set(
    "to for in on at by with from and or when after before as about during because if while of that then there so the a an"
)
# "it" that names nothing: how long did it take, is it true that, what is it called when, was it determined how many
_IT_OF_NOTHING = re.compile(
    r"\bit\s+(?:take|takes|took|true|possible|rain|snow|cost|matter|mean|means)\b"
    r"|\b(?:is|was|be|been|considered)\s+it\s+(?!used|built|made|designed)\w+\s+(?:that|to|for|how|whether|if|when|why|where|what|who)\b",
    re.IGNORECASE,
)
_DETERMINERS = _set(
    "der die das den dem des ein eine einen einem einer eines welche welcher welches welchem welchen viele im am zum zur vom beim"
)
_WORD = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*", re.UNICODE)
_JOINS_NAMES = _set("of the de von van der la le and & di du al bin")


def understand(question: str, turns: Sequence[Turn], language: str) -> str:
    """`question` with its pronoun replaced by the name that the last turns were about; unchanged when it is complete.

    It is complete when it has no such pronoun, or itself says what the pronoun means ("What did Tesla say when he …").
    """
    pronouns = _PRONOUNS.get(language)
    name = next(_names_of(turns, language), "")
    found = _first_pronoun(question, pronouns, language) if pronouns is not None and name else None
    if pronouns is None or found is None or _is_named_within(question, found, language):
        return question
    owner = found[0].lower() in pronouns.possessive and not _stands_alone(question, found, pronouns)
    replacement = _genitive(name, pronouns) if owner else name
    return question[: found.start()] + replacement + question[found.end() :]


def names(text: str, language: str = "en") -> list[str]:
    """The names in a text: runs of words with a capital, small joining words between them, in order, without a genitive's 's.

    The first word counts only when it is no word that questions begin with ("When", "Name").
    """
    return [run for _, run in _runs(text, language)]


def _runs(text: str, language: str) -> list[tuple[int, str]]:
    """The names of a text, each with where it begins."""
    stop = stop_words(language) | stop_words("en")
    found: list[list[re.Match[str]]] = []
    for word in _WORD.finditer(text):
        first = word.start() == 0 and word[0].lower() in stop
        together = bool(found) and _may_join(found[-1][-1][0], text[found[-1][-1].end() : word.start()])
        if together and (word[0][0].isupper() or word[0][0].isdigit()):
            found[-1].append(word)
        elif word[0][0].isupper() and not first and word[0] != "I":
            found.append([word])
    return [(run[0].start(), re.sub(r"['’]s$", "", text[run[0].start() : run[-1].end()])) for run in found]


def turns_of(results: ResultSet, answers: Sequence[Answer]) -> list[Turn]:
    """The earlier turns of a talk, oldest first: the search itself, then the questions."""
    first = next((summary.footnotes for summary in results.summaries if summary.footnotes), ())
    search = Turn(results.asked, first[0].title if first else "")
    return [search, *(Turn(one.understood_as, one.footnotes[0].title if one.footnotes else "") for one in answers)]


def _names_of(turns: Sequence[Turn], language: str) -> Iterator[str]:
    """The names the talk was about, the latest first; the title of a quoted document where a question names nothing."""
    for turn in reversed(turns):
        named = _runs(turn.question, language)
        title = {word.casefold() for word in _WORD.findall(turn.topic.replace("_", " "))}
        of_title = [name for _, name in named if title & {word.casefold() for word in _WORD.findall(name)}]
        # in German every noun has a capital; a name has no article before it
        bare = [name for start, name in named if language != "de" or not set(_words(turn.question[:start])[-1:]) & _DETERMINERS]
        if of_title or bare:
            yield (of_title or bare)[0]
        elif turn.topic:
            yield turn.topic.replace("_", " ")


def _first_pronoun(question: str, pronouns: _Pronouns, language: str) -> re.Match[str] | None:
    nothing = [match.span() for match in _IT_OF_NOTHING.finditer(question)] if language == "en" else []
    for word in _WORD.finditer(question):
        lowered = word[0].lower()
        if lowered not in pronouns.personal | pronouns.possessive:
            continue
        if lowered == "it" and any(start <= word.start() < end for start, end in nothing):
            continue
        if language == "de" and word.start() and word[0][0].isupper():  # "Sie" and "Ihnen" address whoever is asked
            continue
        return word
    return None


def _is_named_within(question: str, pronoun: re.Match[str], language: str) -> bool:
    """Whether the question itself says what its pronoun means."""
    before, after = question[: pronoun.start()], question[pronoun.end() :]
    if names(before, language):
        return True
    if language != "en":
        return False
    said, word = _words(before), pronoun[0].lower()
    asks = max(
        (place for place, one in enumerate(said) if one in _QUESTION_WORDS or (not place and one in _AUXILIARIES)), default=None
    )
    if asks is None:  # the pronoun comes first: "Other than his inventions, what was Tesla known for?"
        return any(names(after[one.start() :]) for one in _WORD.finditer(after) if one[0].lower() in _QUESTION_WORDS)
    fronted = said[:asks] if said[0] not in _PREPOSITIONS else []
    inverted = said[-1] in _AUXILIARIES - {"has", "have", "had"}  # "did it", "was his": the pronoun is the sentence's own subject
    if word in _PERSONS:
        return bool(_PERSON_NOUNS & set(fronted if inverted else said))
    return len(_content(fronted)) > 1 or (not inverted and _has_antecedent(said, after, word))


def _has_antecedent(said: Sequence[str], after: str, word: str) -> bool:
    """Whether a thing that is no name stands before "it" or "they" and is what they mean."""
    content = _content(said)
    if word in _PLURAL:
        return any(one in _PLURAL_NOUNS or re.search(r"\w{3}(?<![sui])s$", one) for one in content)
    if said[0] in ("which", "what") and content and said[-1] in ("has", "have", "had"):
        return True  # "which university has its origins in …"
    next_word = _WORD.search(after)
    begins_clause = next_word is not None and next_word[0].lower() in _AUXILIARIES
    return len(content) > 1 and (begins_clause or "to" in said[-2:])


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _content(said: Sequence[str]) -> list[str]:
    return [word for word in said if word not in stop_words("en") and not word.isdigit()]


def _may_join(before: str, between: str) -> bool:
    """Whether what stands between two words keeps them one name: a space, small joining words, the dot of an initial."""
    rest = between.removeprefix(".") if len(before) == 1 else between
    return all(word in _JOINS_NAMES for word in rest.split())


def _stands_alone(question: str, word: re.Match[str], pronouns: _Pronouns) -> bool:
    """ "her" is an object at the end ("who paid her?") and a possessive before a noun ("her house")."""
    after = _WORD.search(question, word.end())
    return word[0].lower() in pronouns.personal and (after is None or after[0].lower() in _GOES_ON)


def _genitive(name: str, pronouns: _Pronouns) -> str:
    if name.lower().endswith(("s", "x", "z", "ß")):
        return f"{name}’"
    return pronouns.genitive.format(name=name)
