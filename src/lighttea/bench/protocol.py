"""The part of a dataset that a benchmark run may see."""

from __future__ import annotations

import numpy as np

from lighttea.bench.draw import Puzzle
from lighttea.bench.settings import Changes
from lighttea.bench.task import Task
from lighttea.io.benchmark import Dataset


def make_puzzle(dataset: Dataset) -> Puzzle:
    """Return the two graphs of a dataset and its pairs as ids."""
    ids = [
        [graph.entity_ids[name] for name in dataset.pairs[side]]
        for side, graph in (("left", dataset.left), ("right", dataset.right))
    ]
    pairs = np.array(ids, np.int32).reshape(2, -1)
    return Puzzle(
        dataset.left,
        dataset.right,
        pairs,
        dataset.fixed_split,
        dataset.name,
        own_ids=dataset.own_ids,
    )


def draw_task(
    dataset: Dataset,
    n_seeds: int,
    rng: np.random.Generator,
    changes: Changes | None = None,
    *,
    literals: bool = False,
) -> Task:
    """Return the dataset in a fresh random order, as `Puzzle.draw_task` makes it."""
    return make_puzzle(dataset).draw_task(n_seeds, rng, changes, literals=literals)
