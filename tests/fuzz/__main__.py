"""Fuzz all kinds of inputs, and count.

    python -m tests.fuzz [--count 20000] [--kinds tables,turtle] [--seed 1] [--finds build/fuzz]

Each kind gets so many changed files. A find is a file that was neither read nor refused in words,
or that took too long or too much: it lies in the folder of finds with its story, and the exit code
is 1. What was mended goes to `tests/fuzz/finds`, where `test_finds.py` tries it ever after.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.worker import ENDS, LAST

MOST_ENDED = 200  # processes of a kind that may end before it is given up
# a small file is read by one thread; others cost more than they help
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
IN_MEMORY = Path("/dev/shm")


def main(words: Sequence[str] | None = None) -> int:
    """Fuzz, print the counts, and return the exit code."""
    given = options(words)
    given.finds.mkdir(parents=True, exist_ok=True)
    counts: dict[str, Counter[str]] = {}
    tell(f"seed {given.seed}")
    for kind in given.kinds.split(","):
        counts[kind] = fuzz(kind, given.seed, given.count, given.finds)
        tell(line_of(kind, counts[kind]))
        (given.finds / "counts.json").write_text(json.dumps(counts, indent=1))
    total = sum(counts.values(), Counter())
    tell(line_of("all", total))
    return int(any(total[how] for how in ("find", "slow", "ended")))


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description="Fuzz every kind of input.")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--finds", type=Path, default=Path("build/fuzz"))
    return parser.parse_args(words)


def fuzz(kind: str, seed: str, count: int, finds: Path) -> Counter[str]:
    """Return how the files of a kind ended; a process that ends is followed by another."""
    counts: Counter[str] = Counter()
    begin = 0
    while begin < count and counts["slow"] + counts["ended"] < MOST_ENDED:
        with tempfile.TemporaryDirectory(prefix="fuzz.", dir=place_for_files()) as folder:
            numbers = [seed, str(begin), str(count)]
            words = [sys.executable, "-m", "tests.fuzz.worker", kind, *numbers, str(finds), folder]
            worker = subprocess.run(  # a library that panics says much
                words, stderr=subprocess.DEVNULL, check=False, env=environment(folder)
            )
            ends = (
                (Path(folder) / ENDS).read_text().split() if (Path(folder) / ENDS).exists() else []
            )
            counts.update(ends)
            begin += len(ends)
            if worker.returncode == 0:
                break
            if not (Path(folder) / LAST).exists():
                raise RuntimeError(f"{kind}: no file could be tried (exit {worker.returncode})")
            counts["slow" if worker.returncode == -signal.SIGPROF else "ended"] += 1
            keep_last(Path(folder), finds / f"{kind}-ended-{begin}")
        begin += 1
    return counts


def place_for_files() -> Path | None:
    """Return where files lie that no disk needs to see; None where there is no such place."""
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None


def environment(folder: str) -> dict[str, str]:
    """Return the environment of a worker: one thread, and its files in this folder."""
    return {**os.environ, **ONE_THREAD, "TMPDIR": folder}


def keep_last(folder: Path, place: Path) -> None:
    """Keep the file during which a process ended."""
    name, _, content = (folder / LAST).read_bytes().partition(b"\n")
    place.mkdir(parents=True, exist_ok=True)
    (place / name.decode()).write_bytes(content)


def line_of(kind: str, counts: Counter[str]) -> str:
    """Return the counts of a kind as a line."""
    how = ", ".join(f"{counts[one]:,} {one}" for one in sorted(counts))
    return f"{kind}: {counts.total():,} tried: {how}"


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
