"""The progress of one of several alignments: shown as one, recorded for each."""

from __future__ import annotations

from contextlib import AbstractContextManager

from lighttea.progress.base import Progress
from lighttea.progress.costs import Costs


class PartOfProgress(Progress):
    """Passes on what happens, and keeps seconds, memory and warnings of its own."""

    def __init__(self, whole: Progress, title: str) -> None:
        super().__init__()
        self._whole, self._title = whole, title

    def entered(self, name: str) -> None:
        """Pass on that a stage begins."""
        self._whole.entered(name)

    def left(self, name: str, seconds: float) -> None:
        """Pass on that a stage is over, and count it there too."""
        whole = self._whole
        whole.seconds[name] = whole.seconds.get(name, 0.0) + seconds
        whole.peak_mb[name] = self.peak_mb[name]
        whole.left(name, seconds)

    def expect(self, costs: Costs) -> None:
        """Pass on what the next phases cost."""
        self._whole.expect(costs)

    def round_begins(self, number: int, rounds: int) -> None:
        """Pass on that a round begins."""
        self._whole.round_begins(number, rounds)

    def planned(self, peak_bytes: int) -> None:
        """Pass on the expected peak of memory."""
        super().planned(peak_bytes)
        self._whole.planned(peak_bytes)

    def watching_compiler(self) -> AbstractContextManager[None]:
        """Return the context of the whole."""
        return self._whole.watching_compiler()

    def tell(self, message: str) -> None:
        """Pass on a message, with what it is about."""
        self._whole.tell(f"{self._title}: {message}")

    def show_warning(self, message: str) -> None:
        """Pass on a warning, with what it is about."""
        self._whole.warn(f"{self._title}: {message}")
