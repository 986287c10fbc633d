"""The sparse similarity of eq. 9: a few candidates of each left entity, and their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from lighttea.config import Config
from lighttea.engines.ops import Ops
from lighttea.types import NO_CANDIDATE, A, NumpyArray

TABLE_ROWS = 65536  # rows of a table that are worked on together


@dataclass(frozen=True)
class Candidates(Generic[A]):
    """The candidates of a block of left entities, in no order.

    `index[i, c]` is a place among the right entities of the problem, or -1. `score` is the blended
    similarity: the label term, the time term, the consensus term, the likelihood term and the
    contradiction term, added up.
    """

    index: A  # (n, k)
    label: A  # (n, k) the label similarity S^l
    score: A  # (n, k) S'
    source: A  # (n, k) bits: which searches proposed it
    time: A | None = None  # (n, k) the time similarity S^t; NaN where a time is unknown
    consensus: A | None = None  # (n, k) what the links so far say
    likelihood: A | None = None  # (n, k) log-odds of their facts, in units; 1: they say nothing
    contradiction: A | None = None  # (n, k) what facts that exclude each other add, at most 0

    @property
    def valid(self) -> A:
        """Where there is a candidate."""
        mask: A = self.index >= 0
        return mask

    @property
    def support(self) -> A:
        """The score without contradictions: what wrong candidates reach by chance."""
        return self.score if self.contradiction is None else self.score - self.contradiction

    @property
    def width(self) -> int:
        """Columns of the table."""
        return self.index.shape[1]


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Yield rows of a table that are worked on together, so that temporaries stay small."""
    for begin in range(0, n_rows, TABLE_ROWS):
        yield slice(begin, min(begin + TABLE_ROWS, n_rows))


def index_of(ops: Ops[A], candidates: Candidates[A]) -> A:
    """Return the places of the candidates."""
    return candidates.index


def add_times(ops: Ops[A], candidates: Candidates[A], time: A) -> Candidates[A]:
    """Return the candidates with the similarity of their times."""
    return replace(candidates, time=time)


def add_consensus(ops: Ops[A], candidates: Candidates[A], consensus: A) -> Candidates[A]:
    """Return the candidates with what the links so far say of them."""
    return replace(candidates, consensus=consensus)


def add_likelihood(ops: Ops[A], candidates: Candidates[A], likelihood: A) -> Candidates[A]:
    """Return the candidates with how likely their facts make them."""
    return replace(candidates, likelihood=likelihood)


def add_contradictions(ops: Ops[A], candidates: Candidates[A], contradiction: A) -> Candidates[A]:
    """Return the candidates with what facts that exclude each other add to their scores."""
    return replace(candidates, contradiction=contradiction)


def keep_places(ops: Ops[A], candidates: Candidates[A], index: A) -> Candidates[A]:
    """Return the candidates at these places; -1 for those that are left out."""
    return replace(candidates, index=index)


def blend_scores(
    ops: Ops[A],
    candidates: Candidates[A],
    time_weight: float,
    consensus_weight: float,
    likelihood_weight: float = 0.0,
) -> Candidates[A]:
    """Return the candidates with S': label and time blended (eq. 9), and what lies beyond.

    Unknown time is neutral: the label stands for it. Counting it as zero overlap would make it
    evidence against a link.
    """
    score, time = candidates.label, candidates.time
    if time_weight and time is not None:
        both = (1 - time_weight) * score + time_weight * time
        score = ops.where(ops.isnan(time), score, both)
    if candidates.consensus is not None:
        score = (1 - consensus_weight) * score + consensus_weight * candidates.consensus
    if candidates.likelihood is not None:
        score = score + likelihood_weight * candidates.likelihood
    if candidates.contradiction is not None:
        score = score + candidates.contradiction
    return replace(candidates, score=score)


def score_terms(
    ops: Ops[A], candidates: Candidates[A], row: A, column: A, relational: A, config: Config
) -> dict[str, A]:
    """Return the terms whose plain sum is the score; `relational` is that share of the label."""
    label = candidates.label[row, column]
    time = label * np.nan if candidates.time is None else candidates.time[row, column]
    unknown = ops.isnan(time)
    weight = ops.astype(ops.where(unknown, 1.0, 1.0 - config.time_weight), "float32")
    by_relation = weight * relational
    by_time = ops.astype(config.time_weight * ops.where(unknown, 0.0, time), "float32")
    terms = {"relational": by_relation, "temporal": weight * label - by_relation, "time": by_time}
    if candidates.consensus is not None:
        terms = {name: (1 - config.consensus) * term for name, term in terms.items()}
        terms["consensus"] = config.consensus * candidates.consensus[row, column]
    if config.uses_likelihood:
        likely = candidates.likelihood
        terms["likelihood"] = label * 0
        if likely is not None:
            terms["likelihood"] = config.likelihood * likely[row, column]
    if config.contradictions:
        lowered = candidates.contradiction
        terms["contradiction"] = label * 0 if lowered is None else lowered[row, column]
    return terms


def count_with_candidates(ops: Ops[A], candidates: Candidates[A]) -> int:
    """Return how many left entities of a block have a candidate."""
    return int(candidates.valid.any(1).sum())


def plain_candidates(ops: Ops[A], candidates: Candidates[A]) -> Candidates[NumpyArray]:
    """Return the candidates in plain memory."""
    tables = vars(candidates).items()
    return Candidates(**{name: ops.to_numpy(table) for name, table in tables if table is not None})


def join_tables(tables: Sequence[NumpyArray], empty: float) -> NumpyArray:
    """Return plain tables under one another, as wide as the widest."""
    width = max(table.shape[1] for table in tables)
    shape = sum(len(table) for table in tables), width
    joined = np.full(shape, empty, tables[0].dtype)
    begin = 0
    for table in tables:
        joined[begin : begin + len(table), : table.shape[1]] = table
        begin += len(table)
    return joined


def join_candidates(parts: Sequence[Candidates[NumpyArray]]) -> Candidates[NumpyArray]:
    """Return the plain candidates of all blocks, as wide as the widest."""
    if len(parts) == 1:
        return parts[0]
    empty: dict[str, float] = {"index": NO_CANDIDATE, "label": 0, "score": 0, "source": 0}
    empty |= {"time": np.nan, "consensus": 0, "likelihood": 0, "contradiction": 0}
    return Candidates(
        **{
            name: join_tables([getattr(part, name) for part in parts], value)
            for name, value in empty.items()
            if getattr(parts[0], name) is not None
        }
    )
