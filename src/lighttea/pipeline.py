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
    promoted: SeedLinks = field(
        default_factory=lambda: SeedLinks(
            LeftIds(np.empty(0, np.int32)), RightIds(np.empty(0, np.int32))
        )
    )

    def with_promoted(self, promoted: SeedLinks, *, n_seeds: int, is_last: bool) -> Round:
        """The same round with the pairs that it adds to the seeds it had."""
        labels = self.labels if is_last else None
        return replace(self, labels=labels, promoted=promoted, n_seeds=n_seeds)


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
) -> Round:
    """Labels, candidates, assignment."""
    with watch.stage("propagate"):  # eq. 1-7 and the last hop
        labels = two_aspect_labels(
            views, pair, seeds, left, right, config, rng, slice_columns=blocks.sketch_columns
        )
    with watch.stage("search"):  # S^l
        candidates = top_k(
            left,
            right,
            labels.left,
            labels.right,
            config.top_k,
            left_rows=blocks.left_rows,
            right_rows=blocks.right_rows,
        )
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
