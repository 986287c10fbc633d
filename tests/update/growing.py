"""Graphs with a known answer that grow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

import lighttea
from lighttea.progress import Progress
from lighttea.results.run import Run
from tests.worlds import Fact, fact_frame, random_facts, renamed

SETTINGS: dict[str, Any] = {"threads": 1, "rounds": 2, "dim": 64, "decoys": 200}
LATE = [f"e{number}" for number in (11, 23, 57, 102, 190)]  # entities that come in later
PAIR = ["left", "right"]


@dataclass(frozen=True)
class GrowingWorld:
    """A graph and its renamed copy: as they were first, and what came in later."""

    left: list[Fact]
    right: list[Fact]
    late_left: list[Fact]
    late_right: list[Fact]


class Quiet(Progress):
    """A progress that keeps what it is told and shows nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def tell(self, message: str) -> None:
        self.told.append(message)

    def show_warning(self, message: str) -> None:
        """Warnings are kept in `warnings`."""


@cache
def growing_world() -> GrowingWorld:
    """Return a graph whose late entities have no facts at first."""
    facts = list(dict.fromkeys(random_facts(300, 2400, 7)))
    late = [fact for fact in facts if fact[0] in LATE or fact[2] in LATE]
    early = [fact for fact in facts if fact not in set(late)]
    return GrowingWorld(early, renamed(early), late, renamed(late))


@cache
def first_run() -> Run:
    """Return the run of the graphs as they were first."""
    world = growing_world()
    seeds = [(f"e{number}", f"xe{number}") for number in range(12, 20)]
    return lighttea.align(
        fact_frame(*world.left), fact_frame(*world.right), seeds=seeds, progress=Quiet(), **SETTINGS
    )


@cache
def grown_run() -> Run:
    """Return the run of the graphs as they are now, updated."""
    world = growing_world()
    return first_run().update(
        left=fact_frame(*world.late_left), right=fact_frame(*world.late_right), progress=Quiet()
    )


def pairs(table: pl.DataFrame) -> set[tuple[str, str]]:
    """Return the left and right columns as pairs."""
    return set(table.select(PAIR).iter_rows())


def changes_by_left(run: Run) -> dict[str, tuple[str, str, str]]:
    """Return right, change and why by left entity."""
    return {left: (right, change, why) for left, right, change, why in run.changes.iter_rows()}
