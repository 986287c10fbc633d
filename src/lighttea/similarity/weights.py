"""Weights that the data choose.

No two entities are one, so a good score sends the left entities to different right ones. Of the
weights that are tried those count under which the best candidates are most diverse. That needs no
truth and no seed; on every set that was tried it follows the share of right links closely
(docs/decisions/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lighttea.kernels import assignment
from lighttea.similarity.topk import Candidates, Found
from lighttea.types import Floats, Ints

TIME_WEIGHTS = (0.0, 0.1, 0.17, 0.3, 0.5)
CONSENSUS_WEIGHTS = (0.3, 0.6, 0.8)
TEMPORAL_WEIGHTS = (0.35, 0.5, 0.65)
LEADERS = 10  # candidates of each entity that another alpha is tried on
_NEAR = 0.001  # of the entities: so many fewer, and weights count for 1/e
_MUCH = 0.005  # likewise, for a weight that decides on the candidates too


def chosen_weights(
    count: Callable[[float, float], int],
    n_left: int,
    time: float,
    consensus: float,
    *,
    choose_time: bool,
    choose_other: bool,
) -> tuple[float, float]:
    """The weights of time and of consensus: the mean of those tried, the best ones counting most.

    `count` says how many right entities are somebody's best candidate under such weights. A mean
    moves little where a count or two is another, which the best of them would not.
    """
    times = sorted({time, *TIME_WEIGHTS}) if choose_time else [time]
    others = sorted({consensus, *CONSENSUS_WEIGHTS}) if choose_other else [consensus]
    if len(times) * len(others) == 1:
        return time, consensus
    tried = np.array([(one, two) for one in times for two in others])
    found = np.array([count(one, two) for one, two in tried.tolist()])
    share = np.exp((found - found.max()) / max(1.0, _NEAR * n_left))
    beta, other = (share @ tried / share.sum()).tolist()
    return round(beta, 4), round(other, 4)


def wanted(candidates: Candidates, time: float, consensus: float) -> int:
    """How many right entities are the best candidate of somebody under these weights."""
    said: Floats = (
        candidates.label if candidates.consensus is None else candidates.consensus
    )  # not looked at where its weight is 0
    share = consensus if candidates.consensus is not None else 0.0
    weights = np.array(
        [
            *((1 - share) * (1 - time), (1 - share) * time, share),  # time known
            *(1 - share, share),  # time unknown
        ],
        np.float32,
    )
    best = np.empty(len(candidates.left), np.int32)
    assignment.best_by_weights(
        candidates.label, candidates.time, said, candidates.index, weights, best
    )
    return len(np.unique(best[best >= 0]))


def chosen_alpha(found: Mapping[float, int], n_left: int, alpha: float) -> float:
    """The weight of the temporal aspect that suits the next round's labels.

    `found` counts the wanted right entities under each. The candidates were found with the weight
    they have now, so another has to be much better.
    """
    best = max(found, key=lambda one: found[one])
    return best if found[best] - found[alpha] > _MUCH * n_left else alpha


def wanted_by_alpha(
    candidates: Candidates,
    relational: Callable[[Ints, Ints], Floats],
    alpha: float,
    others: Iterable[float],
) -> dict[float, int]:
    """How many right entities are wanted by labels alone, had alpha been another.

    `relational` gives the relational share of the label similarity of rows and their candidates.
    """
    few = _leaders(candidates)
    by_relation = relational(np.arange(len(few.left)), few.index)
    found = {}
    for other in others:
        label = by_relation * np.float32(((1 - other) / (1 - alpha)) ** 2)
        label += (few.label - by_relation) * np.float32((other / alpha) ** 2)
        found[other] = wanted(replace(few, label=label), 0, 0)
    return found


def _leaders(candidates: Candidates) -> Candidates:
    """Each entity's best candidates so far, by label alone again."""
    count = min(LEADERS, candidates.index.shape[1])
    score = np.where(candidates.valid, candidates.score, -np.inf)
    first = np.argpartition(-score, count - 1, axis=1)[:, :count]

    def taken(table: Floats | Ints) -> Any:
        return np.ascontiguousarray(np.take_along_axis(table, first, axis=1))

    label, index = taken(candidates.label), taken(candidates.index)
    return Candidates.of(candidates.left, candidates.right, Found(index, label))
