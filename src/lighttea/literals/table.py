"""The literals of both graphs in one space of nodes, attributes and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lighttea.display import GraphNames, Named
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Pair
from lighttea.literals.decoys import decoy_literals
from lighttea.literals.text import words_of_id
from lighttea.literals.vocabulary import Vocabulary
from lighttea.types import Bools, Ints

FEWEST_SHARED = 20  # ids that both graphs have, for ids to be looked at
_STREAM = 18  # keeps random numbers apart from those of the rounds
ID = "id"  # what an entity is called by its graph: used only where there is evidence for it


@dataclass(frozen=True)
class GraphLiterals:
    """The literals of two graphs as they were read; a table of them is made once it is needed."""

    left: Graph
    right: Graph
    random_seed: int  # of the literals that decoys get

    @property
    def n_rows(self) -> int:
        """Literals of both sides, and an id for each entity."""
        graphs = self.left, self.right
        return sum(len(graph.attributes) + len(graph.entities) for graph in graphs)

    @property
    def are_comparable(self) -> bool:
        """Whether both graphs have literals."""
        return bool(len(self.left.attributes) and len(self.right.attributes))

    def table(self, pair: Pair) -> LiteralTable:
        """Return them in the joint space of a pair."""
        rng = np.random.default_rng([self.random_seed, _STREAM])
        return LiteralTable.of(pair, self.left, self.right, rng)


@dataclass(frozen=True)
class LiteralTable:
    """Rows of node, attribute and value, sorted by node; decoys are the last nodes.

    Attributes of the left graph come first, then those of the right one. The last of each side is
    `ID`.
    """

    node: Ints
    attribute: Ints
    value: Ints  # place in `texts`
    texts: Sequence[str]
    vocabulary: Vocabulary  # what the values are made of
    names: Sequence[str]  # of the attributes
    n_left_attributes: int
    n_left: int
    n_nodes: int
    n_decoys: int
    descriptions: Sequence[str] = ()  # of the attributes, with their graphs, for messages

    @classmethod
    def of(cls, pair: Pair, left: Graph, right: Graph, rng: np.random.Generator) -> LiteralTable:
        """Return the literals of both graphs, and of decoys."""
        text_of: dict[str, int] = {}
        ids = _shared_ids(left, right)
        sides = [_side(g, own, text_of) for g, own in zip((left, right), ids, strict=True)]
        n_left_attributes = len(left.attributes.names) + 1
        sides[1][0] += pair.n_left
        sides[1][1] += n_left_attributes
        texts = list(text_of)
        if pair.n_decoys:
            own = decoy_literals(sides[1], pair.right_nodes(pair.decoy_source), texts, rng)
            own[0] += pair.n_entities
            sides.append(own)
        node, attribute, value = np.concatenate(sides, axis=1)
        order = np.argsort(node, kind="stable")
        return cls(
            node[order].astype(np.int32),
            attribute[order].astype(np.int32),
            value[order].astype(np.int32),
            texts,
            Vocabulary.of(texts),
            [*left.attributes.names, ID, *right.attributes.names, ID],
            n_left_attributes,
            pair.n_left,
            pair.n_nodes,
            pair.n_decoys,
            _describe_attributes(left, right),
        )

    def __len__(self) -> int:
        return len(self.node)

    @property
    def n_attributes(self) -> int:
        """Attributes of both sides, `ID` of either included."""
        return len(self.names)

    @property
    def is_id(self) -> Bools:
        """Which attributes stand for ids."""
        is_id = np.zeros(self.n_attributes, bool)
        is_id[[self.n_left_attributes - 1, -1]] = True
        return is_id

    @property
    def is_left(self) -> Bools:
        """Which rows are of left entities."""
        return self.node < self.n_left

    @property
    def is_real(self) -> Bools:
        """Which rows are of entities, not of decoys."""
        return self.node < self.n_nodes - self.n_decoys

    def where(self, kept: Bools) -> LiteralTable:
        """Return some of the rows."""
        return replace(
            self, node=self.node[kept], attribute=self.attribute[kept], value=self.value[kept]
        )

    def of_attributes(self, kept: Bools) -> LiteralTable:
        """Return the rows of some attributes."""
        return self.where(kept[self.attribute])


def _shared_ids(left: Graph, right: Graph) -> tuple[list[str], list[str]]:
    """Return what the entities of both graphs are called by their ids, in words.

    None where hardly any entity is called like one of the other side.
    """
    ids = [[" ".join(words_of_id(entity)) for entity in g.entities] for g in (left, right)]
    known = {" ".join(sorted(own.split())) for own in ids[1]} - {""}
    n_shared = sum(" ".join(sorted(own.split())) in known for own in ids[0])
    return (ids[0], ids[1]) if n_shared >= FEWEST_SHARED else ([], [])


def _side(graph: Graph, ids: list[str], text_of: dict[str, int]) -> Ints:
    """Return entity, attribute and value of each literal of a graph, as rows of an array."""
    own = graph.attributes
    codes = np.array([text_of.setdefault(text, len(text_of)) for text in own.texts], np.int64)
    id_codes = np.array([text_of.setdefault(text, len(text_of)) for text in ids], np.int64)
    every = np.arange(len(ids))
    return np.stack(
        [
            np.concatenate([own.entity, every]),
            np.concatenate([own.attribute, np.full(len(ids), len(own.names))]),
            np.concatenate([codes[own.value] if len(own) else codes, id_codes]),
        ]
    ).astype(np.int64)


def _describe_attributes(left: Graph, right: Graph) -> list[str]:
    """Return what a person reads for each attribute, `ID` of either side included."""
    graphs = GraphNames.of((left.name, left.source), (right.name, right.source))
    return [
        f"{Named.of(name, graph.relation_names).text} ({graph_name})"
        for graph, graph_name in ((left, graphs.left), (right, graphs.right))
        for name in (*graph.attributes.names, ID)
    ]
