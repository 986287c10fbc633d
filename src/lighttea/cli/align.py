"""`lighttea align`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lighttea.cli.console import shown_progress, stdout
from lighttea.cli.options import ConfigOptions, given
from lighttea.config import DEFAULT_PRESET, make_config
from lighttea.errors import InputError


def align(
    left: Path,
    right: Path,
    *,
    out: Path,
    seeds: Path | None = None,
    truth: Path | None = None,
    preset: str = DEFAULT_PRESET,
    columns: str | None = None,
    left_columns: str | None = None,
    right_columns: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
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
        Settings to start from: paper.
    columns
        Columns of both graphs, such as head=subj,relation=pred,tail=obj,begin=4,end=5.
    left_columns
        Columns of the left graph alone.
    right_columns
        Columns of the right graph alone.
    overwrite
        Replace an existing run.
    """
    make_config(preset, **given(options))  # a wrong option is said before any file is read
    import lighttea
    from lighttea.cli.summary import print_evaluation, print_summary
    from lighttea.io.columns import parse_columns
    from lighttea.io.runs import run_folder, write_run
    from lighttea.io.tables import read_graph, read_links

    def mapping(own: str | None) -> dict[str, str] | None:
        text = own or columns
        return parse_columns(text) if text else None

    if truth is not None and not truth.is_file():
        raise InputError(f"{truth}: no such file; check the path of --truth")
    with run_folder(out, overwrite=overwrite) as unfinished, shown_progress() as watch:
        with watch.stage("load"):
            left_graph = read_graph(left, columns=mapping(left_columns))
            right_graph = read_graph(right, columns=mapping(right_columns))
            known = None if seeds is None else read_links(seeds)
        if left_graph.digest == right_graph.digest:
            raise InputError(f"{left} and {right} are the same file; align needs two graphs")
        for graph in (left_graph, right_graph):
            for note in graph.notes:
                watch.warn(f"{graph.source}: {note}")
        run = lighttea.align(
            left_graph, right_graph, seeds=known, preset=preset, watch=watch, **given(options)
        )
        with watch.stage("write"):
            write_run(run, unfinished)
    console = stdout()
    print_summary(console, run, out)
    if truth is not None:
        console.print()
        print_evaluation(console, run.evaluate(read_links(truth)))
