"""Statements against their documents: literal, similar, or not found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.statements import Check, check_statement

TEXT = "Nikola Tesla died in 1943. He lived in the New Yorker Hotel for ten years. The hotel has 43 floors and 1,083 rooms."


@pytest.mark.parametrize(
    ("statement", "check", "quote"),
    [
        ("Nikola Tesla died in 1943.", Check.EXACT, "Nikola Tesla died in 1943"),
        ("“He lived in the\n New Yorker Hotel”", Check.EXACT, "He lived in the New Yorker Hotel"),
        ("For ten years, Tesla lived in the New Yorker Hotel", Check.SIMILAR, "He lived in the New Yorker Hotel for ten years."),
        ("The hotel's 1083 rooms are on 43 floors", Check.SIMILAR, "The hotel has 43 floors and 1,083 rooms."),
        ("Nikola Tesla died in 1944", Check.NOT_FOUND, None),
        ("Thomas Edison died in 1943", Check.NOT_FOUND, None),
        ("In 1943 Edison died", Check.NOT_FOUND, None),
        ("The weather was fine", Check.NOT_FOUND, None),
        ("94", Check.NOT_FOUND, None),
        ("ikola Tesla died", Check.SIMILAR, "Nikola Tesla died in 1943."),
        ("", Check.NOT_FOUND, None),
        ("…", Check.NOT_FOUND, None),
    ],
)
def test_statements(statement: str, check: Check, quote: str | None) -> None:
    finding = check_statement(statement, TEXT, "en")
    assert finding.check is check
    assert (finding.span.of(TEXT) if finding.span else None) == quote


def test_other_languages() -> None:
    german = "Das Schloss wurde 1742 erbaut. Heute ist darin ein Museum für Glas."
    assert check_statement("In dem Schloss ist heute ein Museum", german, "de").check is Check.SIMILAR
    assert check_statement("1743 wurde das Schloss erbaut", german, "de").check is Check.NOT_FOUND
    chinese = "尼古拉·特斯拉于1943年去世。他住在纽约。"
    assert check_statement("他住在纽约", chinese, "zh").check is Check.EXACT


@given(st.text(max_size=60), st.text(max_size=200))
def test_a_finding_is_within_the_text(statement: str, text: str) -> None:
    finding = check_statement(statement, text)
    assert (finding.span is None) is (finding.check is Check.NOT_FOUND)
    if finding.span:
        assert 0 <= finding.span.start < finding.span.end <= len(text)


@given(st.integers(0, len(TEXT) - 30), st.integers(25, 60))
def test_any_stretch_of_whole_words_is_exact(start: int, length: int) -> None:
    words = TEXT[start : start + length].split(" ")[1:-1]
    if len(" ".join(words)) >= 6 and any(map(str.isalnum, " ".join(words))):
        assert check_statement(" ".join(words), TEXT, "en").check is Check.EXACT
