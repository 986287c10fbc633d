"""A bar below the cell of a notebook: plain HTML, without widgets."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from html import escape
from typing import Any

from lighttea.progress.base import Progress
from lighttea.progress.costs import Costs
from lighttea.progress.forecast import Forecast
from lighttea.progress.words import describe_remaining, describe_seconds, describe_stage

_PAUSE = 0.2  # seconds between two updates


def default_progress() -> Progress:
    """Return a progress that is shown in a notebook, and silent everywhere else."""
    return NotebookProgress() if _in_notebook() else Progress()


def _in_notebook() -> bool:
    """Return whether this code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


class NotebookProgress(Progress):
    """Shows stage, share, elapsed and remaining time below the cell."""

    def __init__(self) -> None:
        super().__init__()
        self._forecast = Forecast()
        self._prefix, self._stage = "", "starting"
        self._handle: Any = None
        self._shown = 0.0

    def entered(self, name: str) -> None:
        """Show the stage that begins."""
        self._forecast.enter(name)
        self._stage = describe_stage(name)
        self._show()

    def left(self, name: str, seconds: float) -> None:
        """Move the bar."""
        self._forecast.leave(name, seconds)
        self._show()

    def round_begins(self, number: int, rounds: int) -> None:
        """Show the round before the stage."""
        self._prefix = f"round {number} of {rounds}: "
        self._forecast.begin_round(number)

    def expect(self, costs: Costs) -> None:
        """Take the costs into the estimate."""
        self._forecast.expect(costs.phases, costs.next_round)

    def compiling(self, name: str) -> None:
        """Show what is compiled: it takes seconds, once on each machine."""
        self._stage = f"compiling {name}"
        self._show(at_once=True)

    def showing(self) -> AbstractContextManager[None]:
        """Return a context after which the bar says how long the work took."""
        return self._showing()

    @contextmanager
    def _showing(self) -> Iterator[None]:
        with self.watching_compiler():
            try:
                yield
            except BaseException:
                self._update("stopped")
                raise
        seconds = self._forecast.estimate().elapsed
        self._update(f"aligned in {describe_seconds(seconds)}")

    def _show(self, *, at_once: bool = False) -> None:
        now = time.perf_counter()
        if not at_once and now - self._shown < _PAUSE:
            return
        self._shown = now
        estimate = self._forecast.estimate()
        text = (
            f"{self._prefix}{self._stage}, {estimate.share:.0%}, "
            f"{describe_seconds(estimate.elapsed)}, {describe_remaining(estimate.remaining)}"
        )
        self._update(text, estimate.share)

    def _update(self, text: str, share: float | None = None) -> None:
        """Replace what stands below the cell: HTML in a browser, a line elsewhere."""
        from IPython.display import display

        bar = "" if share is None else f'<progress value="{share:.3f}" max="1"></progress> '
        shown = {"text/html": f"{bar}{escape(text)}", "text/plain": text}
        if self._handle is None:
            show: Any = display  # it has no types
            self._handle = show(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)
