"""Output for people: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from lighttea.progress import Progress

_NUMBER = re.compile(r"[\d.,%-]*")

_STAGE_TEXTS = {
    "load": "reading",
    "graph": "building ticks and views",
    "propagate": "propagating labels",
    "search": "searching candidates",
    "time_similarity": "comparing times",
    "sinkhorn": "assigning (Sinkhorn)",
    "iterate": "promoting sure pairs",
    "evaluate": "evaluating",
    "write": "writing the run folder",
}


class ConsoleProgress(Progress):
    """Shows the current stage on a terminal; elsewhere only warnings are written."""

    def __init__(self, status: Status | None, console: Console) -> None:
        super().__init__()
        self._status = status
        self._console = console
        self._prefix = ""
        self._has_compiled = False

    def entered(self, name: str) -> None:
        """Show the stage that begins."""
        if self._status is not None:
            self._status.update(f"{self._prefix}{_STAGE_TEXTS.get(name, name)} ...")

    def round_begins(self, number: int, rounds: int) -> None:
        """Show the round before the stage."""
        self._prefix = f"round {number} of {rounds}: "

    def planned(self, peak_bytes: int) -> None:
        """Show the expected peak of memory, on a terminal."""
        super().planned(peak_bytes)
        if self._status is not None:
            self._console.print(f"expected peak memory: {self.expected_mb:,.0f} MiB")

    def compiling(self, name: str) -> None:
        """Say once that loops are compiled, and on a terminal which one."""
        if not self._has_compiled:
            self._has_compiled = True
            self.tell("compiling loops for this machine: once, about ten seconds")
        if self._status is not None:
            self._status.update(f"{self._prefix}compiling {name} ...")

    def tell(self, message: str) -> None:
        """Write a line to stderr."""
        self._console.print(message, highlight=False, markup=False, soft_wrap=True)

    def show_warning(self, message: str) -> None:
        """Show a warning on stderr."""
        self._console.print(f"warning: {message}", highlight=False, markup=False, soft_wrap=True)


class LineProgress(ConsoleProgress):
    """Writes each stage as a line, for another program."""

    def entered(self, name: str) -> None:
        """Write a line for the stage that begins."""
        self.show_line(f"{self._prefix}{_STAGE_TEXTS.get(name, name)}")

    def show_line(self, text: str) -> None:
        """Write a line at once, without buffering."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


@contextmanager
def shown_progress() -> Iterator[ConsoleProgress]:
    """Yield a progress with a live line where stderr is a terminal."""
    console = Console(stderr=True)
    with ExitStack() as stack:
        if os.environ.get("LIGHTTEA_PROGRESS") == "lines":
            progress: ConsoleProgress = LineProgress(None, console)
        else:
            status = console.status("starting ...") if console.is_terminal else None
            progress = ConsoleProgress(status and stack.enter_context(status), console)
        stack.enter_context(progress.watching_compiler())
        yield progress


def stdout() -> Console:
    """Return the console for results; wide where stdout is no terminal, so that nothing is cut."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=110)


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Print a titled table and a blank line; columns of numbers are right-aligned."""
    table = Table(box=None, pad_edge=False)
    cells = [tuple(row) for row in rows]
    for number, column in enumerate(columns):
        is_number = bool(cells) and all(_NUMBER.fullmatch(row[number]) for row in cells)
        table.add_column(column, justify="right" if is_number else "left", overflow="fold")
    for row in cells:
        table.add_row(*(escape(cell) for cell in row))
    console.print(escape(title), style="bold", soft_wrap=True)
    console.print(table)
    console.print()
