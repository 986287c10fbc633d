"""Output for people: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from lighttea.display import Named, isolate, visible
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

    def show_step(self, message: str) -> None:
        """Show what a stage is at, on a terminal."""
        if self._status is not None:
            self._status.update(Text(visible(message)))

    def compiling(self, name: str) -> None:
        """Say on a terminal, once, that loops are compiled, and which one it is now."""
        if self._status is None:
            return
        if not self._has_compiled:
            self._has_compiled = True
            self.tell("compiling loops for this machine: once, 10 to 20 seconds")
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

    def show_step(self, message: str) -> None:
        """Write a line for what a stage is at."""
        self.show_line(message)

    def show_line(self, text: str) -> None:
        """Write a line at once, without buffering."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


@contextmanager
def shown_progress() -> Iterator[ConsoleProgress]:
    """Yield a progress with a live line where stderr is a terminal."""
    console = stderr()
    with ExitStack() as stack:
        is_live = console.is_terminal
        if os.environ.get("LIGHTTEA_PROGRESS") == "lines":
            progress: ConsoleProgress = LineProgress(None, console)
            is_live = True
        else:
            status = console.status("starting ...") if is_live else None
            progress = ConsoleProgress(status and stack.enter_context(status), console)
        if is_live:
            stack.enter_context(_shown_log(progress))
        stack.enter_context(progress.watching_compiler())
        yield progress


class _LogOfProgress(logging.Handler):
    """Passes what readers log on to the progress."""

    def __init__(self, progress: ConsoleProgress) -> None:
        super().__init__()
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        self._progress.show_step(record.getMessage())


@contextmanager
def _shown_log(progress: ConsoleProgress) -> Iterator[None]:
    """Show what slow readers log, such as the pages that an endpoint has sent."""
    logger, handler = logging.getLogger("lighttea"), _LogOfProgress(progress)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def stdout() -> Console:
    """Return the console for results; wide where stdout is no terminal, so that nothing is cut."""
    console = Console(highlight=False, emoji=False)
    return console if console.is_terminal else Console(highlight=False, emoji=False, width=110)


def stderr() -> Console:
    """Return the console for progress and warnings."""
    return Console(stderr=True, emoji=False)  # an id such as ex:key:1 is none


def shown(named: Named, *, with_id: bool = False) -> str:
    """Return what a person reads of an id in a terminal, the whole id behind it on request."""
    text = isolate(named.text)
    return f"{text} ({isolate(named.shown_id)})" if with_id and named.shown_id else text


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]
) -> None:
    """Print a titled table and a blank line; columns of numbers are right-aligned.

    Nothing in a cell that is a string is markup, an emoji or an escape sequence.
    """
    table = Table(box=None, pad_edge=False)
    cells = [tuple(map(_as_text, row)) for row in rows]
    for number, column in enumerate(columns):
        is_number = bool(cells) and all(_NUMBER.fullmatch(row[number].plain) for row in cells)
        table.add_column(
            _as_text(column), justify="right" if is_number else "left", overflow="fold"
        )
    for row in cells:
        table.add_row(*row)
    console.print(_as_text(title), style="bold", soft_wrap=True)
    console.print(table)
    console.print()


def print_named_table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    named: Sequence[Named],
) -> None:
    """Print a table whose rows begin with names, and whose last column has ids that differ."""
    ids = [
        "" if str(row[0]) == visible(each.id) else visible(each.id)
        for row, each in zip(rows, named, strict=True)
    ]
    if any(ids):
        columns = (*columns, "id")
        rows = [(*row, own_id) for row, own_id in zip(rows, ids, strict=True)]
    print_table(console, title, columns, rows)


def _as_text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(isolate(visible(cell)))
