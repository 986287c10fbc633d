"""`lighttea bench paper`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from lighttea.bench.paper.progress import PaperProgress
from lighttea.cli.console import print_table, stderr, summary_console
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import LOGGER, command, current_output
from lighttea.config import Config
from lighttea.errors import LightteaError

if TYPE_CHECKING:
    from lighttea.bench.paper.run import Report


@command
def paper(
    *,
    out: Path,
    data: Path | None = None,
    quick: bool = False,
    only: str | None = None,
    datasets: str | None = None,
    runs: int | None = None,
    random_seed: int = Config.random_seed,
    threads: int | None = None,
    json: JsonTarget = None,
) -> None:
    """Run the experiments of the paper, and a harder protocol, on all dataset folders.

    Parameters
    ----------
    out
        Folder for results.json, report.md, report.html and plots. It keeps finished experiments:
        after an interruption the same command continues.
    data
        Folder of dataset folders [default: LIGHTTEA_DATA].
    quick
        Run small experiments, in minutes; without --data on generated graphs.
    only
        Sections to run, such as main,ablation; choose from main, best, ablation, times, dimension,
        alpha, beta, protocol.
    datasets
        Dataset folders to run, such as A,B [default: all].
    runs
        Runs per mean [default: 5; 2 with --quick]. A point of a curve is one run.
    random_seed
        Number that starts the random generator of the first run.
    threads
        Threads of an experiment; 0 takes all cores [default: all; 1 with --quick].
    json
        Write the paths and the figures that differ to this file, or to stdout with -.
    """
    from lighttea.bench.paper.run import bench_paper

    refuse_unwritable(json)

    with _shown_progress(out) as progress:
        report = bench_paper(
            out,
            data=data or (None if quick else os.environ.get("LIGHTTEA_DATA")),
            quick=quick,
            only=_names(only),
            datasets=_names(datasets),
            runs=runs,
            random_seed=random_seed,
            threads=threads,
            progress=progress,
        )
    write_json_result(json, _as_json(report))
    if json != "-":
        _print_report(report)
    if report.findings.failures:
        n = len(report.findings.failures)
        raise LightteaError(
            f"{n} experiments failed (see report.md); run the command again to retry them"
        )


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


class _ShownProgress(PaperProgress):
    """A bar with the time left."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("reading the datasets", total=None, left="")

    def begin_experiment(self, name: str, *, done: int, total: int) -> None:
        LOGGER.info("experiment %d of %d: %s", done + 1, total, name)
        self._bar.update(self._task, description=name, completed=done, total=total)

    def report_time_left(self, seconds: float) -> None:
        self._bar.update(self._task, advance=1, left=_duration(seconds))


@contextmanager
def _shown_progress(out: Path) -> Iterator[PaperProgress]:
    """Yield a progress bar on stderr where it is a terminal; Ctrl-C tells what was kept."""
    console = stderr()
    is_hidden = current_output().quiet or not console.is_terminal
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    try:
        with Bar(*columns, console=console, transient=True, disable=is_hidden) as bar:
            yield _ShownProgress(bar)
    except KeyboardInterrupt:
        kept = len(list((out / "experiments").glob("*.json")))
        console.print(
            f"{kept} finished experiments are kept in {out}; run the same command to continue",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        raise


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} s left"
    minutes = round(seconds / 60)
    hours = f"{minutes // 60} h " if minutes >= 60 else ""
    return f"about {hours}{minutes % 60} min left"


def _as_json(report: Report) -> dict[str, Any]:
    """Return what was measured again, how far it is from the paper, and what was written."""
    compared = [figure for figure in report.figures if figure.paper is not None]
    return {
        "figures": [
            {
                "dataset": figure.subject.title,
                "seeds": figure.n_seeds,
                "method": f"{figure.method} {figure.label}".strip(),
                "figure": figure.metric,
                "ours": figure.mean,
                "paper": figure.paper,
            }
            for figure in compared
        ],
        "failed": len(report.findings.failures),
        "written": [str(path) for path in report.written],
    }


def _print_report(report: Report) -> None:
    console = summary_console()
    compared = [figure for figure in report.figures if figure.paper is not None]
    far = [figure for figure in compared if figure.is_far]
    if far:
        rows = [
            (
                f"{figure.subject.title}, {figure.n_seeds:,}",
                f"{figure.method} {figure.label}".strip(),
                figure.metric,
                f"{figure.mean:.3f}",
                f"{figure.paper:.3f}",
                f"{figure.difference:+.3f}",
            )
            for figure in far
        ]
        columns = ("dataset, seeds", "method", "figure", "ours", "paper", "difference")
        print_table(console, "More than .005 from the paper", columns, rows)
    lines = [
        f"{len(compared)} figures of the paper measured again; {len(far)} differ by more than .005"
    ]
    lines += [
        (f"missing dataset: {subject.name}")
        for subject in report.findings.missing
        if not subject.stand_in
    ]
    lines += [report.unavailable] if report.unavailable else []
    lines += [f"wrote {path}" for path in report.written]
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)
