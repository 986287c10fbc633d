"""What a benchmark run may see of a dataset."""

from __future__ import annotations

import numpy as np

from lighttea.bench.draw import Puzzle
from lighttea.bench.task import Task
from lighttea.io.benchmark import Dataset


def puzzle_of(dataset: Dataset) -> Puzzle:
    """The dataset in numbers."""
    ids = [
        [graph.entity_ids[name] for name in dataset.pairs[side]]
        for side, graph in (("left", dataset.left), ("right", dataset.right))
    ]
    pairs = np.array(ids, np.int32).reshape(2, -1)
    return Puzzle(dataset.left, dataset.right, pairs, dataset.fixed_split, dataset.name)


def draw_task(
    dataset: Dataset,
    n_seeds: int,
    rng: np.random.Generator,
    removed: float = 0.0,
    *,
    names: bool = False,
) -> Task:
    """The dataset in a fresh random order, as `Puzzle.drawn` has it."""
    return puzzle_of(dataset).drawn(n_seeds, rng, removed, names=names)
