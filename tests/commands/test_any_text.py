"""Whatever is typed: the spec is valid or unchanged, and as many undos bring it back."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatsearch.commands.registry import BY_NAME, respond
from chatsearch.commands.session import Session
from chatsearch.errors import ChatsearchError
from chatsearch.spec import Spec
from tests.commands.sessions import Kept, results, services, session_of

SERVICES = services(Path(tempfile.gettempdir()) / "chatsearch-no-such-folder")
NUMBERS = st.integers(0, 6).map(str)
WORDS = st.sampled_from([
    *("at", "to", "limit", "limit=3", "limit=0", "query=x", 'query="a b"', "1.limit", "2.query", "2.similarity_metric"),
    *("BM25", "tf_idf_reranker", "word_counter", "memory", "subtitle", "theme.logo_url", "title", "title=", "contains", "="),
    *("language=en", "desc", "off", "on", "all", "add", "remove", "clear", "blue", "dark", "demo", "arts", "extractive"),
    *("csv", "full-text", '"', "“", "[", '{"pipeline": {"1": {"id": "memory"}}}', "words>3", "sk-abc123def456ghi789"),
    *("\ud800", "\x00", "٣", "²", "-1", "9" * 30),
])  # fmt: skip
ARGUMENT = st.lists(NUMBERS | WORDS | st.text(max_size=8), max_size=5).map(" ".join)
TYPED = st.builds("/{} {}".format, st.sampled_from(list(BY_NAME)), ARGUMENT)
CHANGING = st.builds(
    "/{} {}".format, st.sampled_from([name for name, one in BY_NAME.items() if one.changes_spec and name != "undo"]), ARGUMENT
) | st.sampled_from([example for one in BY_NAME.values() if one.changes_spec for example in one.examples if example != "/undo"])


def session() -> Session:
    made = session_of(Path(tempfile.gettempdir()) / "chatsearch-no-such-folder", searched=True)
    made.services, made.result_sets = SERVICES, Kept(results())
    return made


def typed(into: Session, content: str) -> bool:
    """Whether the message changed the spec; an error that is not meant for a person fails the test."""
    before = into.spec
    try:
        reply = asyncio.run(respond(into, content))
    except ChatsearchError:
        assert into.spec is before
        return False
    assert reply.spec_changed or into.spec is before
    assert Spec.load(into.spec.data, SERVICES.registry).digest == into.spec.digest
    return reply.spec_changed


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(TYPED | st.text().map("/{}".format) | st.text())
def test_any_text_leaves_a_valid_spec_or_the_same(content: str) -> None:
    typed(session(), content)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHANGING, max_size=8))
def test_as_many_undos_as_changes_restore_the_digest_exactly(contents: list[str]) -> None:
    made = session()
    first, digests = made.spec, []
    for content in contents:
        before = made.spec.digest
        if typed(made, content):
            digests.append(before)
    for digest in reversed(digests):
        assert typed(made, "/undo") or made.spec.digest == digest
        assert made.spec.digest == digest
    assert made.spec.data == first.data
