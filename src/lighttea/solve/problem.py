"""What is to be aligned: two graphs as numbers, the known links, and what may be linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.config import ADAPTABLE, Config
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.names import name_tokens
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.progress import Progress
from lighttea.similarity.allowed import AllowedPairs
from lighttea.types import LeftIds, RightIds


@dataclass(frozen=True)
class Problem:
    """All that stays the same from round to round, wherever the work is done."""

    pair: Pair
    left: LeftIds  # left entities to align, rising
    right: RightIds  # right entities that may be candidates, rising
    known: Links  # seeds
    progress: Progress
    allowed: AllowedPairs | None = None  # which pairs may be candidates, where that is limited
    names: Sequence[PlainTokens] = ()  # tokens of names, where they count

    @property
    def sizes(self) -> Sizes:
        """What the memory of a run depends on."""
        pair = self.pair
        n_others = max(pair.n_relations, pair.n_ticks)
        return Sizes(len(self.left), len(self.right), pair.n_nodes, len(pair.head), n_others)


@dataclass(frozen=True)
class Sizes:
    """How large a problem is."""

    n_left: int  # entities to align
    n_right: int  # possible candidates
    n_nodes: int  # entities of both graphs
    n_facts: int  # in both directions
    n_others: int  # relations or ticks, whichever are more


def pose_problem(
    left: Graph,
    right: Graph,
    known: Links,
    config: Config,
    progress: Progress,
    *,
    left_ids: LeftIds | None = None,
    right_ids: RightIds | None = None,
    allowed: AllowedPairs | None = None,
) -> tuple[Problem, Config]:
    """Return two graphs as a problem, and the settings that suit them.

    Unless told, all left entities without a seed are aligned, and all right ones without a seed are
    possible candidates.
    """
    with progress.stage("graph"):
        pair = Pair.of(
            left, right, timed=config.uses_time, mixed_granularity=config.mixed_granularity
        )
    config = fit_to_data(config, pair, progress)
    names = list(name_tokens(pair, left, right)) if config.names else []
    if left_ids is None:
        left_ids = LeftIds(np.setdiff1d(pair.all_left, known.left))
    if right_ids is None:
        right_ids = RightIds(np.setdiff1d(pair.all_right, known.right))
    return Problem(pair, left_ids, right_ids, known, progress, allowed, names), config


def fit_to_data(config: Config, pair: Pair, progress: Progress) -> Config:
    """Return the settings that suit the graphs.

    Where they have no time to compare the temporal parts are switched off, with a warning; one
    aspect alone may be as wide as two together.
    """
    config = _without_missing_time(config, pair, progress)
    if "dim" not in config.adapted or 0 < config.temporal_weight < 1:
        return config
    others = ", ".join(name for name in ADAPTABLE if name in config.adapted - {"dim"})
    return replace(config, dim=2 * config.dim, adapt=others)


def _without_missing_time(config: Config, pair: Pair, progress: Progress) -> Config:
    if pair.has_time or config.temporal_weight == config.time_weight == 0:
        return config
    if not pair.left_has_time and not pair.right_has_time:
        cause = "neither graph has a fact with a known time"
    else:
        side = "right" if pair.left_has_time else "left"
        cause = f"the {side} graph has no fact with a known time"
    progress.warn(f"{cause}; aligning by relations alone")
    return config.without_time()
