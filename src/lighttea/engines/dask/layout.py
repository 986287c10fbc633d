"""How the work is cut: rows of both sides, nodes and label columns, by the memory of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lighttea.config import Config
from lighttea.errors import ConfigError
from lighttea.graph.pair import Pair
from lighttea.types import Ints

GIB = 1 << 30
_SHARE = 6  # a block takes at most one part in so many of a worker's memory
_LEFT, _RIGHT = 2, 1  # blocks of a side that each worker gets at least
_LEFT_BYTES = 512 << 20  # of a left block with its candidates
_PASSING_BYTES = 128 << 20  # of a block that passes from worker to worker
_PIECE_BYTES = 16 << 20  # of a slice of the last hop
_LIBRARIES = 270 << 20  # of a worker that has done nothing yet
_EVIDENCE_BYTES = 77  # of a fact in one direction, as tokens of all kinds
_MANY = 128  # blocks, from which on they grow instead: tasks are their product


@dataclass(frozen=True)
class Cuts:
    """Where a range is cut: block b goes from bounds[b] to bounds[b + 1]."""

    bounds: tuple[int, ...]

    @classmethod
    def even(cls, n: int, n_blocks: int) -> Cuts:
        """About so many blocks of equal size, none of them empty; one where there is nothing."""
        n_blocks = max(1, min(n, n_blocks))
        return cls(tuple(n * number // n_blocks for number in range(n_blocks + 1)))

    @classmethod
    def by_load(cls, load: Ints, most: int) -> Cuts:
        """Blocks of neighbouring rows whose loads add up to about `most`; `load` is the running sum
        before each row and after the last.
        """
        n_blocks = max(1, -(-int(load[-1]) // max(1, most)))
        wanted = load[-1] * np.arange(1, n_blocks) // n_blocks
        inner = np.searchsorted(load, wanted)
        return cls(tuple(np.unique([0, *inner.tolist(), len(load) - 1]).tolist()))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __iter__(self) -> Iterator[slice]:
        for begin, end in zip(self.bounds[:-1], self.bounds[1:], strict=True):
            yield slice(begin, end)

    @property
    def begins(self) -> tuple[int, ...]:
        """The first number of each block."""
        return self.bounds[:-1]

    @property
    def largest(self) -> int:
        """Rows of the largest block."""
        return int(np.diff(self.bounds).max())


@dataclass(frozen=True)
class Layout:
    """The blocks of one problem, and what a worker may hold, in bytes."""

    left: Cuts  # those who ask
    right: Cuts  # those who may answer
    nodes: Cuts  # rows of the views
    columns: Cuts  # of a label before the last hop
    piece: int  # rows of a side that the last hop is made for at a time
    memory: int

    @classmethod
    def of(
        cls,
        pair: Pair,
        n_left: int,
        n_right: int,
        config: Config,
        n_workers: int,
        memory: int,
        *,
        compact: bool = False,
    ) -> Layout:
        """Blocks that leave a worker room for several, and enough of them for all workers."""
        most = memory // _SHARE
        a_label = label_bytes(config, compact=compact)
        a_row = a_label + candidate_bytes(n_right, config)
        a_column = column_bytes(pair.n_nodes, config, compact=compact)
        if a_column > most or a_row > most:
            needed = _SHARE * max(a_column, a_row) / GIB
            raise ConfigError(
                f"a worker needs about {needed:.2f} GiB for one column of the labels of "
                f"{pair.n_nodes:,} entities and one row of candidates, the smallest has "
                f"{memory / GIB:.2f} GiB; give the workers more memory, or lower --depth "
                f"({config.depth}), --dim ({config.dim}) or --top-k ({config.top_k})"
            )
        n_slices = n_workers * _parts(config.dim * a_column, n_workers * most)
        width = -(-config.dim // n_slices)
        a_node = _value_bytes(compact) * width + _view_bytes(pair)
        a_piece = 4 * config.sketch_factor  # a row of the last hop, of each column
        left, right, nodes = (
            each * n_workers * _parts(n_blocks, each * n_workers)
            for each, n_blocks in (
                (_LEFT, _blocks(n_left * a_row, _LEFT_BYTES, most)),
                (_RIGHT, _blocks(n_right * a_label, _PASSING_BYTES, most)),
                (1, _blocks(pair.n_nodes * a_node, _PASSING_BYTES, most)),
            )
        )  # as many for every worker
        return cls(
            left=Cuts.even(n_left, left),
            right=Cuts.even(n_right, right),
            nodes=Cuts.even(pair.n_nodes, nodes),
            columns=Cuts.even(config.dim, n_slices),
            piece=max(1, min(_PIECE_BYTES // width, most // config.dim) // a_piece),
            memory=memory,
        )


def worker_bytes(
    pair: Pair, n_left: int, n_right: int, config: Config, n_workers: int, *, compact: bool
) -> int:
    """About what a worker holds at most: its share of the hops, or of labels and candidates."""
    hops = config.dim * column_bytes(pair.n_nodes, config, compact=compact)
    labels = (n_left + n_right) * label_bytes(config, compact=compact)
    shared = max(hops, labels + n_left * candidate_bytes(n_right, config)) // n_workers
    evidence = _EVIDENCE_BYTES * len(pair.head) if config.consensus else 0  # whole in each
    return _LIBRARIES + 2 * _PASSING_BYTES + shared + evidence


def label_bytes(config: Config, *, compact: bool) -> int:
    """Of the label of one entity."""
    n_aspects = sum(w > 0 for w in (1 - config.temporal_weight, config.temporal_weight))
    return _value_bytes(compact) * config.dim * config.sketch_factor * n_aspects


def candidate_bytes(n_right: int, config: Config) -> int:
    """Of the candidates of one left entity while they are assigned."""
    return 60 * (min(config.top_k, n_right) + 2 * config.suggestions)


def column_bytes(n_nodes: int, config: Config, *, compact: bool) -> int:
    """Of one column of all nodes' labels: every hop, and one that is being made."""
    return _value_bytes(compact) * n_nodes * (config.depth + 2)


def _value_bytes(compact: bool) -> int:
    return 1 if compact else 4


def _view_bytes(pair: Pair) -> int:
    """Of the views' rows of a node, on average."""
    return 24 * len(pair.head) // max(1, pair.n_nodes) + 16


def _blocks(total: int, wanted: int, most: int) -> int:
    """How many blocks of the wanted bytes, fewer where they are many; none larger than most."""
    return max(min(_MANY, _parts(total, wanted)), _parts(total, most))


def _parts(total: int, most: int) -> int:
    """How many parts of at most so many bytes."""
    return -(-total // most)
