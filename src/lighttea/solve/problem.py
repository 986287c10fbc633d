"""What is to be aligned: two graphs as numbers, the known links, and what may be linked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lighttea.assign.decoys import DecoyPlaces
from lighttea.config import ADAPTABLE, Config
from lighttea.display import GraphNames
from lighttea.graph.decoys import Decoys, draw_decoys
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.literals.table import GraphLiterals
from lighttea.progress import Costs, Progress, alignment_costs
from lighttea.similarity.allowed import AllowedPairs
from lighttea.similarity.search import is_approximate
from lighttea.types import Ints, LeftIds, RightIds

_DECOY_STREAM = 17  # keeps random numbers apart from those of the rounds

_WIDER = 4  # times as wide, all aspects together, where times say little
_FULL_WIDTH = 8_192  # entities from which on labels have all their columns
_NARROWEST, _WIDTH_STEP = 128, 64  # columns
_OF_MANY = {"suggestions": 20, "top_k": 50}  # at most, where entities are many
_SETTLED = 0.02  # share of the pairs that a last round may change, where entities are many
_FITTED = ("convergence", "dim", *_OF_MANY)  # settings that are chosen before the rounds begin


@dataclass(frozen=True)
class Problem:
    """All that stays the same from round to round, wherever the work is done."""

    pair: Pair
    left: LeftIds  # left entities to align, rising
    right: RightIds  # right entities that may be candidates, then decoys, rising
    known: Links  # seeds
    progress: Progress
    allowed: AllowedPairs | None = None  # which pairs may be candidates, where that is limited
    literals: GraphLiterals | None = None  # where they count
    decoys_per_target: float = 0.0  # decoys among `right` for each right entity there
    by_evidence: bool = False  # evidence alone finds and scores candidates: no labels are made

    @property
    def n_targets(self) -> int:
        """How many of the possible candidates are right entities; the last ones are decoys."""
        return int(np.searchsorted(self.right, self.pair.n_right))

    @cached_property
    def decoys(self) -> DecoyPlaces | None:
        """Where the decoys are among the possible candidates, if there are any."""
        if not self.pair.n_decoys:
            return None
        n_targets = self.n_targets
        source = np.searchsorted(self.right[:n_targets], self.pair.decoy_source)
        return DecoyPlaces(n_targets, source, self.decoys_per_target)

    @property
    def sizes(self) -> Sizes:
        """What the memory of a run depends on."""
        pair = self.pair
        n_others = max(pair.n_relations, pair.n_ticks)
        n_literals = self.literals.n_rows if self.literals is not None else 0
        sides = len(self.left), len(self.right)
        return Sizes(*sides, pair.n_nodes, len(pair.head), n_others, n_literals)


@dataclass(frozen=True)
class Sizes:
    """How large a problem is."""

    n_left: int  # entities to align
    n_right: int  # possible candidates
    n_nodes: int  # entities of both graphs
    n_facts: int  # in both directions
    n_others: int  # relations or ticks, whichever are more
    n_literals: int = 0  # of both graphs, where they count


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
    by_evidence: bool = False,
) -> tuple[Problem, Config]:
    """Return two graphs as a problem, and the settings that suit them.

    Unless told, all left entities without a seed are aligned, and all right ones without a seed are
    possible candidates. With `by_evidence` no labels are made: where most of both graphs is linked
    already, what links say finds and tells apart as much (docs/decisions/update.md).
    """
    if left_ids is None:
        left_ids = LeftIds(np.setdiff1d(_numbers(left), known.left))
    if right_ids is None:
        right_ids = RightIds(np.setdiff1d(_numbers(right), known.right))
    with progress.stage("graph"):
        decoys = _draw_decoys(right, right_ids, config)
        pair = Pair.of(
            left,
            right,
            timed=config.uses_time,
            mixed_granularity=config.mixed_granularity,
            decoys=decoys,
        )
    literals = GraphLiterals(left, right, config.random_seed) if config.uses_literals else None
    has_literals = literals is not None and literals.are_comparable
    names = GraphNames.of_graphs(left, right)
    config = fit_to_data(config, pair, progress, names, has_literals=has_literals)
    every_right = RightIds(np.concatenate([right_ids, pair.decoys]))
    per_target = decoys.per_source if decoys is not None else 0.0
    problem = Problem(
        pair, left_ids, every_right, known, progress, allowed, literals, per_target, by_evidence
    )
    progress.expect(_costs(problem, config))
    return problem, config


def _costs(problem: Problem, config: Config) -> Costs:
    """Return what the rounds are expected to take."""
    sizes = problem.sizes
    return alignment_costs(
        config,
        n_left=sizes.n_left,
        n_right=sizes.n_right,
        n_nodes=sizes.n_nodes,
        n_facts=sizes.n_facts,
        n_literals=sizes.n_literals,
        finds_pairs=config.bootstrap or not len(problem.known),
    )


def _numbers(graph: Graph) -> Ints:
    return np.arange(len(graph.entities), dtype=np.int32)


def _draw_decoys(right: Graph, ids: RightIds, config: Config) -> Decoys | None:
    """Return decoys of the possible candidates, where confidence is to be checked by them."""
    if not config.decoys or not config.calibrated:
        return None
    rng = np.random.default_rng([config.random_seed, _DECOY_STREAM])
    decoys = draw_decoys(right, ids, config.decoys, rng, by_literals=config.uses_literals)
    return decoys if len(decoys) else None


def fit_to_data(
    config: Config,
    pair: Pair,
    progress: Progress,
    names: GraphNames,
    *,
    has_literals: bool = False,
) -> Config:
    """Return the settings that suit the graphs.

    Where they have no time to compare the temporal parts are switched off, with a warning, and
    labels are made of all pairs: half of them cost more than they save
    (docs/decisions/confidence.md). Where most facts have no time labels have to say more, and are
    wider (docs/decisions/search-width.md). Small graphs need no wide labels. Where entities are
    many, each gets fewer candidates and narrower labels (docs/decisions/approximate-search.md).
    """
    if not pair.has_time and not config.temporal_weight == config.time_weight == 0:
        others = "relations and literals" if has_literals else "relations"
        progress.warn(f"{_missing_time(pair, names)}; aligning by {others} only")
        config = replace(config.without_time(), cross_fit=False)
    fitted: dict[str, Any] = {"dim": _label_width(config, pair)}
    if is_approximate("auto", pair.n_left, pair.n_right):
        fitted |= {name: min(getattr(config, name), most) for name, most in _OF_MANY.items()}
        fitted["dim"] //= 2
        fitted["convergence"] = max(config.convergence, _SETTLED)
    fitted = {name: value for name, value in fitted.items() if name in config.adapted}
    to_fit = [name for name in ADAPTABLE if name in config.adapted - set(_FITTED)]
    return replace(config, **fitted, adapt=", ".join(to_fit))


def _label_width(config: Config, pair: Pair) -> int:
    """Return the width of a label that suits the graphs, of those that are not many."""
    n_aspects = 2 if 0 < config.temporal_weight < 1 else 1
    dim = config.dim if pair.timed_share > 0.5 else _WIDER * config.dim // n_aspects
    share = min(1.0, min(pair.n_left, pair.n_right) / _FULL_WIDTH)
    return max(_NARROWEST, _WIDTH_STEP * round(share * dim / _WIDTH_STEP))


def _missing_time(pair: Pair, names: GraphNames) -> str:
    """Return which graph has no time."""
    if not pair.left_has_time and not pair.right_has_time:
        return "neither graph has a fact with a known time"
    side = "right" if pair.left_has_time else "left"
    return f"{names.graph(side)} has no fact with a known time"
