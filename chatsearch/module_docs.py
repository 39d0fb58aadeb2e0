"""docs/modules.md, made from the modules' own declarations: `chatsearch modules --format markdown > docs/modules.md`."""

from __future__ import annotations

from collections.abc import Iterator

from chatsearch.module import Module
from chatsearch.parameters import parameter
from chatsearch.registry import Registry
from chatsearch.spec_problems import allowed

_HEAD = """# Modules

Made from the declarations by `chatsearch modules --format markdown`; a test fails when it is stale. `chatsearch modules ID` shows
one. How to write one: [writing-modules.md](writing-modules.md).
"""


def modules_markdown(registry: Registry) -> str:
    """Every module by category: what it does, reads, writes, and its parameters with default, what is allowed, and meaning."""
    each = (line for module in registry.modules.values() for line in _module(module))
    return "\n".join([_HEAD, *_contents(registry), *each]) + "\n"


def _contents(registry: Registry) -> Iterator[str]:
    category = ""
    for module in registry.modules.values():
        if module.category.value != category:
            category = module.category.value
            yield f"\n**{category}**\n"
        yield f"- [`{module.id}`](#{module.id}): {module.description()}"


def _module(module: type[Module]) -> Iterator[str]:
    declaration = module.declaration()
    yield f"\n## {module.id}\n\n{module.name} ({module.category.value}). {_whole_description(module)}\n"
    for verb in ("reads", "writes"):
        columns = declaration[verb]
        assert isinstance(columns, list)
        if columns:
            yield f"{verb.capitalize()}: {', '.join(f'`{column}`' for column in columns)}.  "
    if module.removes_rows:
        yield "Removes documents.  "
    yield "\n| parameter | default | takes | meaning |\n| --- | --- | --- | --- |"
    for name, info in module.model_fields.items():
        default = parameter(module, name)["default"]
        shown = "" if default in (None, "") else f"`{default}`"
        yield f"| `{name}` | {shown} | {allowed(info)} | {_cell(info.description or '')} |"


def _whole_description(module: type[Module]) -> str:
    import inspect

    return " ".join(inspect.cleandoc(module.__doc__ or "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
