"""A hook for the progress of a bench."""

from __future__ import annotations


class PaperProgress:
    """Receives the progress of a bench and ignores it; subclasses show it."""

    def begin_experiment(self, name: str, *, done: int, total: int) -> None:
        """Called when an experiment begins, with the number of those done and of all."""

    def report_time_left(self, seconds: float) -> None:
        """Called after an experiment with the estimated time of the rest."""
