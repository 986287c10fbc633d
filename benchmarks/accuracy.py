"""The README's accuracy table: one line for each figure, from the folders in LIGHTTEA_DATA.

    LIGHTTEA_DATA=folder python benchmarks/accuracy.py [--runs 5] [--out FOLDER]

Round 1 of a three-round run is the supervised figure: the same numbers as with --rounds 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

EXPERIMENTS = (
    ("DICEWS", 200, "lighttea", ("--alpha", "0.6")),
    ("DICEWS", 1000, "lighttea", ("--alpha", "0.6")),
    ("DICEWS", 200, "lightea", ()),
    ("YAGO-WIKI20K", 400, "lighttea", ("--temperature", "0.02")),
    ("DBP15K_FR_EN", 4500, "lightea", ()),
)
FIGURES = ("hits@1", "hits@10", "mrr")


def main() -> None:
    """Run every experiment whose folder is there and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("runs/accuracy"))
    options = parser.parse_args()
    data = os.environ.get("LIGHTTEA_DATA")
    if not data:
        sys.exit("set LIGHTTEA_DATA to a folder of dataset folders")
    options.out.mkdir(parents=True, exist_ok=True)
    print("| dataset | seeds | method | rounds | Hits@1 | Hits@10 | MRR | s a run | peak MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for dataset, seeds, method, extra in EXPERIMENTS:
        folder = Path(data) / dataset
        if not folder.is_dir():
            print(f"| {dataset} | {seeds} | {method} | not in LIGHTTEA_DATA | | | | | |")
            continue
        out = options.out / f"{dataset}-{seeds}-{method}.json"
        words = ["bench", "run", str(folder), "--seeds", str(seeds), "--method", method, *extra]
        words += ["--runs", str(options.runs), "--json", str(out)]
        subprocess.run(
            [sys.executable, "-m", "lighttea", *words], check=True, stdout=subprocess.DEVNULL
        )
        print_rows(json.loads(out.read_text(encoding="utf-8")))


def print_rows(result: dict[str, Any]) -> None:
    """One row for the first round and one for the last, means over the runs."""
    n_rounds = len(result["per_run"][0]["rounds"])
    for number in sorted({1, n_rounds}):
        rounds = [run["rounds"][min(number, len(run["rounds"])) - 1] for run in result["per_run"]]
        means = [sum(one[name] for one in rounds) / len(rounds) for name in FIGURES]
        cells = [result["dataset"], result["seeds"], result["method"], number]
        cells += [f"{mean:.4f}" for mean in means]
        last = number == n_rounds
        cells += [result["seconds"]["total"] if last else "", result["peak_rss_mb"] if last else ""]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
