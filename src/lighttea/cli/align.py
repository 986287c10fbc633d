"""`lighttea align`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.console import shown_progress, stdout
from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.cli.options import (
    ConfigOptions,
    EngineOptions,
    RuleOptions,
    given,
    limit_table_threads,
    options_class,
)
from lighttea.cli.report import report_if_possible
from lighttea.cli.settings_file import given_by_group, read_settings
from lighttea.config import declared_settings, make_rules, resolve_config
from lighttea.engines import check_engine, check_scheduler
from lighttea.errors import InputError, SeedError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.graph.facts import Graph
    from lighttea.progress import Progress
    from lighttea.results.run import Run

    class InputOptions:
        """Every field of AlignInputs but the graphs, None where it was not given."""

else:
    InputOptions = options_class(AlignInputs, leave_out=("left", "right"))

_LINK_FILES = ("seeds", "must_link", "cannot_link")
_TYPE_FILES = ("types", "left_types", "right_types")
_HELP = {name: setting.help for name, setting in declared_settings(AlignInputs).items()}


def align(
    left: Annotated[Path | None, Parameter(help=_HELP["left"])] = None,
    right: Annotated[Path | None, Parameter(help=_HELP["right"])] = None,
    *,
    config: Path | None = None,
    inputs: Annotated[InputOptions | None, Parameter(name="*")] = None,
    engine: Annotated[EngineOptions | None, Parameter(name="*")] = None,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
    rules: Annotated[RuleOptions | None, Parameter(name="*")] = None,
) -> None:
    """Align the entities of two graphs and write a run folder.

    Parameters
    ----------
    config
        TOML file with any of these options, LEFT, RIGHT and --out too; what is given here wins.
    """
    graphs = {"left": left, "right": right}
    settings = {} if config is None else read_settings(config)
    settings |= {name: path for name, path in graphs.items() if path is not None}
    settings |= given(inputs) | given(engine) | given(options) | given(rules)
    _align(settings)


def _align(settings: dict[str, Any]) -> None:
    """Align by these settings; what is not among them has its default."""
    by_group = given_by_group(settings)
    inputs = AlignInputs(**_only(AlignInputs, by_group["inputs"]))
    where = EngineInputs(**_only(EngineInputs, by_group["inputs"]))
    check_scheduler(check_engine(where.engine), where.scheduler)
    # a wrong setting is told before any file is read
    rules = make_rules(**by_group["links"])
    limit_table_threads(resolve_config(None, inputs.preset, rules, by_group["method"]).threads)
    for name in ("left", "right", "out"):
        _needed(inputs, name)
    if inputs.truth is not None and not inputs.truth.is_file():
        raise InputError(f"{inputs.truth}: no such file; check the path of --truth")
    run = _run(inputs, {**vars(where), **by_group["method"], **by_group["links"]})
    _tell(run, inputs)


def _only(declared: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that are fields of a class."""
    return {name: values[name] for name in declared_settings(declared) if name in values}


def _needed(inputs: AlignInputs, name: str) -> Path:
    """Return a path that nothing goes without."""
    path: Path | None = getattr(inputs, name)
    if path is None:
        option = f"--{name}" if name == "out" else name.upper()
        raise InputError(
            f"{option} is needed: give it here, or as {name} in a file named by --config\n"
            "See: lighttea align --help"
        )
    return path


def _run(inputs: AlignInputs, settings: dict[str, Any]) -> Run:
    """Read, align and write."""
    from lighttea.results.checkpoint import Checkpoint
    from lighttea.results.store import run_folder, write_run

    out = _needed(inputs, "out")
    checkpoint = Checkpoint.beside(out, resume=inputs.resume)
    with (
        run_folder(out, overwrite=inputs.overwrite) as unfinished,
        checkpoint.while_running(),
        shown_progress() as progress,
    ):
        graphs = _graphs(inputs, progress)
        run = _aligned(*graphs, inputs, progress=progress, checkpoint=checkpoint, **settings)
        with progress.stage("write"):
            write_run(run, unfinished)
    return run


def _graphs(inputs: AlignInputs, progress: Progress) -> tuple[Graph, Graph]:
    """Return both graphs, if they are two."""
    from lighttea.io.graphs import read_graph

    with progress.stage("load"):
        left, right = (
            read_graph(
                _needed(inputs, side),
                columns=getattr(inputs, f"{side}_columns") or inputs.columns,
                format=getattr(inputs, f"{side}_format") or inputs.format,
                strict=inputs.strict,
                nary=inputs.nary,
                sitelinks=inputs.sitelinks,
            )
            for side in ("left", "right")
        )
    if left.digest and left.digest == right.digest:
        both = f"{left.source} and {right.source}"
        raise InputError(f"{both} are the same file, or a copy; align needs two graphs")
    for graph in (left, right):
        for note in graph.notes:
            progress.warn(f"{graph.source}: {note}")
    return left, right


def _aligned(left: Graph, right: Graph, inputs: AlignInputs, **keywords: Any) -> Run:
    """Return the run, with the tables that the inputs name."""
    import lighttea

    paths = {name: getattr(inputs, name) for name in (*_LINK_FILES, *_TYPE_FILES)}
    tables: dict[str, Any] = {
        name: _read_links(path) if name in _LINK_FILES else lighttea.read_types(path)
        for name, path in paths.items()
        if path is not None
    }
    try:
        return lighttea.align(left, right, preset=inputs.preset, **tables, **keywords)
    except SeedError as error:
        raise InputError(
            "\n".join(f"{inputs.seeds}: {line}" for line in str(error).splitlines())
        ) from None


def _tell(run: Run, inputs: AlignInputs) -> None:
    """Print what the run found, evaluate it, and write its report, where these are asked for."""
    from lighttea.cli.summary import print_summary

    out, truth = _needed(inputs, "out"), inputs.truth
    print_summary(stdout(), run, out)
    if truth is not None:
        _evaluate(run, truth, out)
    if inputs.report:
        report_if_possible(run, out, truth)


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
