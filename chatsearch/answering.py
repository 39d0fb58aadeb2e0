"""What summaries and answers have in common: the documents a model may see, and the language it is asked in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from chatsearch.cells import cell_text, is_missing
from chatsearch.languages import detect, iso639_1, stop_words, words
from chatsearch.llm.model import LanguageModel
from chatsearch.prompts import PromptDocument
from chatsearch.results import FULL_TEXT, NO_LLM, ResultSet
from chatsearch.wording import SPOKEN


def prompt_documents(
    results: ResultSet, column: str, model: LanguageModel, warn: Callable[[str, str], None]
) -> tuple[PromptDocument, ...]:
    """The documents with a text, in their shown order, under their numbers.

    Rows marked `_no_llm_` stay on this machine: a remote model does not get them, and a warning says how many.
    """
    frame = results.documents
    numbers = results.numbers or results.ranks()
    texts, titles, languages = (cell_text(frame, name) for name in (column, "title", "language"))
    kept_back = [model.remote and _is_true(value) for value in frame[NO_LLM]] if NO_LLM in frame.columns else [False] * len(frame)
    if any(kept_back):
        count = "1 document" if sum(kept_back) == 1 else f"{sum(kept_back)} documents"
        verb = "was" if sum(kept_back) == 1 else "were"
        warn("not-sent", f"{count} may not be sent to a language model and {verb} left out of the text.")
    found = [
        PromptDocument(numbers[str(one)], str(one), titles[row], texts[row], iso639_1(languages[row]) if languages[row] else "")
        for row, one in enumerate(frame["id"])
        if texts[row].strip() and not kept_back[row]
    ]
    return tuple(sorted(found, key=lambda document: document.n))


def language_of(question: str, documents: Sequence[PromptDocument]) -> str:
    """The language of a question (ISO 639-1): the one whose small words it uses most.

    A question is too short for a detector ("Where did he live?" is taken for Danish), but it has words such as "where" and
    "he". Between equals the documents' language comes first, then the detected one; in a script without Latin letters the latter.
    """
    usual = [language for language, _ in Counter(one.language for one in documents if one.language).most_common(2)]
    detected = detect(question) or "en"
    other_script = any(one.isalpha() for one in question) and not any(one.isascii() and one.isalpha() for one in question)
    candidates = list(dict.fromkeys([detected, *usual, *SPOKEN] if other_script else [*usual, detected, *SPOKEN]))
    said = [word for word in words(question) if not word.isdigit()]  # some languages' stop words hold digits
    hits = [sum(word in stop_words(language) for word in said) for language in candidates]
    return candidates[hits.index(max(hits))]


def text_column(results: ResultSet, wanted: str) -> str:
    """The column that is quoted: the wanted one, else `full-text`, else the first column with the role `text`."""
    columns = [str(column) for column in results.documents.columns]
    texts = [column for column, roles in results.roles.items() if "text" in roles]
    return next((column for column in (wanted, FULL_TEXT, *texts) if column in columns), FULL_TEXT)


def _is_true(value: object) -> bool:
    # anything but a clear no keeps a document here: 1.0 is what a column with gaps makes of true
    return not is_missing(value) and str(value).strip().lower() not in ("", "false", "0", "0.0", "no", "f", "n", "off")
