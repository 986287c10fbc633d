"""`lighttea bench`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from lighttea.bench.settings import BenchSettings
from lighttea.cli.console import print_table, stdout
from lighttea.cli.inputs import AlignInputs, EngineInputs
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import EngineOptions, given, limit_table_threads, options_class
from lighttea.cli.output import command
from lighttea.cli.progress import costs_of_files, shown_progress
from lighttea.cli.summary import describe_recall
from lighttea.config import (
    METHODS,
    Config,
    Preset,
    Setting,
    declared_settings,
    default_preset,
    described,
    make_config,
)
from lighttea.engines import check_engine, check_scheduler

if TYPE_CHECKING:

    class BenchOptions:
        """Every field of BenchSettings, None where it was not given."""

    class MethodOptions:
        """Every field of Config, None where it was not given."""

else:

    def _with_methods(setting: Setting) -> str:
        """Return the help text of a setting with the values of methods that have their own.

        Literals are off in a benchmark, whatever the preset.
        """
        if setting.name == "literals":
            return described(setting.help, {"default": False})
        own = {name: m[setting.name] for name, m in METHODS.items() if setting.name in m}
        return described(setting.help, setting.values | own)

    BenchOptions = options_class(BenchSettings)
    MethodOptions = options_class(Config, "Method", text_of=_with_methods)

_PRESET_HELP = described(
    declared_settings(AlignInputs)["preset"].help,
    {f"default with {method}": default_preset(method) for method in METHODS},
)


@command
def run(
    dataset: Path,
    *,
    seeds: int = 0,
    preset: Annotated[Preset | None, Parameter(help=_PRESET_HELP)] = None,
    bench: Annotated[BenchOptions | None, Parameter(name="*")] = None,
    engine: Annotated[EngineOptions | None, Parameter(name="*")] = None,
    json: JsonTarget = None,
    options: Annotated[MethodOptions | None, Parameter(name="*")] = None,
) -> None:
    r"""Run a method on a dataset folder several times, with ids and orders shuffled each time.

    Parameters
    ----------
    dataset
        Folder in the field's format (triples_1, triples_2, ent_ids_\*, sup_pairs, ref_pairs ...),
        or with left.\* and right.\* in any format that align reads, and truth.tsv (left, right).
    seeds
        How many of the known pairs to use as seeds; the others are the truth.
    json
        Write all figures to this file, or to stdout with -.
    """
    settings, where = BenchSettings(**given(bench)), EngineInputs(**given(engine))
    check_scheduler(check_engine(where.engine), where.scheduler)
    preset = preset or default_preset(settings.method)
    method_options = given(options)
    literals = method_options.pop("literals", False)
    config = make_config(preset, method=settings.method, **method_options)
    limit_table_threads(config.threads)
    from lighttea.bench.run import bench_run

    refuse_unwritable(json)
    with shown_progress() as progress:
        files = list(dataset.iterdir()) if dataset.is_dir() else []
        progress.expect(costs_of_files(files, aligns=True))
        progress.run_begins(1, settings.runs)
        result = bench_run(
            dataset,
            n_seeds=seeds,
            config=config,
            preset=preset,
            literals=literals,
            progress=progress,
            **vars(settings),
            **vars(where),
        )
    if json != "-":
        _print_result(result)
    # last, so that a full disk does not take the figures with it
    write_json_result(json, result)


def _print_result(result: dict[str, Any]) -> None:
    console = stdout()
    strings = "with literals" if result["literals"] else "name-free"
    title = (
        f"{result['dataset']}, {result['seeds']:,} seeds, {result['method']}, {strings}, "
        f"{result['protocol']} protocol, runs: {result['runs']}"
    )
    figures = [
        (name, f"{mean:.4f}", f"{result['std'][name]:.4f}") for name, mean in result["mean"].items()
    ]
    print_table(console, title, ("figure", "mean", "std"), figures)
    _print_confidence(console, result["per_run"][0])
    if rounds := result["per_run"][0]["rounds"]:
        _print_rounds(console, rounds)
    seconds = result["seconds"]
    console.print(
        f"{seconds['total']:.1f} s a run ("
        + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items() if name != "total")
        + f"); {result['cpu_seconds']:.1f} s of processor time; "
        f"peak memory {result['peak_rss_mb']:,.0f} MiB",
        soft_wrap=True,
    )


def _print_confidence(console: Console, run: dict[str, Any]) -> None:
    """Print how confident the links of a run are and how right, where links were judged."""
    if "reliability" not in run:
        return
    rows = [
        (
            f"{row['from']:.1f}",
            f"{row['n']:,}",
            f"{row['mean_confidence']:.4f}",
            f"{row['share_right']:.4f}",
        )
        for row in run["reliability"]
        if row["n"]
    ]
    if rows:
        headers = ("confidence from", "links", "mean confidence", "of them right")
        print_table(console, "Reliability of the first run", headers, rows)
    if run["abstained"]:
        text = "0 links in the first run: no pair was sure enough to start from"
    else:
        text = f"{run['n_links']:,} links in the first run, {run['n_confident']:,} at .9 or more"
    console.print(text, soft_wrap=True)


def _print_rounds(console: Console, rounds: list[dict[str, Any]]) -> None:
    rows = [
        (
            str(number),
            f"{figures_of_round['hits@1']:.4f}",
            f"{figures_of_round['promoted']:,}",
            f"{figures_of_round['promoted_precision']:.4f}",
        )
        for number, figures_of_round in enumerate(rounds, 1)
    ]
    headers = ("round", "hits@1", "promoted", "of them right")
    print_table(console, "Rounds of the first run", headers, rows)
    if recall := describe_recall(rounds[-1]):
        console.print(recall, soft_wrap=True)
