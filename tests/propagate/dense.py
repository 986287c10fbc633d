"""Labels of all blocks and slices as one dense matrix, and an engine for a pair of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.tables import NodeRows, Rows
from lighttea.graph.pair import Links, Pair
from lighttea.graph.views import PlainView, View, to_scipy
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.views import PairViews
from lighttea.types import Floats, LeftIds, NumpyArray, RightIds
from tests.plain import plain_engine


def engine_for(
    pair: Pair, dim: int, *, n_blocks: int = 1, compact: bool = False
) -> Engine[NumpyArray]:
    """Return an engine for all entities of a pair."""
    engine = plain_engine(pair.n_left, pair.n_right, pair.n_nodes, dim, n_blocks=n_blocks)
    engine.compact = compact
    return engine


def views_on(engine: Engine[NumpyArray], pair: Pair) -> PairViews[NumpyArray]:
    """Return the views of all entities of a pair."""
    return PairViews(engine, pair, pair.all_left, pair.all_right)


def some_links(links: Links, numbers: Sequence[int]) -> Links:
    """Return the links at these places."""
    chosen = np.array(numbers, np.int64)
    return Links(LeftIds(links.left[chosen]), RightIds(links.right[chosen]))


def stored_rows(handle: Handle[Rows[NumpyArray]]) -> NumpyRows:
    """Return the label rows of a block."""
    return cast(NumpyRows, handle.stored)


def dense_rows(blocks: Blocks[Rows[NumpyArray]]) -> Floats:
    """Return the label rows of all blocks."""
    return np.concatenate([_all_of(stored_rows(block)) for block in blocks])


def dense_labels(layer: Sequence[Handle[NodeRows[NumpyArray]]]) -> Floats:
    """Return the label of every node of all slices of columns, zero where it has none."""
    return np.hstack([_label_of_nodes(cast("NodeRows[NumpyArray]", one.stored)) for one in layer])


def dense_view(blocks: Blocks[View[NumpyArray]]) -> Floats:
    """Return a matrix whose rows are cut into blocks."""
    parts = [to_scipy(cast(PlainView, block.stored)).toarray() for block in blocks]
    return np.asarray(np.vstack(parts), np.float32)


def dense_sum(blocks: Blocks[View[NumpyArray]]) -> Floats:
    """Return a matrix of which every block holds some columns."""
    parts = [to_scipy(cast(PlainView, block.stored)).toarray() for block in blocks]
    return np.asarray(np.sum(parts, axis=0), np.float32)


def unit(rows: NumpyArray) -> NumpyArray:
    """Return the rows scaled to length one; zero rows stay zero."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))


def _all_of(rows: NumpyRows) -> Floats:
    return rows.take(np.arange(len(rows)))


def _label_of_nodes(labels: NodeRows[NumpyArray]) -> Floats:
    out = np.zeros((len(labels.place), labels.rows.n_columns), np.float32)
    has_label = np.flatnonzero(labels.place >= 0)
    out[has_label] = labels.rows.take(labels.place[has_label])
    return out
