"""Jobs for the engines: small, and each odd in another way."""

from __future__ import annotations

import numpy as np

from lighttea.evidence.names import name_tokens
from lighttea.graph.pair import Links, Pair
from lighttea.progress import Progress
from lighttea.similarity.allowed import Allowed, Kinds
from lighttea.solve.problem import Problem
from lighttea.types import LeftIds, RightIds
from tests.worlds import World


def job_of(
    world: World, *, few_right: int = 0, refused: bool = False, named: bool = False
) -> Problem:
    """The problem of a world; with few right entities, or with types and a forbidden pair."""
    pair = Pair.of(world.left, world.right)
    known = Links(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in world.seeds], np.int32)),
        RightIds(np.array([world.right.entity_ids[b] for _, b in world.seeds], np.int32)),
    )
    left = LeftIds(np.setdiff1d(pair.all_left, known.left))
    right = RightIds(np.setdiff1d(pair.all_right, known.right)[: few_right or None])
    names = list(name_tokens(pair, world.left, world.right)) if named else []
    allowed = _some_refused(pair) if refused else None
    return Problem(pair, left, right, known, Progress(), allowed, names)


def _some_refused(pair: Pair) -> Allowed:
    """Every third entity is of one type, every third of another; a hundred pairs are forbidden."""
    left, right = (np.arange(n) % 3 - 1 for n in (pair.n_left, pair.n_right))
    rng = np.random.default_rng(3)
    banned = np.unique(rng.integers(0, pair.n_left * pair.n_right, 100))
    return Allowed(pair.n_right, banned, Kinds(left, right, 2, np.array([0, 3])))
