"""`lighttea dedupe`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.clusters import with_source
from lighttea.cli.command_line import current_command
from lighttea.cli.console import print_sentence, print_table, say, summary_console
from lighttea.cli.graphs import read_graphs
from lighttea.cli.inputs import AlignInputs
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import given, limit_table_threads, options_class
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.cli.streams import reading_stdin
from lighttea.config import Config, declared_settings, make_rules, option, resolve_config

if TYPE_CHECKING:
    from rich.console import Console

    from lighttea.progress import Progress
    from lighttea.results.clusters import ClusterRun

    class InputOptions:
        """Every field of DedupeInputs but the graph, None where it was not given."""

    class MethodOptions:
        """The fields of Config that say something of one graph, None where not given."""


_ALIGN = {name: setting.help for name, setting in declared_settings(AlignInputs).items()}
_FILES = ("must-link", "cannot-link", "types")
_METHOD = (
    *("literals", "contradictions", "mixed_granularity", "decoys", "min_confidence", "max_fdr"),
    *("relation_evidence", "joint_evidence", "time_evidence", "random_seed", "threads"),
    "max_memory",
)


@dataclass(frozen=True, kw_only=True)
class DedupeInputs:
    """Inputs and outputs of a search for duplicates; None where one is not given."""

    must_link: Path | None = option(None, "Pairs (left, right) that are one entity.")
    cannot_link: Path | None = option(None, "Pairs (left, right) that are two entities.")
    types: Path | None = option(
        None, "Types of the entities (entity, type). Entities of different types are never one."
    )
    columns: str | None = option(None, _ALIGN["columns"].replace("of both graphs", "of the graph"))
    format: str | None = option(None, _ALIGN["format"].replace("of both files", "of the file"))
    strict: bool = option(False, _ALIGN["strict"])
    sitelinks: bool = option(False, _ALIGN["sitelinks"])
    nary: bool = option(True, _ALIGN["nary"])
    overwrite: bool = option(False, _ALIGN["overwrite"])
    report: bool = option(True, _ALIGN["report"])


if not TYPE_CHECKING:
    InputOptions = options_class(DedupeInputs)
    _LEFT_OUT = tuple(name for name in declared_settings(Config) if name not in _METHOD)
    MethodOptions = options_class(Config, "Method", leave_out=_LEFT_OUT)


@command
def dedupe(
    graph: Path,
    *,
    out: Path,
    json: JsonTarget = None,
    inputs: Annotated[InputOptions | None, Parameter(name="*")] = None,
    options: Annotated[MethodOptions | None, Parameter(name="*")] = None,
) -> None:
    """Find the entities of one graph that are there twice or more, and write a run folder.

    Parameters
    ----------
    graph
        Facts of the graph, in any format that align reads. - reads stdin.
    out
        Run folder to write: clusters.tsv has cluster, graph, entity and confidence.
    json
        Write the figures of the summary to this file, or to stdout with -.
    """
    refuse_unwritable(json)
    settings = given(options)
    limit_table_threads(resolve_config(None, None, make_rules(), settings).threads)
    own = DedupeInputs(**given(inputs))
    files = [("GRAPH", graph), *((f"--{name}", getattr(own, _name(name))) for name in _FILES)]
    with reading_stdin(files) as streams, shown_progress() as progress:
        paths: dict[str, Any] = {
            _name(name): streams.path(path)
            for name in _FILES
            if (path := getattr(own, _name(name)))
        }
        own = replace(own, **paths)
        run = _run(streams.path(graph), out, own, settings, progress)
        report = _report(run, out, progress) if own.report else None
    write_json_result(json, _as_json(run, out, report))
    if json != "-":
        print_duplicates(summary_console(), run, out)
        if report is not None:
            say(f"report: {report}")


def _name(word: str) -> str:
    """Return the name of the input that an option gives."""
    return word.replace("-", "_")


def _run(
    path: Path, out: Path, inputs: DedupeInputs, settings: dict[str, Any], progress: Progress
) -> ClusterRun:
    """Read, search and write."""
    from lighttea.io.tables import read_links, read_types
    from lighttea.results.cluster_store import write_clusters
    from lighttea.results.place import run_folder
    from lighttea.single import dedupe

    with run_folder(out, overwrite=inputs.overwrite) as unfinished:
        names = ("columns", "format", "strict", "nary", "sitelinks", "report")
        reading = AlignInputs(**{name: getattr(inputs, name) for name in names})
        (graph,) = read_graphs([path], reading, progress)
        tables: dict[str, Any] = {
            name: None if file is None else with_source(read_links(file), file)
            for name in ("must_link", "cannot_link")
            for file in [getattr(inputs, name)]
        }
        types = None if inputs.types is None else read_types(inputs.types)
        run = dedupe(graph, types=types, progress=progress, **tables, **settings)
        run.info["command"] = current_command()
        with progress.stage("write"):
            write_clusters(run, unfinished)
    return run


def _report(run: ClusterRun, out: Path, progress: Progress) -> Path | None:
    """Return the page of the run, where the libraries for it are installed."""
    from lighttea.report.clusters import cluster_report_if_possible

    with progress.stage("report"):
        return cluster_report_if_possible(run, out, None)


def _as_json(run: ClusterRun, out: Path, report: Path | None) -> dict[str, Any]:
    """Return the figures of the summary."""
    from lighttea.results.cluster_figures import count_expected_wrong

    shown = ("graphs", "dedupe", "warnings", "seconds", "peak_rss_mb", "preset")
    return {
        "run": str(out),
        "clusters": run.info["clusters"],
        "entities": len(run.clusters),
        "expected_wrong": round(count_expected_wrong(run), 2),
        **{name: run.info[name] for name in shown},
        "report": report and str(report),
    }


def print_duplicates(console: Console, run: ClusterRun, folder: Path) -> None:
    """Print what a search for duplicates found, and what to do next."""
    from lighttea.results.cluster_figures import (
        count_by_size,
        count_expected_wrong,
        describe_duplicates,
    )

    wrong = count_expected_wrong(run)
    number = "less than one pair" if wrong < 0.5 else f"about {wrong:,.0f} pairs"
    expected = f", {number} of them wrong" * bool(len(run.links))
    console.print(f"{describe_duplicates(run)}{expected}\n", markup=False, style="bold")
    if warning := run.info["dedupe"]["warning"]:
        print_sentence(console, f"note: {warning}")
    place = shlex.quote(str(folder))
    if len(run.clusters):
        sizes = [(str(size), f"{n:,}") for size, n in count_by_size(run)]
        print_table(console, "Duplicates", ("times", "entities"), sizes)
        console.print("Next", style="bold")
        for words, following in (
            ("Explain one            ", f"lighttea explain {place} ENTITY"),
            ("Decide on doubtful ones", f"lighttea review {place}"),
            ("Merge the facts        ", f"lighttea export {place} --format fused --out F"),
        ):
            console.print(f"  {words}  {following}", markup=False, soft_wrap=True)
    console.print(f"\nrun folder: {folder}", soft_wrap=True, markup=False)
