"""Questions that a result set can answer, to go on with: each was asked before it is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from chatsearch.answering import language_of, prompt_documents, text_column
from chatsearch.languages import stop_words
from chatsearch.llm.model import LanguageModel, Piece
from chatsearch.names import names
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.wording import suggestion

_YEAR = re.compile(r"(?<![\d.,–-])(1[0-9]{3}|20[0-9]{2})(?![\d.,]*\d)")
_LOOKED_AT = 5
_TRIED = 8


async def suggested_questions(results: ResultSet, services: Services, asked: Sequence[str] = (), limit: int = 3) -> list[str]:
    """At most `limit` questions about the best documents that the built-in model answers with the very name or year asked for."""
    model, _ = services.language_model("extractive")
    documents = prompt_documents(results, text_column(results, ""), model, lambda code, message: None)
    language = language_of(results.asked, documents)
    known = " ".join([results.asked, *asked]).casefold()
    found: list[str] = []
    for kind, name in list(_candidates(documents[:_LOOKED_AT], known, language))[:_TRIED]:
        question = suggestion(kind, name, language)
        if len(found) < limit and await _is_answered(model, question, name, documents, language):
            found.append(question)
    return found


async def _is_answered(
    model: LanguageModel, question: str, name: str, documents: Sequence[PromptDocument], language: str
) -> bool:
    prompt = Prompt(Task.ANSWER, question, tuple(documents), language=language)
    async for piece in model.stream(prompt):
        return isinstance(piece, Piece) and name in piece.text
    return False


def _can_be_asked_about(name: str, titles: set[str], language: str) -> bool:
    """No date, no "In 1900" from the start of a sentence, and no word of a title ("Doctor" of "Doctor Who")."""
    first = name.split()[0].casefold()
    is_of_a_title = any(name.casefold() in title for title in titles)
    return not is_of_a_title and first not in stop_words(language) and not any(one.isdigit() for one in name)


def _candidates(documents: Sequence[PromptDocument], known: str, language: str) -> Iterator[tuple[str, str]]:
    """Names and years of the documents that were not asked about, the more frequent first, in turn."""
    text = " ".join(document.text for document in documents)
    titles = {document.title.casefold() for document in documents}
    named = Counter(name for name in names(text, language) if len(name.split()) > 1 or language != "de")
    people = [
        name
        for name, _ in named.most_common()
        if name.casefold() not in known and len(name) > 3 and _can_be_asked_about(name, titles, language)
    ]
    years = [year for year, _ in Counter(_YEAR.findall(text)).most_common() if year not in known]
    for pair in zip(people[:_TRIED], years[:_TRIED], strict=False):
        yield ("name", pair[0])
        yield ("year", pair[1])
    shorter = min(len(people), len(years))
    yield from (("name", name) for name in people[shorter:_TRIED])
    yield from (("year", year) for year in years[shorter:_TRIED])
