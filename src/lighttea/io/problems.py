"""Lines that a reader could not use: counted, the first ones kept, all of them fatal if asked."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.errors import SHOWN_PROBLEMS, InputError

_HOPELESS = 1_000  # so many wrong lines before the first right one: another kind of file
_SHOWN_IN_NOTE = 3


class Problems:
    """What was wrong in one file."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.total = 0
        self.first: list[str] = []

    def add(self, problem: str) -> None:
        """Note a wrong line; a strict reader stops once there are more than can be shown."""
        self.total += 1
        if len(self.first) < SHOWN_PROBLEMS:
            self.first.append(problem)
        elif self.strict:
            raise InputError("\n".join([*self.first, "... and more; reading stopped there"]))

    def add_many(self, first: Sequence[str], total: int) -> None:
        """Note many wrong lines, of which these are the first."""
        self.first.extend(first[: SHOWN_PROBLEMS - len(self.first)])
        self.total += total

    def check(self) -> None:
        """Stop where there were wrong lines and the reader is strict."""
        if self.strict and self.total:
            raise self.error()

    def give_up(self, *, found_any: bool) -> None:
        """Stop where nothing in a long file is as expected."""
        if not found_any and self.total >= _HOPELESS:
            raise self.error()

    def error(self) -> InputError:
        """All problems as one error."""
        return InputError.of_many(self.first, total=self.total)

    def notes(self) -> tuple[str, ...]:
        """A remark on the lines left out, with the first of them."""
        if not self.total:
            return ()
        shown = "; ".join(self.first[:_SHOWN_IN_NOTE]) + ("; ..." if self.total > 3 else "")
        return (f"{self.total:,} malformed lines were left out (--strict stops at them): {shown}",)
