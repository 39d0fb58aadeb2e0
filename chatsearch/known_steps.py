"""One run's way along what earlier runs left: which of its steps are known, and which of its new outcomes may be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from chatsearch.module import DataSource, Module
from chatsearch.step_cache import Kept, StepOutcome

if TYPE_CHECKING:
    from chatsearch.services import Services
    from chatsearch.spec import Step

ELSEWHERE = 600.0
"""Seconds that the documents of a source are kept whose state this machine cannot tell."""

LASTING = frozenset(
    "column-without-numbers date-unreadable documents-used language-unknown not-comparable not-sent nothing-to-filter".split()
)
"""The warnings that follow from the documents and the parameters alone. Any other may be gone the next time: a server that did
not answer, a model that failed; a step that gave one is run again."""

_LOCAL_INDEX = "index_datasource"
_ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class _Facts:
    """All that a step's outcome depends on beside the outcome before it, and until when it holds."""

    step: str
    until: float = inf


class KnownSteps:
    """To be asked before every step or group of sources, and told what came of those it did not know.

    It knows no step that follows one it did not know. The settings belong to what an outcome depends on: they say which models
    there are and what a source may do.
    """

    def __init__(self, services: Services, asked: str) -> None:
        self._services = services
        self._cache = services.step_cache
        self._broken = self._cache is None
        self._last: Kept | None = None
        self._facts = _Facts("")
        self._new: list[tuple[_Facts, StepOutcome]] = []
        self._start = "" if self._broken else f"{services.settings.model_dump_json()} {asked!r}"

    def outcome(self, steps: Sequence[Step], numbered: bool) -> StepOutcome | None:
        """What an earlier run left at this place; `numbered` says whether the documents have their numbers already.

        Blocking for some ten microseconds for each local index.
        """
        if self._broken or self._cache is None:
            return None
        facts = self._about(steps, numbered, self._cache.clock())
        if facts is None:
            self._broken = True
            return None
        self._facts = facts
        found = None if self._new else self._cache.find(self._last, facts.step)
        self._last = found or self._last
        return found.outcome if found else None

    def add(self, outcome: StepOutcome) -> None:
        """What came of the steps last asked for."""
        self._broken = self._broken or any(warning.code not in LASTING for warning in outcome.warnings)
        if not self._broken:
            self._new.append((self._facts, outcome))

    def keep(self) -> None:
        """Keep what this run added, for runs to come; not to be called after a run that was stopped."""
        if self._cache is None:
            return
        for facts, outcome in self._new:
            self._last = self._cache.keep(self._last, facts.step, outcome, facts.until)
            if self._last is None:
                break
        self._new = []

    def _about(self, steps: Sequence[Step], numbered: bool, now: float) -> _Facts | None:
        """None when the outcome must not be kept."""
        modules = [step.module for step in steps]
        if not all(module.cacheable for module in modules):
            return None
        states = [_state(module, self._services) for module in modules]
        if None in states:
            return None
        each = [f"{one.id} {one.model_dump_json()} {state}" for one, state in zip(modules, states, strict=True)]
        first = self._start if self._last is None and not self._new else ""
        return _Facts("\n".join([first, f"numbered: {numbered}", *each]), now + ELSEWHERE if _ELSEWHERE in states else inf)


def _state(module: Module, services: Services) -> str | None:
    """The state of what a module searches: an index's generation; `_ELSEWHERE` when this machine cannot tell; empty for others.

    None for an index that is not there, as before the shipped one is built.
    """
    if module.id != _LOCAL_INDEX:
        return _ELSEWHERE if isinstance(module, DataSource) else ""
    from chatsearch.index.generations import CURRENT, is_name

    index = str(getattr(module, "index", ""))
    try:
        return (services.indexes_dir / index / CURRENT).read_text(encoding="utf-8").strip() if is_name(index) else None
    except (OSError, UnicodeDecodeError):
        return None
