"""Sizes of a dataset: as published, and as counted in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lighttea.io.benchmark import Dataset
from lighttea.io.lines import read_lines


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Sizes as (left, right) where the sides differ; None where a size is unknown."""

    entities: tuple[int, int] | None = None
    relations: tuple[int, int] | None = None
    facts: tuple[int, int] | None = None
    ticks: int | None = None  # ids in time_id, that of the unknown time included
    pairs: int | None = None

    @property
    def n_lines(self) -> int:
        """About how many lines the files of a dataset of these sizes have."""
        both = (self.entities, self.relations, self.facts)
        return sum(sum(sizes) for sizes in both if sizes) + (self.ticks or 0) + (self.pairs or 0)


def count_statistics(folder: Path, dataset: Dataset) -> Statistics:
    """Return the sizes of a dataset folder that was read; ticks are the lines of its time_id."""
    left, right = dataset.left, dataset.right
    time_id = folder / "time_id"
    return Statistics(
        entities=(len(left.entities), len(right.entities)),
        relations=(len(left.relations), len(right.relations)),
        facts=(len(left.facts), len(right.facts)),
        ticks=len(read_lines(time_id).text) if time_id.exists() else None,
        pairs=len(dataset.pairs),
    )
