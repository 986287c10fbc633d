"""What primitives take and return: label rows, lists of tokens, tables of facts and candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from lighttea.types import A, Array

RowsA = TypeVar("RowsA", bound=Array)


class Rows(Protocol[RowsA]):
    """Tall label rows of one or more parts side by side, in float32 or less."""

    @property
    def scale(self) -> RowsA:
        """(n_rows, n_parts): 0 where a part of a row is zero."""

    @property
    def n_columns(self) -> int:
        """Columns of all parts together."""

    @property
    def filled(self) -> RowsA:
        """(n_rows,) whether a row is not zero."""

    def __len__(self) -> int: ...

    def put(self, begin: int, block: RowsA, part: int = 0) -> None:
        """Set one part of the rows from `begin` on."""

    def stretch(self, factor: RowsA) -> None:
        """Multiply each part of each row by its factor, (n_rows, n_parts)."""

    def replace(self, flags: RowsA, others: Self) -> None:
        """Set the rows that have a flag to others, as many as there are flags."""

    def take(self, numbers: RowsA) -> RowsA:
        """These rows in float32."""


@dataclass(frozen=True)
class NodeRows(Generic[A]):
    """Rows by node: node n has `rows[place[n]]`, or a zero row where place is -1."""

    place: A  # (n_nodes,)
    rows: Rows[A]


@dataclass(frozen=True)
class TopK(Generic[A]):
    """The best right rows of each left row by inner product, in no order.

    -1 and 0 where there are fewer than k.
    """

    index: A  # (n_left, k) places of right rows
    label: A  # (n_left, k) inner products


@dataclass(frozen=True)
class TokenLists(Generic[A]):
    """The distinct tokens of each node and what each token weighs."""

    start: A  # (n_nodes + 1,) node n has token[start[n]:start[n + 1]]
    token: A
    weight: A  # (n_tokens,)
    length: A  # (n_nodes,) root of the summed weights of a node's tokens

    @property
    def n_tokens(self) -> int:
        """Distinct tokens."""
        return len(self.weight)


@dataclass(frozen=True)
class TokenColumns(Generic[A]):
    """What tokens are made of, row by row: one or more of neighbour, relation and time.

    A row gives no token where one of these is unknown, which is negative, nor where its neighbour
    is its own node.
    """

    node: A  # rising
    neighbour: A | None = None
    name: A | None = None  # (n_nodes,) of a neighbour
    relation: A | None = None
    relation_class: A | None = None  # (n_relations,)
    time: A | None = None

    def parts(self) -> list[A]:
        """Return the numbers of each row."""
        both = ((self.name, self.neighbour), (self.relation_class, self.relation))
        looked_up = [
            table[column] for table, column in both if table is not None and column is not None
        ]
        return looked_up if self.time is None else [*looked_up, self.time]


@dataclass(frozen=True)
class TokenIndex(Generic[A]):
    """Left rows with their tokens, and each token with the right rows that have it."""

    start: A  # (n_left + 1,)
    token: A
    value: A
    holder_start: A  # (n_tokens + 1,)
    holder: A
    holder_value: A
    n_right: int


@dataclass(frozen=True)
class RareLimits:
    """Which tokens are rare, and how many of them an entity asks for."""

    n_targets: int  # right nodes that count as holders; decoys come after them
    most_holders: int  # of a rare token on either side
    most_answers: int  # of the rarest tokens of an entity, the first group of like rarity aside

    @property
    def n_groups(self) -> int:
        """Groups of like rarity: tokens with no, 1, 2 to 3, 4 to 7 holders and so on."""
        return (2 * self.most_holders - 1).bit_length() + 1


@dataclass(frozen=True)
class FactTables(Generic[A]):
    """Facts, likely pairs of their tails, and log-odds, as `Ops.fact_log_odds` reads them.

    Facts are sorted by head, likely pairs by left node, couples of relations by left relation.
    """

    start: A  # (n_nodes + 1,) of the facts of a head
    tail: A
    relation: A
    rarity: A  # log-odds of a fact that both sides have, by how few have it
    tick_start: A  # (n_facts + 1,)
    tick: A
    tick_rarity: A  # log-odds of a tick that both sides have, by how few have it
    pair_start: A  # (n_nodes + 1,)
    pair_right: A
    pair_chance: A
    missing: A  # (n_facts,) log-odds where the other side does not have the neighbour
    couple_start: A  # (n_relations + 1,)
    couple_relation: A
    couple_log: A  # log-odds of two relations
    relation_log: A  # (n_relations,) of either
    time_log: A  # (n_relations, 2) of times with a tick in common, and without
    unseen: float  # of two relations that are no couple
    most: int  # facts of a left node, counted by the likely pairs of the tail, at most


class SparseKernel(Protocol[RowsA]):
    """K of the Sinkhorn operator on a table of candidates, ready for many alternations."""

    def scale_rows(self, column_scale: RowsA, slack: RowsA | float) -> tuple[RowsA, RowsA]:
        """Return u = 1 / (K v + slack), (n,), and the column sums of diag(u) K, (m,)."""

    def plan(self, row_scale: RowsA, column_scale: RowsA) -> RowsA:
        """Return diag(u) K diag(v) in float32, (n, k); 0 where there is no candidate."""
