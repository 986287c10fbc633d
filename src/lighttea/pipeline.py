"""The table of contents: one round of LightTEA, in the paper's order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lighttea.assign.sinkhorn import Assignment, assign, without_assignment
from lighttea.config import Config
from lighttea.graph.pair import Pair, SeedLinks
from lighttea.graph.views import Views
from lighttea.plan import Blocks
from lighttea.propagate.labels import Labels, two_aspect_labels
from lighttea.similarity.settled import Settled, score_again
from lighttea.similarity.time import with_temporal_constraint
from lighttea.similarity.topk import Candidates, top_k
from lighttea.stages import Watch
from lighttea.types import LeftIds, RightIds


@dataclass(frozen=True)
class Round:
    """What one round found, and what it hands to the next.

    Only the last round keeps its labels: they are the largest thing in memory.
    """

    labels: Labels | None
    candidates: Candidates
    assignment: Assignment
    n_seeds: int = 0
    settled: Settled = field(default_factory=Settled.nobody)
    promoted: SeedLinks = field(
        default_factory=lambda: SeedLinks(
            LeftIds(np.empty(0, np.int32)), RightIds(np.empty(0, np.int32))
        )
    )

    def with_promoted(self, promoted: SeedLinks, seeds: SeedLinks, *, is_last: bool) -> Round:
        """The same round with the pairs that it adds to the seeds it had."""
        if is_last:
            return replace(self, promoted=promoted, n_seeds=len(seeds))
        paired = np.concatenate([seeds.left, promoted.left])
        settled = Settled.of(self.candidates, self.assignment.value, paired)
        return replace(self, labels=None, promoted=promoted, n_seeds=len(seeds), settled=settled)


def one_round(
    pair: Pair,
    views: Views,
    seeds: SeedLinks,
    left: LeftIds,
    right: RightIds,
    *,
    config: Config,
    rng: np.random.Generator,
    watch: Watch,
    blocks: Blocks,
    settled: Settled,
) -> Round:
    """Labels, candidates, assignment. The settled do not search again, they choose again."""
    with watch.stage("propagate"):  # eq. 1-7 and the last hop
        labels = two_aspect_labels(
            views, pair, seeds, left, right, config, rng, compact=blocks.compact
        )
    with watch.stage("search"):  # S^l
        found = top_k(
            labels.left,
            labels.right,
            config.top_k,
            asks=np.setdiff1d(np.arange(len(left)), settled.rows),
            left_rows=blocks.left_rows,
            right_rows=blocks.right_rows,
        )
        score_again(found, settled, labels.left, labels.right)
        candidates = Candidates.of(left, right, found)
    with watch.stage("time_similarity"):  # eq. 8-9
        candidates = with_temporal_constraint(
            candidates, views.tick_counts, pair, config.time_weight
        )
    with watch.stage("sinkhorn"):  # eq. 10-12
        assignment = (
            assign(candidates, temperature=config.temperature, iterations=config.iterations)
            if config.sinkhorn
            else without_assignment(candidates)
        )
    return Round(labels, candidates, assignment)
