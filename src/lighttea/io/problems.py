"""Wrong lines of a file: counted, the first ones described, and an error with `strict`."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.errors import SHOWN_PROBLEMS, InputError

_HOPELESS = 1_000  # wrong lines before the first right one: a file of another kind
_SHOWN_IN_NOTE = 3


class Problems:
    """The wrong lines of one file."""

    def __init__(self, *, strict: bool, advice: str = "") -> None:
        self.strict = strict
        self._advice = advice  # what to do where nothing in a file is right
        self.total = 0
        self.n_not_utf8 = 0
        self.first: list[str] = []

    def add(self, problem: str) -> None:
        """Count a wrong line; with `strict` raise an error once there are more than are shown."""
        self.total += 1
        if len(self.first) < SHOWN_PROBLEMS:
            self.first.append(problem)
        elif self.strict:
            raise InputError("\n".join([*self.first, "... and more; reading stopped there"]))

    def add_many(self, first: Sequence[str], total: int) -> None:
        """Count many wrong lines; `first` describes the first of them."""
        self.first.extend(first[: SHOWN_PROBLEMS - len(self.first)])
        self.total += total

    def check(self) -> None:
        """Raise an error where there are wrong lines and `strict` is set."""
        if self.strict and self.total:
            raise self.error()

    def give_up(self, *, found_any: bool) -> None:
        """Raise an error where a long file has had wrong lines only."""
        if not found_any and self.total >= _HOPELESS:
            raise self.refusal()

    def error(self) -> InputError:
        """Return all problems as one error."""
        return InputError.of_many(self.first, total=self.total)

    def refusal(self) -> InputError:
        """Return the error for a file of which nothing is right: one sentence with the advice."""
        if self.strict or not self._advice:
            return self.error()
        others = f"; {self.total - 1:,} others are wrong in the same way" * (self.total > 1)
        return InputError(f"{self.first[0]}{others}; {self._advice}")

    def notes(self) -> tuple[str, ...]:
        """Return a note on the lines that were left out, with the first of them."""
        if not self.total:
            return ()
        shown = "; ".join(self.first[:_SHOWN_IN_NOTE])
        shown += "; ..." * (self.total > _SHOWN_IN_NOTE)
        return (f"{self.total:,} malformed lines left out (`strict=True` stops at them): {shown}",)
