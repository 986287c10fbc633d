"""What the commands that read a run do with one of several graphs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.cli.clusters import print_cluster_evaluation
from lighttea.cli.console import say, stdout
from lighttea.cli.json_output import write_json_result
from lighttea.cli.progress import shown_progress
from lighttea.cli.streams import STREAM, reading_stdin, writing_stdout
from lighttea.errors import ConfigError, InputError

if TYPE_CHECKING:
    from lighttea.export.options import ExportFormat, ExportOptions


def evaluate_cluster_run(folder: Path, truth: Path, json: str | None) -> None:
    """Compare the clusters of a run with the truth and print the figures."""
    from lighttea.io.tables import read_clusters
    from lighttea.results.cluster_store import load_clusters

    with reading_stdin([("--truth", truth)]) as streams:
        evaluation = load_clusters(folder).evaluate(read_clusters(streams.path(truth)))
    write_json_result(json, evaluation.to_dict())
    if json != "-":
        print_cluster_evaluation(stdout(), evaluation)


def export_cluster_run(
    folder: Path,
    out: Path,
    form: ExportFormat,
    options: ExportOptions,
    json: str | None,
    *,
    overwrite: bool,
) -> None:
    """Write the clusters of a run in the format of another tool."""
    from lighttea.export.clusters import export_clusters
    from lighttea.export.write import refuse_existing_output
    from lighttea.results.cluster_store import load_clusters

    if out == STREAM:
        if json == "-" or form == "fused":
            raise InputError("--out - goes with formats of one file, and without --json -")
        with writing_stdout("clusters") as path:
            n_clusters = export_clusters(load_clusters(folder), path, form=form, options=options)
    else:
        refuse_existing_output(out, form, overwrite=overwrite)
        n_clusters = export_clusters(
            load_clusters(folder), out, form=form, options=options, overwrite=overwrite
        )
    write_json_result(json, {"clusters": n_clusters, "format": form, "out": str(out)})
    if out != STREAM and json != "-":
        say(f"{n_clusters:,} clusters: {out}")


def report_cluster_run(
    folder: Path, truth: Path | None, json: str | None, *, compare_time: bool
) -> None:
    """Write report.html of a run of several graphs."""
    from lighttea.io.tables import read_clusters
    from lighttea.report.clusters import write_cluster_report
    from lighttea.results.cluster_store import load_clusters

    if compare_time:
        raise ConfigError("--compare-time goes with runs of two graphs alone")
    with shown_progress() as progress:
        with progress.stage("load"):
            run = load_clusters(folder)
        evaluation = None if truth is None else run.evaluate(read_clusters(truth))
        with progress.stage("report"):
            path = write_cluster_report(run, folder, evaluation)
    write_json_result(json, {"report": str(path)})
    if json != "-":
        say(f"report: {path}")


def pair_to_review(folder: Path, pair: str | None) -> Path:
    """Return the folder of the two graphs to decide on; say which there are where none is named.

    A graph that was searched for duplicates is all there is to decide on.
    """
    from lighttea.results.cluster_store import load_clusters, pair_folders

    run = load_clusters(folder)
    folders = {path.name: (own, path) for own, path in pair_folders(folder, run.info)}
    if pair in folders:
        return folders[pair][1]
    if pair is None and len(run.graphs) == 1:
        return next(path for _, path in folders.values())
    place = shlex.quote(str(folder))
    lines = []
    for name, (own, _) in folders.items():
        given_up = run.conflicts.filter(graph_left=own["left"], graph_right=own["right"])
        lines.append(
            f"  lighttea review {place} --pair {shlex.quote(name)}   "
            f"({own['links']:,} links, {len(given_up):,} given up)"
        )
    begin = f"there is no pair {pair!r}" if pair else "links of several graphs"
    raise InputError(
        f"{folder}: {begin}; decide on two graphs at a time, then align again with the decisions "
        f"of --export:\n" + "\n".join(lines)
    )


def export_all_decisions(folder: Path, target: Path) -> None:
    """Write must-link.tsv and cannot-link.tsv with the decisions on all pairs of graphs."""
    import polars as pl

    from lighttea.io.outputs import writing
    from lighttea.results.cluster_store import load_clusters, pair_folders
    from lighttea.review.decisions import Decisions, decisions_file
    from lighttea.review.realign import links_tsv
    from lighttea.review.restore import has_decisions

    paths = [decisions_file(path) for _, path in pair_folders(folder, load_clusters(folder).info)]
    decided = [Decisions(path).links() for path in paths if has_decisions(path)]
    if not decided:
        raise InputError(f"{folder}: no decisions yet; make some with: lighttea review {folder}")
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for name, tables in zip(
            ("must-link", "cannot-link"), zip(*decided, strict=True), strict=True
        ):
            path = target / f"{name}.tsv"
            path.write_text(links_tsv(pl.concat(tables)), encoding="utf-8", newline="\n")
            say(str(path))
