"""Progress on stderr: a bar on a terminal, lines with `--verbose`, nothing with `--quiet`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from lighttea.cli.console import stderr
from lighttea.cli.output import LOGGER, current_output
from lighttea.cli.wording import as_options
from lighttea.display import visible
from lighttea.io.packed import COMPRESSED_SUFFIXES
from lighttea.progress import Costs, Progress
from lighttea.progress.costs import reading_costs
from lighttea.progress.forecast import Forecast
from lighttea.progress.words import describe_remaining, describe_seconds, describe_stage

_BAR_WIDTH, _STEP_WIDTH = 24, 76
_REFRESHES = 4  # a second
_AFTER_ROUNDS = ("seed_check", "alarms", "write", "report")


class ConsoleProgress(Progress):
    """Shows stage, share, elapsed and remaining time as a bar; elsewhere only warnings."""

    def __init__(self, console: Console, *, is_live: bool = False) -> None:
        super().__init__()
        self._console = console
        self._is_live = is_live
        self._forecast = Forecast()
        self._spinner = Spinner("dots")
        self._run, self._round, self._stage, self._step = "", "", "starting", ""
        self._has_compiled = False

    # -------------------------------------------------------------- what happens

    def entered(self, name: str) -> None:
        """Show the stage that begins."""
        self._forecast.enter(name)
        self._stage, self._step = describe_stage(name), ""
        if name in _AFTER_ROUNDS:
            self._round = ""

    def left(self, name: str, seconds: float) -> None:
        """Write the seconds of a stage that is over to the log, and to stderr where asked for."""
        self._forecast.leave(name, seconds)
        text = f"{self._prefix}{describe_stage(name)}"
        LOGGER.info("%s: %.2f s", text, seconds)
        if current_output().verbose:
            self._print(f"{seconds:8.2f} s  {text}")

    def round_begins(self, number: int, rounds: int) -> None:
        """Show the round before the stage."""
        self._round = f"round {number} of {rounds}: "
        self._forecast.begin_round(number)

    def run_begins(self, number: int, runs: int) -> None:
        """Show which of several alignments it is."""
        self._run, self._round = f"run {number} of {runs}, " if runs > 1 else "", ""
        self._forecast.begin_run(number, runs)

    def expect(self, costs: Costs) -> None:
        """Take the costs into the estimate."""
        self._forecast.expect(costs.phases, costs.next_round)

    def planned(self, peak_bytes: int) -> None:
        """Show the expected peak of memory, where asked for."""
        super().planned(peak_bytes)
        text = f"expected peak memory: {self.expected_mb:,.0f} MiB"
        LOGGER.info("%s", text)
        if current_output().verbose:
            self._print(text)

    def show_step(self, message: str) -> None:
        """Show what a stage is at, on a terminal."""
        self._step = visible(message)

    def compiling(self, name: str) -> None:
        """Say on a terminal, once, that loops are compiled, and which one it is now."""
        if not self._is_live:
            return
        if not self._has_compiled:
            self._has_compiled = True
            self.tell("Compiling loops for this machine, once: 5 to 20 seconds")
        self._step = f"compiling {name}"

    def tell(self, message: str) -> None:
        """Write a line to stderr and to the log."""
        text = as_options(message)
        LOGGER.info("%s", text)
        self._print(text)

    def show_warning(self, message: str) -> None:
        """Show a warning on stderr and in the log."""
        text = as_options(message)
        LOGGER.warning("%s", text)
        self._print(f"warning: {text}")

    def _print(self, text: str) -> None:
        if not current_output().quiet:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    # --------------------------------------------------------------------- a bar

    @property
    def _prefix(self) -> str:
        return self._run + self._round

    def bar(self) -> RenderableType:
        """Return the bar as it is now, and what the stage is at below it."""
        estimate = self._forecast.estimate()
        row = Table.grid(padding=(0, 1))
        row.add_row(
            self._spinner,
            ProgressBar(total=1.0, completed=estimate.share, width=_BAR_WIDTH),
            f"{estimate.share:4.0%},",
            f"{describe_seconds(estimate.elapsed)},",
            describe_remaining(estimate.remaining),
        )
        texts = [f"  {self._prefix}{self._stage}", *[f"  {self._step}"] * bool(self._step)]
        lines = [
            Text(text[:_STEP_WIDTH], no_wrap=True, overflow="ellipsis", style="dim")
            for text in texts
        ]
        return Group(row, *lines)


class LineProgress(ConsoleProgress):
    """Writes each stage as a line, for another program."""

    def entered(self, name: str) -> None:
        """Write a line for the stage that begins."""
        super().entered(name)
        self.show_line(f"{self._prefix}{describe_stage(name)}")

    def show_step(self, message: str) -> None:
        """Write a line for what a stage is at."""
        self.show_line(message)

    def show_line(self, text: str) -> None:
        """Write a line at once, without buffering."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


@contextmanager
def shown_progress() -> Iterator[ConsoleProgress]:
    """Yield a progress with a live bar where stderr is a terminal."""
    console, in_lines = stderr(), os.environ.get("LIGHTTEA_PROGRESS") == "lines"
    is_live = console.is_terminal and not current_output().quiet
    progress = LineProgress(console) if in_lines else ConsoleProgress(console, is_live=is_live)
    with ExitStack() as stack:
        if is_live and not in_lines:
            stack.enter_context(
                Live(
                    get_renderable=progress.bar,
                    console=console,
                    refresh_per_second=_REFRESHES,
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
            )
        if is_live or in_lines:
            stack.enter_context(_shown_log(progress))
        stack.enter_context(progress.watching_compiler())
        yield progress


def costs_of_files(paths: Sequence[Path], *, aligns: bool = False) -> Costs:
    """Return what it takes to read these files, and about what to align them, by their sizes."""
    sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
    is_packed = any(path.suffix.lower() in COMPRESSED_SUFFIXES for path in paths)
    return reading_costs(sum(sizes), is_packed=is_packed, aligns=aligns)


class _LogOfProgress(logging.Handler):
    """Passes what readers log on to the progress."""

    def __init__(self, progress: ConsoleProgress) -> None:
        super().__init__()
        self._progress = progress

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != LOGGER.name:
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
