"""`/help`: what every command declares of itself."""

from __future__ import annotations

from chatsearch.commands import parse
from chatsearch.commands.command import Command
from chatsearch.commands.reply import Block, Code, Heading, Offer, Paragraph, Reply, table
from chatsearch.commands.session import Session


async def _help(session: Session, argument: str) -> Reply:
    from chatsearch.commands.registry import BY_NAME, FAMILIES, USAGES  # the registry has this command too

    if argument:
        name = parse(f"/{argument.split()[0].removeprefix('/')}", None, USAGES).command
        return _one(BY_NAME[name])
    blocks: list[Block] = [Paragraph("The first message searches, later ones are answered from its results. The commands:")]
    for family, commands in FAMILIES.items():
        blocks += [Heading(family), table(("command", "what it does"), [(one.usage, one.help) for one in commands])]
    return Reply((*blocks, Paragraph("/help COMMAND has examples.")))


def _one(command: Command) -> Reply:
    examples = [Offer(one if len(one) <= 60 else f"{one[:57]}…", one) for one in command.examples]
    changes = ["It changes the engine of this chat alone; /undo takes it back."] if command.changes_spec else []
    return Reply((Paragraph(command.help), Code(command.usage), *map(Paragraph, changes), *examples))


COMMANDS = (
    Command(
        name="help",
        usage="/help [COMMAND]",
        help="Lists the commands, or explains one with examples.",
        examples=("/help", "/help add"),
        perform=_help,
        icon="circle-help",
    ),
)
