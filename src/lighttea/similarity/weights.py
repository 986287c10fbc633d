"""Weights that the data choose.

No two entities are one, so a good score sends the left entities to different right ones. Of the
weights that are tried those count under which the best candidates are most diverse. That needs no
truth and no seed; on every set that was tried it follows the share of right links closely
(docs/decisions/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.propagate.labels import Labels
from lighttea.similarity.candidates import Candidates, index_of
from lighttea.similarity.exact import label_dots
from lighttea.types import A

TIME_WEIGHTS = (0.0, 0.1, 0.17, 0.3, 0.5)
CONSENSUS_WEIGHTS = (0.1, 0.3, 0.6, 0.8)
LIKELIHOOD_WEIGHTS = (0.03, 0.1, 0.3, 1.0)
TRIED: Mapping[str, Sequence[float]] = MappingProxyType(
    {"time": TIME_WEIGHTS, "consensus": CONSENSUS_WEIGHTS, "likelihood": LIKELIHOOD_WEIGHTS}
)
TEMPORAL_WEIGHTS = (0.35, 0.5, 0.65)
LEADERS = 10  # candidates of each entity that another alpha is tried on
_NEAR = 0.001  # of the entities: so many fewer, and weights count for 1/e
_MUCH = 0.005  # likewise, for a weight that decides on the candidates too


@dataclass(frozen=True)
class TermWeights:
    """What the terms of a score weigh."""

    time: float
    consensus: float
    likelihood: float = 0.0

    def of_terms(self, *, has_consensus: bool) -> list[float]:
        """Return those of label, time and consensus, those without a time, that of likelihood."""
        time, share = self.time, self.consensus if has_consensus else 0.0
        without = [1 - share, share]
        return [(1 - share) * (1 - time), (1 - share) * time, share, *without, self.likelihood]


def choose_weights(
    count: Callable[[Sequence[TermWeights]], Sequence[int]],
    n_left: int,
    weights: TermWeights,
    chosen: Collection[str],
) -> TermWeights:
    """Return weights of terms: a mean of those tried, the best counting most.

    `count` says how many right entities are a best candidate under each of such weights. A mean
    moves little where a count or two is another, which the best of them would not. `chosen` are
    the names of those that may change: time and consensus together, or with likelihood time first,
    then consensus and likelihood together.
    """
    with_likelihood = ("time",), ("consensus", "likelihood")
    for names in with_likelihood if "likelihood" in chosen else (("time", "consensus"),):
        own = [name for name in names if name in chosen]
        weights = _mean_of_best(count, n_left, weights, own)
    return weights


def _mean_of_best(
    count: Callable[[Sequence[TermWeights]], Sequence[int]],
    n_left: int,
    weights: TermWeights,
    names: Sequence[str],
) -> TermWeights:
    """Return the mean of the weights that are tried for these names, the best counting most."""
    if not names:
        return weights
    grid = [sorted({getattr(weights, name), *TRIED[name]}) for name in names]
    values = list(product(*grid))
    counts = np.array(count([replace(weights, **dict(zip(names, v, strict=True))) for v in values]))
    share = np.exp((counts - counts.max()) / max(1.0, _NEAR * n_left))
    means = (share @ np.array(values) / share.sum()).round(4).tolist()
    return replace(weights, **dict(zip(names, means, strict=True)))


def choose_alpha(counts: Mapping[float, int], n_left: int, alpha: float) -> float:
    """Return the weight of the temporal aspect that suits the next round's labels.

    `counts` has the distinct best candidates under each. The candidates were found with the weight
    they have now, so another has to be much better.
    """
    best = max(counts, key=lambda weight: counts[weight])
    return best if counts[best] - counts[alpha] > _MUCH * n_left else alpha


def count_distinct_best(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    weights: Sequence[TermWeights],
    n_targets: int | None = None,
) -> list[int]:
    """Return how many right entities are a best candidate under each of the weights.

    Places from `n_targets` on are decoys, which do not count.
    """
    return engine.fetch(_count(engine, candidates, weights, n_targets))


def count_distinct_best_by_alpha(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    labels: Labels[A],
    alpha: float,
    others: Iterable[float],
) -> dict[float, int]:
    """Return the same by labels alone, had alpha been one of these instead."""
    leaders = engine.map(leading_candidates, candidates)
    index = engine.map(index_of, leaders)
    relational = label_dots(engine, labels, index, int(labels.has_relational))
    counts = {}
    for other in others:
        blended = engine.map(blend_aspects, leaders, relational, alpha, other)
        counts[other] = _count(engine, blended, [TermWeights(0.0, 0.0)])
    return {other: engine.fetch(count)[0] for other, count in counts.items()}


def _count(
    engine: Engine[A],
    candidates: Blocks[Candidates[A]],
    weights: Sequence[TermWeights],
    n_targets: int | None = None,
) -> Handle[list[int]]:
    n_places = engine.layout.right.n_rows if n_targets is None else n_targets
    best = engine.map(distinct_best, candidates, weights, n_places)
    return engine.run(count_places, engine.combine(join_places, best), len(weights), n_places)


# ----------------------------------------------------------------------------- of one block


def distinct_best(
    ops: Ops[A], candidates: Candidates[A], weights: Sequence[TermWeights], n_places: int
) -> A:
    """Return the best candidates of a block under each of the weights, each once: place plus
    `n_places` times the number of the weights. Later places do not count.
    """
    label = candidates.label
    times = label * np.nan if candidates.time is None else candidates.time
    agreed = label if candidates.consensus is None else candidates.consensus  # weight 0
    likely = label * 0 if candidates.likelihood is None else candidates.likelihood
    has_consensus = candidates.consensus is not None
    of_terms = [own.of_terms(has_consensus=has_consensus) for own in weights]
    best = ops.best_by_weights([label, times, agreed, likely], candidates.index, of_terms)
    numbered = ops.arange(len(weights))[:, None] * n_places + best
    return ops.unique(numbered[(best >= 0) & (best < n_places)])


def join_places(ops: Ops[A], parts: Sequence[A]) -> A:
    """Return all numbered places that stand in any part, once."""
    return parts[0] if len(parts) == 1 else ops.unique(ops.concat(parts))


def count_places(ops: Ops[A], places: A, n_weights: int, n_places: int) -> list[int]:
    """Return how many places there are for each of the weights."""
    counts: list[int] = ops.to_numpy(ops.bincount(places // n_places, n_weights)).tolist()
    return counts


def leading_candidates(ops: Ops[A], candidates: Candidates[A]) -> Candidates[A]:
    """Return each entity's best candidates so far, by label alone again."""
    score = ops.where(candidates.valid, candidates.score, -np.inf)
    first = ops.top_columns(score, min(LEADERS, candidates.width))
    index, label, source = (
        ops.take_along_rows(table, first)
        for table in (candidates.index, candidates.label, candidates.source)
    )
    return Candidates(index, label, label, source)


def blend_aspects(
    ops: Ops[A], leaders: Candidates[A], relational: A, alpha: float, other: float
) -> Candidates[A]:
    """Return the candidates with the labels they would have, had alpha been another."""
    label = relational * ((1 - other) / (1 - alpha)) ** 2
    label = label + (leaders.label - relational) * (other / alpha) ** 2
    return replace(leaders, label=label)
