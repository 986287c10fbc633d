"""What an update costs beside aligning anew, and how far their links agree, on made-up graphs.

Each row aligns graphs that lack some facts, updates that run with them, and aligns the whole graphs
anew, each in a process of its own: `python benchmarks/update.py --entities 50000`. Two alignments
anew that differ in their random seed alone say how far links can agree at all.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.io.benchmark import read_side
from lighttea.io.frames import frame_of_graph
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

SIDES = {"left": "1", "right": "2"}
PAIR = ["left", "right"]
SURE = 0.9  # confidence
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


def command(*words: str | Path) -> float:
    """Run a command of lighttea on one thread; return its processor seconds."""
    before = _child_seconds()
    tokens = [sys.executable, "-W", "ignore", "-m", "lighttea", *map(str, words)]
    settings = {**os.environ, **ONE_THREAD}
    done = subprocess.run(tokens, check=False, capture_output=True, text=True, env=settings)
    if done.returncode:
        raise SystemExit(done.stderr)
    return _child_seconds() - before


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_graphs(folder: Path, config: SynthConfig, shares: Sequence[float]) -> None:
    """Write both graphs, and for each share those that lack it and what they lack."""
    write_synth(folder / "made", config)
    rng = np.random.default_rng(1)
    known: dict[str, pl.Series] = {}
    for side, number in SIDES.items():
        facts = frame_of_graph(read_side(folder / "made", number)).unique(maintain_order=True)
        facts.write_parquet(folder / f"{side}.parquet")
        late = rng.random(len(facts))
        for share in shares:
            missing = share / (1 + share)  # what comes in, as a share of what was there
            before = facts.filter(pl.Series(late >= missing))
            before.write_parquet(folder / f"{side}-without-{share}.parquet")
            facts.filter(pl.Series(late < missing)).write_parquet(
                folder / f"{side}-late-{share}.parquet"
            )
            names = pl.concat([before["head"], before["tail"]]).unique()
            known[side] = (
                names
                if side not in known
                else known[side].filter(known[side].is_in(names.implode()))
            )
    _write_pairs(folder, known["left"], known["right"])


def _write_pairs(folder: Path, left: pl.Series, right: pl.Series) -> None:
    """Write the truth, and as seeds those whose entities all graphs have."""
    pairs = {
        name: pl.read_csv(
            folder / "made" / f"{name}_pairs",
            separator="\t",
            has_header=False,
            new_columns=PAIR,
            infer_schema=False,
        )
        for name in ("sup", "ref")
    }
    pl.concat(pairs.values()).write_parquet(folder / "truth.parquet")
    seeds = pairs["sup"].filter(
        pl.col("left").is_in(left.implode()), pl.col("right").is_in(right.implode())
    )
    seeds.write_parquet(folder / "seeds.parquet")


def align(folder: Path, ending: str, out: str, *more: str) -> float:
    """Align the graphs whose files end so; return the processor seconds."""
    graphs = [folder / f"{side}{ending}.parquet" for side in SIDES]
    plain: list[str | Path] = ["--seeds", folder / "seeds.parquet", "--threads", "1", "--no-report"]
    return command("align", *graphs, *plain, *more, "--out", folder / out)


def update(folder: Path, run: str, share: float, out: str, *, removes: bool) -> float:
    """Update a run by what is late; return the processor seconds."""
    option = "--remove-{}" if removes else "--{}"
    files: list[str | Path] = [
        word
        for side in SIDES
        for word in (option.format(side), folder / f"{side}-late-{share}.parquet")
    ]
    plain: list[str | Path] = ["--threads", "1", "--no-report", "--out", folder / out]
    return command("update", folder / run, *files, *plain)


def agreement(folder: Path, run: str, anew: str) -> dict[str, float]:
    """Return how far the links of a run are those of another, which was aligned anew."""
    own, other = (pl.read_parquet(folder / name / "links.parquet") for name in (run, anew))
    truth = pl.read_parquet(folder / "truth.parquet")
    sure = other.filter(pl.col("confidence") >= SURE)
    moved = own.join(other, on="left").filter(pl.col("right") != pl.col("right_right"))
    return {
        "missing": 1 - _common(other, own) / len(other),
        "extra": 1 - _common(own, other) / len(own),
        "other_partner": len(moved) / len(other),
        "sure_missing": 1 - _common(sure, own) / max(1, len(sure)),
        "precision": _common(own, truth) / len(own),
        "precision_anew": _common(other, truth) / len(other),
        "recall": _common(truth, own) / len(truth),
        "recall_anew": _common(truth, other) / len(truth),
    }


def _common(links: pl.DataFrame, others: pl.DataFrame) -> int:
    return len(links.join(others, on=PAIR, how="semi"))


def measure(folder: Path, config: SynthConfig, shares: Sequence[float]) -> list[dict[str, object]]:
    """Return a row for each kind of change, and one for two alignments anew."""
    write_graphs(folder, config, shares)
    anew, again = align(folder, "", "anew"), align(folder, "", "again", "--random-seed", "1")
    rows: list[dict[str, object]] = [
        {"change": "none, another random seed", "anew": anew, "update": again}
        | agreement(folder, "again", "anew")
    ]
    for share in shares:
        seconds = align(folder, f"-without-{share}", f"before-{share}")
        grown = update(folder, f"before-{share}", share, f"grown-{share}", removes=False)
        row = {"change": f"grown by {share:.0%}", "anew": anew, "update": grown}
        rows.append(row | agreement(folder, f"grown-{share}", "anew"))
        if share == min(shares):
            shrunk = update(folder, "anew", share, f"shrunk-{share}", removes=True)
            row = {"change": f"{share:.0%} withdrawn", "anew": seconds, "update": shrunk}
            rows.append(row | agreement(folder, f"shrunk-{share}", f"before-{share}"))
    return rows


def table(rows: Sequence[dict[str, object]]) -> str:
    """Return the rows as a table in Markdown."""
    shares = [name for name in rows[0] if name not in ("change", "anew", "update")]
    heads = ["change", "anew s", "update s", "times faster", *(s.replace("_", " ") for s in shares)]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for row in rows:
        anew, own = float(str(row["anew"])), float(str(row["update"]))
        cells = [str(row["change"]), f"{anew:.1f}", f"{own:.1f}", f"{anew / own:.1f}"]
        cells += [f"{float(str(row[name])):.2%}" for name in shares]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table, and write the figures as JSON where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=50_000)
    parser.add_argument("--grow", default="0.01,0.5", help="shares of facts that come in")
    parser.add_argument("--world", type=int, default=0, help="random seed of the made-up graphs")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    words = parser.parse_args()
    shares = [float(share) for share in words.grow.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        config = SynthConfig(entities=words.entities, random_seed=words.world)
        rows = measure(Path(folder), config, shares)
    sys.stdout.write(table(rows) + "\n")
    if words.json is not None:
        words.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
