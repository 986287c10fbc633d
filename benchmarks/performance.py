"""Speed and memory: real sets with both presets, small graphs, first start, kernels, growth.

    python benchmarks/performance.py [--sizes 10000,30000] [--parts rates,growth] [--plot [FILE]]
        [--out FOLDER] [--presets best] [--more "--search exact"]

The presets run one after the other on each set, so that their ratio is of one hour. Rates are
shares of what the machine reaches in the same run. Real sets need LIGHTTEA_DATA. Raw figures go to
performance.json after each part, so that an interrupted measurement keeps what it has.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

from growth import FEWER, LARGE, bench, exponents, growth, write_plot
from lighttea.example import example_file
from lighttea.kernels.process import free_bytes
from lighttea.kernels.threads import available_threads
from lighttea.solve.memory import GIB
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from rates import QUICK, Scale, all_rates

SIZES = "10000,30000,100000,300000,1000000"
PLOT = Path("docs/growth.svg")
DATASETS = (("DICEWS", 200), ("YAGO-WIKI20K", 400), ("BETA", 12_109))
PRESETS = "best,paper"
SMALL = 5_000  # entities a side of the larger of the small graphs
SHOWN = {  # stages beside the total, and what their columns are called
    "propagate": "propagate",
    "search": "search",
    "seeds": "first pairs",
    "consensus": "consensus",
    "sinkhorn": "sinkhorn",
}


def main() -> None:
    """Measure part by part and print Markdown tables."""
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"machine": machine()}
    print(f"Machine: {found['machine']}")
    for name in options.parts.split(","):
        found[name] = []
        for row in PARTS[name](options):
            found[name].append(row)
            sys.stderr.write(f"{name}: {row}\n")
        if name == "growth":
            first = options.presets.split(",")[0]
            found["exponents"] = exponents([r for r in found["growth"] if r["preset"] == first])
        (options.out / "performance.json").write_text(json.dumps(found, indent=2), "utf-8")
        print_table(name, found[name])
    if "growth" in found:
        print_exponents(found["exponents"])
        if options.plot:
            first = options.presets.split(",")[0]
            write_plot([row for row in found["growth"] if row["preset"] == first], options.plot)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default=SIZES, help="entities a side, for growth")
    parser.add_argument("--parts", default=",".join(PARTS), help="which parts, in which order")
    parser.add_argument("--plot", type=Path, nargs="?", const=PLOT, help=f"growth as SVG [{PLOT}]")
    parser.add_argument("--out", type=Path, default=Path("runs/performance"))
    parser.add_argument("--presets", default=PRESETS, help="for real sets and growth")
    parser.add_argument("--rounds", default="1", help="at most, for growth")
    parser.add_argument("--more", default="", help="more options of bench run, for growth")
    parser.add_argument("--quick", action="store_true", help="small arrays, to try the script")
    return parser.parse_args()


def machine() -> dict[str, Any]:
    """What it runs on."""
    return {
        "processor": processor(),
        "threads": available_threads(),
        "free_gib": round(free_bytes() / GIB, 1),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def processor() -> str:
    """The processor's name, as far as the system says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def rates(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Loops beside their floors."""
    for rate in all_rates(QUICK if options.quick else Scale()):
        yield rate.to_dict()


def first_start(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """`lighttea demo` with an empty folder for compiled loops, and again with a filled one."""
    with tempfile.TemporaryDirectory() as scratch:
        for which in ("first", "second"):
            words = ["demo", "--out", str(Path(scratch) / which)]
            spent = timed(words, NUMBA_CACHE_DIR=str(Path(scratch) / "loops"))
            yield {"start": which, "wall": spent}


def small(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """`align` on small graphs, from start to written run; alone, and beside busy processes."""
    with tempfile.TemporaryDirectory() as scratch:
        made, run = Path(scratch) / "made", Path(scratch) / "run"
        write_synth(made, SynthConfig(entities=200 if options.quick else SMALL, seeds=50))
        example = [str(example_file(name)) for name in ("left.tsv", "right.csv", "seeds.tsv")]
        made_up = [str(made / name) for name in ("triples_1", "triples_2", "sup_pairs")]
        for graphs, (left, right, seeds) in (("example", example), ("made-up", made_up)):
            for more in ([], ["--no-report"]):
                words = ["align", left, right, "--seeds", seeds, "--out", str(run), "--overwrite"]
                timed([*words, *more])  # once to warm up
                row = {"graphs": graphs, "report": not more, "alone": timed([*words, *more])}
                with busy_processes(os.cpu_count() or 1):
                    yield {**row, "all cores busy": timed([*words, *more])}


@contextmanager
def busy_processes(n: int) -> Iterator[None]:
    """So many processes that never rest."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def timed(words: Sequence[str], **environment: str) -> float:
    """Seconds of a command from start to end."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "lighttea", *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    return time.perf_counter() - begin


def datasets(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Real sets in at most three rounds, closed protocol: a row for each preset."""
    data = os.environ.get("LIGHTTEA_DATA")
    for name, seeds in DATASETS:
        folder = Path(data or "") / name
        if not data or not folder.is_dir():
            continue
        for preset in options.presets.split(","):
            with tempfile.TemporaryDirectory() as scratch:
                words = ("--rounds", "3", "--preset", preset)
                given = min(seeds, n_given_seeds(folder))
                result = bench(folder, given, *words, out=Path(scratch) / "result.json")
            yield {"dataset": name, "seeds": seeds, "preset": preset, **of_run(result)}


def n_given_seeds(folder: Path) -> int:
    """How many seeds a dataset folder comes with, at least; more are drawn from its truth."""
    pairs = [folder / name for name in ("sup_pairs", "ref_pairs")]
    return sum(len(path.read_bytes().splitlines()) for path in pairs if path.exists()) - 1


def of_run(result: dict[str, Any]) -> dict[str, Any]:
    """What a run took and reached, in one flat row."""
    if "error" in result:
        return {"error": result["error"]}
    seconds = result["seconds"]
    return {
        "total": seconds["total"],
        "processor": result["cpu_seconds"],
        **{name: seconds[stage] for stage, name in SHOWN.items() if stage in seconds},
        "rounds": len(result["per_run"][0]["rounds"]),
        "peak_gib": result["peak_rss_mb"] / 1024,
        "hits@1": result["mean"]["hits@1"],
    }


def grown(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Growth with the number of entities."""
    sizes = [int(size) for size in options.sizes.split(",")]
    for preset in options.presets.split(","):
        words = ["--preset", preset, "--rounds", options.rounds, *FEWER.get(preset, ())]
        words += shlex.split(options.more)
        for row in growth(sizes, words):
            yield {"preset": preset, **row}


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "datasets": datasets,
    "small": small,
    "first_start": first_start,
    "rates": rates,
    "growth": grown,
}


def print_table(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Markdown; a column for every figure that any row has."""
    if not rows:
        return
    columns = list(dict.fromkeys(name for row in rows for name in row))
    print(f"\n## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(cell(row.get(name)) for name in columns)} |", flush=True)


def cell(value: Any) -> str:
    """Three digits of a fraction; whole numbers whole; nothing where there is none."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def print_exponents(found: dict[str, dict[str, float | None]]) -> None:
    """What grows as entities to which power."""
    print(f"\n| entities to the power | all sizes | from {LARGE:,} on |\n|---|---|---|")
    for name, powers in found.items():
        shown = ["" if power is None else f"{power:.2f}" for power in powers.values()]
        print(f"| {name} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
