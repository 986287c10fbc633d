"""What stays the same from round to round, in blocks that the workers hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lighttea.engines.cluster.connection import Connection, Future
from lighttea.engines.cluster.layout import Cuts, Layout
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.views import Aspect, Incidence, View
from lighttea.job import Job
from lighttea.types import Ints

_ENTRIES = 1 << 27  # of a block of a view whose rows are relations or ticks


@dataclass(frozen=True)
class AspectBlocks:
    """One aspect's matrices in blocks."""

    entity_other: list[Future]  # by nodes
    other_entity: list[Future]  # by relations or ticks
    incidence: tuple[list[Future], list[Future]]  # of those who ask and those who may answer
    weight: Future  # (n_others,) how many facts have each


class Inputs:
    """The blocks of a job, each handed over when it is first needed."""

    def __init__(self, to: Connection, job: Job, layout: Layout) -> None:
        self._to, self._job, self._layout = to, job, layout
        self._tokens: dict[int, tuple[Tokens, Future]] = {}
        pair = job.pair
        self._asking = [pair.left_nodes(job.left)[rows] for rows in layout.left]
        self._answering = [pair.right_nodes(job.right)[rows] for rows in layout.right]

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
    def entity_entity(self) -> list[Future]:
        """A^EE by nodes."""
        return self._by_nodes(self._job.views.entity_entity)

    @cached_property
    def relational(self) -> AspectBlocks:
        """The relational aspect."""
        return self._aspect(self._job.views.relational)

    @cached_property
    def temporal(self) -> AspectBlocks:
        """The temporal aspect."""
        return self._aspect(self._job.views.temporal)

    @cached_property
    def tick_counts(self) -> tuple[list[Future], list[Future]]:
        """The multisets of ticks of those who ask and of those who may answer."""
        counts = self._job.views.tick_counts
        left, right = (
            [self._to.hold(view_rows(counts, nodes)) for nodes in side]
            for side in (self._asking, self._answering)
        )
        return left, right

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

    def _by_nodes(self, view: View) -> list[Future]:
        return [self._to.hold(view_part(view, rows)) for rows in self._layout.nodes]

    def _aspect(self, aspect: Aspect) -> AspectBlocks:
        hold, view = self._to.hold, aspect.other_entity
        asking, answering = (
            [hold(incidence_rows(aspect.incidence, nodes)) for nodes in side]
            for side in (self._asking, self._answering)
        )
        counts = np.bincount(aspect.incidence.other, minlength=view.shape[0])
        return AspectBlocks(
            entity_other=self._by_nodes(aspect.entity_other),
            other_entity=[
                hold(view_part(view, rows)) for rows in Cuts.by_load(view.start, _ENTRIES)
            ],
            incidence=(asking, answering),
            weight=hold(counts.astype(np.float32)),
        )


def view_part(view: View, rows: slice) -> View:
    """Neighbouring rows of a view."""
    begin, end = view.start[rows.start], view.start[rows.stop]
    start = view.start[rows.start : rows.stop + 1] - begin
    return View(start, view.columns[begin:end], view.weights[begin:end], view.n_columns)


def view_rows(view: View, rows: Ints) -> View:
    """Some rows of a view."""
    start, places = _places(view.start, rows)
    return View(start, view.columns[places], view.weights[places], view.n_columns)


def incidence_rows(incidence: Incidence, nodes: Ints) -> Incidence:
    """The couples of some nodes."""
    start, places = _places(incidence.start, nodes)
    return Incidence(start, incidence.neighbour[places], incidence.other[places])


def _places(start: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Where the entries of these rows stand, one row after the other, and their new starts."""
    count = np.diff(start)[rows]
    new = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])
    return new, np.arange(new[-1]) + np.repeat(start[rows] - new[:-1], count)
