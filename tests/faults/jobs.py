"""Commands that are killed: what stands there before, and what must be true after any kill."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from lighttea.example import example_file
from lighttea.results.check import check_run
from lighttea.results.cluster_store import load_clusters
from lighttea.results.store import load_run
from lighttea.review.decisions import Decisions, decisions_file
from tests.duplicates.worlds import careers
from tests.faults.process import run_undisturbed
from tests.several import NAMES
from tests.update.test_clusters import early_graphs, facts_of
from tests.update.test_clusters import first_run as clusters_first
from tests.worlds import fact_frame

MORE = "Aaron_Klug\tworksAt\tUniversity_of_Cambridge\t1978\t1986\n"
NORTH_WEST = Path("run", "pairs", "north-west")
FORBIDDEN = ("north e1", "west e1")


def align_words(out: Path, *more: str) -> list[str]:
    files = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
    options = ["--dim", "32", "--top-k", "20", "--no-report", "--rounds", "2", "--threads", "1"]
    options += ["--no-literals", "--quiet"]
    return ["align", *files[:2], "--seeds", files[2], "--out", str(out), *options, *more]


@dataclass(frozen=True)
class Finished:
    """Runs that nobody disturbed, and files of facts; each is made when it is first needed."""

    folder: Path

    @cached_property
    def run(self) -> Path:
        """A run of two graphs; it has other links than those that are made here."""
        run_undisturbed(align_words(self.folder / "run", "--min-confidence", "0.9"), self.folder)
        return self.folder / "run"

    @cached_property
    def clusters(self) -> Path:
        """A run of three graphs that lack some entities."""
        return clusters_first().save(self.folder / "clusters")

    @cached_property
    def files(self) -> Path:
        """Three graphs, a graph with duplicates, and facts that came in later."""
        files = self.folder / "files"
        files.mkdir()
        tables = {graph.name: graph.to_polars() for graph in early_graphs()}
        tables |= {"late": facts_of("north", late=True), "players": fact_frame(*careers(80))}
        for name, table in tables.items():
            facts = table.select("head", "relation", "tail", "begin", "end")
            facts.write_csv(files / f"{name}.tsv", separator="\t", null_value="~")
        (files / "more.tsv").write_text(f"head\trelation\ttail\tbegin\tend\n{MORE}")
        (files / "seeds.tsv").write_text(
            "left\tright\n" + "".join(f"north e{n}\twest e{n}\n" for n in range(0, 50, 5))
        )
        return files


@dataclass(frozen=True)
class Job:
    """A command that is killed again and again, each time in the folder as it was before."""

    words: Callable[[Path], list[str]]
    prepare: Callable[[Path, Finished], None]
    check: Callable[[Path, Finished, str], None]  # folder, finished runs, what was printed
    names: tuple[str, ...]  # that stand in the folder when the command was done in the end
    makes: str | None = None  # what is removed before the next try: it would be refused
    resumes: bool = False


# ------------------------------------------------------------------------ what is there before


def nothing(folder: Path, finished: Finished) -> None:
    """There is nothing before."""


def copy_files(folder: Path, finished: Finished) -> None:
    shutil.copytree(finished.files, folder / "files")


def copy_run(folder: Path, finished: Finished) -> None:
    shutil.copytree(finished.run, folder / "run")


def copy_run_and_output(folder: Path, finished: Finished) -> None:
    copy_run(folder, finished)
    (folder / "out").write_text("mine")


def copy_clusters_and_output(folder: Path, finished: Finished) -> None:
    shutil.copytree(finished.clusters, folder / "run")
    (folder / "out").write_text("mine")


def copy_decided_run(folder: Path, finished: Finished) -> None:
    copy_files(folder, finished)
    copy_run(folder, finished)
    Decisions(decisions_file(folder / "run")).decide(*surest(finished), "reject", seen=0)


def copy_decided_clusters(folder: Path, finished: Finished) -> None:
    copy_files(folder, finished)
    shutil.copytree(finished.clusters, folder / "run")
    Decisions(decisions_file(folder / NORTH_WEST)).decide(*FORBIDDEN, "reject", seen=0)


def surest(finished: Finished) -> tuple[str, str]:
    """Return the surest link of the run that stood there before."""
    left, right = load_run(finished.run).links.select("left", "right").row(0)
    return left, right


# ------------------------------------------------------------------ what is true after any kill


def check_new_run(folder: Path, finished: Finished, printed: str) -> None:
    out = folder / "run"
    assert not out.exists() or check_run(out).is_whole


def check_replaced_run(folder: Path, finished: Finished, printed: str) -> None:
    """The old run or the new one, whole; never none."""
    links = load_run(folder / "run").links
    assert check_run(folder / "run").is_whole
    assert len(links) >= len(load_run(finished.run).links)


def check_updated_run(folder: Path, finished: Finished, printed: str) -> None:
    """The old run as it was, the new one whole, and what a reviewer forbade in both."""
    forbidden = surest(finished)
    assert check_run(folder / "run").is_whole
    assert load_run(folder / "run").links.equals(load_run(finished.run).links)
    assert Decisions(decisions_file(folder / "run")).standing()[forbidden[0]].cannot
    if (folder / "new").exists():
        assert check_run(folder / "new").is_whole
        assert forbidden in load_run(folder / "new").cannot_links.rows()


def check_updated_clusters(folder: Path, finished: Finished, printed: str) -> None:
    """The old run or the new one, whole; never none, and what a reviewer forbade stands."""
    assert check_run(folder / "run").is_whole
    run = load_clusters(folder / "run")
    assert len(run.clusters) >= len(clusters_first().clusters)
    assert Decisions(decisions_file(folder / NORTH_WEST)).standing()[FORBIDDEN[0]].cannot
    if "update" in run.info:
        assert FORBIDDEN in run.pairs["north", "west"].cannot_links.rows()


def check_output(folder: Path, finished: Finished, printed: str) -> None:
    """The old file, or all of the new one."""
    text = (folder / "out").read_text()
    run = load_run(finished.run)
    n_lines = 1 + len(run.seeds) + len(run.links)
    assert text == "mine" or len(text.splitlines()) == n_lines
    assert check_run(folder / "run").is_whole


def check_cluster_output(folder: Path, finished: Finished, printed: str) -> None:
    """The old file, or all of the new one."""
    text = (folder / "out").read_text()
    assert text == "mine" or len(text.splitlines()) == len(clusters_first().clusters) + 1
    assert check_run(folder / "run").is_whole


def check_fused(folder: Path, finished: Finished, printed: str) -> None:
    out = folder / "fused"
    if out.exists():
        assert {path.name for path in out.iterdir()} >= {"facts.parquet", "entities.parquet"}
        assert len(pl.read_parquet(out / "facts.parquet")) > 0


def check_report(folder: Path, finished: Finished, printed: str) -> None:
    out = folder / "run" / "report.html"
    assert not out.exists() or out.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert check_run(folder / "run").is_whole


def check_decisions(folder: Path, finished: Finished, printed: str) -> None:
    standing = Decisions(folder / "decisions.sqlite").standing()
    assert set(re.findall("acknowledged (.*)\n", printed)) <= set(standing)


# --------------------------------------------------------------------------------- the commands

QUIET = ("--threads", "1", "--no-report", "--quiet")


def align_job(*more: str) -> Job:
    return Job(
        lambda folder: align_words(folder / "run", *more),
        nothing,
        check_new_run,
        ("run",),
        makes="run",
        resumes=True,
    )


def export_words(folder: Path, form: str, out: str, *more: str) -> list[str]:
    return ["export", str(folder / "run"), "--format", form, "--out", str(folder / out), *more]


def align_three_words(folder: Path) -> list[str]:
    files = folder / "files"
    graphs = [str(files / f"{name}.tsv") for name in NAMES]
    options = ["--dim", "32", "--rounds", "2", *QUIET]
    return [
        *("align", *graphs, "--seeds", str(files / "seeds.tsv"), "--out", str(folder / "run")),
        *options,
    ]


JOBS = {
    "align": align_job(),
    "gpu": align_job("--engine", "gpu"),
    "dask": align_job("--engine", "dask"),
    "overwrite": Job(
        lambda folder: align_words(folder / "run", "--overwrite"),
        copy_run,
        check_replaced_run,
        ("run",),
        resumes=True,
    ),
    "align three": Job(align_three_words, copy_files, check_new_run, ("files", "run"), makes="run"),
    "dedupe": Job(
        lambda folder: [
            *("dedupe", str(folder / "files" / "players.tsv"), "--out", str(folder / "run")),
            *QUIET,
        ],
        copy_files,
        check_new_run,
        ("files", "run"),
        makes="run",
    ),
    "update": Job(
        lambda folder: [
            *("update", str(folder / "run"), "--left", str(folder / "files" / "more.tsv")),
            *("--out", str(folder / "new"), *QUIET),
        ],
        copy_decided_run,
        check_updated_run,
        ("files", "new", "new.review", "run", "run.review"),
        makes="new",
    ),
    "update of three": Job(
        lambda folder: [
            *("update", str(folder / "run"), "--add", f"north={folder / 'files' / 'late.tsv'}"),
            *("--out", str(folder / "run"), "--overwrite", *QUIET),
        ],
        copy_decided_clusters,
        check_updated_clusters,
        ("files", "run", "run.review"),
    ),
    "export": Job(
        lambda folder: export_words(folder, "tsv", "out", "--overwrite"),
        copy_run_and_output,
        check_output,
        ("out", "run"),
    ),
    "export clusters": Job(
        lambda folder: export_words(folder, "tsv", "out", "--overwrite"),
        copy_clusters_and_output,
        check_cluster_output,
        ("out", "run"),
    ),
    "fused": Job(
        lambda folder: export_words(folder, "fused", "fused"),
        copy_run,
        check_fused,
        ("fused", "run"),
        makes="fused",
    ),
    "report": Job(lambda folder: ["report", str(folder / "run")], copy_run, check_report, ("run",)),
    "decide": Job(
        lambda folder: ["decide", str(folder / "decisions.sqlite")],
        nothing,
        check_decisions,
        ("decisions.backup.sqlite", "decisions.jsonl", "decisions.sqlite"),
    ),
}
