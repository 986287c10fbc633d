"""`lighttea demo`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lighttea.cli.command_line import current_command
from lighttea.cli.console import print_table, say, summary_console
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.cli.report import report_if_possible
from lighttea.display import visible

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from lighttea.results.run import Run


@command
def demo(*, out: Path = Path("runs/demo"), json: JsonTarget = None) -> None:
    """Align the bundled example with and without time, and show what time decides.

    Names are not used, so that time decides; one line shows what they would add.

    Parameters
    ----------
    out
        Run folder to write; an earlier demo there is replaced.
    json
        Write the figures with and without time to this file, or to stdout with -.
    """
    from lighttea.api import align
    from lighttea.cli.summary import print_summary
    from lighttea.example import example_file
    from lighttea.io.tables import read_graph, read_links
    from lighttea.progress import Progress
    from lighttea.results.place import run_folder
    from lighttea.results.store import write_run

    refuse_unwritable(json)
    with shown_progress() as progress:
        with run_folder(out, overwrite=_is_demo(out)) as unfinished:
            with progress.stage("load"):
                left, right = (
                    read_graph(example_file("left.tsv")),
                    read_graph(example_file("right.csv")),
                )
                seeds = read_links(example_file("seeds.tsv"))
            without = align(
                left,
                right,
                seeds=seeds,
                literals=False,
                temporal_propagation=False,
                temporal_constraint=False,
                progress=Progress(),
            )
            named = align(left, right, seeds=seeds, progress=Progress())
            run = align(left, right, seeds=seeds, literals=False, progress=progress)
            run.info["demo"] = True
            run.info["command"] = current_command()
            run = replace(run, links_without_time=without.links)
            write_run(run, unfinished)
        report = report_if_possible(run, out, example_file("truth.tsv"), progress)
    truth = read_links(example_file("truth.tsv"))
    with_time, no_time, with_names = (each.evaluate(truth) for each in (run, without, named))
    evaluations = {
        "without time": no_time,
        "with time": with_time,
        "with time and names": with_names,
    }
    figures = {name: own.to_dict() for name, own in evaluations.items()}
    write_json_result(json, {"run": str(out), "links": len(run.links), **figures})
    if json == "-":
        return
    console = summary_console()
    print_summary(console, run, out, with_time)
    console.print()
    rows = [
        (name, *(f"{v:.3f}" for v in (own.ranking.hits_at_1, own.ranking.mrr, own.links.f1)))
        for name, own in evaluations.items()
    ]
    print_table(console, "Does time help?", ("", "Hits@1", "MRR", "F1 of the links"), rows)
    _print_decided_pair(console, run, without, truth)
    if report is not None:
        say(f"report: {report}")


def _is_demo(folder: Path) -> bool:
    """Whether the folder holds an earlier demo, which may be replaced."""
    path = folder / "run.json"
    return path.is_file() and '"demo": true' in path.read_text(encoding="utf-8")


def decided_by_time(run: Run, without: Run, truth: pl.DataFrame) -> pl.DataFrame:
    """Return the links that are right with time and have another best candidate without."""
    import polars as pl

    best_without = without.candidates.filter(pl.col("rank") == 1)
    return (
        run.links.join(truth.select("left", "right"), on=["left", "right"], how="semi")
        .join(best_without.select("left", mistaken="right"), on="left", maintain_order="left")
        .filter(pl.col("right") != pl.col("mistaken"))
    )


def _print_decided_pair(console: Console, run: Run, without: Run, truth: pl.DataFrame) -> None:
    """Print a pair that is right only with time, and its facts."""
    import polars as pl

    decided = decided_by_time(run, without, truth)
    if decided.is_empty():
        return
    row = decided.row(0, named=True)
    sentence = Text.assemble(
        f"{len(decided)} links are right only with time. For example, ",
        (visible(row["left"]), "bold"),
        " is ",
        (visible(row["right"]), "bold"),
        f"; without time it is mistaken for {visible(row['mistaken'])}.\n",
    )
    console.print(sentence, soft_wrap=True)
    for side, facts, entity in (
        ("left", run.facts_left, row["left"]),
        ("right", run.facts_right, row["right"]),
        ("right, the mistaken one", run.facts_right, row["mistaken"]),
    ):
        about = facts.filter((pl.col("head") == entity) | (pl.col("tail") == entity))
        rows = [
            (
                fact["relation"],
                fact["tail"] if fact["head"] == entity else fact["head"],
                fact["begin"] or "",
                fact["end"] or "",
            )
            for fact in about.sort("begin", "relation", nulls_last=True).head(12).rows(named=True)
        ]
        columns = ("relation", "other entity", "begin", "end")
        print_table(console, f"{entity} ({side})", columns, rows)
