"""`lighttea bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from lighttea.cli.console import print_table, shown_progress, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import ConfigOptions, given, limit_table_threads
from lighttea.cli.summary import print_recall
from lighttea.config import DEFAULT_PRESET, make_config
from lighttea.engines import ENGINES, checked_cluster, checked_engine


def run(
    dataset: Path,
    *,
    seeds: int,
    method: str = "lighttea",
    preset: str | None = None,
    runs: int = 5,
    engine: str = ENGINES[0],
    cluster: str | None = None,
    protocol: Annotated[str, Parameter(help="closed or open")] = "closed",
    removed: float = 0.0,
    json: JsonTarget = None,
    options: Annotated[ConfigOptions | None, Parameter(name="*")] = None,
) -> None:
    """Run a method on a dataset folder, several times, ids and orders shuffled anew each time.

    Parameters
    ----------
    dataset
        Folder in the field's format: triples_1, triples_2, ent_ids_*, sup_pairs, ref_pairs ...
    seeds
        How many of the known pairs are seeds; the others are the truth. 0: none is given.
    method
        lighttea, or lightea (no time, with LightEA's own published settings).
    preset
        Settings to start from: best, or paper, whose method it goes beyond. [default: best for
        lighttea, paper for lightea]
    runs
        How often; run i starts its random generator at --random-seed + i.
    engine
        Where the work runs: cpu; gpu, on one NVIDIA GPU; or dask, on many machines.
    cluster
        Address of the Dask scheduler that the engine dask uses; without it workers are started on
        this machine.
    protocol
        closed: candidates are the truth's right entities, as in the paper. open: all right ones.
    removed
        Share of the true right counterparts that are taken out of the right graph first, so that
        their left entities are dangling.
    json
        Write all figures to this file, or to stdout with -.
    """
    checked_cluster(checked_engine(engine), cluster)
    preset = preset or ("paper" if method == "lightea" else DEFAULT_PRESET)
    config = make_config(preset, method=method, **given(options))
    limit_table_threads(config.threads)
    from lighttea.bench.run import bench_run

    refuse_unwritable(json)
    with shown_progress() as progress:
        result = bench_run(
            dataset,
            n_seeds=seeds,
            config=config,
            method=method,
            preset=preset,
            runs=runs,
            protocol=protocol,
            removed=removed,
            engine=engine,
            cluster=cluster,
            progress=progress,
        )
    if json != "-":
        _print_result(result)
    # last, so that a full disk does not take the figures with it
    write_json_result(json, result)


def _print_result(result: dict[str, Any]) -> None:
    console = stdout()
    title = (
        f"{result['dataset']}, {result['seeds']:,} seeds, {result['method']}, "
        f"{result['protocol']} protocol, runs: {result['runs']}"
    )
    figures = [
        (name, f"{mean:.4f}", f"{result['std'][name]:.4f}") for name, mean in result["mean"].items()
    ]
    print_table(console, title, ("figure", "mean", "std"), figures)
    rounds = [
        (
            str(number),
            f"{figures_of_round['hits@1']:.4f}",
            f"{figures_of_round['promoted']:,}",
            f"{figures_of_round['promoted_precision']:.4f}",
        )
        for number, figures_of_round in enumerate(result["per_run"][0]["rounds"], 1)
    ]
    headers = ("round", "hits@1", "promoted", "of them right")
    print_table(console, "Rounds of the first run", headers, rounds)
    print_recall(console, result["per_run"][0]["rounds"][-1])
    seconds = result["seconds"]
    console.print(
        f"{seconds['total']:.1f} s a run ("
        + ", ".join(f"{name} {value:.1f}" for name, value in seconds.items() if name != "total")
        + f"); peak memory {result['peak_rss_mb']:,.0f} MiB",
        soft_wrap=True,
    )
