"""Finds the spec that a person names: a file, else a built-in engine."""

from __future__ import annotations

from pathlib import Path

from chatsearch.errors import InputError, did_you_mean
from chatsearch.registry import beside_package
from chatsearch.services import Services
from chatsearch.spec import Spec


def find_spec(reference: str, services: Services) -> Spec:
    """The spec of that file or built-in name. Raises InputError when there is none, SpecError when it is not right."""
    file = spec_file(reference)
    try:
        text = file.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; a spec is a JSON file in it.") from None
    except OSError as error:
        raise InputError(f"The spec {file} cannot be read: {error.strerror}.") from error
    return Spec.loads(text, services.registry, file.stem, services.settings.max_spec_bytes)


def spec_file(reference: str) -> Path:
    """Where the spec is. A file wins over a built-in engine of the same name."""
    named = _path(reference)
    if _exists(named) and not named.is_dir():
        return named
    engines = built_in_engines()
    # `specs/demo.json` is what the README says; it works from any folder
    name = named.stem if named.suffix == ".json" and named.parent.name in ("", "specs") else reference
    if name in engines:
        return engines[name]
    if _exists(named):  # a folder: a built-in engine of its name comes before it
        return named
    if "://" in reference:
        raise InputError(f"“{reference}” is a URL. Save the spec as a file first: this version reads files and built-in engines.")
    shown = reference if len(reference) <= 100 else f"{reference[:97]}…"
    raise InputError(
        f"No spec “{shown}”: no such file, and no built-in engine ({', '.join(engines)}).{did_you_mean(name, engines)}"
    )


def _path(reference: str) -> Path:
    try:
        return Path(reference).expanduser()
    except RuntimeError:  # ~ of a person this machine does not know
        return Path(reference)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long a name, or a folder on the way that may not be entered
        return False


def built_in_engines() -> dict[str, Path]:
    """The shipped specs by name."""
    return {file.stem: file for file in sorted(beside_package("specs", "_specs").glob("*.json"))}
