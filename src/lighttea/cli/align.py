"""`lighttea align`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.console import shown_progress, stdout
from lighttea.cli.options import ConfigOptions, RuleOptions, given, limit_table_threads
from lighttea.cli.report import report_if_possible
from lighttea.cli.settings_file import read_settings
from lighttea.config import DEFAULT_PRESET, Config, LinkRules, make_config, make_rules
from lighttea.engines import ENGINES, checked_cluster, checked_engine
from lighttea.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.graph.facts import Graph
    from lighttea.results.run import Run

_LINK_FILES = ("seeds", "must_link", "cannot_link")
_TYPE_FILES = ("types", "left_types", "right_types")


def align(
    left: Path | None = None,
    right: Path | None = None,
    *,
    out: Path | None = None,
    config: Path | None = None,
    seeds: Path | None = None,
    truth: Path | None = None,
    must_link: Path | None = None,
    cannot_link: Path | None = None,
    types: Path | None = None,
    left_types: Path | None = None,
    right_types: Path | None = None,
    preset: str | None = None,
    engine: str | None = None,
    cluster: str | None = None,
    columns: str | None = None,
    left_columns: str | None = None,
    right_columns: str | None = None,
    format: str | None = None,  # noqa: A002
    left_format: str | None = None,
    right_format: str | None = None,
    strict: Annotated[bool | None, Parameter(negative="")] = None,
    overwrite: Annotated[bool | None, Parameter(negative="")] = None,
    resume: Annotated[bool | None, Parameter(negative="")] = None,
    report: bool | None = None,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
    rules: Annotated[RuleOptions | None, Parameter(name="*")] = None,
) -> None:
    """Align the entities of two graphs and write a run folder.

    Parameters
    ----------
    left
        Facts of the left graph: TSV, CSV, Parquet, RDF or Wikidata JSON, plain or compressed.
    right
        Facts of the right graph.
    out
        Run folder to write.
    config
        TOML file with any of these options, LEFT, RIGHT and --out too; what is given here wins.
    seeds
        Known links: a table with columns left and right, or two columns. Without any, pairs to
        begin with are found by time and structure.
    truth
        True links, read after the links are written, to evaluate them.
    must_link
        Links that must be: they act as seeds and stand among them.
    cannot_link
        Links that must not be.
    types
        Types of entities of both graphs (entity, type): entities without a common type are not
        linked, those without any type with anybody.
    left_types
        Types of the left graph alone.
    right_types
        Types of the right graph alone.
    preset
        Settings to start from: best, or paper, whose method it goes beyond. [default: best]
    engine
        Where the work runs: cpu; gpu, on one NVIDIA GPU; or dask, on many machines. [default: cpu]
    cluster
        Address of the Dask scheduler that the engine dask uses, such as tcp://10.0.0.1:8786;
        without it workers are started on this machine.
    columns
        Columns of both graphs, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a
        publisher's layout: gdelt, icews, neo4j, polecat. For RDF, the predicates that say begin,
        end or time.
    left_columns
        Columns of the left graph alone.
    right_columns
        Columns of the right graph alone.
    format
        What both files are where their names do not say it: table, ntriples, nquads, turtle, trig,
        rdfxml or wikidata.
    left_format
        What the left file is.
    right_format
        What the right file is.
    strict
        Stop at malformed lines of dumps (N-Triples, N-Quads, Wikidata, event tables, Neo4j), which
        are otherwise left out and counted. Other formats always stop at them.
    overwrite
        Replace an existing run.
    resume
        Go on after the last finished round of the same command that was killed.
    report
        Write report.html into the run folder where the extra `report` is installed.
    """
    own_options = dict(locals())  # every option of the command by its name
    for name in ("config", "options", "rules"):
        del own_options[name]
    given_options = own_options | given(options) | given(rules)
    settings = {} if config is None else read_settings(config)
    _align(settings | {name: value for name, value in given_options.items() if value is not None})


def _align(given_options: dict[str, Any]) -> None:
    """Align with these options; the others have their defaults."""
    engine = checked_engine(given_options.get("engine", ENGINES[0]))
    cluster = checked_cluster(engine, given_options.get("cluster"))
    preset = given_options.get("preset", DEFAULT_PRESET)
    options, rules = (
        {
            option.name: given_options[option.name]
            for option in fields(options_class)
            if option.name in given_options
        }
        for options_class in (Config, LinkRules)
    )
    config = make_config(preset, **options)  # a wrong option is an error before any file is read
    make_rules(**rules)
    limit_table_threads(config.threads)
    left, right, out = (_needed_path(given_options, name) for name in ("left", "right", "out"))
    truth = given_options.get("truth")
    if truth is not None and not truth.is_file():
        raise InputError(f"{truth}: no such file; check the path of --truth")
    from lighttea.cli.summary import print_summary
    from lighttea.results.checkpoint import Checkpoint
    from lighttea.results.store import run_folder, write_run

    checkpoint = Checkpoint.beside(out, resume=given_options.get("resume", False))
    with (
        run_folder(out, overwrite=given_options.get("overwrite", False)) as unfinished,
        checkpoint.while_running(),
        shown_progress() as progress,
    ):
        with progress.stage("load"):
            graphs = _read_graphs(
                *(
                    (
                        path,
                        given_options.get(f"{side}_columns", given_options.get("columns")),
                        given_options.get(f"{side}_format", given_options.get("format")),
                    )
                    for side, path in (("left", left), ("right", right))
                ),
                strict=bool(given_options.get("strict")),
            )
        for graph in graphs:
            for note in graph.notes:
                progress.warn(f"{graph.source}: {note}")
        context: dict[str, Any] = {"preset": preset, "progress": progress, "checkpoint": checkpoint}
        context |= {"engine": engine, "cluster": cluster}
        run = _align_graphs(*graphs, given_options, {**context, **options, **rules})
        with progress.stage("write"):
            write_run(run, unfinished)
    print_summary(stdout(), run, out)
    if truth is not None:
        _evaluate(run, truth, out)
    if given_options.get("report", True):
        report_if_possible(run, out, truth)


def _needed_path(given_options: dict[str, Any], name: str) -> Path:
    """Return a required path; raise an error where it is missing."""
    if name not in given_options:
        option = f"--{name}" if name == "out" else name.upper()
        raise InputError(
            f"{option} is needed: give it here, or as {name} in a file named by --config\n"
            "See: lighttea align --help"
        )
    path: Path = given_options[name]
    return path


def _read_graphs(
    *sides: tuple[Path, str | Mapping[str, str] | None, str | None], strict: bool
) -> tuple[Graph, Graph]:
    """Return both graphs; raise an error where they are the same file."""
    from lighttea.io.graphs import read_graph

    left, right = (
        read_graph(
            path,
            columns=columns,
            format=form,
            strict=strict,
        )
        for path, columns, form in sides
    )
    if left.digest == right.digest:
        both = f"{left.source} and {right.source}"
        raise InputError(f"{both} are the same file, or a copy; align needs two graphs")
    return left, right


def _align_graphs(
    left: Graph, right: Graph, given_options: dict[str, Any], options: dict[str, Any]
) -> Run:
    import lighttea

    tables: dict[str, Any] = {
        name: _read_links(given_options[name]) for name in _LINK_FILES if name in given_options
    }
    tables |= {
        name: lighttea.read_types(given_options[name])
        for name in _TYPE_FILES
        if name in given_options
    }
    return lighttea.align(left, right, **tables, **options)


def _read_links(path: Path) -> pl.DataFrame:
    """Return the links of a file, with a column for the file."""
    import polars as pl

    from lighttea.io.tables import read_links

    return read_links(path).with_columns(source=pl.lit(str(path)))


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
