"""Finds modules: every file under `modules/`, and the entry-point group `chatsearch.modules`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import logging
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType

from chatsearch.errors import InputError, did_you_mean
from chatsearch.module import Category, Module

log = logging.getLogger(__name__)

ENTRY_POINTS = "chatsearch.modules"
_PACKAGE = "chatsearch._modules"


def beside_package(name: str, installed: str) -> Path:
    """`name` in a checkout, `chatsearch/installed` in a wheel."""
    package = Path(__file__).resolve().parent
    inside = package / installed
    return inside if inside.exists() else package.parent / name


class Registry:
    """All modules by id. A file that cannot be imported is kept under `broken` with its reason, and the others work."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or beside_package("modules", "_modules")
        self.broken: dict[str, str] = {}

    @cached_property
    def modules(self) -> Mapping[str, type[Module]]:
        """The module classes by id, in the order of their categories and ids."""
        found: dict[str, type[Module]] = {}
        for module in (*self._from_files(), *self._from_entry_points()):
            self._add(found, module)
        order = list(Category)
        return dict(sorted(found.items(), key=lambda item: (order.index(item[1].category), item[0])))

    def get(self, identifier: str) -> type[Module]:
        """The module of that id. Raises InputError with the nearest id."""
        module = self.modules.get(identifier)
        if module is None:
            raise InputError(self.unknown(identifier))
        return module

    def unknown(self, identifier: str) -> str:
        """What to say of an id that no module has."""
        if identifier in self.broken:
            return f"The module “{identifier}” cannot be loaded: {self.broken[identifier]}"
        nearest = did_you_mean(identifier, self.modules)
        return f"No module is called “{identifier}”.{nearest or ' `chatsearch modules` lists them.'}"

    def _add(self, found: dict[str, type[Module]], module: type[Module]) -> None:
        other = found.setdefault(module.id, module)
        if other is not module:
            log.warning("two modules are called %s: %s is used, %s is not", module.id, other.__module__, module.__module__)

    def _from_files(self) -> Iterator[type[Module]]:
        for file in sorted(self._directory.glob("*/[!_]*.py")):
            try:
                yield from map(_checked, module_classes(_load(file)))
            except (Exception, SystemExit) as error:  # a broken file must not take the others with it
                log.exception("the module file %s cannot be imported", file)
                self.broken[file.stem] = f"{type(error).__name__}: {error}"

    def _from_entry_points(self) -> Iterator[type[Module]]:
        for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
            try:
                loaded = entry.load()
                yield from map(_checked, [loaded] if inspect.isclass(loaded) else module_classes(loaded))
            except (Exception, SystemExit) as error:  # an installed plug-in must not take the others with it
                log.exception("the plug-in %s cannot be imported", entry.name)
                self.broken[entry.name] = f"{type(error).__name__}: {error}"


def module_classes(source: ModuleType) -> list[type[Module]]:
    """The concrete modules that a Python module defines itself."""
    return [
        one
        for one in vars(source).values()
        if inspect.isclass(one) and issubclass(one, Module) and not inspect.isabstract(one) and one.__module__ == source.__name__
    ]


def _checked(module: type[object]) -> type[Module]:
    """The class itself. Raises TypeError when it does not say what every module says of itself."""
    if not issubclass(module, Module):
        raise TypeError(f"{module.__name__} is not a chatsearch.module.Module")
    for attribute, kind in (("id", str), ("name", str), ("category", Category)):
        value = getattr(module, attribute, None)
        if not value or not isinstance(value, kind):
            raise TypeError(f"{module.__name__}.{attribute} is not set to a {kind.__name__}")
    return module


def _load(file: Path) -> ModuleType:
    name = f"{_PACKAGE}.{file.parent.name}.{file.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(file):
        return loaded
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
