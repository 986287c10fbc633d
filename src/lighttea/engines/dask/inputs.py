"""What stays the same from round to round, in blocks that the workers hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.layout import Cuts, Layout
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.views import FactRows, Incidence, View, incidence, tick_counts
from lighttea.solve.problem import Problem
from lighttea.types import Ints, Nodes

Parts = tuple[list[Future], Future]  # blocks of facts, and whose of them are meant


class Inputs:
    """The blocks of a problem, each handed over when it is first needed."""

    def __init__(self, to: Connection, problem: Problem, layout: Layout) -> None:
        self._to, self._job, self._layout = to, problem, layout
        self._tokens: dict[int, tuple[Tokens, Future]] = {}

    @property
    def n_known(self) -> int:
        """How many of the seeds were given; others were found."""
        return len(self._job.known)

    @cached_property
    def left_ids(self) -> list[Future]:
        """Who asks, by block."""
        return [self._to.hold(self._job.left[rows]) for rows in self._layout.left]

    @cached_property
    def right_ids(self) -> Future:
        """All who may answer."""
        return self._to.hold(self._job.right)

    @cached_property
    def facts(self) -> list[Future]:
        """All facts by blocks of nodes: the workers make every view of them."""
        return [self._to.hold(FactRows.of(self._job.pair, rows)) for rows in self._layout.nodes]

    @cached_property
    def sides(self) -> tuple[list[Parts], list[Parts]]:
        """Where the facts of those who ask and of those who may answer are, by block."""
        problem, cuts = self._job, self._layout
        return (
            self._parts(problem.pair.left_nodes(problem.left), cuts.left),
            self._parts(problem.pair.right_nodes(problem.right), cuts.right),
        )

    def _parts(self, nodes: Nodes, cuts: Cuts) -> list[Parts]:
        """For each block of a side the blocks of facts that have its own, and its nodes."""
        bounds = self._layout.nodes.bounds
        within = np.searchsorted(bounds, nodes, side="right") - 1
        return [
            ([self.facts[one] for one in np.unique(within[rows])], self._to.hold(nodes[rows]))
            for rows in cuts
        ]

    @cached_property
    def pair(self) -> Future:
        """All facts as numbers: evidence is made of them in one piece."""
        return self._to.hold(self._job.pair)

    @cached_property
    def allowed(self) -> Future:
        """Who may be a candidate of whom."""
        return self._to.hold(self._job.allowed)

    def tokens(self, more: Sequence[tuple[Kind, Tokens]]) -> list[tuple[Kind, Future]]:
        """Tokens that do not depend on links, handed over once."""
        for _, one in more:
            if id(one) not in self._tokens:
                self._tokens[id(one)] = one, self._to.hold(one)
        return [(kind, self._tokens[id(one)][1]) for kind, one in more]


# ------------------------------------------------------------------------ in the workers


def incidence_of(blocks: Sequence[FactRows], nodes: Ints, temporal: bool) -> Incidence:
    """The couples of some nodes, whose facts are in these blocks."""
    return incidence(FactRows.joined(blocks).take(nodes), temporal)


def tick_counts_of(blocks: Sequence[FactRows], nodes: Ints) -> View:
    """The multisets of ticks of some nodes, whose facts are in these blocks."""
    return tick_counts(FactRows.joined(blocks).take(nodes))
