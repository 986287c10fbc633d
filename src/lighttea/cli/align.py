"""`lighttea align`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lighttea.cli.clusters import align_clusters, refuse_misfits
from lighttea.cli.command_line import current_command
from lighttea.cli.console import say, summary_console
from lighttea.cli.graphs import read_graphs
from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import (
    ConfigOptions,
    EngineOptions,
    RuleOptions,
    given,
    limit_table_threads,
    options_class,
)
from lighttea.cli.output import command
from lighttea.cli.progress import shown_progress
from lighttea.cli.report import report_if_possible
from lighttea.cli.settings_file import given_by_group, read_settings
from lighttea.cli.streams import reading_stdin
from lighttea.config import declared_settings, make_rules, resolve_config
from lighttea.engines import check_engine, check_scheduler
from lighttea.errors import InputError, SeedError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.evaluate.run import Evaluation
    from lighttea.graph.facts import Graph
    from lighttea.progress import Progress
    from lighttea.results.run import Run

    class InputOptions:
        """Every field of AlignInputs but the graphs, None where it was not given."""

else:
    InputOptions = options_class(AlignInputs, leave_out=("left", "right"))

_LINK_FILES = ("seeds", "must_link", "cannot_link")
_TYPE_FILES = ("types", "left_types", "right_types")
_FILES = ("left", "right", *_LINK_FILES, *_TYPE_FILES, "truth")
_FURTHER = "Facts of a third graph, a fourth, and so on."
_HELP = {name: setting.help for name, setting in declared_settings(AlignInputs).items()}


@command
def align(
    left: Annotated[Path | None, Parameter(help=_HELP["left"])] = None,
    right: Annotated[Path | None, Parameter(help=_HELP["right"])] = None,
    *further: Annotated[Path, Parameter(help=_FURTHER)],
    config: Path | None = None,
    json: JsonTarget = None,
    inputs: Annotated[InputOptions | None, Parameter(name="*")] = None,
    engine: Annotated[EngineOptions | None, Parameter(name="*")] = None,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
    rules: Annotated[RuleOptions | None, Parameter(name="*")] = None,
) -> None:
    """Align the entities of two graphs, or of more, and write a run folder.

    Of two graphs come links; of three or more come clusters of the same entities.

    Parameters
    ----------
    config
        TOML file with any of these options, LEFT, RIGHT and --out too; the command line wins.
    json
        Write the figures of the summary to this file, or to stdout with -.
    """
    refuse_unwritable(json)
    graphs = {"left": left, "right": right}
    settings = {} if config is None else read_settings(config)
    settings |= {name: path for name, path in graphs.items() if path is not None}
    settings |= given(inputs) | given(engine) | given(options) | given(rules)
    _align(settings, further, json)


def _align(settings: dict[str, Any], further: tuple[Path, ...], json: str | None) -> None:
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
    refuse_misfits(settings, n_graphs=2 + len(further))
    files = [(_word(name), getattr(inputs, name)) for name in _FILES]
    files += [(f"graph {number}", path) for number, path in enumerate(further, 3)]
    with reading_stdin(files) as streams:
        own: dict[str, Any] = {
            name: streams.path(path) for name in _FILES if (path := getattr(inputs, name))
        }
        inputs = replace(inputs, **own)
        refuse_missing_truth(inputs)
        values = {**vars(where), **by_group["method"], **by_group["links"]}
        if further:
            align_clusters(inputs, [streams.path(path) for path in further], values, json)
        else:
            _work(inputs, values, json)


def _work(inputs: AlignInputs, settings: dict[str, Any], json: str | None) -> None:
    """Read, align, write, evaluate, report."""
    with shown_progress() as progress:
        run = _run(inputs, settings, progress)
        outcome = make_outcome(run, inputs, progress)
    tell_of_run(run, inputs, outcome, json)


def make_outcome(run: Run, inputs: AlignInputs, progress: Progress) -> Outcome:
    """Return the evaluation and the report of a run that is written."""
    outcome = _evaluate(run, inputs, progress)
    if inputs.report and outcome.problem is None:
        path = report_if_possible(run, _needed(inputs, "out"), inputs.truth, progress)
        outcome = replace(outcome, report=path)
    return outcome


def refuse_missing_truth(inputs: AlignInputs) -> None:
    """Raise an error where the file of the truth is not there, before any work is done."""
    if inputs.truth is not None and not inputs.truth.is_file():
        raise InputError(f"{inputs.truth}: no such file; check the path of --truth")


def _only(declared: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that are fields of a class."""
    return {name: values[name] for name in declared_settings(declared) if name in values}


def _needed(inputs: AlignInputs, name: str) -> Path:
    """Return a path that nothing goes without."""
    path: Path | None = getattr(inputs, name)
    if path is None:
        raise InputError(
            f"{_word(name)} is needed: give it here, or as {name} in a file named by --config\n"
            "See: lighttea align --help"
        )
    return path


def _word(name: str) -> str:
    """Return what an input is called on the command line."""
    return name.upper() if name in ("left", "right") else f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class Outcome:
    """What was made of a run beside its folder."""

    evaluation: Evaluation | None = None
    problem: InputError | None = None  # with the truth
    report: Path | None = None


def _run(inputs: AlignInputs, settings: dict[str, Any], progress: Progress) -> Run:
    """Read, align and write."""
    from lighttea.results.checkpoint import Checkpoint
    from lighttea.results.place import run_folder
    from lighttea.results.store import write_run

    out = _needed(inputs, "out")
    checkpoint = Checkpoint.beside(out, resume=inputs.resume)
    with (
        run_folder(out, overwrite=inputs.overwrite) as unfinished,
        checkpoint.while_running(),
    ):
        graphs = _graphs(inputs, progress)
        run = _aligned(*graphs, inputs, progress=progress, checkpoint=checkpoint, **settings)
        run.info["command"] = current_command()
        with progress.stage("write"):
            write_run(run, unfinished)
    return run


def _graphs(inputs: AlignInputs, progress: Progress) -> tuple[Graph, Graph]:
    """Return both graphs, if they are two."""
    sides = ("left", "right")
    left, right = read_graphs([_needed(inputs, s) for s in sides], inputs, progress, sides)
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
        raise InputError(_with_file(str(error), inputs.seeds)) from None


def _with_file(problems: str, path: Path | str | None) -> str:
    """Return problems, one a line, each with the file in front; most have it there already."""
    lines = problems.splitlines()
    return "\n".join(
        line if line.startswith((f"{path}:", "...")) else f"{path}: {line}" for line in lines
    )


def tell_of_run(run: Run, inputs: AlignInputs, outcome: Outcome, json: str | None) -> None:
    """Print what the run found, or write it as JSON; then raise the problem with the truth."""
    from lighttea.cli.summary import print_summary

    out = _needed(inputs, "out")
    write_json_result(json, _as_json(run, out, outcome))
    if json != "-":
        print_summary(summary_console(), run, out, outcome.evaluation)
        if outcome.report is not None:
            say(f"report: {outcome.report}")
    if outcome.problem is not None:
        raise InputError(
            f"{outcome.problem}\nThe run is written; evaluate it with: "
            f"lighttea evaluate {out} --truth FILE"
        )


def _as_json(run: Run, out: Path, outcome: Outcome) -> dict[str, Any]:
    """Return the figures of the summary."""
    from lighttea.results.expectation import expected_wrong

    shown = ("input", "seeds", "rounds", "warnings", "seconds", "peak_rss_mb", "preset", "engine")
    n_wrong = expected_wrong(run)
    return {
        "run": str(out),
        "links": len(run.links),
        "expected_wrong": None if n_wrong is None else round(n_wrong, 2),
        **{name: run.info[name] for name in shown},
        **{name: run.info[name] for name in ("update",) if name in run.info},
        "evaluation": outcome.evaluation and outcome.evaluation.to_dict(),
        "report": outcome.report and str(outcome.report),
    }


def _read_links(path: Path) -> pl.DataFrame:
    """Return the links of a file, with a column for the file."""
    import polars as pl

    from lighttea.io.tables import read_links

    return read_links(path).with_columns(source=pl.lit(str(path)))


def _evaluate(run: Run, inputs: AlignInputs, progress: Progress) -> Outcome:
    """Return the evaluation where there is a truth, or what is wrong with that."""
    from lighttea.io.tables import read_links

    if inputs.truth is None:
        return Outcome()
    try:
        with progress.stage("evaluate"):
            return Outcome(run.evaluate(read_links(inputs.truth)))
    except InputError as error:
        return Outcome(problem=error)
