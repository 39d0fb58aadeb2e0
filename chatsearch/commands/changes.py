"""The reply after a change: exactly what changed, whether the pipeline can run, and the offer to run the last query again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chatsearch.chat.logo import look_problems
from chatsearch.commands.reply import Block, Changed, Note, Offer, Paragraph, Reply
from chatsearch.commands.session import Session
from chatsearch.contracts import column_problems
from chatsearch.errors import InputError

_MOST_SHOWN = 40


UNDO = Offer("Undo", "/undo")


async def reply_to(session: Session, changed: Sequence[Changed], head: str = "", back: Offer = UNDO) -> Reply:
    """The reply to a change that was made; `changed` is empty when the spec means the same as before."""
    if not changed:
        return Reply((Paragraph(head or "Nothing changed: it is so already."),))
    blocks: list[Block] = [*([Paragraph(head)] if head else []), *changed[:_MOST_SHOWN]]
    if len(changed) > _MOST_SHOWN:
        blocks.append(Note(f"{len(changed) - _MOST_SHOWN} more changes are not listed; /spec shows the whole."))
    blocks += await notes(session)
    blocks.append(back)
    if session.last_query:
        blocks.append(Offer(f"Search “{_short(session.last_query)}” again", f"/search {session.last_query}"))
    return Reply(tuple(blocks), spec_changed=True, run_again=session.last_query)


async def notes(session: Session) -> list[Note]:
    """What is ignored in the spec, and columns that a step will miss."""
    spec = session.spec
    # a source may look into an index for its columns: away from the event loop
    problems = await asyncio.to_thread(column_problems, spec, session.services)
    missing = [Note(f"This cannot run yet: step {n} ({module}) {problem}") for n, module, problem in problems]
    unavailable = [
        Note(f"Step {step.number} ({step.module.id}) is not available here. {needed}")
        for step in spec.enabled_steps
        if (needed := type(step.module).missing_requirement())
    ]
    look = [Note(problem) for problem in look_problems(spec, session.services.settings)]
    return [*(Note(warning.message) for warning in spec.warnings), *look, *missing, *unavailable]


def place_of(session: Session, number: int) -> int:
    """The place of the step of that number among all steps, from 0. Raises InputError listing those there are."""
    for place, step in enumerate(session.spec.steps):
        if step.number == number:
            return place
    listed = ", ".join(f"{step.number} ({step.module.id})" for step in session.spec.steps)
    raise InputError(f"There is no step {number}. The steps are: {listed}.")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}…"
