"""`lighttea demo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
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

    from lighttea.evaluate.run import Evaluation
    from lighttea.progress import Progress
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
    from lighttea.example import example_file
    from lighttea.io.tables import read_links

    refuse_unwritable(json)
    with shown_progress() as progress:
        runs = _align_example(out, progress)
        report = report_if_possible(runs.with_time, out, example_file("truth.tsv"), progress)
    truth = read_links(example_file("truth.tsv"))
    evaluations = {name: run.evaluate(truth) for name, run in runs.by_name().items()}
    figures = {name: own.to_dict() for name, own in evaluations.items()}
    write_json_result(json, {"run": str(out), "links": len(runs.with_time.links), **figures})
    if json != "-":
        _print_demo(runs, out, evaluations, truth)
        if report is not None:
            say(f"report: {report}")


@dataclass(frozen=True)
class _DemoRuns:
    """The example aligned in three ways; the run with time is the one that is written."""

    without_time: Run
    with_time: Run
    with_names: Run

    def by_name(self) -> dict[str, Run]:
        """Return the runs by what they used."""
        return {
            "without time": self.without_time,
            "with time": self.with_time,
            "with time and names": self.with_names,
        }


def _align_example(out: Path, progress: Progress) -> _DemoRuns:
    """Return the three runs, and write the one with time and without names."""
    from lighttea.api import align
    from lighttea.example import example_file
    from lighttea.io.tables import read_graph, read_links
    from lighttea.progress import Progress as Silent
    from lighttea.results.place import run_folder
    from lighttea.results.store import write_run

    with run_folder(out, overwrite=_is_demo(out)) as unfinished:
        with progress.stage("load"):
            left, right = (read_graph(example_file(name)) for name in ("left.tsv", "right.csv"))
            seeds = read_links(example_file("seeds.tsv"))
        example = partial(align, left, right, seeds=seeds)
        without = example(
            literals=False,
            temporal_propagation=False,
            temporal_constraint=False,
            progress=Silent(),
        )
        named = example(progress=Silent())
        run = example(literals=False, progress=progress)
        run.info.update(demo=True, command=current_command())
        run = replace(run, links_without_time=without.links)
        write_run(run, unfinished)
    return _DemoRuns(without, run, named)


def _print_demo(
    runs: _DemoRuns, out: Path, evaluations: Mapping[str, Evaluation], truth: pl.DataFrame
) -> None:
    """Print the summary, what time and names add, and a pair that only time gets right."""
    from lighttea.cli.summary import print_summary

    console = summary_console()
    print_summary(console, runs.with_time, out, evaluations["with time"])
    console.print()
    rows = [
        (name, *(f"{v:.3f}" for v in (own.ranking.hits_at_1, own.ranking.mrr, own.links.f1)))
        for name, own in evaluations.items()
    ]
    print_table(console, "Does time help?", ("", "Hits@1", "MRR", "F1 of the links"), rows)
    _print_decided_pair(console, runs.with_time, runs.without_time, truth)


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


def _count_shared_facts(facts: pl.DataFrame, row: Mapping[str, str]) -> int:
    """Return how many facts the right entity and the mistaken one share but for their times."""
    import polars as pl

    def relations_and_others(entity: str) -> set[tuple[str, str, str]]:
        about = facts.filter((pl.col("head") == entity) | (pl.col("tail") == entity))
        return {
            (relation, *("" if end == entity else end for end in (head, tail)))
            for relation, head, tail in about.select("relation", "head", "tail").rows()
        }

    return len(relations_and_others(row["right"]) & relations_and_others(row["mistaken"]))


def _print_decided_pair(console: Console, run: Run, without: Run, truth: pl.DataFrame) -> None:
    """Print a pair that is right only with time, and its facts."""
    import polars as pl

    decided = decided_by_time(run, without, truth)
    if decided.is_empty():
        return
    row = max(decided.rows(named=True), key=partial(_count_shared_facts, run.facts_right))
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
