"""Evened labels: weak directions speak as loud as strong ones, aspects stay apart."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.kernels.directions import evening_matrix
from lighttea.kernels.rows import Rows
from lighttea.propagate import evened
from lighttea.propagate.evened import even_out
from lighttea.propagate.labels import Labels, unit_rows
from lighttea.types import Floats


def noisy_sides(n: int, columns: int) -> tuple[Floats, Floats]:
    """Counterparts that share weak directions, under strong ones that everybody shares."""
    rng = np.random.default_rng(0)
    own = rng.standard_normal((n, columns), dtype=np.float32)
    strong = rng.standard_normal((3, columns), dtype=np.float32)
    sides = [
        own
        + 0.3 * rng.standard_normal((n, columns), dtype=np.float32)
        + rng.standard_normal((n, 3), dtype=np.float32) @ strong
        for _ in range(2)
    ]
    return unit_rows(sides[0]), unit_rows(sides[1])


def hits(left: Rows, right: Rows) -> float:
    every = np.arange(len(left))
    return float(((left.take(every) @ right.take(every).T).argmax(axis=1) == every).mean())


@pytest.mark.parametrize("compact", [False, True])
def test_counterparts_are_found_under_what_all_have_in_common(compact: bool) -> None:
    left, right = noisy_sides(600, 64)
    one, other = (Rows.of(side, compact=compact) for side in (left, right))
    labels = Labels(one, other, has_relational=True)
    assert hits(labels.left, labels.right) < 0.2
    even_out(labels, np.array([1], np.float32), np.random.default_rng(1))
    assert labels.left.is_compact == compact
    assert hits(labels.left, labels.right) > 0.5


def test_principal_directions_get_the_square_root_of_their_length() -> None:
    rng = np.random.default_rng(0)
    lengths = np.array([8, 4, 2, 1], np.float32)
    sample = unit_rows(rng.standard_normal((4000, 4), dtype=np.float32) * lengths)
    turned = sample @ evening_matrix(sample)
    before = np.sqrt(np.linalg.eigvalsh(sample.T @ sample))
    after = np.sqrt(np.linalg.eigvalsh(turned.T @ turned))
    assert np.allclose(after / after[-1], np.sqrt(before / before[-1]), rtol=1e-3)


def test_aspects_keep_their_weights_and_zero_rows_stay_zero() -> None:
    left, right = noisy_sides(200, 32)
    parts = []
    for side in (left, right):
        rows = Rows.empty(200, 16, 2)
        rows.put(0, unit_rows(np.ascontiguousarray(side[:, :16])), 0)
        late = unit_rows(np.ascontiguousarray(side[:, 16:]))
        late[:20] = 0
        rows.put(0, late, 1)
        parts.append(rows)
    weights = np.array([0.6, 0.8], np.float32)
    labels = Labels(parts[0], parts[1], has_relational=True)
    even_out(labels, weights, np.random.default_rng(0))
    found = labels.left.take(np.arange(200))
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert np.allclose(np.linalg.norm(found[20:, :16], axis=1), 0.6, atol=1e-5)
    assert np.allclose(found[:20, 16:], 0)


def test_one_row_more_changes_one_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evened, "SAMPLE", 50)
    filled = np.ones(400, bool)
    filled[::7] = False
    before = evened.sampled(filled, np.random.default_rng(1))
    filled[0] = True
    after = evened.sampled(filled, np.random.default_rng(1))
    assert len(before) == len(after) == 50
    assert filled[after].all()
    assert len(np.setdiff1d(before, after)) <= 1
    assert evened.sampled(filled[:3], np.random.default_rng(1)).tolist() == [0, 1, 2]
