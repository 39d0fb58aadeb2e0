"""The commands that keep an engine and pass it on: saved under an id with versions, shared as a URL, listed, taken back."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatsearch.commands.arguments import UsageError, unquoted
from chatsearch.commands.command import Command
from chatsearch.commands.edits import with_field, with_view
from chatsearch.commands.reply import Block, Code, Note, Offer, Paragraph, Picture, Reply, say, table
from chatsearch.commands.session import Session
from chatsearch.engines import built_in_engines, find_shared, load_stored
from chatsearch.errors import InputError
from chatsearch.spec import Spec

if TYPE_CHECKING:
    from chatsearch.store.engines import Engines

_TOKEN = re.compile(r"(?:^|\s)token=(\S*)")
_LISTED = re.compile(r"(?:^|\s)listed=(\S*)")
_MOST_LISTED = 50
_MOST_SAVED = 20


async def _save(session: Session, argument: str) -> Reply:
    """A new engine, or the next version of the one that this chat has the token of."""
    title, token, listed = _title_token_listed(argument)
    data = with_view(session.spec, session.view)
    spec = session.checked(with_field(data, ("title",), title) if title else data)
    engines = await _engines(session)
    known = token or session.tokens.get(session.engine, "")
    if known:
        if not session.engine:
            raise InputError("Which engine is this to be a version of? Open it first: /load ID, then change it.")
        version = await engines.update(session.engine, spec, known)
        session.tokens[session.engine] = known
        changed = session.saved_as(spec, session.engine)
        head = f"“{spec.title}” is saved as version {version}. Chats that begin from now on use it."
        return Reply((Paragraph(head), Code(_url(session, session.engine)), Offer("Share it", "/share")), spec_changed=changed)
    session.check_unlocked()
    if len(session.tokens) >= _MOST_SAVED:
        raise InputError(f"{_MOST_SAVED} engines were saved in this chat; that is the most. Begin a new chat for more.")
    saved = await engines.save(spec, public=listed)
    session.tokens[saved.id] = saved.token
    changed = session.saved_as(spec, saved.id)
    who = (
        "Everybody can find it at /engines (/save listed=no saves one that only its address leads to)."
        if listed
        else ("It is not listed: only who has the address finds it.")
    )
    return Reply(
        (
            Paragraph(f"“{spec.title}” is saved. Its address:"),
            Code(_url(session, saved.id)),
            Paragraph(who),
            Paragraph("The edit token is shown only now; who has it can change the engine or take it back. Keep it:"),
            Code(saved.token),
            Paragraph(
                "While this chat is open, /save saves the next version under the same address. Later: /load the engine, "
                "/unlock it with token=…, change it, and /save."
            ),
            Offer("Share it", "/share"),
        ),
        spec_changed=changed,
    )


async def _unlock(session: Session, argument: str) -> Reply:
    title, token, _ = _title_token_listed(argument)
    if title or not token:
        raise UsageError("It takes the edit token that was shown when the engine was saved.")
    if not session.engine or session.engine in built_in_engines():
        raise InputError("Only a saved engine has a token. /load ID opens one.")
    engines = await _engines(session)
    stored = await engines.get(session.engine)
    if stored is None:
        raise InputError("This engine is not a saved one.")
    # the newest text once more makes no version, and is refused with a wrong token
    await engines.update(session.engine, await asyncio.to_thread(load_stored, stored, session.services), token)
    session.tokens[session.engine] = token
    return say(f"“{session.spec.title}” is yours in this chat: you can change it, and /save saves the next version.")


async def _revoke(session: Session, argument: str) -> Reply:
    title, token, _ = _title_token_listed(argument)
    if title:
        raise UsageError("It takes the token alone, and takes back the engine that is open.")
    if session.engine in built_in_engines():
        raise InputError("This is a built-in engine; only saved ones can be taken back.")
    known = token or session.tokens.get(session.engine, "")
    if not known:
        raise UsageError("The edit token of this engine is needed; it was shown when the engine was saved.")
    await (await _engines(session)).revoke(session.engine, known)
    session.tokens.pop(session.engine, None)
    session.saved_as(session.spec, "")
    return say(f"“{session.spec.title}” is taken back: its address says so from now on. This chat keeps what it has.")


async def _share(session: Session, argument: str) -> Reply:
    if argument:
        raise UsageError("It takes nothing after it.")
    opens = await _what_its_address_opens(session)
    if opens is None or session.spec.digest != opens.digest:
        said = (
            "This engine is not saved yet."
            if opens is None
            else (
                f"The address of “{opens.title}” opens its newest version, which is not what is open here. Save this one first."
            )
        )
        return Reply((Paragraph(said), Offer("Save it", "/save")))
    url = _url(session, session.engine)
    blocks: list[Block] = [Paragraph(f"“{session.spec.title}” opens at:"), Code(url)]
    if not session.address:
        return Reply((*blocks, Note("That is the path on the server that `chatsearch serve` starts.")))
    blocks += [
        Picture(await asyncio.to_thread(_qr_code, url), f"QR code of {url}"),
        Paragraph("On another page, inside the body:"),
        Code(f'<script src="{session.address}/embed.js" data-engine="{session.engine}"></script>'),
        *_where_it_may_be_embedded(session.spec),
        Paragraph("Its JSON, for a file, a hub or another chatsearch:"),
        Code(f"curl {url}spec.json"),
    ]
    return Reply(tuple(blocks))


def _where_it_may_be_embedded(spec: Spec) -> list[Block]:
    origins = spec.engine.permissions.embed_origins
    if origins:
        return [Paragraph(f"It works on pages of this server and of {', '.join(origins)}.")]
    return [
        Note("So far it works on pages of this server only. Name other sites in permissions.embed_origins: /edit opens the JSON.")
    ]


async def _list_engines(session: Session, argument: str) -> Reply:
    word = unquoted(argument).casefold()
    rows = [(name, spec.title, spec.engine.subtitle) for name, spec in await asyncio.to_thread(_built_in, session)]
    rows += [(line.id, line.title, line.subtitle) for line in await (await _engines(session)).list_public()]
    found = [row for row in rows if not word or any(word in cell.casefold() for cell in row)]
    if not found:
        return say(f"No public engine has “{argument}” in its name. /engines lists all {len(rows)}.")
    blocks: list[Block] = [table(("id", "title", ""), found[:_MOST_LISTED])]
    if len(found) > _MOST_LISTED:
        blocks.append(Note(f"{len(found) - _MOST_LISTED} more are not listed; /engines WORD finds them."))
    if session.address:
        blocks.append(
            Paragraph(f"Each has its own address, such as {_url(session, found[0][0])}; all are at {session.address}/engines.")
        )
    offers = [Offer(f"Open “{title[:40]}” here", f"/load {name}") for name, title, _ in found if name != session.engine]
    return Reply((*blocks, *offers[:5]))


async def _versions(session: Session, argument: str) -> Reply:
    if argument:
        raise UsageError("It takes nothing after it: /load ID@VERSION opens a version.")
    kept = await (await _engines(session)).versions(session.engine)
    if not kept:
        return say("This engine is not a saved one, so it has no versions. /save saves it.")
    rows = [(line.version, line.title, line.created.strftime("%Y-%m-%d %H:%M UTC"), line.digest[:12]) for line in kept]
    offers = [Offer(f"Open version {line.version} here", f"/load {session.engine}@{line.version}") for line in kept[1:4]]
    return Reply((table(("version", "title", "saved", "digest"), rows), *offers))


async def _what_its_address_opens(session: Session) -> Spec | None:
    """The spec that the address of the open engine leads to; None when it has none."""
    if not session.engine:
        return None
    try:
        return await find_shared(session.engine, session.services)
    except InputError:
        return None


def _title_token_listed(argument: str) -> tuple[str, str, bool]:
    token, listed = _TOKEN.search(argument), _LISTED.search(argument)
    if token and not token[1]:
        raise UsageError("The token after token= is missing.")
    if listed and listed[1].casefold() not in ("yes", "no"):
        raise UsageError("listed= is yes or no.")
    rest = _LISTED.sub(" ", _TOKEN.sub(" ", argument))
    return unquoted(rest), token[1] if token else "", not listed or listed[1].casefold() == "yes"


async def _engines(session: Session) -> Engines:
    return (await session.services.store()).engines


def _built_in(session: Session) -> Sequence[tuple[str, Spec]]:
    services = session.services
    most = services.settings.max_spec_bytes
    return [(name, Spec.loads(file.read_bytes(), services.registry, name, most)) for name, file in built_in_engines().items()]


def _url(session: Session, engine: str) -> str:
    return f"{session.address}/e/{engine}/"


def _qr_code(url: str) -> str:
    """The QR code (ISO/IEC 18004) of a URL as SVG."""
    import segno

    out = io.BytesIO()
    segno.make(url, error="m").save(out, kind="svg", scale=4, border=2)
    return out.getvalue().decode("utf-8")


COMMANDS = (
    Command(
        name="save",
        usage="/save [TITLE] [listed=no] [token=TOKEN]",
        help="Saves the engine under an address of its own; again, its next version. Columns and chips chosen are saved with it.",
        examples=("/save", "/save Art for everybody"),
        perform=_save,
        changes_spec=True,
        leaves=True,
        icon="save",
    ),
    Command(
        name="share",
        usage="/share",
        help="Shows the engine's address, a QR code of it, the code for other pages, and the line that fetches its JSON.",
        examples=("/share",),
        perform=_share,
        icon="share-2",
    ),
    Command(
        name="versions",
        usage="/versions",
        help="Lists the versions of the saved engine that is open.",
        examples=("/versions",),
        perform=_versions,
        icon="git-commit-horizontal",
    ),
    Command(
        name="unlock",
        usage="/unlock token=TOKEN",
        help="Lets the owner of the saved engine that is open change it in this chat, locked or not.",
        examples=("/unlock token=THE-TOKEN",),
        perform=_unlock,
        icon="lock-open",
    ),
    Command(
        name="revoke",
        usage="/revoke [token=TOKEN]",
        help="Takes the saved engine that is open back: its address says so from then on.",
        examples=("/revoke",),
        perform=_revoke,
        icon="ban",
    ),
    Command(
        name="engines",
        usage="/engines [WORD]",
        help="Lists the engines that anybody may use.",
        examples=("/engines", "/engines art"),
        perform=_list_engines,
        icon="layout-grid",
    ),
)
