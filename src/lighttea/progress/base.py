"""Seconds and peak memory of a run by stage, and a hook for its progress."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from lighttea.display import escape_message
from lighttea.errors import LightteaWarning
from lighttea.kernels.announce import listening
from lighttea.kernels.process import peak_bytes
from lighttea.progress.costs import Costs

STAGES = ("load", "graph", "propagate", "search", "time_similarity", "sinkhorn", "iterate")


def peak_rss_mb() -> float:
    """Return the largest resident memory of this process so far, in MiB; 0 where it is unknown."""
    return peak_bytes() / (1 << 20)


@dataclass
class Progress:
    """Counts the seconds of each stage and its high-water mark of memory; subclasses show it."""

    seconds: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, float] = field(default_factory=dict)
    expected_mb: float = 0.0
    warnings: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside; a stage entered twice adds up."""
        begin = time.perf_counter()
        self.entered(name)
        try:
            yield
        finally:
            seconds = time.perf_counter() - begin
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
            self.peak_mb[name] = peak_rss_mb()
            self.left(name, seconds)

    def entered(self, name: str) -> None:
        """Called when a stage begins; does nothing here."""

    def left(self, name: str, seconds: float) -> None:
        """Called when a stage is over; does nothing here."""

    def expect(self, costs: Costs) -> None:
        """Called with the expected seconds of phases before these begin; does nothing here."""

    def run_begins(self, number: int, runs: int) -> None:
        """Called when one of several alignments begins; does nothing here."""

    def showing(self) -> AbstractContextManager[None]:
        """Return a context in which the work is shown."""
        return nullcontext()

    def round_begins(self, number: int, rounds: int) -> None:
        """Called when a round begins; does nothing here."""

    def planned(self, peak_bytes: int) -> None:
        """Called with the expected peak of memory before the rounds begin."""
        self.expected_mb = peak_bytes / (1 << 20)

    def watching_compiler(self) -> AbstractContextManager[None]:
        """Return a context in which `compiling` is called."""
        return listening(self.compiling)

    def compiling(self, name: str) -> None:
        """Called when a loop is about to be compiled; does nothing here."""

    def tell(self, message: str) -> None:
        """Called with what a user may like to know; does nothing here."""

    def warn(self, message: str) -> None:
        """Tell the user something, once; it is kept for the run's record."""
        if message not in self.warnings:
            self.warnings.append(message)
            self.show_warning(message)

    def show_warning(self, message: str) -> None:
        """Show a warning; here as a Python warning."""
        warnings.warn(escape_message(message), LightteaWarning, stacklevel=4)
