"""How sure a cluster is: every way to divide it is weighed against the others.

A cluster of three could be one entity, a pair and a single one (in three ways), or three entities.
What the pairs within each part count gives the chance of each of these divisions, and from that
follow the chance of each pair, and the chance that a member belongs to most of the cluster.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from lighttea.types import Bools, Doubles, Ints

_MOST_MEMBERS = 7  # of a cluster whose divisions are all listed: 877 of them


def cluster_confidence(joining: float, size: int, weights: Doubles) -> tuple[Doubles, Doubles]:
    """Return the chance of each member, (n, size), and of each pair, (n, n_pairs), of n clusters.

    `joining` is what a member that joins counts, `weights` what the pairs of clusters of this size
    count, in the order of `combinations`, (n, n_pairs).
    """
    if size > _MOST_MEMBERS:
        return _of_large_clusters(joining, size, weights)
    together, n_parts, belongs = divisions(size)
    exponent = weights @ together.T + joining * (size - n_parts)  # (n, n_divisions)
    exponent -= exponent.max(axis=1, keepdims=True)
    chance = np.exp(exponent)
    chance /= chance.sum(axis=1, keepdims=True)
    return chance @ belongs, chance @ together


@cache
def divisions(size: int) -> tuple[Doubles, Ints, Doubles]:
    """Return all ways to divide so many members into parts.

    Which pairs are together, (n_divisions, n_pairs); the number of parts; and which members are in
    the largest part, (n_divisions, size): half of one where two are the largest, none where every
    member is alone.
    """
    labels = np.array(list(_labels(size)))
    pairs = list(combinations(range(size), 2))
    together = np.stack([labels[:, i] == labels[:, j] for i, j in pairs], axis=1)
    counts = np.stack([(labels == part).sum(axis=1) for part in range(size)], axis=1)
    largest = counts.max(axis=1)
    own = np.take_along_axis(counts, labels, axis=1)
    n_largest = (counts == largest[:, None]).sum(axis=1)
    is_largest = (own == largest[:, None]) & (largest > 1)[:, None]
    return (
        together.astype(float),
        (counts > 0).sum(axis=1),
        is_largest / n_largest[:, None],
    )


def _labels(size: int) -> list[tuple[int, ...]]:
    """Return the part of each member in every division; parts are numbered as they appear."""
    if size == 1:
        return [(0,)]
    return [(*first, part) for first in _labels(size - 1) for part in range(max(first) + 2)]


def _of_large_clusters(joining: float, size: int, weights: Doubles) -> tuple[Doubles, Doubles]:
    """Return the chances of clusters too large for all divisions: each member, or it alone."""
    pairs = np.array(list(combinations(range(size), 2)))
    has_member: Bools = (pairs[:, :, None] == np.arange(size)).any(axis=1)  # (n_pairs, size)
    gain = np.clip(weights @ has_member + joining, -50, 50)
    member = 1 / (1 + np.exp(-gain))
    return member, np.minimum(member[:, pairs[:, 0]], member[:, pairs[:, 1]])
