"""The GPU engine against its floor and against the CPU engine.

On any machine with all of lighttea's libraries, write the sets; on the machine with the GPU, which
needs numpy, scipy, numba and torch alone, run them:

    python benchmarks/gpu.py prepare --out sets             # those in LIGHTTEA_DATA
    PYTHONPATH=src python benchmarks/gpu.py rates
    PYTHONPATH=src python benchmarks/gpu.py time made-up --synth 49629 49222 540000 245 --seeds 1000
    PYTHONPATH=src python benchmarks/gpu.py compare sets/DICEWS.npz --seeds 200 --preset best
    PYTHONPATH=src python benchmarks/gpu.py accuracy sets/DICEWS.npz --seeds 200 --preset best
    PYTHONPATH=src python benchmarks/gpu.py confidence sets/DICEWS.npz --seeds 0 200 \\
        --removed 0 0.2 0.5 --kept-facts 1 0.1 --scrambled --wrong-seeds 0.1 0.5
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.assign.decode import PlainBest, best_candidates
from lighttea.bench.draw import Puzzle
from lighttea.bench.settings import Changes
from lighttea.bench.task import Task, protocol_ids, rank_truth, run_task
from lighttea.config import Config, EngineName, make_config
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.store import load_graphs, save_graphs
from lighttea.graph.timeline import Grain, Instants
from lighttea.kernels.threads import limited_threads
from lighttea.progress import Progress
from lighttea.similarity.candidates import Candidates
from lighttea.solve.problem import pose_problem
from lighttea.solve.solve import solve
from lighttea.solve.start import open_workspace
from lighttea.solve.workspace import Workspace
from lighttea.synth.config import SynthConfig
from lighttea.synth.sides import LAST_YEAR, Side, draw_facts, draw_world, make_sides, order_pairs
from lighttea.synth.world import World
from lighttea.types import Array, Floats, Ints, NumpyArray

SETS = ("DICEWS", "YAGO-WIKI20K", "BETA", "DBP15K_FR_EN", "SRPRS_FR_EN")


def save_puzzle(path: Path, puzzle: Puzzle) -> None:
    """Numbers alone."""
    fixed = np.array([puzzle.fixed_split])
    save_graphs(path, puzzle.left, puzzle.right, pairs=puzzle.pairs, fixed=fixed)
    print(path, f"{path.stat().st_size / 2**20:.1f} MiB")


def load_puzzle(path: Path, options: argparse.Namespace) -> Puzzle:
    """As `prepare` wrote it, or made up here."""
    if options.synth:
        left, right, facts, ticks = options.synth
        return made_up(left, right, facts, ticks, options.seeds)
    left, right, more = load_graphs(path)
    return Puzzle(left, right, more["pairs"], bool(more["fixed"][0]), path.stem)


def prepare(out: Path, sets: list[str]) -> None:
    """Write the sets that are in LIGHTTEA_DATA as files of numbers."""
    from lighttea.bench.protocol import make_puzzle
    from lighttea.io.benchmark import read_dataset

    out.mkdir(parents=True, exist_ok=True)
    data = Path(os.environ.get("LIGHTTEA_DATA", "."))
    for name in sets:
        if not (data / name).is_dir():
            continue
        save_puzzle(out / f"{name}.npz", make_puzzle(read_dataset(data / name)))


def made_up(entities: int, right: int, facts: int, ticks: int, seeds: int) -> Puzzle:
    """A made-up pair of that size, made here: numbers from the start."""
    config = SynthConfig(
        entities=entities, right_entities=right, facts=facts, ticks=ticks, seeds=seeds
    )
    world = draw_world(config)
    one, other = make_sides(world)
    order = order_pairs(world)
    pairs = np.stack([one.entity_id[order], other.entity_id[order] - config.n_left])
    graphs = [
        _graph(world, side, n, shift)
        for side, n, shift in ((one, config.n_left, 0), (other, config.n_right, config.n_left))
    ]
    return Puzzle(graphs[0], graphs[1], pairs, fixed_split=True, name=f"synth {entities:,}")


def _graph(world: World, side: Side, n_entities: int, shift: int) -> Graph:
    parts = list(draw_facts(world, side, 500_000))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    head, tail = columns["head"] - shift, columns["tail"] - shift
    first, n_words = min(side.names), max(side.names) - min(side.names) + 1
    years = np.arange(LAST_YEAR - world.config.ticks + 1, LAST_YEAR + 1) - 1970
    second = years.astype("datetime64[Y]").astype("datetime64[s]").astype(np.int64)
    known = columns["begin"] > 0
    begin = np.where(known, columns["begin"] - 1, -1).astype(np.int32)
    end = np.where(columns["end"] > 0, columns["end"] - 1, -1).astype(np.int32)
    return Graph(
        range_of_names(n_entities),
        range_of_names(n_words),
        Facts(head, columns["relation"] - first, tail, begin, end),
        Instants(second, np.full(len(second), Grain.YEAR, np.uint8)),
    )


def range_of_names(n: int) -> list[str]:
    """Numbers as names."""
    return [str(number) for number in range(n)]


def opened(
    task: Task, config: Config, engine: EngineName, progress: Progress
) -> tuple[Workspace[Array], Config]:
    """Return the task's problem with an engine: views made, facts where they are worked on."""
    left, right = protocol_ids(task, "closed")
    config = replace(config, literals=False)  # sets of numbers have none
    problem, used = pose_problem(
        *(task.left, task.right, task.seeds, config, progress), left_ids=left, right_ids=right
    )
    return open_workspace(engine, problem, used), used


def timed(path: Path, options: argparse.Namespace, config: Config) -> dict[str, Any]:
    """Return seconds from views to links by stage, the first run apart: it warms up."""
    task, runs = drawn(load_puzzle(path, options), options, 0), []
    for _ in range(options.repeat + 1):
        progress = Progress()
        with limited_threads(0):
            begin = time.perf_counter()
            work, used = opened(task, config, options.engine, progress)
            ready = time.perf_counter()
            with closing(work):
                for step in solve(work, used):
                    best = best_candidates(
                        work.engine, step.result.candidates, step.result.assignment
                    )
                    del step
                end = time.perf_counter()
        seconds = {"start": ready - begin, "total": end - ready, **progress.seconds}
        runs.append({**seconds, "hits@1": hits_at_1(work, best, task)})
    sizes = work.problem.sizes
    return {
        "task": path.stem,
        "engine": work.engine.name,
        "left": sizes.n_left,
        "right": sizes.n_right,
        "facts": sizes.n_facts,
        "first": runs[0],
        "runs": runs[1:],
        "best": min(runs[1:] or runs, key=lambda run: run["total"]),
    }


def compared(path: Path, options: argparse.Namespace, config: Config) -> dict[str, Any]:
    """Return both engines side by side: best candidates after one round, Hits@1 after all."""
    task = drawn(load_puzzle(path, options), options, 0)
    first, hits, n_rounds = {}, {}, {}
    engines: tuple[EngineName, ...] = ("cpu", "gpu")
    for engine in engines:
        with limited_threads(0):
            work, used = opened(task, config, engine, Progress())
            with closing(work):
                for number, step in enumerate(solve(work, used), 1):
                    result = step.result
                    best = best_candidates(work.engine, result.candidates, result.assignment)
                    if number == 1:
                        first[engine] = top_and_margin(rank_truth(work, result, task).candidates)
                    n_rounds[engine] = number
        hits[engine] = hits_at_1(work, best, task)
    top, margin = first["cpu"]
    clear, differ = margin > 1e-3, top != first["gpu"][0]
    return {
        "set": path.stem,
        "preset": options.preset,
        "entities": len(top),
        "clear": int(clear.sum()),
        "clear_differ": int((clear & differ).sum()),
        "all_differ": int(differ.sum()),
        "hits@1": hits,
        "rounds": n_rounds,
    }


def top_and_margin(candidates: Candidates[NumpyArray]) -> tuple[Ints, Floats]:
    """Each row's best candidate by score, and how far it stands above the next; -1 and 0: none."""
    score = np.where(candidates.valid, candidates.score, -1)
    rows, column = np.arange(len(score)), score.argmax(axis=1)
    two = -np.partition(-score, 1, axis=1)[:, :2]
    return candidates.index[rows, column], two[:, 0] - two[:, 1]


def hits_at_1(work: Workspace[Array], best: PlainBest, task: Task) -> float:
    """Return the share of the truth that the best candidates are."""
    partner = dict(zip(task.truth.left.tolist(), task.truth.right.tolist(), strict=True))
    links = work.links_of(best.row, best.place)
    pairs = zip(links.left.tolist(), links.right.tolist(), strict=True)
    return float(sum(partner.get(left) == right for left, right in pairs) / len(partner))


def accurate(path: Path, options: argparse.Namespace, config: Config) -> dict[str, Any]:
    """The figures of `bench run`."""
    puzzle, runs = load_puzzle(path, options), []
    for number in range(options.runs):
        begin, task = time.perf_counter(), drawn(puzzle, options, number)
        used = replace(config, random_seed=number)
        found = run_task(
            task, used, protocol=options.protocol, engine=options.engine, progress=Progress()
        )
        runs.append({**found, "seconds": time.perf_counter() - begin})
    names = [name for name, value in runs[0].items() if isinstance(value, float)]
    return {
        "set": path.stem,
        "seeds": options.seeds,
        "preset": options.preset,
        "protocol": options.protocol,
        "set_to": options.set,
        "mean": {name: round(float(np.mean([run[name] for run in runs])), 4) for name in names},
        "std": {name: round(float(np.std([run[name] for run in runs])), 4) for name in names},
        "by_round": [[one["hits@1"] for one in run["rounds"]] for run in runs],
        "last": {k: v for k, v in runs[0]["rounds"][-1].items() if k != "seconds"},
    }


def drawn(puzzle: Puzzle, options: argparse.Namespace, number: int) -> Task:
    """What run `number` of `bench run` draws."""
    rng = np.random.default_rng([number, 1])
    return puzzle.draw_task(options.seeds, rng, Changes(removed=options.removed))


def changed_data(options: argparse.Namespace) -> Iterator[tuple[int, Changes]]:
    """Yield the number of seeds and what is changed, one thing at a time, for each run.

    Every share of removed counterparts and of common facts, then the scrambled graph, with each
    number of seeds; then every share of wrong seeds, where there are seeds.
    """
    changes = [Changes(removed=share) for share in options.removed]
    changes += [Changes(kept_facts=share) for share in options.kept_facts]
    changes += [Changes(scrambled=True)] * options.scrambled
    for seeds in options.seeds:
        yield from ((seeds, change) for change in changes)
        yield from ((seeds, Changes(wrong_seeds=share)) for share in options.wrong_seeds if seeds)


def measure_confidence(
    path: Path, options: argparse.Namespace, config: Config
) -> Iterator[dict[str, Any]]:
    """Yield the figures of the open protocol for each run, on data changed in each way."""
    left, right, more = load_graphs(path)
    puzzle = Puzzle(left, right, more["pairs"], bool(more["fixed"][0]), path.stem)
    for n_seeds, changes in changed_data(options):
        for number in range(options.runs):
            begin, rng = time.perf_counter(), np.random.default_rng([number, 1])
            found = run_task(
                puzzle.draw_task(n_seeds, rng, changes),
                replace(config, random_seed=number),
                protocol="open",
                engine=options.engine,
                progress=Progress(),
            )
            del found["rounds"]
            yield {
                "set": path.stem,
                "seeds": n_seeds,
                "preset": options.preset,
                "set_to": options.set,
                **asdict(changes),
                **found,
                "seconds": round(time.perf_counter() - begin, 1),
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
    made.add_argument("--sets", default=",".join(SETS))
    commands.add_parser("rates")
    works = {"time": timed, "compare": compared, "accuracy": accurate}
    for name in works:
        one = commands.add_parser(name)
        add_common(one, preset="paper")
        one.add_argument("--seeds", type=int, required=True)
        one.add_argument("--removed", type=float, default=0.0)
        one.add_argument("--rounds", type=int)
        one.add_argument("--repeat", type=int, default=3)
        one.add_argument("--runs", type=int, default=5)
        one.add_argument("--protocol", default="closed")
        one.add_argument("--synth", type=int, nargs=4, metavar=("LEFT", "RIGHT", "FACTS", "TICKS"))
    confidence = commands.add_parser("confidence")
    add_common(confidence, preset="best")
    confidence.add_argument("--seeds", type=int, nargs="+", required=True)
    for name in ("removed", "kept-facts", "wrong-seeds"):
        confidence.add_argument(f"--{name}", type=float, nargs="*", default=[])
    confidence.add_argument("--scrambled", action="store_true")
    confidence.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    if options.command == "prepare":
        prepare(options.out, options.sets.split(","))
        return
    if options.command == "rates":
        for name, value, unit in rates():
            print(f"{name}: {value:,.0f} {unit}")
        return
    settings = {
        name: json.loads(value) for name, _, value in (x.partition("=") for x in options.set)
    }
    config = make_config(options.preset, **{"rounds": getattr(options, "rounds", None)} | settings)
    for path in options.sets:
        if options.command == "confidence":
            for figures in measure_confidence(path, options, config):
                print(json.dumps(figures), flush=True)
        else:
            print(json.dumps(works[options.command](path, options, config)), flush=True)


def add_common(parser: argparse.ArgumentParser, preset: str) -> None:
    """Add the options that all commands have."""
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--preset", default=preset)
    parser.add_argument("--engine", default="gpu")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")


if __name__ == "__main__":
    main()
