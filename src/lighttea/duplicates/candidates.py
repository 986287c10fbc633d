"""Pairs of entities of one graph that share rare evidence, each pair once.

A token that one entity alone has says nothing: its other half, if there is one, does not tell it.
So only tokens that two entities or more have count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lighttea.assign.competition import Competition
from lighttea.assign.decoys import probabilities_by_decoys
from lighttea.config import Config
from lighttea.engines.base import Blocks
from lighttea.engines.ops import Ops
from lighttea.evidence.evidence import Evidence
from lighttea.evidence.tokens import weigh_repeated
from lighttea.similarity.candidates import (
    Candidates,
    join_candidates,
    join_tables,
    plain_candidates,
)
from lighttea.similarity.merge import BY_NEIGHBOURS, BY_TIMES
from lighttea.similarity.search import merge_tables
from lighttea.solve.bootstrap import PROPOSED, candidates_of_evidence, first_of
from lighttea.solve.workspace import Workspace
from lighttea.types import A, Bools, Doubles, Ints, NumpyArray

KEPT = 10  # best candidates of an entity that are looked at more closely
NEAR = 2  # rank up to which candidates are judged by how they look


@dataclass(frozen=True)
class CandidatePairs:
    """Pairs of entities of one graph, the lower number first, each pair once."""

    one: Ints
    other: Ints
    score: Doubles  # how much of their rare tokens they share
    rank: Ints  # of one among the candidates of the other, the better way round, from 1
    other_rank: Ints  # the worse way round; one more than is kept where it is not among them
    chance: Doubles  # how likely they are one by score and decoys alone; NaN: cannot be told

    def __len__(self) -> int:
        return len(self.one)

    @property
    def n_entities(self) -> int:
        """One more than the largest number of an entity."""
        return int(max(self.one.max(initial=-1), self.other.max(initial=-1))) + 1

    def take(self, places: Ints | Bools) -> CandidatePairs:
        """Return some of them."""
        return CandidatePairs(*(column[places] for column in vars(self).values()))


def find_candidates(
    work: Workspace[A], config: Config
) -> tuple[CandidatePairs, Competition | None]:
    """Return the candidate pairs of a graph posed against itself, and how decoys fared."""
    engine, problem = work.engine, work.problem
    with work.progress.stage("consensus"):
        gathered = work.evidence.gather(problem.known, config, work.literal_tokens)
        evidence = engine.run(keep_repeated_tokens, gathered, problem.pair.n_left)
        proposals = {
            bit: work.evidence.propose(evidence, PROPOSED, neighbours=neighbours)
            for bit, neighbours in ((BY_NEIGHBOURS, True), (BY_TIMES, False))
        }
        merged = merge_tables(engine, proposals)
        consensus = work.evidence.consensus(evidence, engine.map(first_of, merged))
        candidates = work.strike_refused(engine.map(candidates_of_evidence, merged, consensus))
    with work.progress.stage("sinkhorn"):
        found = probabilities_by_decoys(
            engine, candidates, problem.decoys, iterations=config.iterations
        )
    targets = engine.map(plain_candidates, work.strike_decoys(candidates))
    table = join_candidates([engine.fetch(block) for block in targets])
    if found is None:
        return _pairs_of(table, np.full(table.index.shape, np.nan)), None
    return _pairs_of(table, _plain_table(work, found[0].value)), found[1]


def _plain_table(work: Workspace[A], blocks: Blocks[A]) -> Doubles:
    tables = work.engine.map(plain_array, blocks)
    return join_tables([work.engine.fetch(table) for table in tables], 0.0).astype(np.float64)


def _pairs_of(table: Candidates[NumpyArray], chance: Doubles) -> CandidatePairs:
    """Return the best candidates of all entities as pairs."""
    score = np.where(table.valid & (table.score > 0), table.score, -1.0)
    columns = np.argsort(-score, axis=1, kind="stable")[:, :KEPT]
    row = np.repeat(np.arange(len(score)), columns.shape[1])
    column = columns.ravel()
    rank = np.tile(np.arange(1, columns.shape[1] + 1), len(score))
    kept = score[row, column] > 0
    row, column, rank = row[kept], column[kept], rank[kept]
    index = table.index[row, column].astype(np.int64)
    return _each_once(row, index, score[row, column], rank, chance[row, column], len(score))


def _each_once(
    row: Ints, index: Ints, score: Doubles, rank: Ints, chance: Doubles, n: int
) -> CandidatePairs:
    """Return each pair once, whichever way round it was found, with the better of both."""
    key = np.minimum(row, index) * np.int64(n) + np.maximum(row, index)
    distinct, place = np.unique(key, return_inverse=True)
    best_score, best_chance = np.zeros(len(distinct)), np.full(len(distinct), -np.inf)
    best, worst = np.full(len(distinct), KEPT + 1), np.zeros(len(distinct), np.int64)
    np.maximum.at(best_score, place, score)
    np.maximum.at(best_chance, place, np.nan_to_num(chance, nan=-np.inf))
    np.minimum.at(best, place, rank)
    np.maximum.at(worst, place, rank)
    worst[np.bincount(place, minlength=len(distinct)) < 2] = KEPT + 1
    told = np.where(np.isfinite(best_chance), best_chance, np.nan)
    return CandidatePairs(distinct // n, distinct % n, best_score, best, worst, told)


# ----------------------------------------------------------------------------- of one block


def keep_repeated_tokens(ops: Ops[A], evidence: Evidence[A], n_entities: int) -> Evidence[A]:
    """Return the evidence without tokens that a single entity has; left entities are all there."""
    kept = [weigh_repeated(ops, tokens, n_entities) for tokens in evidence.tokens]
    return Evidence(evidence.kinds, kept)


def plain_array(ops: Ops[A], table: A) -> NumpyArray:
    """Return a table in plain memory."""
    return ops.to_numpy(table)
