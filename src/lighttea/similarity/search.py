"""S^l: the candidates of each left entity by label, beside those that other searches propose.

The search is exact while it pays, approximate beyond, with its recall measured on a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine
from lighttea.engines.ops import Ops
from lighttea.engines.tables import Rows, TopK
from lighttea.kernels.rows import NumpyRows
from lighttea.propagate.labels import Labels, flags_by_block
from lighttea.similarity.approximate import approximate_search
from lighttea.similarity.candidates import Candidates
from lighttea.similarity.carry import CarriedCandidates, carried_table, replace_carried
from lighttea.similarity.exact import (
    exact_search,
    label_dots,
    places_found,
    take_rows_of_other,
)
from lighttea.similarity.merge import BY_LABEL, merge_proposals
from lighttea.similarity.recall import Recall, measure_recall
from lighttea.types import A, Bools, NumpyArray

EXACT_COUPLES = 2.5e9  # 50,000 x 50,000: up to here exact search is at most a minute or so

Proposals = Mapping[int, Blocks[A]]  # tables of places by the bit of the search that made them


def is_approximate(search: str, n_left: int, n_right: int) -> bool:
    """Return whether the search is approximate: from 50,000 x 50,000 on, unless told."""
    return search == "approximate" or (search == "auto" and n_left * n_right > EXACT_COUPLES)


def search_labels(
    engine: Engine[A],
    labels: Labels[A],
    carried: CarriedCandidates,
    config: Config,
    rng: np.random.Generator,
    asking: Bools | None = None,
    answering: Bools | None = None,
) -> tuple[Blocks[TopK[A]], Recall | None]:
    """Return the best right entities of left ones by label, and the recall where not exact.

    Of those that are `asking`, (n_left,), or of all. Entities with carried candidates choose among
    those instead, by the new labels. Where entities are too many to compare every couple, only
    right ones that are `answering`, (n_right,), are found.
    """
    n_left, n_right = engine.layout.left.n_rows, engine.layout.right.n_rows
    asking = np.ones(n_left, bool) if asking is None else asking.copy()
    asking[carried.rows] = False
    is_exact = engine.is_exact or not is_approximate(config.search, n_left, n_right)
    searched = labels
    if not is_exact and answering is not None:
        searched = silence_others(engine, labels, answering)
        is_exact = not is_approximate(config.search, int(asking.sum()), int(answering.sum()))
    if searched.other is None:
        top, recall = _search(engine, searched, config.top_k, asking, rng, is_exact)
    else:
        own, other = replace(searched, other=None), searched.other
        top, recall = _search(engine, own, config.top_k, asking & ~other.rows, rng, is_exact)
        found, _ = _search(engine, other.labels, config.top_k, asking & other.rows, rng, is_exact)
        top = engine.map(take_rows_of_other, top, found, flags_by_block(engine, other.rows))
    if len(carried.rows):
        parts = carried.split(engine.layout.left)
        rows = Blocks(engine.hold(part.rows) for part in parts)
        index = Blocks(engine.place(engine.hold(part.index)) for part in parts)
        dots = label_dots(engine, labels, cast("Blocks[A]", index), rows=rows)
        top = engine.map(replace_carried, top, rows, index, dots)
    engine.wait(top)
    return top, recall


def silence_others(engine: Engine[A], labels: Labels[A], answering: Bools) -> Labels[A]:
    """Return the labels as a search should see them: right entities that do not answer have none.

    No copy is made of the labels themselves.
    """
    flags = Blocks(engine.hold(answering[places]) for places in engine.layout.right)
    other = labels.other
    if other is not None:
        other = replace(other, labels=silence_others(engine, other.labels, answering))
    right = cast("Blocks[Rows[A]]", engine.map(silence_rows, labels.right, flags))
    return replace(labels, right=right, other=other)


def _search(
    engine: Engine[A],
    labels: Labels[A],
    k: int,
    asking: Bools,
    rng: np.random.Generator,
    is_exact: bool,
) -> tuple[Blocks[TopK[A]], Recall | None]:
    """Return what the asking left entities find by these labels, and the recall where not exact."""
    if is_exact:
        return exact_search(engine, labels, k, asking), None
    top = approximate_search(engine, labels, k, asking, rng)
    return top, measure_recall(engine, labels, k, asking, top, rng)


def carried_tables(engine: Engine[A], carried: CarriedCandidates) -> Blocks[A]:
    """Return carried candidates as tables of all rows, by left block."""
    cuts = engine.layout.left
    own = Blocks(engine.hold(part) for part in carried.split(cuts))
    return engine.map(carried_table, own, Blocks(engine.hold(size) for size in cuts.sizes))


def candidates_by_label(
    engine: Engine[A], labels: Labels[A], top: Blocks[TopK[A]], proposals: Proposals[A]
) -> Blocks[Candidates[A]]:
    """Return what labels found and other searches proposed in one table, with S^l."""
    if not proposals:
        return engine.map(candidates_of_search, top)
    merged = merge_tables(engine, {BY_LABEL: engine.map(places_found, top), **proposals})
    known = engine.map(look_up_labels, top, merged, engine.layout.right.n_rows)
    dots = label_dots(engine, labels, engine.map(places_unknown, known))
    candidates = engine.map(candidates_of_merged, merged, known, dots)
    engine.wait(candidates)
    return candidates


def merge_tables(engine: Engine[A], proposals: Proposals[A]) -> Blocks[tuple[A, A]]:
    """Return the proposals of several searches in one table, none twice, and their sources."""
    return engine.map(merge_block, list(proposals), *proposals.values())


# ----------------------------------------------------------------------------- of one block


def silence_rows(ops: Ops[NumpyArray], rows: NumpyRows, answering: Bools) -> NumpyRows:
    """Return the rows of a block, those that do not answer as zero rows."""
    return replace(rows, scale=rows.scale * answering[:, None])


def candidates_of_search(ops: Ops[A], top: TopK[A]) -> Candidates[A]:
    """Return what a search by label found as candidates."""
    source = ops.astype(ops.where(top.index >= 0, BY_LABEL, 0), "uint8")
    return Candidates(top.index, top.label, top.label, source)


def merge_block(ops: Ops[A], bits: Sequence[int], *tables: A) -> tuple[A, A]:
    """Return the proposals of a block, and their sources."""
    return merge_proposals(ops, dict(zip(bits, tables, strict=True)))


def look_up_labels(ops: Ops[A], top: TopK[A], merged: tuple[A, A], n_right: int) -> tuple[A, A]:
    """Return the S^l that the search computed already, and the places where it is still due."""
    return ops.look_up(top, merged[0], n_right)


def places_unknown(ops: Ops[A], known: tuple[A, A]) -> A:
    """Return the places whose S^l is still due."""
    return known[1]


def candidates_of_merged(
    ops: Ops[A], merged: tuple[A, A], known: tuple[A, A], dots: A
) -> Candidates[A]:
    """Return merged proposals as candidates; each S^l is either known or in `dots`."""
    label = known[0] + dots
    return Candidates(merged[0], label, label, merged[1])
