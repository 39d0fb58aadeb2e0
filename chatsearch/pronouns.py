"""Pronouns that name what an earlier turn was about: found, and replaced by that name. English and German."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatsearch.languages import stop_words
from chatsearch.names import WORD, names, plain_words
from chatsearch.pronouns_romance import in_french, in_spanish


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


def with_name(question: str, name: str, language: str) -> str:
    """`question` with its pronoun replaced by `name`; unchanged when it has none, or itself says what the pronoun means."""
    if language in ("fr", "es"):
        return in_french(question, name) if language == "fr" else in_spanish(question, name)
    pronouns = _PRONOUNS.get(language)
    found = _first_pronoun(question, pronouns, language) if pronouns is not None else None
    if pronouns is None or found is None or _is_named_within(question, found, language):
        return question
    owner = found[0].lower() in pronouns.possessive and not _stands_alone(question, found, pronouns)
    replacement = genitive(name, language) if owner else name
    return question[: found.start()] + replacement + question[found.end() :]


def genitive(name: str, language: str) -> str:
    """The name as an owner before a noun, in English or German: Tesla’s, Teslas, Sykes’."""
    if name.lower().endswith(("s", "x", "z", "ß")):
        return f"{name}’"
    return _PRONOUNS[language].genitive.format(name=name)


def _first_pronoun(question: str, pronouns: _Pronouns, language: str) -> re.Match[str] | None:
    nothing = [match.span() for match in _IT_OF_NOTHING.finditer(question)] if language == "en" else []
    for word in WORD.finditer(question):
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
    said, word = plain_words(before), pronoun[0].lower()
    asks = max(
        (place for place, one in enumerate(said) if one in _QUESTION_WORDS or (not place and one in _AUXILIARIES)), default=None
    )
    if asks is None:  # the pronoun comes first: "Other than his inventions, what was Tesla known for?"
        return any(names(after[one.start() :]) for one in WORD.finditer(after) if one[0].lower() in _QUESTION_WORDS)
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
    next_word = WORD.search(after)
    begins_clause = next_word is not None and next_word[0].lower() in _AUXILIARIES
    return len(content) > 1 and (begins_clause or "to" in said[-2:])


def _content(said: Sequence[str]) -> list[str]:
    return [word for word in said if word not in stop_words("en") and not word.isdigit()]


def _stands_alone(question: str, word: re.Match[str], pronouns: _Pronouns) -> bool:
    """ "her" is an object at the end ("who paid her?") and a possessive before a noun ("her house")."""
    after = WORD.search(question, word.end())
    return word[0].lower() in pronouns.personal and (after is None or after[0].lower() in _GOES_ON)
