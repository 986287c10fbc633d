"""Aligning again with the decisions, in a process of its own, and what that changed."""

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

PROGRAM = (sys.executable, "-m", "lighttea")
PROGRESS = {"LIGHTTEA_PROGRESS": "lines"}  # the command then writes each stage as a line
_KEPT_LINES = 40


def write_links(folder: Path, decisions: Decisions) -> tuple[Path, Path]:
    """must-link.tsv and cannot-link.tsv."""
    paths = folder / "must-link.tsv", folder / "cannot-link.tsv"
    for path, links in zip(paths, decisions.links(), strict=True):
        path.write_text(links_text(links), encoding="utf-8")
    return paths


def links_text(links: pl.DataFrame) -> str:
    """Links as TSV with a header."""
    return links.write_csv(separator="\t", quote_style="never")


@dataclass(frozen=True)
class Changes:
    """How the links of two runs differ."""

    rows: pl.DataFrame  # left, before, after, confidence
    n_same: int
    n_changed: int
    n_gained: int
    n_lost: int


def changes(before: Run, after: Run) -> Changes:
    """Link by link; an accepted pair is a link of the new run although it is a seed there."""
    columns = ["left", "right", "confidence"]
    new = pl.concat([after.best_links.select(columns), _accepted(before, after)])
    both = (
        before.best_links.select("left", before="right")
        .join(new.rename({"right": "after"}), on="left", how="full", coalesce=True)
        .select("left", "before", "after", "confidence")
    )
    same = both.filter(pl.col("before") == pl.col("after"))
    gained = both.filter(pl.col("before").is_null())
    lost = both.filter(pl.col("after").is_null())
    changed = both.filter(pl.col("before") != pl.col("after"))
    rows = pl.concat([changed, gained, lost])
    return Changes(rows, len(same), len(changed), len(gained), len(lost))


def _accepted(before: Run, after: Run) -> pl.DataFrame:
    """Pairs that became seeds by a decision."""
    new = after.seeds.join(before.seeds, on=["left", "right"], how="anti", maintain_order="left")
    return new.with_columns(confidence=pl.lit(1.0, pl.Float32))


@dataclass
class Realignment:
    """One alignment at a time, watched from outside."""

    run: Run
    run_folder: Path
    folder: Path  # where the decisions and the new runs lie
    decisions: Decisions
    state: str = "none"  # none, running, done, failed
    stage: str = ""
    begun: float = 0.0
    seconds: float = 0.0
    out: Path | None = None
    notes: list[str] = field(default_factory=list)
    found: Changes | None = None
    _process: subprocess.Popen[str] | None = None
    _lines: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> bool:
        """Begin, unless one is at work already."""
        with self._lock:
            if self.state == "running":
                return False
            self.state, self.stage, self.notes, self.found = "running", "starting", [], None
            self.begun, self.seconds = time.monotonic(), 0.0
            self._lines.clear()
        threading.Thread(target=self._work, daemon=True).start()
        return True

    def stop(self) -> None:
        """End the process where one is at work."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(timeout=20)

    def status(self) -> dict[str, Any]:
        """For the page that waits."""
        running = self.state == "running"
        seconds = time.monotonic() - self.begun if running else self.seconds
        return {"state": self.state, "stage": self.stage, "seconds": round(seconds, 1)}

    @property
    def error(self) -> str:
        """What the process said last."""
        return "\n".join(self._lines)

    def _work(self) -> None:
        try:
            self._align()
        except (OSError, InputError, subprocess.SubprocessError) as error:
            self._lines.append(str(error))
            self._finish("failed")

    def _align(self) -> None:
        self.out = _free_name(self.folder)
        words = [*PROGRAM, "review", str(self.run_folder), "--realign", str(self.out)]
        pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, text=True, env={**os.environ, **PROGRESS}, **pipes) as process:
            self._process = process
            for line in process.stderr or ():
                self.stage = line.strip() or self.stage
                self._lines.append(line.rstrip())
        if process.returncode:
            if process.returncode < 0:
                name = signal.Signals(-process.returncode).name
                self._lines.append(f"it was ended from outside ({name})")
            self._finish("failed")
            return
        after = load_run(self.out)
        self.notes = after.info["warnings"]
        self.found = changes(self.run, after)
        self._finish("done")

    def _finish(self, state: str) -> None:
        self.seconds = time.monotonic() - self.begun
        self.state = state


def _free_name(folder: Path) -> Path:
    number = 1
    while (folder / f"run-{number}").exists():
        number += 1
    return folder / f"run-{number}"
