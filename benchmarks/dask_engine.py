"""The Dask engine on two workers of one thread, beside the CPU engine on two threads.

    python benchmarks/dask_engine.py [--sizes 20000,100000] [--preset paper] [--workers 2]
                                     [--more="--top-k 100"]

Made-up graphs (`lighttea synth`: 5 facts an entity, 1 % seeds), one round, open candidates. Seconds
by stage without reading and judging, Hits@1, and the largest memory of any one process: the CPU
engine's, the driver's and a worker's. Starting the workers counts as `start`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

STAGES = ("graph", "seeds", "propagate", "search", "consensus", "time_similarity", "sinkhorn")
_LOOK_SECONDS = 0.2  # between two looks at memory


def main() -> None:
    """Measure and print; a line of JSON for each run, then a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="20000,100000")
    parser.add_argument("--preset", default="paper")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--more", default="")
    given = parser.parse_args()
    more = ["--preset", given.preset, "--threads", str(given.workers), *given.more.split()]
    rows = []
    for size in (int(text) for text in given.sizes.split(",")):
        for row in compare_engines(size, more):
            print(json.dumps(row), flush=True)
            rows.append(row)
    print(*format_table(rows), sep="\n")


def compare_engines(size: int, more: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the figures of both engines on the same made-up graphs."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "made"
        made = write_synth(folder, SynthConfig(entities=size, seeds=max(1, size // 100)))
        for engine in ("cpu", "dask"):
            words = [str(folder), "--seeds", str(made.seeds), "--engine", engine, *more]
            yield {"entities": size, "engine": engine, **measure_run(words, Path(scratch) / "out")}


def measure_run(words: Sequence[str], out: Path) -> dict[str, Any]:
    """Return the figures of one `bench run` in a process of its own, and the memory of all."""
    command = [sys.executable, "-m", "lighttea", "bench", "run", *words, "--json", str(out)]
    fixed = ["--runs", "1", "--rounds", "1", "--protocol", "open"]
    process = subprocess.Popen(
        [*command, *fixed], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    peaks: dict[int, int] = {}
    watcher = threading.Thread(target=_watch_memory, args=(process.pid, peaks), daemon=True)
    watcher.start()
    _, said = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\n{said}")
    result = json.loads(out.read_text(encoding="utf-8"))
    seconds = {name: result["seconds"].get(name, 0.0) for name in STAGES}
    run = result["per_run"][0]["rounds"][-1]["seconds"]["total"]
    start = run - sum(seconds.values()) - other_seconds(result)
    return {
        **{name: round(value, 2) for name, value in seconds.items() if value},
        "start": round(max(0.0, start), 2),
        "work": round(sum(seconds.values()), 2),
        "hits@1": result["mean"]["hits@1"],
        "recall": result["per_run"][0]["rounds"][-1].get("recall_best", 1.0),
        "driver_mib": round(peaks.pop(process.pid, 0) / 2**20),
        "worker_mib": round(max(peaks.values(), default=0) / 2**20),
    }


def other_seconds(result: dict[str, Any]) -> float:
    """Return the seconds of promoting and judging, which are none of an engine's stages."""
    return float(sum(result["seconds"].get(name, 0.0) for name in ("iterate", "evaluate")))


def _watch_memory(pid: int, peaks: dict[int, int]) -> None:
    """Keep the largest memory of a process and of those it started, until it ends."""
    try:
        leader = psutil.Process(pid)
        while leader.is_running() and leader.status() != psutil.STATUS_ZOMBIE:
            for one in (leader, *leader.children(recursive=True)):
                try:
                    peaks[one.pid] = max(peaks.get(one.pid, 0), one.memory_info().rss)
                except psutil.Error:  # gone meanwhile
                    continue
            time.sleep(_LOOK_SECONDS)
    except psutil.Error:
        return


def format_table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a table in Markdown, the two engines of a size under one another."""
    names = [n for n in STAGES if any(n in row for row in rows)]
    names = [
        "entities",
        "engine",
        *names,
        "work",
        "start",
        "hits@1",
        "recall",
        "driver_mib",
        "worker_mib",
    ]
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(str(row.get(name, '')) for name in names)} |"


if __name__ == "__main__":
    main()
