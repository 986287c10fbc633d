"""The views of a pair of graphs where an engine works on them: made in blocks of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar, cast

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.layout import Cuts
from lighttea.engines.ops import add_up
from lighttea.graph import views
from lighttea.graph.pair import Pair
from lighttea.graph.views import FactRows, Incidence, PlainIncidence, PlainView, View
from lighttea.types import A, Floats, Ints, LeftIds, Nodes, RightIds

T = TypeVar("T")


@dataclass(frozen=True)
class AspectViews(Generic[A]):
    """What the relational and the temporal aspect differ by: their matrices, nothing else."""

    entity_other: Blocks[View[A]]  # A^ER or A^ET, by block of nodes
    other_entity: Blocks[View[A]]  # A^RE or A^TE, as far as each block of nodes is concerned
    weight: Handle[A]  # (n_others,) couples that have each relation or tick
    left: Blocks[Incidence[A]]  # (neighbour, other) couples, by block of left entities
    right: Blocks[Incidence[A]]


@dataclass(frozen=True)
class SideBlock:
    """The entities of one block of a side, and where their facts are."""

    nodes: Handle[Nodes]
    fact_blocks: Sequence[int]  # blocks of nodes that hold them


class PairViews(Generic[A]):
    """Makes the views that propagation and time similarity need.

    In one process they are kept for all rounds. Elsewhere facts alone are held, in a third of the
    memory, and each round makes its views anew.
    """

    def __init__(self, engine: Engine[A], pair: Pair, left: LeftIds, right: RightIds) -> None:
        self.pair = pair
        self._engine = engine
        self._left_nodes, self._right_nodes = pair.left_nodes(left), pair.right_nodes(right)
        self._kept: dict[str, object] = {}

    def entity_entity(self) -> Blocks[View[A]]:
        """Return A^EE by block of nodes."""
        return self._keep("entity_entity", lambda: self._of_facts(views.entity_entity))

    def aspect(self, *, temporal: bool) -> AspectViews[A]:
        """Return the views of one aspect."""
        return self._keep(f"aspect {temporal}", lambda: self._aspect(temporal))

    def tick_counts(self) -> tuple[Blocks[View[A]], Blocks[View[A]]]:
        """Return the multisets of ticks of the left and of the right entities, by block."""
        return self._keep("tick_counts", self._tick_counts)

    def _keep(self, name: str, made: Callable[[], T]) -> T:
        if not self._engine.is_local:
            return made()
        if name not in self._kept:
            self._kept[name] = made()
        return cast(T, self._kept[name])

    @cached_property
    def _facts(self) -> Blocks[FactRows]:
        """All facts by block of nodes."""
        return Blocks(
            self._engine.hold(FactRows.of(self.pair, nodes)) for nodes in self._engine.layout.nodes
        )

    @cached_property
    def _sides(self) -> tuple[Sequence[SideBlock], Sequence[SideBlock]]:
        layout = self._engine.layout
        return (
            self._side_blocks(self._left_nodes, layout.left),
            self._side_blocks(self._right_nodes, layout.right),
        )

    def _side_blocks(self, nodes: Nodes, cuts: Cuts) -> list[SideBlock]:
        bounds = self._engine.layout.nodes.bounds
        block_of_node = np.searchsorted(bounds, nodes, side="right") - 1
        return [
            SideBlock(
                self._engine.hold(Nodes(nodes[rows])), np.unique(block_of_node[rows]).tolist()
            )
            for rows in cuts
        ]

    def _of_facts(self, function: Callable[..., PlainView], *arguments: object) -> Blocks[View[A]]:
        engine = self._engine
        return cast(
            "Blocks[View[A]]",
            Blocks(engine.place(engine.make(function, facts, *arguments)) for facts in self._facts),
        )

    def _aspect(self, temporal: bool) -> AspectViews[A]:
        engine = self._engine
        couples = Blocks(engine.make(views.incidence, facts, temporal) for facts in self._facts)
        n_others = self.pair.n_ticks if temporal else self.pair.n_relations
        counts = Blocks(
            engine.place(
                engine.make(count_others, block, n_others, self.pair.n_entities - nodes.start)
            )
            for block, nodes in zip(couples, engine.layout.nodes, strict=True)
        )
        left, right = (self._incidences(side, couples) for side in self._sides)
        return AspectViews(
            self._of_facts(views.entity_other, temporal),
            self._of_facts(views.other_entity, temporal),
            cast("Handle[A]", engine.combine(add_up, cast("Blocks[A]", counts))),
            left,
            right,
        )

    def _incidences(
        self, side: Sequence[SideBlock], couples: Blocks[PlainIncidence]
    ) -> Blocks[Incidence[A]]:
        engine, bounds = self._engine, self._engine.layout.nodes.bounds
        made = (
            engine.make(
                incidence_of_nodes,
                [couples.handles[number] for number in block.fact_blocks],
                [slice(*bounds[number : number + 2]) for number in block.fact_blocks],
                block.nodes,
            )
            for block in side
        )
        return cast("Blocks[Incidence[A]]", Blocks(engine.place(block) for block in made))

    def _tick_counts(self) -> tuple[Blocks[View[A]], Blocks[View[A]]]:
        engine = self._engine
        left, right = (
            Blocks(
                engine.place(
                    engine.make(
                        tick_counts_of_nodes,
                        [self._facts.handles[number] for number in block.fact_blocks],
                        block.nodes,
                    )
                )
                for block in side
            )
            for side in self._sides
        )
        return cast("tuple[Blocks[View[A]], Blocks[View[A]]]", (left, right))


# ----------------------------------------------------------------------------- of one block


def count_others(incidence: PlainIncidence, n_others: int, n_entities: int | None = None) -> Floats:
    """Return how many couples have each relation or tick, (n_others,).

    The first `n_entities` rows count, if so many: those after them are decoys.
    """
    n_rows = len(incidence.start) - 1
    last = incidence.start[n_rows if n_entities is None else min(max(0, n_entities), n_rows)]
    return np.bincount(incidence.other[:last], minlength=n_others).astype(np.float32)


def incidence_of_nodes(
    blocks: Sequence[PlainIncidence], node_ranges: Sequence[slice], nodes: Ints
) -> PlainIncidence:
    """Return the couples of some nodes, which lie in these blocks of nodes."""
    numbers = np.concatenate([np.arange(b.start, b.stop) for b in node_ranges] or [nodes])
    return views.take_incidence(views.join_incidences(blocks), np.searchsorted(numbers, nodes))


def tick_counts_of_nodes(blocks: Sequence[FactRows], nodes: Ints) -> PlainView:
    """Return the multisets of ticks of some nodes, whose facts are in these blocks."""
    return views.tick_counts(FactRows.joined(blocks).take(nodes))
