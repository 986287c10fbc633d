"""Scores of the kept candidates without time: an estimate that needs no second run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.evidence import gather_evidence, token_consensus
from lighttea.evidence.likelihood import likelihood_table
from lighttea.explain.source import Source, number_links
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Doubles, Ints, LeftIds, Nodes


def timeless_scores(source: Source) -> Doubles:
    """Return the scores without time, (n_candidates,), in the order of the run's table.

    The relational aspect gets the whole weight of the labels, there is no time similarity, and
    consensus uses neighbours, relations and literals alone. Candidates, links and labels are still
    those of the run with time.
    """
    config, frame = source.config, source.run.candidates
    left = _numbers(frame["left"], source.left.graph.entity_ids)
    right = _numbers(frame["right"], source.right.graph.entity_ids)
    rest = 1 - config.consensus
    relational = frame["relational"].to_numpy().astype(np.float64)
    labels = relational / _weight(source, left, right)
    if not config.consensus:
        return np.asarray(labels)
    table = _CandidateTable.of(left, right)
    scores = labels * rest + config.consensus * _consensus(source, table)
    return np.asarray(scores + _likelihood(source, table) + _contradictions(source))


def _contradictions(source: Source) -> Doubles:
    """Return what literals count against the candidates, where no time is counted with them."""
    frame = source.run.candidates
    if source.contradictions.classes or "contradiction" not in frame.columns:
        return np.zeros(len(frame))
    return frame["contradiction"].to_numpy().astype(np.float64)


def _weight(source: Source, left: Ints, right: Ints) -> Doubles:
    """Return the weight of the relational aspect; smaller where an entity has a time too."""
    config, pair = source.config, source.pair
    timed = np.zeros(pair.n_nodes, bool)
    timed[pair.head[pair.tick != UNKNOWN]] = True
    left_timed, right_timed = timed[left], timed[right + pair.n_left]
    temporal = config.temporal_weight
    share = (1 - temporal) / np.hypot(1 - temporal, temporal)
    aspects = np.where(left_timed, share, 1.0) * np.where(right_timed, share, 1.0)
    time = np.where(left_timed & right_timed, 1 - config.time_weight, 1.0)
    return np.asarray(np.maximum((1 - config.consensus) * aspects * time, 1e-6))


@dataclass(frozen=True)
class _CandidateTable:
    """Candidates as a table, a row for each left entity, and where each of them stands."""

    left: Ints  # (n,)
    index: Ints  # (n, k)
    row: Ints  # (n_candidates,)
    column: Ints

    @classmethod
    def of(cls, left: Ints, right: Ints) -> _CandidateTable:
        first = np.flatnonzero(np.concatenate([[True], left[1:] != left[:-1]]))
        row = np.repeat(np.arange(len(first)), np.diff([*first, len(left)]))
        column = np.arange(len(left)) - first[row]
        index = np.full((len(first), int(column.max(initial=0)) + 1), -1, np.int32)
        index[row, column] = right
        return cls(left[first], index, row, column)

    def nodes(self, source: Source) -> tuple[Nodes, Nodes]:
        """Return the nodes of the left entities, and of all right ones."""
        pair = source.pair
        return pair.left_nodes(LeftIds(self.left)), pair.right_nodes(pair.all_right)


def _likelihood(source: Source, table: _CandidateTable) -> Doubles:
    """Return the term of likelihood by facts without their times."""
    if source.likelihood is None:
        return np.zeros(len(table.row))
    facts = source.likelihood.facts
    timeless = replace(facts, tick_start=np.zeros_like(facts.tick_start))
    given = timeless, source.likelihood.model, *table.nodes(source), table.index
    values = likelihood_table(PLAIN, *given)[table.row, table.column]
    return np.asarray(source.config.likelihood * values, np.float64)


def _consensus(source: Source, table: _CandidateTable) -> Doubles:
    """Return the consensus of neighbours, relations and literals, by the run's evidence links."""
    links = number_links(source.left.graph, source.right.graph, source.run.evidence_links)
    settings = replace(source.config, joint_evidence=False, time_evidence=False)
    literals = source.literals.tokens if source.literals is not None else ()
    kinds, tokens = [kind for kind, _ in literals], [own for _, own in literals]
    evidence = gather_evidence(PLAIN, source.facts, links, settings, kinds, tokens)
    values = token_consensus(PLAIN, evidence, *table.nodes(source), table.index)
    return np.asarray(values[table.row, table.column], np.float64)


def _numbers(names: pl.Series, numbers: dict[str, int]) -> Ints:
    """Return the numbers of many names."""
    distinct = names.unique()
    known_numbers = pl.Series([numbers[name] for name in distinct], dtype=pl.Int32)
    return names.replace_strict(distinct, known_numbers, return_dtype=pl.Int32).to_numpy()
