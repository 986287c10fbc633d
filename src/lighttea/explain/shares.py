"""What facts, times and literals add to many scores at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence.literals import LITERAL_KINDS
from lighttea.evidence.tokens import TokenKind
from lighttea.explain.source import Side, Source
from lighttea.types import Doubles, Ints, LeftIds

FACTS, TIMES, LITERALS, AGAINST = "facts", "times", "literals", "against"
_TERMS = {  # consensus is split by the kinds of its tokens
    FACTS: ("relational", "likelihood"),
    TIMES: ("temporal", "time"),
    LITERALS: ("names",),
    AGAINST: ("contradiction",),
}
_SMALLEST = 1e-9


@dataclass(frozen=True)
class EvidenceShare:
    """What one kind of evidence adds to the mean score of links, and of their runners-up."""

    kind: str
    link: float
    runner_up: float

    @property
    def lead(self) -> float:
        """How much more this evidence adds to links than to their runners-up."""
        return self.link - self.runner_up


def evidence_shares(source: Source) -> list[EvidenceShare]:
    """Return what facts, times and literals add to links that have a runner-up; none without.

    A fact with its time counts among the times; the neighbour alone counts among the facts. The
    values of all kinds add up to the mean score.
    """
    pairs = _links_beside_runners_up(source)
    if pairs.is_empty():
        return []
    values = _values(source, pairs)
    is_link = pairs["is_link"].to_numpy()
    return [
        EvidenceShare(kind, float(own[is_link].mean()), float(own[~is_link].mean()))
        for kind, own in values.items()
    ]


def _links_beside_runners_up(source: Source) -> pl.DataFrame:
    """Return the candidates that are links, and the most confident other of each."""
    links = source.run.best_links.select("left", linked="right")
    rows = source.run.candidates.join(links, on="left", maintain_order="left").with_columns(
        is_link=pl.col("right") == pl.col("linked")
    )
    best = rows.sort("confidence", descending=True, maintain_order=True)
    best = best.unique(["left", "is_link"], keep="first", maintain_order=True)
    return best.filter(pl.len().over("left") == 2)


def _values(source: Source, pairs: pl.DataFrame) -> Mapping[str, Doubles]:
    """Return what each kind of evidence adds to the score of each pair, (n_pairs,)."""
    zero = np.zeros(len(pairs))
    values = {
        kind: sum((_term(pairs, name) for name in terms if name in pairs.columns), zero)
        for kind, terms in _TERMS.items()
    }
    if "consensus" in pairs.columns:
        for kind, own in _split_consensus(source, pairs).items():
            values[kind] = values[kind] + own
    return values


def _term(pairs: pl.DataFrame, name: str) -> Doubles:
    return pairs[name].to_numpy().astype(np.float64)


def _split_consensus(source: Source, pairs: pl.DataFrame) -> Mapping[str, Doubles]:
    """Return the consensus of each pair by kind of evidence, scaled to the term in the run."""
    left, right = (
        _numbers(side, pairs[name])
        for side, name in ((source.left, "left"), (source.right, "right"))
    )
    left_nodes = source.pair.left_nodes(LeftIds(left))
    right_nodes = source.pair.right_nodes(source.pair.all_right)
    cosines = {kind: np.zeros((len(pairs), 1), np.float32) for kind in (FACTS, TIMES, LITERALS)}
    for kind, tokens in source.tokens:
        out = cosines[_evidence_of(kind)]
        PLAIN.add_token_cosines(tokens, left_nodes, right_nodes, right[:, None], kind.weight, out)
    total = np.sum([out[:, 0] for out in cosines.values()], axis=0)  # (n_pairs,)
    cosines[FACTS][total < _SMALLEST] = _SMALLEST  # so that nothing of a score is lost
    factor = _term(pairs, "consensus") / np.maximum(total, _SMALLEST)
    return {kind: out[:, 0] * factor for kind, out in cosines.items()}


def _evidence_of(kind: TokenKind) -> str:
    if kind in LITERAL_KINDS:
        return LITERALS
    return TIMES if kind.time else FACTS


def _numbers(side: Side, ids: Sequence[str] | pl.Series) -> Ints:
    return np.array([side.number_of(own) for own in ids], np.int32)
