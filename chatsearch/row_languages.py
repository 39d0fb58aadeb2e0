"""Modules that need to know what language each row's text is in: as its column says, else detected."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import ClassVar

from pydantic import Field

from chatsearch.cells import cell_text
from chatsearch.languages import detect, iso639_1
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.results import ResultSet, Role
from chatsearch.work import in_batches

UNKNOWN = ""

_BEGINNING = 600
"""Code points that are enough to tell a language by: as good as the whole text on 1,200 paragraphs in five languages."""

_NO_LANGUAGE = frozenset({"", "und", "unknown", "undetermined", "unk", "none", "null", "nan", "mul", "mis", "zxx", "-"})


def language_code(stated: str) -> str:
    """The ISO 639-1 code of a stated language; the stated code itself where it has none ("nds"), `UNKNOWN` for none at all."""
    code = stated.strip().lower()
    return UNKNOWN if code in _NO_LANGUAGE else iso639_1(code) or code


def text_language(text: str) -> str:
    """The ISO 639-1 code of the language a text begins in; `UNKNOWN` when there is too little to tell. Blocking, remembered."""
    return _detected(text[:_BEGINNING])


@lru_cache(maxsize=4096)  # the steps of a pipeline ask for the same texts
def _detected(beginning: str) -> str:
    return detect(beginning)


def row_languages(results: ResultSet, language_column: str, texts: Sequence[str]) -> list[str]:
    """The language of each row's text: as the column states, else detected; `UNKNOWN` without a text. Blocking."""
    stated = cell_text(results.documents, language_column)
    return [
        (language_code(one) or text_language(text)) if text.strip() else UNKNOWN for one, text in zip(stated, texts, strict=True)
    ]


class LanguageRowModule(Module):
    """Rewrites each text by the rules of its language.

    A subclass says which languages it knows (`known`) and what it does (`rewritten`). A language it does not know leaves the
    text as it is, and one warning counts those; each distinct text is rewritten once; a missing text stays missing.
    """

    category: ClassVar[Category] = Category.PRE_PROCESSING
    role: ClassVar[Role] = "text"

    input_column: Column = Field("cleaned-text", description="The column whose text is read.")
    output_column: Column = Field("cleaned-text", description="The column that takes the new text.")
    language_column: Column = Field(
        "language", description="The column with each text's language (ISO 639-1 or -3); a missing one is detected."
    )

    @abstractmethod
    def known(self, language: str) -> bool:
        """Whether there are tools for a language (ISO 639-1, or -3 where that has none)."""

    @abstractmethod
    def rewritten(self, text: str, language: str) -> str:
        """The new text; called in a thread, for known languages and texts that are not empty."""

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        texts = cell_text(results.documents, self.input_column)
        stated = cell_text(results.documents, self.language_column)
        pairs = list(dict.fromkeys(pair for pair in zip(texts, stated, strict=True) if pair[0].strip()))
        run.meter.cached += sum(1 for text in texts if text.strip()) - len(pairs)
        done = dict(zip(pairs, await in_batches(self._rewrite, pairs, progress=run.progress), strict=True))
        languages = [language for _, language in (done[pair] for pair in zip(texts, stated, strict=True) if pair in done)]
        report_unknown(languages, self.known, "left as found", run)
        column = [done[pair][0] if pair in done else None for pair in zip(texts, stated, strict=True)]
        return results.with_column(self.output_column, column, self.role)

    def _rewrite(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        found = []
        for text, stated in pairs:
            language = language_code(stated) or text_language(text)
            found.append((self.rewritten(text, language) if self.known(language) else text, language))
        return found


def report_unknown(languages: Collection[str], known: Callable[[str], bool], outcome: str, run: StepRun) -> None:
    """One warning that counts the texts in languages there are no tools for; texts without any language are not counted."""
    unknown = [language for language in languages if language and not known(language)]
    if unknown:
        texts = "1 text" if len(unknown) == 1 else f"{len(unknown)} texts"
        named = ", ".join(sorted(set(unknown)))
        run.warn("language-unknown", f"{texts} of {len(languages)} {outcome}: there are no tools here for {named}.")
