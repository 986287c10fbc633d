"""Speed and memory: each stage beside its floor, and growth with the number of entities.

    python benchmarks/performance.py [--sizes 10000,20000,50000] [--out FOLDER]

Timings of one run are ratios: the matrix rate and the copy rate are measured in the same run. With
LIGHTTEA_DATA set, the datasets of the README are timed too, files to run folder.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.engines.threads import available_threads
from lighttea.graph.views import View
from lighttea.propagate.labels import product
from lighttea.similarity.topk import top_k
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.types import Floats, LeftIds, RightIds

DATASETS = (
    ("DICEWS", 200, ("--alpha", "0.6")),
    ("YAGO-WIKI20K", 400, ("--temperature", "0.02")),
)


def main() -> None:
    """Measure and print Markdown tables; raw figures go to performance.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,20000,50000")
    parser.add_argument("--out", type=Path, default=Path("runs/performance"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sizes = [int(size) for size in options.sizes.split(",")]
    found: dict[str, Any] = {"machine": machine(), "kernels": kernels(), "growth": growth(sizes)}
    found["datasets"] = datasets(options.out)
    (options.out / "performance.json").write_text(json.dumps(found, indent=2), encoding="utf-8")
    print_tables(found)


def machine() -> dict[str, Any]:
    """What it ran on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "threads": available_threads(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def best_of(work: Callable[[], Any], times: int = 3) -> float:
    """The fewest seconds of several tries, after one to warm up."""
    work()
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begin)
    return min(spent)


def kernels() -> list[dict[str, Any]]:
    """Search beside the matrix rate, propagation beside the copy rate."""
    rng = np.random.default_rng(0)
    rows = []
    for n_left, n_right, width, k in ((4096, 20_000, 2048, 500), (4096, 20_000, 1024, 100)):
        left, right = (unit(rng, n, width) for n in (n_left, n_right))
        flops = 2.0 * n_left * n_right * width
        matrix = flops / best_of(partial(np.matmul, left, right.T)) / 1e9
        left_ids, right_ids = LeftIds(np.arange(n_left)), RightIds(np.arange(n_right))
        spent = best_of(partial(top_k, left_ids, right_ids, left, right, k))
        ours = flops / spent / 1e9
        what = f"top {k} of {n_right:,} by {width:,} columns"
        rows.append({"what": what, "unit": "GFLOP/s", "floor": matrix, "ours": ours})
    rows.append(propagation(rng))
    return rows


def unit(rng: np.random.Generator, n: int, width: int) -> Floats:
    """Random rows."""
    return rng.standard_normal((n, width), dtype=np.float32)


def propagation(rng: np.random.Generator) -> dict[str, Any]:
    """Sparse times dense: bytes read and written beside a plain copy of the same size."""
    n, n_entries, dim = 40_000, 400_000, 512
    columns = rng.integers(0, n, n_entries).astype(np.int32)
    start = np.sort(rng.integers(0, n_entries, n - 1))
    view = View(
        np.concatenate([[0], start, [n_entries]]), columns, np.ones(n_entries, np.float32), n
    )
    labels = unit(rng, n, dim)
    moved = 4.0 * dim * (n_entries + 2 * n)  # rows gathered; result zeroed and written
    ours = moved / best_of(lambda: product(view, labels)) / 1e9
    source, target = np.ones(100_000_000, np.float32), np.empty(100_000_000, np.float32)
    copy = 2 * source.nbytes / best_of(lambda: np.copyto(target, source)) / 1e9
    return {"what": "sparse times dense, 512 columns", "unit": "GB/s", "floor": copy, "ours": ours}


def bench(folder: Path, seeds: int, *more: str) -> dict[str, Any]:
    """One run in a process of its own, so that its peak memory is its own."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "result.json"
        words = ["bench", "run", str(folder), "--seeds", str(seeds), "--runs", "1", *more]
        command = [sys.executable, "-m", "lighttea", *words, "--json", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return result


def growth(sizes: list[int]) -> list[dict[str, Any]]:
    """synth, 5 facts an entity, 1 % seeds, one round, top-k 100, exact search."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            made = write_synth(
                Path(scratch) / "synth", SynthConfig(entities=size, seeds=size // 100)
            )
            one = bench(Path(scratch) / "synth", made.seeds, "--rounds", "1", "--top-k", "100")
        rows.append(
            {"entities": size, **one["seconds"], "peak_mb": one["peak_rss_mb"], **one["mean"]}
        )
    return rows


def datasets(out: Path) -> list[dict[str, Any]]:
    """`align` on real folders, files to run folder, three rounds, open candidates."""
    rows = []
    data = os.environ.get("LIGHTTEA_DATA")
    for name, seeds, more in DATASETS:
        folder = Path(data or "") / name
        if not data or not folder.is_dir():
            continue
        known = out / f"{name}.seeds"
        known.write_text(first_lines(folder / "sup_pairs", seeds), encoding="utf-8")
        run = out / name
        words = ["align", str(folder / "triples_1"), str(folder / "triples_2")]
        words += ["--seeds", str(known), "--out", str(run), "--overwrite", *more]
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "lighttea", *words], check=True, stdout=subprocess.DEVNULL
        )
        spent = time.perf_counter() - begin
        info = json.loads((run / "run.json").read_text(encoding="utf-8"))
        rows.append(
            {
                "dataset": name,
                "wall": spent,
                **info["seconds"],
                "peak_mb": info["peak_rss_mb"],
                "expected_mb": info["expected_peak_mb"],
            }
        )
    return rows


def first_lines(path: Path, n: int) -> str:
    """The first n lines of a file."""
    return "\n".join(path.read_text(encoding="utf-8").splitlines()[:n]) + "\n"


def exponent(rows: list[dict[str, Any]]) -> float:
    """The slope of total seconds over entities, both in logarithms."""
    x = np.log([row["entities"] for row in rows])
    y = np.log([row["total"] for row in rows])
    return float(np.polyfit(x, y, 1)[0])


def print_tables(found: dict[str, Any]) -> None:
    """Markdown."""
    print(f"Machine: {found['machine']}\n")
    print("| kernel | unit | floor | ours | share |\n|---|---|---|---|---|")
    for row in found["kernels"]:
        rates = f"{row['floor']:.1f} | {row['ours']:.1f} | {row['ours'] / row['floor']:.0%}"
        print(f"| {row['what']} | {row['unit']} | {rates} |")
    for title in ("growth", "datasets"):
        if found[title]:
            columns = list(found[title][0])
            print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
            for row in found[title]:
                cells = [
                    f"{row[c]:.3g}" if isinstance(row[c], float) else str(row[c]) for c in columns
                ]
                print(f"| {' | '.join(cells)} |")
    if len(found["growth"]) > 1:
        print(f"\nSeconds grow as entities to the power {exponent(found['growth']):.2f}.")


if __name__ == "__main__":
    main()
