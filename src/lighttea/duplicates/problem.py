"""A graph posed against itself: every entity is its own link, and no candidate of itself."""

from __future__ import annotations

import numpy as np

from lighttea.config import Config
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.progress import Progress
from lighttea.similarity.allowed import AllowedPairs, EntityTypes
from lighttea.solve.problem import Problem, pose_problem
from lighttea.types import Ints, LeftIds, RightIds


def itself_links(n: int) -> Links:
    """Return the links of n entities with themselves: neighbours are shared, whoever has them."""
    ids = np.arange(n, dtype=np.int32)
    return Links(LeftIds(ids), RightIds(ids.copy()))


def pose_against_itself(
    graph: Graph,
    config: Config,
    progress: Progress,
    *,
    cannot: Links,
    types: EntityTypes | None = None,
) -> tuple[Problem, Config]:
    """Return the problem of a graph and itself, and the settings that suit it."""
    n = len(graph.entities)
    same = itself_links(n)
    allowed = AllowedPairs(n, _forbidden(n, same, cannot), types)
    return pose_problem(
        graph,
        graph,
        same,
        config,
        progress,
        left_ids=same.left,
        right_ids=same.right,
        allowed=allowed,
    )


def _forbidden(n: int, same: Links, cannot: Links) -> Ints:
    """Return rising numbers of the pairs that are no candidates, either way round."""
    left = np.concatenate([same.left, cannot.left, cannot.right]).astype(np.int64)
    right = np.concatenate([same.right, cannot.right, cannot.left])
    return np.unique(left * n + right)
