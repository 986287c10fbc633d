"""`lighttea report`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.console import stdout

if TYPE_CHECKING:
    from lighttea.results.run import Run

LARGE = 3_000_000  # facts; larger runs get a report only on request


def report(run: Path, *, truth: Path | None = None, compare_time: bool = False) -> None:
    """Write a run's report.html: what went in and came out, is time helping, links with evidence.

    Parameters
    ----------
    run
        Run folder.
    truth
        True links, for figures and a reliability curve.
    compare_time
        Align once more without time, and say what time changed; kept in the run folder.
    """
    from lighttea.io.tables import read_links
    from lighttea.report.page import write_report
    from lighttea.results.store import load_run

    links = None if truth is None else read_links(truth)
    loaded = load_run(run)
    if compare_time:
        loaded = _compare_time(loaded, run)
    path = write_report(loaded, run, truth=links)
    stdout().print(f"report: {path}", soft_wrap=True, markup=False)


def _compare_time(run: Run, folder: Path) -> Run:
    """Return the run with the links of a second run without time."""
    from lighttea.api import align
    from lighttea.cli.console import shown_progress
    from lighttea.results.store import write_table
    from lighttea.review.again import align_without_time

    with shown_progress() as progress:
        compared = replace(run, links_without_time=align_without_time(align, run, progress))
    write_table(compared, "links_without_time", folder)
    return compared


def report_if_possible(run: Run, folder: Path, truth: Path | None = None) -> None:
    """Write the report of a new run where its libraries are installed."""
    from lighttea.io.tables import read_links
    from lighttea.report.page import can_report, write_report

    if not can_report():
        return
    if len(run.facts_left) + len(run.facts_right) > LARGE:
        stdout().print(f"for a report: lighttea report {folder}", soft_wrap=True, markup=False)
        return
    links = None if truth is None else read_links(truth)
    path = write_report(run, folder, truth=links)
    stdout().print(f"report: {path}", soft_wrap=True, markup=False)
