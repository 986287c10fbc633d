"""Tables of candidates, a future for each left block, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lighttea.assign.decode import (
    Best,
    best_candidates,
    best_n_candidates,
    best_order,
    claims,
)
from lighttea.assign.sinkhorn import Assignment
from lighttea.config import Config
from lighttea.engines.base import Kept
from lighttea.graph.pair import Links
from lighttea.kernels import assignment
from lighttea.similarity.allowed import Allowed
from lighttea.similarity.settled import Settled
from lighttea.similarity.sources import BY_LABEL, merged
from lighttea.similarity.terms import score_terms
from lighttea.similarity.topk import NONE, Candidates, Found
from lighttea.similarity.weights import _leaders
from lighttea.types import Bytes, Floats, Ints, LeftIds, RightIds

Merged = tuple[Ints, Bytes]


def index_of(table: Candidates | Found) -> Ints:
    """Whose candidates: places among those who may answer."""
    return table.index


def with_settled(found: Found, settled: Settled, label: Floats) -> Found:
    """What a search found, with the candidates of the settled and their labels put in."""
    index, labels = found.index.copy(), found.label.copy()
    width = settled.index.shape[1]
    index[settled.rows, :width] = settled.index
    labels[settled.rows, :width] = label[settled.rows]
    return Found(index, labels)


def settled_table(settled: Settled, n_rows: int) -> Ints:
    """(n_rows, k): candidates of the round before, -1 for those who are not settled."""
    return settled.table(n_rows)


def merged_tables(tables: Mapping[int, Ints]) -> Merged:
    """All candidates in one table, and who found each."""
    return merged(dict(tables))


def first(couple: Merged) -> Ints:
    """The places of merged tables."""
    return couple[0]


def found_alone(found: Found) -> Merged:
    """What labels found, where nothing else was searched."""
    return found.index, np.where(found.index >= 0, BY_LABEL, 0).astype(np.uint8)


def label_of(found: Found) -> Floats:
    """The label similarities of what was found."""
    return found.label


def made_candidates(
    left: LeftIds, right: RightIds, couple: Merged, label: Floats, allowed: Allowed | None
) -> Candidates:
    """The table of a block, the refused ones out."""
    index, source = couple
    made = Candidates.of(left, right, Found(index, label), source)
    return made if allowed is None else replace(made, index=allowed.strike(left, right, index))


def with_times(candidates: Candidates, time: Floats) -> Candidates:
    """The similarity of times beside the others."""
    return candidates.with_times(time)


def with_consensus(candidates: Candidates, said: Floats) -> Candidates:
    """What the links so far say beside the others."""
    return candidates.with_consensus(said)


def weighted(candidates: Candidates, time: float, consensus: float) -> Candidates:
    """S' (eq. 9)."""
    return candidates.weighted(time, consensus)


def wanted_places(candidates: Candidates, time: float, consensus: float) -> Ints:
    """The distinct best candidates of a block under these weights."""
    said = candidates.label if candidates.consensus is None else candidates.consensus
    share = consensus if candidates.consensus is not None else 0.0
    weights = np.array(
        [(1 - share) * (1 - time), (1 - share) * time, share, 1 - share, share], np.float32
    )  # of label, time and consensus; of label and consensus where the time is unknown
    best = np.empty(len(candidates.left), np.int32)
    assignment.best_by_weights(
        candidates.label, candidates.time, said, candidates.index, weights, best
    )
    return np.unique(best[best >= 0])


def union(parts: Sequence[Ints]) -> Ints:
    """All that stand in any part, once."""
    return np.unique(np.concatenate(parts))


def count(places: Ints) -> int:
    """How many."""
    return len(places)


def leaders(candidates: Candidates) -> Candidates:
    """Each entity's best candidates so far, by label alone again."""
    return _leaders(candidates)


def wanted_under(few: Candidates, by_relation: Floats, alpha: float, other: float) -> Ints:
    """The distinct best candidates by labels alone, had alpha been another."""
    label = by_relation * np.float32(((1 - other) / (1 - alpha)) ** 2)
    label += (few.label - by_relation) * np.float32((other / alpha) ** 2)
    return wanted_places(replace(few, label=label), 0, 0)


def best(candidates: Candidates, value: Floats, sure: Floats | None, begin: int) -> Best:
    """Each left entity's best candidate; rows are counted through all blocks."""
    return _moved(best_candidates(candidates, Assignment(value, 0.0, sure)), begin)


def best_n(candidates: Candidates, value: Floats, sure: Floats | None, begin: int, n: int) -> Best:
    """Each left entity's n best candidates."""
    return _moved(best_n_candidates(candidates, Assignment(value, 0.0, sure), n), begin)


def _moved(found: Best, begin: int) -> Best:
    return replace(found, row=found.row + begin)


def joined_best(parts: Sequence[Best]) -> Best:
    """Block after block."""
    return Best(**_joined(parts, *vars(parts[0])))


def claims_of(parts: Sequence[Best], base: Links) -> Best:
    """Those of all blocks that could be new links, no right entity twice."""
    return claims(joined_best(parts), base.left, base.right)


def _joined(parts: Sequence[Any], *names: str) -> dict[str, Any]:
    return {name: np.concatenate([getattr(one, name) for one in parts]) for name in names}


def settled_of(candidates: Candidates, value: Floats, paired: Ints, k: int, begin: int) -> Settled:
    """The k best candidates of the paired entities of a block."""
    found = Settled.of(candidates, value, paired, k)
    return Settled(found.rows + begin, found.index)


def joined_settled(parts: Sequence[Settled]) -> Settled:
    """Block after block, as wide as the widest."""
    width = max(one.index.shape[1] for one in parts)
    return Settled(
        np.concatenate([one.rows for one in parts]),
        np.concatenate([padded(one.index, width, NONE) for one in parts]),
    )


def padded(table: Any, width: int, empty: float) -> Any:
    """The table with more columns."""
    more = np.full((len(table), width - table.shape[1]), empty, table.dtype)
    return np.concatenate([table, more], axis=1)


def reached(candidates: Candidates) -> int:
    """How many left entities of a block have a candidate."""
    return int(candidates.valid.any(axis=1).sum())


def best_places(candidates: Candidates, value: Floats, n: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Row, column and rank of the n best candidates; and their places as a table, -1 elsewhere."""
    row, column, rank = best_order(candidates, Assignment(value, 0.0), n)
    table = np.full((len(candidates.left), max(1, min(n, value.shape[1]))), NONE, np.int32)
    table[row, rank - 1] = candidates.index[row, column]
    return row, column, rank, table


def last(parts: tuple[Ints, ...]) -> Ints:
    """The table of places."""
    return parts[-1]


def kept(
    candidates: Candidates,
    value: Floats,
    sure: Floats | None,
    order: tuple[Ints, Ints, Ints, Ints],
    relational: Floats,
    config: Config,
    begin: int,
) -> Kept:
    """The best candidates of a block with the terms of their scores."""
    row, column, rank, _ = order
    by_relation = relational[row, rank - 1]
    return Kept(
        row=row + begin,
        place=candidates.index[row, column],
        rank=rank,
        terms=score_terms(candidates, row, column, by_relation, config),
        score=candidates.score[row, column],
        confidence=(value if sure is None else sure)[row, column],
    )


def joined_kept(parts: Sequence[Kept]) -> Kept:
    """Block after block."""
    return Kept(
        terms={name: np.concatenate([one.terms[name] for one in parts]) for name in parts[0].terms},
        **_joined(parts, "row", "place", "rank", "score", "confidence"),
    )


def joined_candidates(parts: Sequence[Candidates]) -> Candidates:
    """Block after block, as wide as the widest."""
    width = max(one.index.shape[1] for one in parts)
    empty: dict[str, float] = {"index": NONE, "label": 0, "time": np.nan, "score": 0}
    empty |= {"consensus": 0, "source": 0}
    tables = {
        name: np.concatenate([padded(getattr(one, name), width, value) for one in parts])
        for name, value in empty.items()
        if getattr(parts[0], name) is not None
    }
    left = LeftIds(np.concatenate([one.left for one in parts]))
    return Candidates(left, parts[0].right, **tables)
