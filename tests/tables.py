"""Tables of candidates and label rows for tests of one stage, whole and cut into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.layout import Cuts
from lighttea.engines.tables import Rows
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.labels import Labels
from lighttea.similarity.candidates import Candidates
from lighttea.similarity.merge import BY_LABEL
from lighttea.types import Floats, NumpyArray

PlainCandidates = Candidates[NumpyArray]


def make_candidates(index: Any, score: Any, **others: Any) -> PlainCandidates:
    """Return candidates that a search by label found; their score is their label."""
    places, label = np.asarray(index, np.int32), np.asarray(score, np.float32)
    source = np.where(places >= 0, BY_LABEL, 0).astype(np.uint8)
    return Candidates(places, label, label, source, **others)


def split_table(engine: Engine[NumpyArray], table: NumpyArray) -> Blocks[NumpyArray]:
    """Return a table of all left entities in the engine's left blocks."""
    return Blocks(Handle(table[rows]) for rows in engine.layout.left)


def split_candidates(
    engine: Engine[NumpyArray], candidates: PlainCandidates
) -> Blocks[PlainCandidates]:
    """Return the candidates of all left entities in the engine's left blocks."""
    columns = {name: table for name, table in vars(candidates).items() if table is not None}
    return Blocks(
        Handle(Candidates(**{name: table[rows] for name, table in columns.items()}))
        for rows in engine.layout.left
    )


def join_blocks(engine: Engine[NumpyArray], blocks: Blocks[NumpyArray]) -> NumpyArray:
    """Return a table of all left entities."""
    return np.concatenate([engine.fetch(handle) for handle in blocks])


def make_rows(parts: Sequence[Floats], *, compact: bool = False) -> NumpyRows:
    """Return label rows of these parts, (n_rows, width) each."""
    n_rows, width = parts[0].shape
    rows = NumpyRows.empty(n_rows, width, len(parts), compact=compact)
    for number, part in enumerate(parts):
        rows.put(0, np.ascontiguousarray(part), number)
    return rows


def held_rows(parts: Sequence[Floats], *, compact: bool = False) -> Floats:
    """Return what such label rows stand for: rounded where they are compact."""
    return make_rows(parts, compact=compact).take(np.arange(len(parts[0])))


def make_labels(
    engine: Engine[NumpyArray],
    left: Sequence[Floats],
    right: Sequence[Floats],
    *,
    compact: bool = False,
) -> Labels[NumpyArray]:
    """Return the labels of both sides, a part for each aspect, in the engine's blocks."""
    return Labels(
        _split_rows(left, engine.layout.left, compact),
        _split_rows(right, engine.layout.right, compact),
        n_aspects=len(left),
        has_relational=True,
    )


def _split_rows(parts: Sequence[Floats], cuts: Cuts, compact: bool) -> Blocks[Rows[NumpyArray]]:
    return Blocks(
        Handle(make_rows([part[rows] for part in parts], compact=compact)) for rows in cuts
    )
