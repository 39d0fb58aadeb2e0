"""What a step has at hand while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chatsearch.citations import Footnote
from chatsearch.events import Event, StepProgress, SummaryToken, Warned
from chatsearch.llm.model import Meter
from chatsearch.results import RunWarning

if TYPE_CHECKING:
    from chatsearch.services import Services


@dataclass
class StepRun:
    """What a step has at hand while it runs: the services, and ways to report progress, warnings, tokens and costs."""

    services: Services
    step: int
    module: str
    emit: Callable[[Event], None]
    streams: bool = True
    warnings: list[RunWarning] = field(default_factory=list)
    meter: Meter = field(default_factory=Meter)

    def progress(self, done: int, total: int, note: str = "") -> None:
        self.emit(StepProgress(step=self.step, module=self.module, done=done, total=total, note=note))

    def warn(self, code: str, message: str) -> None:
        """Report something the person should know; the run goes on."""
        warning = RunWarning(self.step, self.module, code, message)
        self.warnings.append(warning)
        self.emit(Warned(warning=warning))

    def summary_token(self, title: str, token: str, footnotes: Sequence[Footnote] = ()) -> None:
        """Stream a part of a summary; held back while documents may still be renumbered."""
        if self.streams:
            self.emit(SummaryToken(title=title, token=token, footnotes=footnotes))
