"""The arrays of one kind of hardware: a namespace, and the primitives that differ by hardware."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from lighttea.engines.tables import (
    FactTables,
    NodeRows,
    RareLimits,
    Rows,
    SparseKernel,
    TokenColumns,
    TokenIndex,
    TokenLists,
    TopK,
)
from lighttea.graph.views import Incidence, View
from lighttea.types import A, NumpyArray


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
