"""The GPU engine against its floor and against the CPU engine.

On any machine with all of lighttea's libraries, write the tasks; on the machine with the GPU, which
needs numpy, scipy, numba and torch alone, run them:

    python benchmarks/gpu.py prepare --out tasks            # sets in LIGHTTEA_DATA, made-up pairs
    PYTHONPATH=src python benchmarks/gpu.py rates
    PYTHONPATH=src python benchmarks/gpu.py time tasks/wiki50k.npz --preset paper --rounds 3
    PYTHONPATH=src python benchmarks/gpu.py compare tasks/DICEWS-200-0.npz --preset best
    PYTHONPATH=src python benchmarks/gpu.py accuracy tasks/DICEWS-200-*.npz --preset best
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.bench.task import Task, run_task
from lighttea.config import Config, make_config
from lighttea.engines import start_engine
from lighttea.engines.base import Engine
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.store import load_graphs, save_graphs
from lighttea.graph.views import Views
from lighttea.iterate import rounds
from lighttea.job import Job, fit_to_data
from lighttea.kernels.threads import limited_threads
from lighttea.seedless import first_seeds
from lighttea.stages import Watch
from lighttea.types import LeftIds, RightIds

SETS = (  # name, seeds, removed share of the right counterparts, runs
    ("DICEWS", 200, 0.0, 5),
    ("DICEWS", 1000, 0.0, 5),
    ("DICEWS", 0, 0.0, 1),
    ("YAGO-WIKI20K", 400, 0.0, 5),
    ("YAGO-WIKI20K", 0, 0.0, 1),
    ("YAGO-WIKI20K", 400, 0.2, 5),
    ("BETA", 12108, 0.0, 5),
    ("BETA", 4036, 0.0, 5),
    ("BETA", 12108, 0.2, 5),
    ("DBP15K_FR_EN", 4500, 0.0, 5),
)
WIKI50K = {"entities": 49_629, "facts": 540_000, "ticks": 245, "seeds": 1_000}


def load_task(path: Path) -> Task:
    """A task as `prepare` wrote it."""
    left, right, more = load_graphs(path)
    return Task(
        left,
        right,
        SeedLinks(LeftIds(more["seeds"][0]), RightIds(more["seeds"][1])),
        SeedLinks(LeftIds(more["truth"][0]), RightIds(more["truth"][1])),
    )


def save_task(path: Path, task: Task) -> None:
    """Numbers alone."""
    seeds = np.stack([task.seeds.left, task.seeds.right])
    truth = np.stack([task.truth.left, task.truth.right])
    save_graphs(path, task.left, task.right, seeds=seeds, truth=truth)


def prepare(out: Path, names: list[str], runs: int) -> None:
    """The tasks of `bench run`, run by run, and made-up pairs of the sizes asked for."""
    from lighttea.bench.protocol import draw_task
    from lighttea.io.benchmark import read_dataset

    out.mkdir(parents=True, exist_ok=True)
    data = Path(os.environ.get("LIGHTTEA_DATA", "."))
    for name, n_seeds, removed, most in SETS:
        if names and name not in names:
            continue
        dataset = read_dataset(data / name)
        for number in range(min(most, runs)):
            rng = np.random.default_rng([number, 1])
            suffix = f"-open-{number}" if removed else f"-{number}"
            path = out / f"{name}-{n_seeds}{suffix}.npz"
            save_task(path, draw_task(dataset, n_seeds, rng, removed))
            print(path, f"{path.stat().st_size / 2**20:.1f} MiB")


def prepare_synth(out: Path, entities: int, facts: int, ticks: int, seeds: int) -> None:
    """A made-up pair of that size, read as a dataset is."""
    from lighttea.bench.protocol import draw_task
    from lighttea.io.benchmark import read_dataset
    from lighttea.synth.config import SynthConfig
    from lighttea.synth.write import write_synth

    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        config = SynthConfig(entities=entities, facts=facts, ticks=ticks)
        write_synth(config, Path(folder) / "set")
        dataset = read_dataset(Path(folder) / "set")
    task = draw_task(dataset, seeds, np.random.default_rng([0, 1]))
    save_task(out / f"synth-{entities}.npz", task)


def started(task: Task, config: Config, engine: str, watch: Watch) -> tuple[Engine, Config]:
    """The engine ready for the task: views made, facts where they are worked on."""
    pair = Pair.of(task.left, task.right, timed=config.uses_time, grains=config.grains)
    left, right = LeftIds(np.sort(task.truth.left)), RightIds(np.sort(task.truth.right))
    used = fit_to_data(config, pair, watch)
    job = Job(pair, Views.of(pair), left, right, task.seeds, watch)
    return start_engine(engine, job, used), used


def timed(path: Path, config: Config, engine: str, repeat: int) -> dict[str, Any]:
    """Seconds from views to links by stage, the first run apart: it warms up."""
    task, seen = load_task(path), []
    for _ in range(repeat + 1):
        watch = Watch()
        with limited_threads(0):
            begin = time.perf_counter()
            on, used = started(task, config, engine, watch)
            ready = time.perf_counter()
            with closing(on):
                seeds, _ = first_seeds(on, used)
                for result in rounds(on, config=used, rng=np.random.default_rng(0), seeds=seeds):
                    best = on.best(result.candidates, result.assignment)
                end = time.perf_counter()
        right = dict(zip(task.truth.left.tolist(), task.truth.right.tolist(), strict=True))
        found = zip(best.left.tolist(), best.right.tolist(), strict=True)
        hits = sum(right.get(one) == other for one, other in found) / len(right)
        seen.append({"start": ready - begin, "total": end - ready, **watch.seconds, "hits@1": hits})
    return {
        "task": path.stem,
        "engine": on.name,
        "left": len(on.job.left),
        "right": len(on.job.right),
        "facts": len(on.job.pair.head),
        "first": seen[0],
        "runs": seen[1:],
        "best": min(seen[1:] or seen, key=lambda one: one["total"]),
    }


def compared(path: Path, config: Config) -> dict[str, Any]:
    """Both engines side by side: best candidates after one round, Hits@1 after all."""
    task, found = load_task(path), {}
    for engine in ("cpu", "gpu"):
        watch = Watch()
        with limited_threads(0):
            on, used = started(task, config, engine, watch)
            with closing(on):
                seeds, _ = first_seeds(on, used)
                course = rounds(on, config=used, rng=np.random.default_rng(0), seeds=seeds)
                result = next(course)
                plain, given = on.on_host(result.candidates, result.assignment)
                score = np.where(plain.valid, plain.score, -np.inf)
                order = np.sort(score, axis=1)
                margin = order[:, -1] - order[:, -2]
                at = plain.index[np.arange(len(score)), score.argmax(axis=1)]
                found[engine] = (at, margin, plain.valid.any(axis=1))
                del result, plain, given, course
        whole = run_task(task, config, protocol="closed", engine=engine, watch=Watch())
        found[engine] += (whole["hits@1"], len(whole["rounds"]))
    clear = found["cpu"][2] & (found["cpu"][1] > 1e-3)
    same = found["cpu"][0] == found["gpu"][0]
    return {
        "task": path.stem,
        "clear": int(clear.sum()),
        "clear_differ": int((clear & ~same).sum()),
        "all": int(found["cpu"][2].sum()),
        "all_differ": int((found["cpu"][2] & ~same).sum()),
        "hits@1": {name: one[3] for name, one in found.items()},
        "rounds": {name: one[4] for name, one in found.items()},
    }


def accurate(paths: list[Path], config: Config, engine: str, protocol: str) -> dict[str, Any]:
    """The figures of `bench run` over the given tasks, one run each."""
    runs = []
    for path in paths:
        begin = time.perf_counter()
        runs.append(
            run_task(load_task(path), config, protocol=protocol, engine=engine, watch=Watch())
        )
        runs[-1]["seconds"] = time.perf_counter() - begin
    names = [name for name, value in runs[0].items() if isinstance(value, float)]
    return {
        "tasks": [path.stem for path in paths],
        "mean": {name: round(float(np.mean([run[name] for run in runs])), 4) for name in names},
        "std": {name: round(float(np.std([run[name] for run in runs])), 4) for name in names},
        "rounds": [len(run["rounds"]) for run in runs],
        "last": {k: v for k, v in runs[0]["rounds"][-1].items() if k != "seconds"},
    }


def rates() -> Iterator[tuple[str, float, str]]:
    """What the device can do: products, bytes, selection."""
    import torch

    def seconds(work: Callable[[], Any], n: int = 5) -> float:
        work()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(n):
            work()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / n

    one, other = (torch.randn(n, 2048, device="cuda") for n in (16_384, 49_152))
    flops = 2 * 16_384 * 49_152 * 2048
    yield "float32 product", flops / seconds(lambda: one @ other.T) / 1e12, "TFLOP/s"
    torch.set_float32_matmul_precision("high")
    yield "TF32 product", flops / seconds(lambda: one @ other.T) / 1e12, "TFLOP/s"
    half, half_other = one.half(), other.half()
    yield "float16 product", flops / seconds(lambda: half @ half_other.T) / 1e12, "TFLOP/s"
    scores = one @ other.T
    yield (
        "top 500 of 49,152",
        scores.numel() / seconds(lambda: scores.topk(500, dim=1, sorted=False)) / 1e9,
        "G entries/s",
    )
    big = torch.empty(1 << 30, device="cuda")
    copy = torch.empty_like(big)
    yield "copy", 8 * (1 << 30) / seconds(lambda: copy.copy_(big)) / 1e9, "GB/s"


def main() -> None:
    """Read the command line, print JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("prepare")
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--sets", default="")
    made.add_argument("--runs", type=int, default=5)
    made.add_argument("--synth", type=int, nargs=4, metavar=("ENTITIES", "FACTS", "TICKS", "SEEDS"))
    commands.add_parser("rates")
    for name in ("time", "compare", "accuracy"):
        one = commands.add_parser(name)
        one.add_argument("tasks", type=Path, nargs="+")
        one.add_argument("--preset", default="paper")
        one.add_argument("--engine", default="gpu")
        one.add_argument("--rounds", type=int)
        one.add_argument("--repeat", type=int, default=3)
        one.add_argument("--protocol", default="closed")
        one.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    told = parser.parse_args()
    if told.command == "prepare":
        if told.synth:
            prepare_synth(told.out, *told.synth)
        else:
            prepare(told.out, [one for one in told.sets.split(",") if one], told.runs)
        return
    if told.command == "rates":
        for name, value, unit in rates():
            print(f"{name}: {value:,.0f} {unit}")
        return
    options = {name: json.loads(value) for name, _, value in (x.partition("=") for x in told.set)}
    config = make_config(told.preset, rounds=told.rounds, **options)
    if told.command == "accuracy":
        print(json.dumps(accurate(told.tasks, config, told.engine, told.protocol)))
        return
    for path in told.tasks:
        work = timed(path, config, told.engine, told.repeat) if told.command == "time" else None
        print(json.dumps(work or compared(path, config)))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
