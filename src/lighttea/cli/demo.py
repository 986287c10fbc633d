"""`lighttea demo`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from lighttea.cli.console import print_table, shown_progress, stdout
from lighttea.cli.report import report_if_possible

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from lighttea.results.run import Run


def demo(*, out: Path = Path("runs/demo")) -> None:
    """Align the bundled example with and without time, and show what time decides.

    Names are left out, so that time has to decide; one line shows what they would add.

    Parameters
    ----------
    out
        Run folder to write; an earlier demo there is replaced.
    """
    from lighttea.api import align
    from lighttea.cli.summary import print_evaluation, print_summary
    from lighttea.example import example_file
    from lighttea.io.tables import read_graph, read_links
    from lighttea.results.store import run_folder, write_run

    with run_folder(out, overwrite=_is_demo(out)) as unfinished, shown_progress() as progress:
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
        )
        named = align(left, right, seeds=seeds)
        run = align(left, right, seeds=seeds, literals=False, progress=progress)
        run.info["demo"] = True
        run = replace(run, links_without_time=without.links)
        write_run(run, unfinished)
    truth = read_links(example_file("truth.tsv"))
    console = stdout()
    print_summary(console, run, out)
    console.print()
    with_time, no_time, with_names = (each.evaluate(truth) for each in (run, without, named))
    print_evaluation(console, with_time, "Evaluation, with time")
    rows = [
        (
            name,
            *(
                f"{v:.3f}"
                for v in (evaluation.ranking.hits_at_1, evaluation.ranking.mrr, evaluation.links.f1)
            ),
        )
        for name, evaluation in (
            ("without time", no_time),
            ("with time", with_time),
            ("with time and names", with_names),
        )
    ]
    print_table(console, "Does time help?", ("", "Hits@1", "MRR", "F1 of the links"), rows)
    _print_decided_pair(console, run, without, truth)
    console.print(f"The run is in {out}", soft_wrap=True, markup=False)
    report_if_possible(run, out, example_file("truth.tsv"))


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
    console.print(
        f"{len(decided)} links are right only with time. One: [bold]{escape(row['left'])}[/bold] "
        f"is [bold]{escape(row['right'])}[/bold]; without time it is taken for "
        f"{escape(row['mistaken'])}.\n",
        soft_wrap=True,
    )
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
