"""Labels with their principal directions evened out: half a whitening.

Labels share a few strong directions that say how common an entity's facts are, not whose they are;
the weak directions say that. Dividing each principal direction of an aspect by the fourth root of
its variance lets both speak (docs/decisions/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.layout import Cuts
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows
from lighttea.graph.keys import Keys, draw_number, mix_keys
from lighttea.kernels.rows import BLOCK_ROWS
from lighttea.propagate.labels import Labels, blend_parts
from lighttea.types import A, Bools, Ints

SAMPLE = 5_000  # rows of each side that tell the principal directions


def find_whitening(
    engine: Engine[A],
    labels: Labels[A],
    n_aspects: int,
    keys: tuple[Keys, Keys],
    rng: np.random.Generator,
) -> Handle[list[A]]:
    """Return what whitens each aspect, by a sample of both sides.

    `keys` are those of the left and the right entities, which decide who is in the sample; decoys,
    the last right rows, have none and are no part of it.
    """
    sides = (labels.left, engine.layout.left), (labels.right, engine.layout.right)
    sample = [
        part
        for (rows, cuts), own in zip(sides, keys, strict=True)
        for part in _sample_rows(engine, rows, cuts, mix_keys(own, draw_number(rng)))
    ]
    return engine.run(whitening_matrices, sample, n_aspects)


def apply_whitening(
    engine: Engine[A], labels: Labels[A], weights: Sequence[float], matrices: Handle[list[A]]
) -> Labels[A]:
    """Return the labels with each aspect whitened by these matrices and blended again."""
    left, right = (
        engine.map(whiten_rows, rows, matrices, weights, engine.is_local, spread=True)
        for rows in (labels.left, labels.right)
    )
    engine.wait(left)
    engine.wait(right)
    return replace(labels, left=left, right=right)


def _sample_rows(
    engine: Engine[A],
    blocks: Blocks[Rows[A]],
    cuts: Cuts,
    lots: Keys,
) -> list[object]:
    """Return some of the first rows of one side, those with lots, that are not zero, by block."""
    filled = engine.fetch(engine.run(join_filled, engine.map(filled_rows, blocks)))[: len(lots)]
    chosen = draw_sample(filled, lots)
    starts = np.searchsorted(chosen, cuts.bounds)
    numbers = (
        chosen[begin:end] - rows.start
        for rows, begin, end in zip(cuts, starts[:-1], starts[1:], strict=True)
    )
    return [engine.run(take_rows, block, own) for block, own in zip(blocks, numbers, strict=True)]


def draw_sample(filled: Bools, lots: Keys) -> Ints:
    """Return the rows with the lowest lots that are not zero; one more changes one of them."""
    rows = np.flatnonzero(filled)
    return np.sort(rows[np.argsort(lots[rows], kind="stable")[:SAMPLE]])


# ----------------------------------------------------------------------------- of one block


def filled_rows(ops: Ops[A], rows: Rows[A]) -> Bools:
    """Return which rows are not zero."""
    return ops.to_numpy(rows.filled)


def join_filled(ops: Ops[A], parts: Sequence[Bools]) -> Bools:
    """Return the flags of all blocks."""
    return np.concatenate(parts)


def take_rows(ops: Ops[A], rows: Rows[A], numbers: Ints) -> A:
    """Return some rows in float32."""
    return rows.take(ops.asarray(numbers, "int64"))


def whitening_matrices(ops: Ops[A], sample: Sequence[A], n_parts: int) -> list[A]:
    """Return what each aspect's columns are multiplied by."""
    width = sample[0].shape[1] // n_parts
    matrices = []
    for part in range(n_parts):  # one at a time: a sample of all parts is large
        columns = slice(part * width, (part + 1) * width)
        rows = ops.concat([block[:, columns] for block in sample])  # a copy: both sides have some
        matrices.append(ops.whitening_matrix(ops.unit_rows(rows)))
    return matrices


def whiten_rows(
    ops: Ops[A], rows: Rows[A], matrices: Sequence[A], weights: Sequence[float], in_place: bool
) -> Rows[A]:
    """Return a block of labels whitened and blended again; in the same memory where that may be."""
    width = rows.n_columns // len(matrices)
    out = rows if in_place else ops.join_rows([rows])
    for begin in range(0, len(rows), ops.block_rows):
        end = min(begin + ops.block_rows, len(rows))
        block = rows.take(ops.arange(end)[begin:])
        for part, matrix in enumerate(matrices):  # a part depends on no other
            columns = slice(part * width, (part + 1) * width)
            out.put(begin, ops.unit_rows(block[:, columns] @ matrix), part)
        del block  # before the next is read
    return blend_parts(ops, out, weights)


def whitening_bytes(n_left: int, n_right: int, n_columns: int, n_parts: int) -> int:
    """Return what finding the directions and turning to them takes, beside the labels."""
    sampled = min(n_left, SAMPLE) + min(n_right, SAMPLE)
    finding = 4 * sampled * n_columns * (n_parts + 1) + 32 * n_columns * n_columns
    return max(finding, 4 * min(BLOCK_ROWS, max(n_left, n_right)) * n_columns * (n_parts + 1))
