"""Who is told how far a bench has come."""

from __future__ import annotations


class PaperProgress:
    """Told what is going on; does nothing here."""

    def begins(self, what: str, *, done: int, total: int) -> None:
        """An experiment begins; so many of all are done."""

    def estimates(self, seconds_left: float) -> None:
        """How long the rest will take, going by what was measured so far."""
