"""`lighttea report`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.cluster_runs import report_cluster_run
from lighttea.cli.console import say
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.progress import peak_rss_mb

if TYPE_CHECKING:
    from lighttea.progress import Progress
    from lighttea.results.run import Run

_REPORT_MB = 256  # of the libraries that draw a report
LARGE = 3_000_000  # facts; larger runs get a report only on request


@command
def report(
    run: Path,
    *,
    truth: Path | None = None,
    compare_time: bool = False,
    json: JsonTarget = None,
) -> None:
    """Write report.html of a run: inputs and results, whether time helps, links with evidence.

    Parameters
    ----------
    run
        Run folder.
    truth
        True links, for figures and a reliability curve.
    compare_time
        Align once more without time and show what time changed; kept in the run folder.
    json
        Write the path of the report to this file, or to stdout with -.
    """
    from lighttea.io.tables import read_links
    from lighttea.report.page import write_report
    from lighttea.results.cluster_store import is_cluster_run
    from lighttea.results.store import load_run

    refuse_unwritable(json)
    if is_cluster_run(run):
        report_cluster_run(run, truth, json, compare_time=compare_time)
        return
    links = None if truth is None else read_links(truth)
    with shown_progress() as progress:
        with progress.stage("load"):
            loaded = load_run(run)
        if compare_time:
            loaded = _compare_time(loaded, run, progress)
        with progress.stage("report"):
            path = write_report(loaded, run, truth=links)
    write_json_result(json, {"report": str(path)})
    if json != "-":
        say(f"report: {path}")


def _compare_time(run: Run, folder: Path, progress: Progress) -> Run:
    """Return the run with the links of a second run without time."""
    from lighttea.api import align
    from lighttea.results.store import write_table
    from lighttea.review.again import align_without_time

    compared = replace(run, links_without_time=align_without_time(align, run, progress))
    write_table(compared, "links_without_time", folder)
    return compared


def report_if_possible(
    run: Run, folder: Path, truth: Path | None, progress: Progress
) -> Path | None:
    """Write the report of a new run where its libraries are installed; return its path."""
    from lighttea.io.tables import read_links
    from lighttea.report.page import can_report, write_report

    if not can_report():
        return None
    if len(run.facts_left) + len(run.facts_right) > LARGE or not _has_room(run):
        progress.tell(f"No report of a run this large unless asked for: lighttea report {folder}")
        return None
    with progress.stage("report"):
        return write_report(run, folder, truth=None if truth is None else read_links(truth))


def _has_room(run: Run) -> bool:
    """Return whether a report can be written within `max_memory`."""
    limit_mb = 1024 * float(run.info["config"].get("max_memory") or 0)
    return not limit_mb or peak_rss_mb() + _REPORT_MB <= limit_mb
