"""Speed and memory: loops beside their floors, first start, real sets, growth with size.

    python benchmarks/performance.py [--sizes 10000,30000] [--parts rates,growth] [--plot [FILE]]
        [--out FOLDER] [--more "--search exact"]

Rates are shares of what the machine reaches in the same run. With LIGHTTEA_DATA set, `align` is
timed on the datasets of the README too, files to run folder. Raw figures go to performance.json
after each part, so that an interrupted measurement keeps what it has.
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
from pathlib import Path
from typing import Any

import numba
import numpy as np

from growth import LARGE, exponents, growth, write_plot
from lighttea.example import example_file
from lighttea.kernels.process import free_bytes
from lighttea.kernels.threads import available_threads
from lighttea.solve.memory import GIB
from rates import QUICK, Scale, all_rates

SIZES = "10000,30000,100000,300000,1000000"
PLOT = Path("docs/growth.svg")
DATASETS = (
    ("DICEWS", 200, ("--alpha", "0.6")),
    ("YAGO-WIKI20K", 400, ("--temperature", "0.02")),
)


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
            found["exponents"] = exponents(found["growth"])
        (options.out / "performance.json").write_text(json.dumps(found, indent=2), "utf-8")
        print_table(name, found[name])
    if "growth" in found:
        print_exponents(found["exponents"])
        if options.plot:
            write_plot(found["growth"], options.plot)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default=SIZES, help="entities a side, for growth")
    parser.add_argument("--parts", default=",".join(PARTS), help="which parts, in which order")
    parser.add_argument("--plot", type=Path, nargs="?", const=PLOT, help=f"growth as SVG [{PLOT}]")
    parser.add_argument("--out", type=Path, default=Path("runs/performance"))
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
    """The bundled example with an empty folder for compiled loops, and again with a filled one."""
    words = ["align", str(example_file("left.tsv")), str(example_file("right.csv"))]
    words += ["--seeds", str(example_file("seeds.tsv")), "--rounds", "2", "--overwrite"]
    with tempfile.TemporaryDirectory() as scratch:
        words += ["--out", str(Path(scratch) / "run")]
        for which in ("first", "second"):
            spent = timed(words, NUMBA_CACHE_DIR=str(Path(scratch) / "loops"))
            yield {"start": which, "wall": spent}


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
    """`align` on real folders, files to run folder, three rounds, open candidates."""
    data = os.environ.get("LIGHTTEA_DATA")
    for name, seeds, more in DATASETS:
        folder = Path(data or "") / name
        if data and folder.is_dir():
            yield {"dataset": name, "seeds": seeds, **aligned(folder, seeds, more, options.out)}


def aligned(folder: Path, seeds: int, more: Sequence[str], out: Path) -> dict[str, Any]:
    """Seconds by stage and peak memory of one alignment."""
    known, run = out / f"{folder.name}.seeds", out / folder.name
    pairs = (folder / "sup_pairs").read_text(encoding="utf-8").splitlines()
    known.write_text("\n".join(pairs[:seeds]) + "\n", encoding="utf-8")
    words = ["align", str(folder / "triples_1"), str(folder / "triples_2")]
    words += ["--seeds", str(known), "--out", str(run), "--overwrite", *more]
    spent = timed(words)
    info = json.loads((run / "run.json").read_text(encoding="utf-8"))
    memory = {name: info[name] for name in ("peak_rss_mb", "expected_peak_mb") if name in info}
    return {"wall": spent, **info["seconds"], **memory}


def grown(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Growth with the number of entities."""
    sizes = [int(size) for size in options.sizes.split(",")]
    return growth(sizes, shlex.split(options.more))


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "rates": rates,
    "first_start": first_start,
    "datasets": datasets,
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
