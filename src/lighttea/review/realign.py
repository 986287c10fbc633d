"""Aligning again with the decisions, in a process of its own, and what that changed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.config import FIELD_TYPES, PRESETS, make_config
from lighttea.errors import InputError
from lighttea.io.runs import load_run
from lighttea.review.decisions import Decisions
from lighttea.run import Run

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


def changes(before: Run, after: Run, must: pl.DataFrame) -> Changes:
    """Link by link; an accepted pair is a link of the new run although it is a seed there."""
    new = pl.concat([after.links.select("left", "right", "confidence"), _sure(after, before, must)])
    both = before.links.select("left", before="right").join(
        new.select("left", after="right", confidence="confidence"),
        on="left",
        how="full",
        coalesce=True,
    )
    same = both.filter(pl.col("before") == pl.col("after"))
    gained = both.filter(pl.col("before").is_null())
    lost = both.filter(pl.col("after").is_null())
    changed = both.filter(pl.col("before") != pl.col("after"))
    rows = pl.concat([changed, gained, lost])
    return Changes(rows, len(same), len(changed), len(gained), len(lost))


def _sure(after: Run, before: Run, must: pl.DataFrame) -> pl.DataFrame:
    """Accepted pairs that the new run took as seeds."""
    taken = must.join(after.links, on=["left", "right"], how="anti").join(
        before.seeds, on=["left", "right"], how="anti"
    )
    return taken.with_columns(confidence=pl.lit(1.0, pl.Float32))


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
        must, _ = self.decisions.links()
        self.out = _free_name(self.folder)
        command = [*PROGRAM, *self._words(must)]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **PROGRESS},
        )
        assert self._process.stderr is not None  # it is a pipe
        for line in self._process.stderr:
            self.stage = line.strip() or self.stage
            self._lines.append(line.rstrip())
        if self._process.wait() != 0:
            self._finish("failed")
            return
        self.found = changes(self.run, load_run(self.out), must)
        self._finish("done")

    def _finish(self, state: str) -> None:
        self.seconds = time.monotonic() - self.begun
        self.state = state

    def _words(self, must: pl.DataFrame) -> list[str]:
        """The command that aligns the run's facts with its settings and the decisions."""
        files = write_links(self.folder, self.decisions)
        seeds = self.run.seeds
        links: list[str] = []
        if _has_link_options():
            for option, path in zip(("--must-link", "--cannot-link"), files, strict=True):
                if len(path.read_text(encoding="utf-8").splitlines()) > 1:
                    links += [option, str(path)]
        else:
            seeds = pl.concat([seeds, must]).unique(maintain_order=True)
            self.notes.append("accepted pairs joined the seeds; rejected ones are not used")
        seeds_file = self.folder / "seeds.tsv"
        seeds_file.write_text(links_text(seeds), encoding="utf-8")
        sides = [str(self.run_folder / f"facts_{side}.parquet") for side in ("left", "right")]
        return [
            *("align", *sides, "--seeds", str(seeds_file), "--out", str(self.out), "--no-report"),
            *links,
            *options_of(self.run),
        ]


def options_of(run: Run) -> list[str]:
    """The run's preset, and what differs from it, as words of the command line."""
    preset = run.info["preset"] if run.info["preset"] in PRESETS else "paper"
    usual, words = make_config(preset), ["--preset", preset]
    for name, value in run.info["config"].items():
        if name not in FIELD_TYPES or getattr(usual, name) == value:
            continue
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            words += [f"--{option}", str(value)]
    return words


def _has_link_options() -> bool:
    """Whether `align` of this version takes decisions as they are."""
    shown = subprocess.run(
        [*PROGRAM, "align", "--help"], capture_output=True, text=True, check=True
    )
    return "--must-link" in shown.stdout and "--cannot-link" in shown.stdout


def _free_name(folder: Path) -> Path:
    number = 1
    while (folder / f"run-{number}").exists():
        number += 1
    return folder / f"run-{number}"
