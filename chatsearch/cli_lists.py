"""What `chatsearch modules` and `chatsearch spec` print."""

from __future__ import annotations

import sys

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from chatsearch.contracts import column_problems
from chatsearch.engines import find_spec
from chatsearch.errors import InputError, SpecError, SpecProblem
from chatsearch.module import Module
from chatsearch.module_docs import modules_markdown
from chatsearch.parameters import parameter
from chatsearch.registry import Registry
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.spec_problems import allowed, secrets_in
from chatsearch.terminal import plain_text, show_warnings, write_json


def show_modules(registry: Registry, console: Console, output: str) -> None:
    """All modules, by category; a file that cannot be loaded is listed with its reason."""
    if output == "json":
        write_json([module.declaration() for module in registry.modules.values()])
        return
    if output == "markdown":
        sys.stdout.write(modules_markdown(registry))
        return
    table = Table("id", "category", "what it does", box=box.SIMPLE_HEAD)
    for module in registry.modules.values():
        needed = module.missing_requirement()
        what = Text(module.description())
        table.add_row(
            module.id, module.category.value, Text.assemble(what, (f" Not available: {needed}", "yellow")) if needed else what
        )
    console.print(table)
    for name, reason in registry.broken.items():
        console.print(plain_text(f"! {name} cannot be loaded: {reason}"), style="yellow", markup=False)


def show_module(module: type[Module], console: Console, output: str) -> None:
    """One module: what it does, reads, writes, and its parameters with default and what is allowed."""
    declaration = module.declaration()
    if output == "json":
        write_json(declaration)
        return
    if output == "markdown":
        raise InputError("Markdown is for all modules together: `chatsearch modules --format markdown`.")
    console.print(Text.assemble((module.name, "bold"), f" ({module.id}, {module.category.value})\n{module.description()}"))
    for verb in ("reads", "writes"):
        columns = declaration[verb]
        assert isinstance(columns, list)
        console.print(f"{verb}: {', '.join(columns) or 'nothing'}", markup=False)
    table = Table("parameter", "default", "takes", "meaning", box=box.SIMPLE_HEAD)
    for name, info in module.model_fields.items():
        default = parameter(module, name)["default"]
        table.add_row(name, "" if default is None else str(default), allowed(info), info.description or "")
    console.print(table)


def check_spec(services: Services, reference: str, console: Console) -> None:
    """Raises SpecError with everything that is wrong: the format, missing columns, secrets. Prints warnings and the digest."""
    spec = find_spec(reference, services)
    problems = [SpecProblem(f"pipeline.{step}", f"({module}) {text}") for step, module, text in column_problems(spec, services)]
    problems += secrets_in(spec.data)
    show_warnings(console, spec.warnings)
    if problems:
        raise SpecError(problems, spec.name)
    steps, ignored = len(spec.enabled_steps), len(spec.warnings)
    verdict = f"can be run, {ignored} warning{'' if ignored == 1 else 's'}" if ignored else "is right"
    console.print(
        f"“{plain_text(spec.title)}” {verdict}: {steps} step{'' if steps == 1 else 's'}, digest {spec.digest}",
        markup=False,
        soft_wrap=True,
    )


def show_spec(services: Services, reference: str, console: Console, output: str) -> None:
    """The pipeline as a table, the spec as JSON, or its canonical form."""
    spec = find_spec(reference, services)
    if output == "json":
        write_json(spec.dump())
    elif output == "canonical":
        sys.stdout.write(spec.canonical() + "\n")
    else:
        _show_pipeline(spec, console)


def _show_pipeline(spec: Spec, console: Console) -> None:
    console.print(Text(plain_text(spec.title), style="bold"))
    for line in (spec.engine.subtitle, spec.engine.description):
        if line:
            console.print(plain_text(line), markup=False)
    table = Table("step", "module", "parameters", box=box.SIMPLE_HEAD)
    for step in spec.steps:
        chosen = step.module.model_dump(exclude_defaults=True)
        parameters = "\n".join(f"{name} = {value}" for name, value in chosen.items()) or "all at their defaults"
        table.add_row(str(step.number), step.module.id + ("" if step.enabled else " (off)"), Text(plain_text(parameters)))
    console.print(table)
    show_warnings(console, spec.warnings)
    console.print(f"digest {spec.digest}", style="dim", soft_wrap=True)
