"""Engines saved, shared, listed and taken back with commands, through the real store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatsearch.commands.plain import plain
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Code, Offer, Paragraph, Picture
from chatsearch.commands.session import Session
from chatsearch.engines import RevokedEngineError
from chatsearch.errors import SpecError
from chatsearch.store.engines import NotOwnerError
from tests.commands.sessions import ENGINE, locked_session, refusal, said, session_of


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    one = session_of(tmp_path, searched=True)
    one.address = "https://search.example"
    yield one
    await one.services.close()


def another(session: Session) -> Session:
    """A visitor of the same server."""
    from chatsearch.spec import Spec

    return Session(session.services, Spec.load(ENGINE, session.services.registry, "small"), "small", address=session.address)


async def saved(session: Session, typed: str = "/save") -> tuple[str, str]:
    """The id and the token that saving shows."""
    await respond(session, "/title Small and mine")
    url, token = [block.text for block in (await respond(session, typed)).blocks if isinstance(block, Code)]
    assert url.startswith("https://search.example/e/")
    return url.split("/e/")[1].strip("/"), token


async def test_a_saved_engine_is_opened_by_its_id_in_another_chat(session: Session) -> None:
    identifier, token = await saved(session)
    assert identifier.startswith("small-and-mine-")
    visitor = another(session)
    await respond(visitor, f"/load {identifier}")
    assert (visitor.engine, visitor.spec.digest) == (identifier, session.spec.digest)
    assert token not in plain(await respond(visitor, "/spec"))


async def test_the_owner_saves_versions_under_the_same_id_and_a_version_can_be_opened(session: Session) -> None:
    identifier, _ = await saved(session)
    first = session.spec.digest
    await respond(session, "/add tf_idf_reranker")
    assert "version 2" in plain(await respond(session, "/save"))
    assert session.engine == identifier
    listed = plain(await respond(session, "/versions"))
    assert [line[:1] for line in listed.splitlines()[1:3]] == ["2", "1"]
    visitor = another(session)
    await respond(visitor, f"/load {identifier}@1")
    assert visitor.spec.digest == first
    assert "no version 9" in await refusal(visitor, f"/load {identifier}@9")


async def test_a_visitor_saves_a_new_engine_and_cannot_change_the_owners(session: Session) -> None:
    identifier, token = await saved(session)
    visitor = another(session)
    await respond(visitor, f"/load {identifier}")
    await respond(visitor, "/title Theirs")
    other, _ = [block.text for block in (await respond(visitor, "/save")).blocks if isinstance(block, Code)]
    assert identifier not in other
    await respond(visitor, f"/load {identifier}")
    await respond(visitor, "/title Stolen")
    with pytest.raises(NotOwnerError):
        await respond(visitor, "/save token=wrong")
    assert "version 2" in plain(await respond(visitor, f"/save token={token}"))


async def test_a_revoked_engine_says_so(session: Session) -> None:
    identifier, _ = await saved(session)
    await respond(session, "/revoke")
    with pytest.raises(RevokedEngineError):
        await respond(another(session), f"/load {identifier}")


async def test_share_gives_address_picture_code_and_line_of_what_is_saved(session: Session) -> None:
    await respond(session, "/title Changed")
    reply = await respond(session, "/share")
    assert Offer("Save it", "/save") in reply.blocks
    identifier, _ = await saved(session)
    blocks = (await respond(session, "/share")).blocks
    texts = [block.text for block in blocks if isinstance(block, Code)]
    assert texts[0] == f"https://search.example/e/{identifier}/"
    assert f'data-engine="{identifier}"' in texts[1]
    assert texts[2] == f"curl https://search.example/e/{identifier}/spec.json"
    (picture,) = [block for block in blocks if isinstance(block, Picture)]
    assert picture.svg.lstrip().startswith("<?xml")
    assert "<script" not in picture.svg


async def test_engines_lists_built_in_and_saved_ones(session: Session) -> None:
    identifier, _ = await saved(session)
    listed = await said(session, "/engines")
    assert "demo" in listed
    assert identifier in listed
    assert identifier in await said(session, "/engines mine")
    assert "No public engine" in await said(session, "/engines nothinglikethis")


async def test_what_was_chosen_for_the_list_is_saved_with_the_engine(session: Session) -> None:
    await respond(session, "/chips none")
    await respond(session, "/text full-text")
    await saved(session)
    assert session.spec.engine.display.text_column == "full-text"


async def test_a_secret_is_not_saved(session: Session) -> None:
    with pytest.raises(SpecError, match="secret"):
        await respond(session, '/edit {"api_key": "sk-abcdefghijklmnopqrstuvwx", "pipeline": {"1": {"id": "memory"}}}')


async def test_a_locked_engine_is_not_saved_by_a_visitor(tmp_path: Path) -> None:
    visitor = locked_session(tmp_path)
    assert "locked" in await refusal(visitor, "/save mine")
    await visitor.services.close()


async def test_a_title_for_the_new_engine(session: Session) -> None:
    reply = await respond(session, '/save "Art for everybody"')
    assert session.spec.title == "Art for everybody"
    assert isinstance(reply.blocks[0], Paragraph)


async def test_undo_after_saving_takes_a_change_back_and_the_address_stays(session: Session) -> None:
    identifier, _ = await saved(session)
    changed = session.spec.digest
    await respond(session, "/undo")
    assert session.spec.digest != changed
    assert session.engine == identifier
    assert "version 2" in plain(await respond(session, "/save"))


async def test_share_gives_no_address_of_another_version_or_of_what_was_taken_back(session: Session) -> None:
    identifier, _ = await saved(session)
    await respond(session, "/add tf_idf_reranker")
    await respond(session, "/save")
    visitor = another(session)
    await respond(visitor, f"/load {identifier}@1")
    assert "newest version" in plain(await respond(visitor, "/share"))
    await respond(session, "/revoke")
    assert "not saved yet" in plain(await respond(session, "/share"))


async def test_an_engine_from_json_has_no_address(session: Session) -> None:
    await respond(session, '/load {"title": "demo", "pipeline": {"1": {"id": "memory"}}}')
    assert "not saved yet" in plain(await respond(session, "/share"))


async def test_the_owner_of_a_locked_engine_goes_on_and_unlocks_it_in_another_chat(session: Session) -> None:
    locked = '/edit {"title": "Locked", "pipeline": {"1": {"id": "memory"}}, "permissions": {"edit": false}}'
    await respond(session, locked)
    identifier, token = [block.text for block in (await respond(session, "/save")).blocks if isinstance(block, Code)]
    await respond(session, "/title Still mine")
    later = another(session)
    await respond(later, f"/load {identifier.split('/e/')[1].strip('/')}")
    assert "locked" in await refusal(later, "/title No")
    with pytest.raises(NotOwnerError):
        await respond(later, "/unlock token=wrong")
    await respond(later, f"/unlock token={token}")
    await respond(later, "/title Mine again")
    assert "version 2" in plain(await respond(later, "/save"))


async def test_an_engine_that_is_not_listed_opens_by_its_address_alone(session: Session) -> None:
    reply = await respond(session, "/save Hidden listed=no")
    assert "not listed" in plain(reply)
    assert session.spec.title == "Hidden"
    visitor = another(session)
    assert session.engine not in plain(await respond(visitor, "/engines"))
    await respond(visitor, f"/load {session.engine}")
    assert visitor.spec.title == "Hidden"


async def test_an_empty_token_is_told(session: Session) -> None:
    assert "token" in await refusal(session, "/save token=")
