"""The seam between algorithms and hardware.

An algorithm is a function of one block of rows, written once over `Ops`: an array namespace and
about ten primitives that differ by hardware. An `Engine` says where blocks lie and runs functions
on them; it knows nothing of labels, candidates or rounds. Every function that an engine runs takes
the `Ops` of its arrays first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from lighttea.engines.layout import Cuts, Layout
from lighttea.graph.views import Incidence, View
from lighttea.types import A, Array, NumpyArray

T = TypeVar("T")
RowsA = TypeVar("RowsA", bound=Array)


class Handle(Generic[T]):
    """A value where the engine keeps it: in this process, or in some worker."""

    __slots__ = ("stored",)

    def __init__(self, stored: object) -> None:
        """`stored` is the engine's own: the value itself, or what stands for it."""
        self.stored = stored


class Blocks(Generic[T]):
    """One handle for each block of rows, in order."""

    __slots__ = ("handles",)

    def __init__(self, handles: Iterable[Handle[T]]) -> None:
        self.handles: Sequence[Handle[T]] = list(handles)

    def __len__(self) -> int:
        return len(self.handles)

    def __iter__(self) -> Iterator[Handle[T]]:
        return iter(self.handles)


def unwrap(argument: object) -> object:
    """Return what stands for an argument of a function: handles and blocks as they are stored."""
    if isinstance(argument, Handle):
        return argument.stored
    if isinstance(argument, Blocks):
        return [handle.stored for handle in argument]
    if isinstance(argument, list):
        return [unwrap(part) for part in argument]
    return argument


def block_arguments(arguments: Sequence[object]) -> Iterator[list[object]]:
    """Yield the arguments of each block: its own of all `Blocks`, the whole of all others."""
    n_blocks = max(len(blocks) for blocks in arguments if isinstance(blocks, Blocks))
    for number in range(n_blocks):
        yield [part.handles[number] if isinstance(part, Blocks) else part for part in arguments]


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


class Ops(Protocol[A]):
    """Arrays of one kind of hardware: a small namespace, then the primitives."""

    keeps_facts: bool  # whether facts are kept as arrays of each kind of time
    block_rows: int  # label rows that are made at a time, so that temporaries stay small

    @property
    def n_tasks(self) -> int:
        """How many functions of arrays are worth running side by side."""

    # ------------------------------------------------------------------ the array namespace

    def asarray(self, array: NumpyArray, dtype: str = "") -> A:
        """Return the array on the hardware, as that type where one is named."""

    def to_numpy(self, array: A) -> NumpyArray:
        """Return the array in plain memory."""

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> A:
        """Return an array of one value."""

    def arange(self, n: int, dtype: str = "int64") -> A:
        """Return 0 ... n - 1."""

    def astype(self, array: A, dtype: str) -> A:
        """Return the entries as another type."""

    def copy(self, array: A) -> A:
        """Return a copy that may be changed."""

    def where(self, condition: A, chosen: A | float, other: A | float) -> A:
        """Return `chosen` where the condition holds, else `other`, entry by entry."""

    def concat(self, arrays: Sequence[A], axis: int = 0) -> A:
        """Return the arrays one after the other."""

    def exp(self, array: A) -> A:
        """Return e to the power of each entry."""

    def log(self, array: A) -> A:
        """Return the natural logarithm of each entry."""

    def log1p(self, array: A) -> A:
        """Return the natural logarithm of one more than each entry."""

    def sqrt(self, array: A) -> A:
        """Return the square root of each entry."""

    def clip(self, array: A, low: float, high: float) -> A:
        """Return the entries moved into a range."""

    def isnan(self, array: A) -> A:
        """Return which entries are not a number."""

    def round(self, array: A, decimals: int) -> A:
        """Return the entries rounded."""

    def equal(self, array: A, other: A | float) -> A:
        """Return where entries are equal."""

    def row_max(self, table: A) -> A:
        """Return the largest entry of each row, (n, 1); -inf for a row without columns."""

    def row_argmin(self, table: A) -> A:
        """Return the column of the smallest entry of each row, the first of equal ones."""

    def sort(self, array: A) -> A:
        """Return the entries along the last axis, falling."""

    def argsort(self, array: A, *, falling: bool = False) -> A:
        """Return the stable order of the entries along the last axis."""

    def top_columns(self, table: A, k: int) -> A:
        """Return the columns of the k largest entries of each row, in no order."""

    def take_along_rows(self, table: A, columns: A) -> A:
        """Return table[i, columns[i, c]]."""

    def cumsum(self, array: A) -> A:
        """Return the running sums of a vector, in double precision or whole numbers."""

    def repeat(self, array: A, counts: A) -> A:
        """Return each entry as often as its count says."""

    def unique(self, array: A) -> A:
        """Return the distinct entries, rising."""

    def number(self, array: A) -> tuple[int, A]:
        """Return how many distinct entries there are, and a number of each, in any order."""

    def bincount(self, array: A, n: int, weights: A | None = None) -> A:
        """Return how often each of 0 ... n - 1 occurs, or the sum of the weights it occurs with."""

    def sum_runs(self, values: A, begin: A) -> A:
        """Return the sums of runs of a vector; the first begins at 0, none is empty."""

    def isin(self, array: A, others: A) -> A:
        """Return which entries of a vector are among the others."""

    def searchsorted(self, rising: A, values: A) -> A:
        """Return the first place in a rising vector at which each value could stand."""

    def group(self, key: A, n: int) -> tuple[A, A]:
        """Return the stable order of keys 0 ... n - 1, and where each begins in it, (n + 1,)."""

    def nonzero(self, mask: A) -> A:
        """Return where a vector is not zero."""

    # ------------------------------------------------------------------------ label products

    def empty_rows(self, n_rows: int, width: int, n_parts: int, *, compact: bool) -> Rows[A]:
        """Return room for label rows; compact ones hold eight bits a value."""

    def join_rows(self, blocks: Sequence[Rows[A]]) -> Rows[A]:
        """Return a copy of label rows under one another, held as they are."""

    def spread_rows(self, rows: Rows[A], nodes: Sequence[A], n_nodes: int) -> NodeRows[A]:
        """Return rows that some nodes have, each list of nodes in turn, and the others have not."""

    def unit_rows(self, rows: A) -> A:
        """Return the rows scaled to length one, in place where it can be; zero rows stay zero."""

    def sparse_product(self, view: View[A], labels: NodeRows[A], begin: int, out: A) -> None:
        """Add the rows of `view` from `begin` on, times the labels, to `out`."""

    def look_up(self, known: TopK[A], index: A, n_right: int) -> tuple[A, A]:
        """Return the inner products that a search found already, 0 elsewhere, (n, k), and the
        index of those that are left, -1 elsewhere. Where computing is cheaper, all are left.
        """

    def add_neighbour_products(
        self,
        incidence: Incidence[A],
        begin: int,
        labels: NodeRows[A],
        length: A,
        others: A,
        out: A,
    ) -> None:
        """Add, over the (neighbour, other) couples of each node from `begin` on, the product
        length[neighbour] * labels[neighbour] * others[other], entry by entry, to `out`.
        """

    def whitening_matrix(self, sample: A) -> A:
        """Return what divides each principal direction by the fourth root of its variance."""

    def dots(
        self, left: Rows[A], right: Rows[A], rows: A, index: A, n_parts: int | None = None
    ) -> A:
        """Return left[rows[i]] . right[index[i, c]] over the first parts, 0 where index is -1."""

    def top_k(self, left: Rows[A], right: Rows[A], k: int, asking: A) -> TopK[A]:
        """Return the k best right rows of the asking left rows, exactly; zero rows have none."""

    # -------------------------------------------------------------------------------- sets

    def multiset_dice(self, left: View[A], right: View[A], index: A) -> A:
        """Return 2 |A & B| / (|A| + |B|) of row i and right row index[i, c]; NaN: unknown."""

    def token_keys(self, columns: TokenColumns[A]) -> tuple[A, A]:
        """Return the node and the key of each row that gives a token; equal keys are one token."""

    def list_lengths(self, start: A, token: A, weight: A) -> A:
        """Return the root of the summed weights of each node's tokens, (n_nodes,)."""

    def keep_shared(self, tokens: TokenLists[A], n_first: int) -> TokenLists[A]:
        """Return the lists without tokens that only the first nodes have, or only the others.

        Lengths stay. The lists may be changed in place.
        """

    def number_tokens(self, n_nodes: int, node: A, key: A) -> tuple[A, A, A]:
        """Return each node's distinct tokens (start, token) and how many nodes hold each.

        `node` rises; equal keys are one token.
        """

    def add_token_cosines(
        self, tokens: TokenLists[A], left: A, right: A, index: A, factor: float, out: A
    ) -> None:
        """Add factor * the cosine of the tokens of left[i] and right[index[i, c]] to `out`."""

    def index_rare_tokens(
        self,
        kinds: Sequence[tuple[TokenLists[A], float]],
        left: A,
        right: A,
        limits: RareLimits,
    ) -> TokenIndex[A]:
        """Return the rare tokens of some left and right nodes, which are the rows.

        A kind has a weight; a token's value is its share of the length of its node. Tokens are
        numbered in any way, and stand in any order.
        """

    def suggest_by_tokens(self, tokens: TokenIndex[A], k: int) -> A:
        """Return the right rows that share most with each left row, (n, k); -1 where fewer."""

    def count_pairs(
        self, left: tuple[A, A], right: tuple[A, A], shape: tuple[int, int]
    ) -> tuple[A, A, A, A, A]:
        """Return pairs of columns of two zero-one matrices, and how many rows they share.

        The matrices are (row, column) lists of `shape`. Row by row: left column, right column,
        shared rows; then for each column of either, its rows that the other matrix fills.
        """

    def add_up_pairs(
        self, left: tuple[A, A], right: tuple[A, A], weight: A, n_columns: int
    ) -> tuple[A, A, A]:
        """Return pairs of columns of two zero-one matrices, and the weight of the rows they share.

        The matrices are lists of distinct (row, column), rows weigh `weight`. Pairs are rising.
        """

    # ---------------------------------------------------------------------- candidate tables

    def sparse_kernel(self, kernel: A, index: A, n_columns: int) -> SparseKernel[A]:
        """Return K = `kernel` at the columns `index`, (n, k), ready to be scaled."""

    def excess_kernel(
        self,
        score: A,
        index: A,
        left_level: A,
        right_level: A,
        scale: float,
        least: float,
    ) -> tuple[SparseKernel[A], A]:
        """Return K = exp of how far each score stands above the mean of both levels, in scales.

        Rows with an entry above one are scaled to a largest of one; by how much comes second, (n,).
        Entries that are below `least` then may be left out.
        """

    def unite(self, numbers: A, n_bits: int) -> A:
        """Return rows of falling numbers where those equal but for their last bits are one.

        It has the bits of all of them: each has one, and no two of them the same. -1 where there
        are fewer, as wide as the fullest row needs.
        """

    def fact_log_odds(self, tables: FactTables[A], left: A, right: A, index: A) -> A:
        """Return the log-odds that facts give left[i] and right[index[i, c]], (n, k); 0: none."""

    def best_of_rows(self, score: A, index: A, n: int) -> A:
        """Return the n largest positive scores of each row, falling; 0 where there are fewer."""

    def best_of_columns(self, score: A, index: A, n_columns: int, n: int) -> A:
        """Return the n largest positive scores of each column, falling; 0 where there are fewer."""

    def best_by_weights(
        self, terms: Sequence[A], index: A, weights: Sequence[Sequence[float]]
    ) -> A:
        """Return the place of each row's best candidate, (n_weights, n); -1: none.

        Terms are label, time, consensus and likelihood. Each of the weights has those of label,
        time and consensus where the time is known, then those of label and consensus where it is
        not, then that of likelihood. Of scores as good as equal the lower place wins.
        """


class RowsBuilder(Protocol[RowsA]):
    """Label rows that are filled piece by piece, in blocks."""

    def put(
        self, block: int, begin: int, part: int, function: Callable[..., RowsA], *arguments: object
    ) -> None:
        """Set one part of the rows of a block from `begin` on to what a function returns.

        Rows of a block come in order.
        """

    def flush(self) -> None:
        """Return when all pieces so far are there."""

    def finish(
        self, function: Callable[..., Rows[RowsA]], *arguments: object
    ) -> Blocks[Rows[RowsA]]:
        """Return the whole rows of each block, after a function of them that may change them."""


class Engine(Protocol[A]):
    """Where blocks of rows lie, and what runs functions on them."""

    name: str
    ops: Ops[A]
    layout: Layout
    compact: bool  # whether labels are rounded to eight bits to take less memory
    is_local: bool  # one process: views are kept for all rounds, rows are changed in place
    is_exact: bool  # whether the search always compares every couple

    def hold(self, value: T) -> Handle[T]:
        """Return a handle of a value of this process, as it is."""

    def make(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        """Run a function of plain numpy arrays, without `Ops`; its result stays plain."""

    def place(self, handle: Handle[T]) -> Handle[T]:
        """Return the same value with its plain arrays as arrays of the engine."""

    def run(self, function: Callable[..., T], *arguments: object) -> Handle[T]:
        """Run `function(ops, *arguments)`: handles are what they stand for, blocks are lists."""

    def map(
        self, function: Callable[..., T], *arguments: object, spread: bool = False
    ) -> Blocks[T]:
        """Run a function for each block: of `Blocks` it takes its own, of all else the whole.

        `spread` asks for results that lie evenly over all workers.
        """

    def combine(self, function: Callable[..., T], blocks: Blocks[T]) -> Handle[T]:
        """Run an associative function of a list of parts, in a tree where they are many."""

    def build_rows(self, cuts: Cuts, width: int, n_parts: int) -> RowsBuilder[A]:
        """Return empty label rows in blocks of these sizes."""

    def wait(self, results: Handle[T] | Blocks[T]) -> None:
        """Return when these are done, or raise what went wrong with any of them."""

    def fetch(self, handle: Handle[T]) -> T:
        """Return the value itself, in this process."""

    def close(self) -> None:
        """Give back what the engine holds."""


def add_up(ops: Ops[A], parts: Sequence[A]) -> A:
    """Return the sum of equal arrays, in their order: what `combine` is most often given."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def few_rows(ops: Ops[A], n_rows: int) -> Iterator[slice]:
    """Yield a few rows at a time, for work whose temporaries are larger than its result."""
    step = max(1, ops.block_rows // 16)
    for begin in range(0, n_rows, step):
        yield slice(begin, min(begin + step, n_rows))
