"""What `lighttea` commands do with three graphs or more, and with the runs of these."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lighttea.cli.command_line import current_command
from lighttea.cli.console import print_sentence, print_table, say, summary_console
from lighttea.cli.graphs import read_graphs
from lighttea.cli.inputs import AlignInputs
from lighttea.cli.json_output import write_json_result
from lighttea.cli.progress import shown_progress
from lighttea.errors import ConfigError, InputError

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from lighttea.evaluate.clusters import ClusterEvaluation
    from lighttea.progress import Progress
    from lighttea.results.clusters import ClusterRun

_OF_TWO = (
    *("left_columns", "right_columns", "left_format", "right_format", "left_types"),
    *("right_types", "resume", "many_to_one", "top_n"),
)
_OF_MORE = ("previous", "several_per_graph")
_INSTEAD = {
    "left_columns": "--columns",
    "right_columns": "--columns",
    "left_format": "--format",
    "right_format": "--format",
    "left_types": "--types",
    "right_types": "--types",
    "many_to_one": "--several-per-graph",
}


def refuse_misfits(settings: Mapping[str, Any], n_graphs: int) -> None:
    """Raise an error where an option does not go with this number of graphs."""
    names = _OF_TWO if n_graphs > 2 else _OF_MORE
    for name in names:
        if settings.get(name) in (None, False):
            continue
        option = f"--{name.replace('_', '-')}"
        if n_graphs == 2:
            raise ConfigError(f"{option} needs three graphs or more; got 2")
        instead = f"; use {_INSTEAD[name]}" if name in _INSTEAD else ""
        raise ConfigError(f"{option} goes with two graphs alone; got {n_graphs}{instead}")


def align_clusters(
    inputs: AlignInputs, further: Sequence[Path], settings: dict[str, Any], json: str | None
) -> None:
    """Read, align, write, evaluate, report and say what came out."""
    assert inputs.left is not None
    assert inputs.right is not None
    with shown_progress() as progress:
        run = _run([inputs.left, inputs.right, *further], inputs, settings, progress)
        outcome = make_cluster_outcome(run, inputs, progress)
    tell_of_clusters(run, inputs, outcome, json)


@dataclass(frozen=True)
class ClusterOutcome:
    """What was made of a run beside its folder."""

    evaluation: ClusterEvaluation | None = None
    problem: InputError | None = None  # with the truth
    report: Path | None = None


def make_cluster_outcome(
    run: ClusterRun, inputs: AlignInputs, progress: Progress
) -> ClusterOutcome:
    """Return the evaluation and the report of a run that is written."""
    from lighttea.report.clusters import cluster_report_if_possible

    evaluation, problem = _evaluate(run, inputs.truth, progress)
    report = None
    if inputs.report and inputs.out is not None:
        with progress.stage("report"):
            report = cluster_report_if_possible(run, inputs.out, evaluation)
    return ClusterOutcome(evaluation, problem, report)


def tell_of_clusters(
    run: ClusterRun, inputs: AlignInputs, outcome: ClusterOutcome, json: str | None
) -> None:
    """Print what the run found, or write it as JSON; then raise the problem with the truth."""
    out = inputs.out
    assert out is not None
    write_json_result(json, _as_json(run, out, outcome.evaluation, outcome.report))
    if json != "-":
        print_cluster_summary(summary_console(), run, out, outcome.evaluation)
        if outcome.report is not None:
            say(f"report: {outcome.report}")
    if outcome.problem is not None:
        raise InputError(
            f"{outcome.problem}\nThe run is written; evaluate it with: lighttea evaluate {out} "
            "--truth FILE"
        )


def _run(
    paths: Sequence[Path], inputs: AlignInputs, settings: dict[str, Any], progress: Progress
) -> ClusterRun:
    """Read, align and write."""
    from lighttea.io.tables import read_clusters, read_types
    from lighttea.many import align_many
    from lighttea.results.cluster_store import load_clusters, write_clusters
    from lighttea.results.place import run_folder

    assert inputs.out is not None
    previous = None if inputs.previous is None else load_clusters(inputs.previous)
    with run_folder(inputs.out, overwrite=inputs.overwrite) as unfinished:
        graphs = read_graphs(paths, inputs, progress)
        tables: dict[str, Any] = {
            name: None if path is None else with_source(read_clusters(path), path)
            for name in ("seeds", "must_link", "cannot_link")
            for path in [getattr(inputs, name)]
        }
        run = align_many(
            graphs,
            preset=inputs.preset,
            previous=previous,
            several_per_graph=inputs.several_per_graph,
            types=None if inputs.types is None else read_types(inputs.types),
            progress=progress,
            **tables,
            **settings,
        )
        run.info["command"] = current_command()
        with progress.stage("write"):
            write_clusters(run, unfinished)
    return run


def with_source(table: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return a table with a column for its file, which messages name."""
    import polars as pl

    return table.with_columns(source=pl.lit(str(path)))


def _evaluate(
    run: ClusterRun, truth: Path | None, progress: Progress
) -> tuple[ClusterEvaluation | None, InputError | None]:
    """Return the figures where there is a truth, or what is wrong with that."""
    from lighttea.io.tables import read_clusters

    if truth is None:
        return None, None
    try:
        with progress.stage("evaluate"):
            return run.evaluate(read_clusters(truth)), None
    except InputError as error:
        return None, error


def _as_json(
    run: ClusterRun, out: Path, evaluation: ClusterEvaluation | None, report: Path | None
) -> dict[str, Any]:
    """Return the figures of the summary."""
    shown = ("graphs", "pairs", "unaligned", "warnings", "seconds", "peak_rss_mb", "preset")
    return {
        "run": str(out),
        "clusters": run.info["clusters"],
        "entities": len(run.clusters),
        "links": len(run.links),
        "conflicts": len(run.conflicts),
        **{name: run.info[name] for name in shown},
        **{name: run.info[name] for name in ("update",) if name in run.info},
        "evaluation": evaluation and evaluation.to_dict(),
        "report": report and str(report),
    }


# --------------------------------------------------------------------------------- summary


def print_cluster_summary(
    console: Console, run: ClusterRun, folder: Path, evaluation: ClusterEvaluation | None = None
) -> None:
    """Print what a run of several graphs found, and what to do next."""
    from lighttea.results.cluster_figures import (
        count_by_found,
        count_by_size,
        describe_clusters,
        describe_unaligned,
    )

    console.print(f"{describe_clusters(run)}\n", markup=False, style="bold")
    sizes = [(str(size), f"{n:,}") for size, n in count_by_size(run)]
    print_table(console, "Clusters", ("entities", "clusters"), sizes)
    rows = [(words, f"{n:,}", f"{wrong:,.1f}") for words, n, wrong in count_by_found(run)]
    print_table(console, "Links within clusters", ("found", "links", "expected wrong"), rows)
    if evaluation is not None:
        print_cluster_evaluation(console, evaluation)
    if "update" in run.info:
        print_sentence(console, _describe_update(run.info["update"]))
    for sentence in describe_unaligned(run):
        print_sentence(console, f"note: {sentence}")
    place = shlex.quote(str(folder))
    steps = [
        ("Explain a cluster", f"lighttea explain {place} ENTITY"),
        ("Decide on doubtful links", f"lighttea review {place}"),
        ("Export the clusters", f"lighttea export {place} --format sameas --out F"),
    ]
    width = max(len(words) for words, _ in steps)
    console.print("Next", style="bold")
    for words, command in steps:
        console.print(f"  {words:{width}}  {command}", markup=False, soft_wrap=True)
    console.print(f"\nrun folder: {folder}", soft_wrap=True, markup=False)


def _describe_update(update: Mapping[str, Any]) -> str:
    """Return a sentence on what became of the members of the last run."""
    counts = ", ".join(f"{n:,} {kind}" for kind, n in update["members"].items())
    worked = ", ".join("-".join(pair) for pair in update["pairs"])
    return f"Members of the last run: {counts} (changes.tsv); updated: {worked}\n"


def print_cluster_evaluation(console: Console, evaluation: ClusterEvaluation) -> None:
    """Print the figures of clusters beside those of the links of each two graphs."""
    rows = [
        (words, *(f"{value:.4f}" for value in (figures.precision, figures.recall, figures.f1)))
        for words, figures in (
            ("clusters", evaluation.clusters),
            ("links of each two graphs", evaluation.pairwise),
        )
    ]
    title = f"Against the truth: {evaluation.n_truth:,} pairs"
    print_table(console, title, ("", "precision", "recall", "F1"), rows)
