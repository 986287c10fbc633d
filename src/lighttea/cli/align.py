"""`lighttea align`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.console import shown_progress, stdout
from lighttea.cli.options import ConfigOptions, given, limit_table_threads
from lighttea.cli.report import report_if_possible
from lighttea.config import DEFAULT_PRESET, make_config
from lighttea.engines import ENGINES, checked_engine
from lighttea.errors import InputError, SeedError

if TYPE_CHECKING:
    from lighttea.graph.facts import Graph
    from lighttea.run import Run


def align(
    left: Path,
    right: Path,
    *,
    out: Path,
    seeds: Path | None = None,
    truth: Path | None = None,
    preset: str = DEFAULT_PRESET,
    engine: str = ENGINES[0],
    columns: str | None = None,
    left_columns: str | None = None,
    right_columns: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    resume: Annotated[bool, Parameter(negative="")] = False,
    report: bool = True,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
) -> None:
    """Align the entities of two graphs and write a run folder.

    Parameters
    ----------
    left
        Facts of the left graph: TSV, CSV or Parquet, plain, gzip or zstd.
    right
        Facts of the right graph.
    out
        Run folder to write.
    seeds
        Known links: a table with columns left and right, or two columns.
    truth
        True links, read after the links are written, to evaluate them.
    preset
        Settings to start from: paper, or best, which goes beyond it.
    engine
        Where the work runs: cpu.
    columns
        Columns of both graphs, such as head=subj,relation=pred,tail=obj,begin=4,end=5.
    left_columns
        Columns of the left graph alone.
    right_columns
        Columns of the right graph alone.
    overwrite
        Replace an existing run.
    resume
        Go on after the last finished round of the same command that was killed.
    report
        Write report.html into the run folder where the extra `report` is installed.
    """
    checked_engine(engine)
    config = make_config(preset, **given(options))  # a wrong option is said before any file is read
    limit_table_threads(config.threads)
    if truth is not None and not truth.is_file():
        raise InputError(f"{truth}: no such file; check the path of --truth")
    from lighttea.cli.summary import print_summary
    from lighttea.io.checkpoints import Checkpoint
    from lighttea.io.runs import run_folder, write_run

    checkpoint = Checkpoint.beside(out, resume=resume)
    with (
        run_folder(out, overwrite=overwrite) as unfinished,
        checkpoint.while_running(),
        shown_progress() as watch,
    ):
        with watch.stage("load"):
            graphs = _graphs((left, left_columns or columns), (right, right_columns or columns))
        for graph in graphs:
            for note in graph.notes:
                watch.warn(f"{graph.source}: {note}")
        more: dict[str, Any] = {"preset": preset, "watch": watch, "checkpoint": checkpoint}
        run = _aligned(*graphs, _given_seeds(seeds), {**more, **given(options)})
        with watch.stage("write"):
            write_run(run, unfinished)
    print_summary(stdout(), run, out)
    if truth is not None:
        _evaluate(run, truth, out)
    if report:
        report_if_possible(run, out, truth)


def _given_seeds(seeds: Path | None) -> Path:
    if seeds is None:
        raise InputError("seeds are needed: give known links with --seeds FILE")
    return seeds


def _graphs(*sides: tuple[Path, str | None]) -> tuple[Graph, Graph]:
    """Both graphs, if they are two."""
    from lighttea.io.columns import parse_columns
    from lighttea.io.tables import read_graph

    left, right = (
        read_graph(path, columns=parse_columns(columns) if columns else None)
        for path, columns in sides
    )
    if left.digest == right.digest:
        both = f"{left.source} and {right.source}"
        raise InputError(f"{both} are the same file, or a copy; align needs two graphs")
    return left, right


def _aligned(left: Graph, right: Graph, seeds: Path, options: dict[str, Any]) -> Run:
    import lighttea

    try:
        return lighttea.align(left, right, seeds=lighttea.read_links(seeds), **options)
    except SeedError as error:
        raise InputError(
            "\n".join(f"{seeds}: {line}" for line in str(error).splitlines())
        ) from None


def _evaluate(run: Run, truth: Path, out: Path) -> None:
    from lighttea.cli.summary import print_evaluation
    from lighttea.io.tables import read_links

    try:
        evaluation = run.evaluate(read_links(truth))
    except InputError as error:
        raise InputError(
            f"{error}\nthe run is written; evaluate it with: lighttea evaluate {out} --truth FILE"
        ) from None
    console = stdout()
    console.print()
    print_evaluation(console, evaluation)
