"""Whether names can be trusted, told by facts: numbered ids may look like names and mislead.

Pairs of entities that are called the same are taken for links, and each pair is compared with a
chance pair: the same left entity and the namesake of another one that is as well known. Where names
mean something, the facts of namesakes agree better than those of chance pairs; where they don't,
one is as often better as the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Ops
from lighttea.evidence.names import WHOLE
from lighttea.graph.pair import Links, Pair
from lighttea.solve.problem import Problem
from lighttea.solve.workspace import Workspace
from lighttea.types import NO_CANDIDATE, A, Bools, Ints, LeftIds, RightIds

LEAST = 0.8  # of the namesakes that have to be the same, for names to count
FEWEST = 20  # namesakes whose facts tell anything, below which names are believed


@dataclass(frozen=True)
class NameCheck:
    """How often the facts of namesakes agree better than those of chance pairs, and worse."""

    n_pairs: int  # namesakes, one on each side
    n_better: int
    n_worse: int

    @property
    def share_right(self) -> float:
        """The share of the namesakes that are the same, as far as their facts tell.

        One that is not the same is as often better as it is worse.
        """
        n_told = self.n_better + self.n_worse
        return (self.n_better - self.n_worse) / n_told if n_told >= FEWEST else 1.0

    @property
    def warning(self) -> str | None:
        """What to tell the user where names are not used; None where they are."""
        if self.share_right >= LEAST:
            return None
        return (
            f"names are left out: {self.n_pairs:,} pairs of entities have the same name, but their "
            f"facts agree better than those of chance pairs {self.n_better:,} times and worse "
            f"{self.n_worse:,} times; about {max(0.0, self.share_right):.0%} of them can be right"
        )


def drop_misleading_names(work: Workspace[A], config: Config) -> None:
    """Take the names out of the problem, with a warning, where facts speak against them."""
    problem = work.problem
    if not problem.names:
        return
    with work.progress.stage("seeds"):
        check = check_names(work, config)
    if check.warning:
        work.progress.warn(check.warning)
        work.problem = replace(problem, names=())


def check_names(work: Workspace[A], config: Config) -> NameCheck:
    """Compare what facts say of namesakes with what they say of chance pairs."""
    problem, engine = work.problem, work.engine
    links = namesakes(problem)
    if len(links) < 2:
        return NameCheck(len(links), 0, 0)
    evidence = work.evidence.gather(problem.known.extended(links), config)
    index = _places(problem, links)
    blocks = Blocks(engine.place(engine.hold(index[rows])) for rows in engine.layout.left)
    consensus = work.evidence.consensus(evidence, cast("Blocks[A]", blocks))
    scores = engine.map(better_and_worse, consensus)
    counts = [engine.fetch(part) for part in scores]
    return NameCheck(len(links), sum(b for b, _ in counts), sum(w for _, w in counts))


def namesakes(problem: Problem) -> Links:
    """Return the left and right entities of the problem that alone share a whole name."""
    pair = problem.pair
    whole = next(tokens for kind, tokens in problem.names if kind is WHOLE)
    named = np.flatnonzero(np.diff(whole.start) == 1)
    token = whole.token[whole.start[named]]
    sides = []
    for nodes in (pair.left_nodes(problem.left), pair.right_nodes(_targets(problem))):
        own = np.isin(named, nodes)
        name, first, count = np.unique(token[own], return_index=True, return_counts=True)
        sides.append((name[count == 1], named[own][first[count == 1]]))
    _, in_left, in_right = np.intersect1d(sides[0][0], sides[1][0], return_indices=True)
    left, right = sides[0][1][in_left], sides[1][1][in_right] - pair.n_left
    return Links(LeftIds(left.astype(np.int32)), RightIds(right.astype(np.int32)))


def _targets(problem: Problem) -> RightIds:
    return RightIds(problem.right[: problem.n_targets])


def _places(problem: Problem, links: Links) -> Ints:
    """Return the places of each left entity's namesake and of another's, (n_left, 2)."""
    others = _as_well_known(problem.pair, links.right)
    index = np.full((len(problem.left), 2), NO_CANDIDATE, np.int32)
    row = np.searchsorted(problem.left, links.left)
    for column, right in enumerate((links.right, others)):
        index[row, column] = np.searchsorted(problem.right, right)
    return index


def _as_well_known(pair: Pair, right: RightIds) -> RightIds:
    """Return for each of these right entities the next one by number of facts."""
    degree = np.bincount(pair.head, minlength=pair.n_nodes)[pair.right_nodes(right)]
    order = np.argsort(degree, kind="stable")
    others = np.empty_like(right)
    others[order] = np.roll(right[order], 1)
    return RightIds(others)


# ----------------------------------------------------------------------------- of one block


def better_and_worse(ops: Ops[A], consensus: A) -> tuple[int, int]:
    """Return how many rows have more in the first column than in the second, and how many less."""
    better: Bools = ops.to_numpy(consensus[:, 0] > consensus[:, 1])
    worse: Bools = ops.to_numpy(consensus[:, 0] < consensus[:, 1])
    return int(better.sum()), int(worse.sum())
