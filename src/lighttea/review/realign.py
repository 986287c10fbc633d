"""Realignment with the decisions, in a process of its own, and the changes of the links."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import InputError
from lighttea.results.run import Run
from lighttea.results.store import load_run
from lighttea.review.decisions import Decisions
from lighttea.review.stages import estimate_percent

PROGRAM = (sys.executable, "-m", "lighttea")
PROGRESS = {"LIGHTTEA_PROGRESS": "lines"}  # makes the command write each stage as a line
NEW, CHANGED, WITHDRAWN = "new", "changed", "withdrawn"
_KEPT_LINES = 40


def write_decisions(folder: Path, decisions: Decisions) -> tuple[Path, Path]:
    """Write must-link.tsv and cannot-link.tsv and return their paths."""
    paths = folder / "must-link.tsv", folder / "cannot-link.tsv"
    for path, links in zip(paths, decisions.links(), strict=True):
        path.write_text(links_tsv(links), encoding="utf-8", newline="\n")
    return paths


def links_tsv(links: pl.DataFrame) -> str:
    """Return links as TSV with a header."""
    return links.write_csv(separator="\t", quote_style="never")


@dataclass(frozen=True)
class Changes:
    """The differences between the links of two runs."""

    rows: pl.DataFrame  # change, left, before, after, confidence
    n_same: int
    n_changed: int
    n_new: int
    n_withdrawn: int

    @property
    def counts(self) -> dict[str, int]:
        """The number of links by what happened to them, those that stayed aside."""
        return {NEW: self.n_new, CHANGED: self.n_changed, WITHDRAWN: self.n_withdrawn}

    def of_kind(self, kind: str) -> pl.DataFrame:
        """Return the rows of one kind; all rows for any other word."""
        return self.rows.filter(pl.col("change") == kind) if kind in self.counts else self.rows


def compare_runs(before: Run, after: Run) -> Changes:
    """Return the differences of two runs; an accepted pair, a seed by now, counts as a link."""
    columns = ["left", "right", "confidence"]
    links_after = pl.concat([after.best_links.select(columns), _accepted(before, after)])
    both = (
        before.best_links.select("left", before="right")
        .join(links_after.rename({"right": "after"}), on="left", how="full", coalesce=True)
        .select("left", "before", "after", "confidence")
    )
    same = both.filter(pl.col("before") == pl.col("after"))
    kinds = {
        CHANGED: both.filter(pl.col("before") != pl.col("after")),
        NEW: both.filter(pl.col("before").is_null()),
        WITHDRAWN: both.filter(pl.col("after").is_null()),
    }
    rows = [table.select(pl.lit(kind).alias("change"), pl.all()) for kind, table in kinds.items()]
    n_changed, n_new, n_withdrawn = map(len, kinds.values())
    return Changes(pl.concat(rows), len(same), n_changed, n_new, n_withdrawn)


def _accepted(before: Run, after: Run) -> pl.DataFrame:
    """Return the pairs that became seeds by a decision."""
    new = after.seeds.join(before.seeds, on=["left", "right"], how="anti", maintain_order="left")
    return new.with_columns(confidence=pl.lit(1.0, pl.Float32))


@dataclass
class Realignment:
    """An alignment in another process: one at a time, with its state."""

    run: Run
    run_folder: Path
    folder: Path  # of the decisions and the new runs
    decisions: Decisions
    state: str = "none"  # none, running, done, failed
    stage: str = ""
    percent: float = 0.0
    begun: float = 0.0
    seconds: float = 0.0
    out: Path | None = None
    notes: list[str] = field(default_factory=list)
    changes: Changes | None = None
    _process: subprocess.Popen[str] | None = None
    _lines: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> bool:
        """Start an alignment; return False where one is running already."""
        with self._lock:
            if self.state == "running":
                return False
            self.state, self.stage, self.notes, self.changes = "running", "starting", [], None
            self.begun, self.seconds, self.percent = time.monotonic(), 0.0, 0.0
            self._lines.clear()
        threading.Thread(target=self._work, daemon=True).start()
        return True

    def stop(self) -> None:
        """End the process where one is running."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(timeout=20)

    def status(self) -> dict[str, Any]:
        """Return state, stage, percent and seconds, for the page that waits."""
        running = self.state == "running"
        seconds = time.monotonic() - self.begun if running else self.seconds
        percent = {"running": round(self.percent), "done": 100}.get(self.state, 0)
        return {
            "state": self.state,
            "stage": self.stage,
            "percent": percent,
            "seconds": round(seconds, 1),
        }

    @property
    def error(self) -> str:
        """The last lines of the process."""
        return "\n".join(self._lines)

    def _work(self) -> None:
        try:
            self._align()
        except (OSError, InputError, subprocess.SubprocessError) as error:
            self._lines.append(str(error))
            self._finish("failed")

    def _align(self) -> None:
        self.out = _free_path(self.folder)
        words = [*PROGRAM, "review", str(self.run_folder), "--realign", str(self.out)]
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        pipes |= {"encoding": "utf-8", "errors": "replace"}
        with subprocess.Popen(words, env={**os.environ, **PROGRESS}, **pipes) as process:
            self._process = process
            for line in process.stderr or ():
                self.stage = line.strip() or self.stage
                self.percent = estimate_percent(line, self.percent)
                self._lines.append(line.rstrip())
        if process.returncode:
            if process.returncode < 0:
                name = signal.Signals(-process.returncode).name
                self._lines.append(f"The alignment was stopped from outside ({name}).")
            self._finish("failed")
            return
        self.stage, self.percent = "comparing the two runs", 98.0
        after = load_run(self.out)
        self.notes = after.info["warnings"]
        self.changes = compare_runs(self.run, after)
        self._finish("done")

    def _finish(self, state: str) -> None:
        self.seconds = time.monotonic() - self.begun
        self.state = state


def _free_path(folder: Path) -> Path:
    number = 1
    while (folder / f"run-{number}").exists():
        number += 1
    return folder / f"run-{number}"
