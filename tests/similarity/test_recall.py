"""The recall of an approximate search, by hand and against the exact one."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.config import make_config
from lighttea.engines.ops import Ops
from lighttea.engines.tables import TopK
from lighttea.similarity.carry import CarriedCandidates
from lighttea.similarity.exact import exact_search
from lighttea.similarity.recall import RecallCounts, add_counts, count_recall, measure_recall
from lighttea.similarity.search import search_labels
from lighttea.types import Floats, NumpyArray
from tests.plain import call, plain_engine
from tests.tables import make_labels

N_BLOCKS = [1, 3]


def made(index: object, label: object) -> TopK[NumpyArray]:
    return TopK(np.asarray(index, np.int32), np.asarray(label, np.float32))


def test_recall_counts_candidates_and_not_empty_places() -> None:
    exact = made([[0, 1, 2], [3, -1, -1], [-1, -1, -1]], [[0.3, 0.9, 0.1], [1, 0, 0], [0, 0, 0]])
    found = made([[2, 1, 7], [4, -1, -1], [-1, -1, -1]], np.zeros((3, 3)))
    every = call(count_recall, found, exact, np.arange(3))
    assert every == RecallCounts(n_rows=2, n_best=1, n_exact=4, n_found=2)
    parts = [call(count_recall, found, exact, np.array(rows, int)) for rows in ([0], [], [1, 2])]
    assert call(add_counts, parts) == every


def random_labels() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((n, 8)).astype(np.float32) for n in (60, 90))
    left[:10] = 0  # these have no candidates, and count for nothing
    return left, right


def drop_best(ops: Ops[NumpyArray], found: TopK[NumpyArray]) -> TopK[NumpyArray]:
    """Return what was found without the best candidate of every second row."""
    index, rows = found.index.copy(), np.arange(0, len(found.index), 2)
    index[rows, found.label[rows].argmax(axis=1)] = -1
    return TopK(index, found.label)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_what_a_search_misses_is_measured(n_blocks: int) -> None:
    engine = plain_engine(60, 90, n_blocks=n_blocks)
    labels = make_labels(engine, *([side] for side in random_labels()))
    asking = np.ones(60, bool)
    exact, rng = exact_search(engine, labels, 5, asking), np.random.default_rng(0)
    whole = measure_recall(engine, labels, 5, asking, exact, rng)
    assert (whole.best, whole.all_k) == (1, 1)
    some = measure_recall(engine, labels, 5, asking, engine.map(drop_best, exact), rng)
    assert (some.best, some.all_k) == (0.5, 0.9)
    none = measure_recall(engine, labels, 5, np.zeros(60, bool), exact, rng)
    assert (none.best, none.all_k) == (1, 1)


@pytest.mark.parametrize("n_blocks", N_BLOCKS)
def test_an_approximate_search_measures_its_recall_and_an_exact_one_need_not(n_blocks: int) -> None:
    engine = plain_engine(60, 90, n_blocks=n_blocks)
    labels = make_labels(engine, *([side] for side in random_labels()))
    for search in ("approximate", "auto"):
        config, rng = make_config("paper", search=search, top_k=10), np.random.default_rng(0)
        _, recall = search_labels(engine, labels, CarriedCandidates.none(), config, rng)
        assert (recall is None) == (search == "auto")
        if recall is not None:
            assert 0.9 < recall.best <= 1
