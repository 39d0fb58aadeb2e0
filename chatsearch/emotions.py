"""Which of six emotions a text expresses, by a classifier of our own: prototypes, a small lexicon, and VADER's polarity.

English only. The lexicon is ours; VADER: Hutto and Gilbert, ICWSM 2014. What better classifiers there are is in docs/modules.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from chatsearch.languages import words

if TYPE_CHECKING:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    from chatsearch.embedding import Vectors

EMOTIONS = ("sadness", "joy", "love", "anger", "fear", "surprise")
"""The labels of MOSAIC-RAG, in the order of the data set they come from (dair-ai/emotion)."""

READ = 2_000
"""Code points of a text that are read."""

PROTOTYPES: Mapping[str, Sequence[str]] = MappingProxyType({
    "sadness": (
        "I feel sad, empty and hopeless.", "She cried for hours after the funeral.", "He misses her terribly and feels so alone.",
        "It was a tragic loss that broke our hearts.", "I am disappointed, ashamed and full of regret.",
    ),
    "joy": (
        "I am so happy and excited today!", "We celebrated and laughed all evening.", "What a wonderful, delightful success.",
        "I feel calm, content and full of hope.", "They were proud and thrilled to win.",
    ),
    "love": (
        "I love you with all my heart.", "She feels tender affection for him.", "We care deeply for each other.",
        "He is devoted to his beloved wife.", "A warm, caring and compassionate feeling.",
    ),
    "anger": (
        "I am furious about this outrageous injustice!", "He was so annoyed and irritated that he shouted.",
        "They hate us and want revenge.", "This is disgusting, stupid and makes me mad.", "She felt bitter and resentful.",
    ),
    "fear": (
        "I am afraid and terrified of what will happen.", "He was nervous, anxious and worried.",
        "They panicked because of the threat.", "It was a horrifying night.", "She felt insecure, helpless and scared.",
    ),
    "surprise": (
        "I am amazed, I did not expect that at all!", "To everyone's astonishment it suddenly appeared.",
        "What an unexpected turn of events.", "He was stunned and shocked by the news.", "How strange and curious this is!",
    ),
})  # fmt: skip

# Beginnings of words.
_LEXICON: Mapping[str, Sequence[str]] = MappingProxyType({
    "sadness": (
        "sad sadden sadly sadness sorrow grief griev mourn cry cried crying tear tearful weep wept lonel alone miser depress"
        " despair hopeless gloom unhapp heartbr heartache regret disappoint ashamed guilt miss missed funeral tragic tragedy"
        " loss lost melanchol homesick empty numb worthless hurt suffer pity burial died"
    ).split(),
    "joy": (
        "joy happ glad delight cheer celebrat laugh smil wonderful fantastic great fun enjoy excit thrill proud pride success"
        " triumph content pleas relief reliev hopeful optimis grateful thankful bliss festiv win won victor ecsta amus satisf"
    ).split(),
    "love": (
        "love loved lovely loving lover beloved ador affection tender fond passion romanc romant kiss embrac hug darling"
        " sweetheart cherish devot caring intimate compassion marri wedding longing valentine"
    ).split(),
    "anger": (
        "ang anger angr furious fury rage outrag mad hate hated hatred annoy irritat frustrat resent bitter hostil disgust offend"
        " insult revenge wrath aggress violent violat stupid idiot greed jealous curse scream shout unfair injustice"
    ).split(),
    "fear": (
        "fear afraid scare scary terrif terror horrif horror dread panic anxi nervous worr fright threat danger alarm timid"
        " insecur helpless uneas creepy menac phobi tremb haunted nightmare vulnerab hesitan"
    ).split(),
    "surprise": (
        "surpris amaz astonish astound unexpect sudden shock stun startl wow unbeliev incredibl curious strange weird"
        " speechless bewild impressed dazed"
    ).split(),
})  # fmt: skip
_WHOLE = frozenset("cry tear alone miss loss lost empty numb hurt died sad great fun win won mad ang hug miss rage".split())
_NEGATIONS = frozenset("not no never without hardly don't doesn't didn't isn't wasn't aren't weren't can't cannot won't".split())

# set by hand; the polarity of VADER goes from -1 to 1
_PROTOTYPE_WEIGHT, _LEXICON_WEIGHT = 6.0, 1.0
_POLARITY: Mapping[str, float] = MappingProxyType(
    {"sadness": -0.5, "joy": 0.6, "love": 0.4, "anger": -0.5, "fear": -0.4, "surprise": 0.0}
)


def prototypes() -> list[str]:
    """All prototype sentences, emotion by emotion: what `scores` needs the vectors of."""
    return [sentence for emotion in EMOTIONS for sentence in PROTOTYPES[emotion]]


def emotions(texts: Sequence[str], vectors: Vectors, examples: Vectors) -> list[str]:
    """The emotion of each English text. `vectors` has a row per text, `examples` one per prototype, of one model. Blocking."""
    scores = _PROTOTYPE_WEIGHT * _nearness(vectors, examples) + np.array([_said(text[:READ]) for text in texts])
    return [EMOTIONS[int(best)] for best in scores.argmax(axis=1)]


def _nearness(vectors: Vectors, examples: Vectors) -> np.ndarray:
    """The mean cosine to the two nearest prototypes of each emotion, shape (texts, 6), less the mean over the emotions."""
    cosines = (vectors @ examples.T).reshape(len(vectors), len(EMOTIONS), -1)
    nearest: np.ndarray = np.sort(cosines, axis=2)[:, :, -2:].mean(axis=2)
    centred: np.ndarray = nearest - nearest.mean(axis=1, keepdims=True)
    return centred


def _said(text: str) -> np.ndarray:
    """What the words of a text say for each emotion, shape (6,): lexicon hits that are not negated, and the polarity."""
    hits = dict.fromkeys(EMOTIONS, 0)
    found = words(text, "en")
    for place, word in enumerate(found):
        emotion = _emotion_of(word)
        if emotion and not _NEGATIONS & set(found[max(0, place - 2) : place]):
            hits[emotion] += 1
    polarity = float(_analyzer().polarity_scores(text)["compound"])
    share = 1 / max(1.0, len(found) / 40)  # a long text holds words of every kind
    said: np.ndarray = np.array([_LEXICON_WEIGHT * np.log1p(hits[one]) * share + _POLARITY[one] * polarity for one in EMOTIONS])
    return said


@cache
def _emotion_of(word: str) -> str:
    """The emotion whose stem the word begins with, the longest stem first; "" for none."""
    whole, stems = _stems()
    if word in whole:
        return whole[word]
    return next((stems[word[:end]] for end in range(len(word), 2, -1) if word[:end] in stems), "")


@cache
def _stems() -> tuple[Mapping[str, str], Mapping[str, str]]:
    pairs = [(stem, emotion) for emotion in EMOTIONS for stem in _LEXICON[emotion]]
    return {stem: one for stem, one in pairs if stem in _WHOLE}, {stem: one for stem, one in pairs if stem not in _WHOLE}


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
