"""What the links so far say of each candidate, and which candidates they propose."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from lighttea.config import Config
from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.ops import Ops
from lighttea.engines.tables import RareLimits, TokenIndex, TokenLists
from lighttea.evidence.conflicts import MOST_COUPLES, ValueConflict, conflict_terms
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.tokens import KeptTokens, TokenKind, fact_tokens
from lighttea.graph.pair import Links, Pair
from lighttea.types import A, Bools, LeftIds, Nodes, NumpyArray, RightIds

MOST_HOLDERS = 500  # a token that more entities of one side have proposes no candidate
MOST_ANSWERS = 3_000  # holders of its rarest tokens that an entity is compared with
PlainTokens = tuple[TokenKind, TokenLists[NumpyArray]]


@dataclass(frozen=True)
class Evidence(Generic[A]):
    """The tokens that the links so far give, kind by kind."""

    kinds: Sequence[TokenKind]
    tokens: Sequence[TokenLists[A]]

    def of_neighbours(self, neighbours: bool) -> list[tuple[TokenKind, TokenLists[A]]]:
        """Return the kinds with linked neighbours, or those without."""
        both = zip(self.kinds, self.tokens, strict=True)
        return [(kind, tokens) for kind, tokens in both if kind.neighbour == neighbours]


@dataclass(frozen=True)
class Proposed(Generic[A]):
    """Candidates that some tokens proposed."""

    tokens: Sequence[TokenLists[A]]
    k: int
    proposals: Blocks[A]

    def is_for(self, tokens: Sequence[TokenLists[A]], k: int) -> bool:
        """Return whether they are what the same tokens would propose again."""
        same_length = len(tokens) == len(self.tokens) and k == self.k
        return same_length and all(map(operator.is_, tokens, self.tokens))


class EvidenceSource(Generic[A]):
    """The facts of a problem where an engine works on them, ready to be read with any links."""

    def __init__(self, engine: Engine[A], pair: Pair, left: LeftIds, right: RightIds) -> None:
        self._engine, self._pair = engine, pair
        self._left_nodes, self._right_nodes = pair.left_nodes(left), pair.right_nodes(right)
        self._n_targets = int(np.searchsorted(right, pair.n_right))
        self._unlinked: dict[int, tuple[PlainTokens, Handle[TokenLists[A]]]] = {}
        self._conflicts: dict[int, tuple[ValueConflict, Handle[TokenLists[A]]]] = {}
        self._kept: KeptTokens[A] = KeptTokens()
        self._proposed: Proposed[A] | None = None

    @cached_property
    def facts(self) -> Handle[TimedFacts[A]]:
        """The facts, handed over when the first evidence is asked for."""
        engine = self._engine
        return engine.run(timed_facts, engine.hold(self._pair), not engine.is_local)

    @cached_property
    def _left(self) -> Blocks[Nodes]:
        engine = self._engine
        return Blocks(engine.hold(Nodes(self._left_nodes[rows])) for rows in engine.layout.left)

    @cached_property
    def _right(self) -> Handle[Nodes]:
        return self._engine.hold(self._right_nodes)

    def gather(
        self, links: Links, config: Config, unlinked: Sequence[PlainTokens] = ()
    ) -> Handle[Evidence[A]]:
        """Return the tokens that these links give; `unlinked` ones do not depend on links."""
        kinds = [kind for kind, _ in unlinked]
        held = [self._hold(tokens) for tokens in unlinked]
        given = {id(tokens) for _, tokens in unlinked}
        self._unlinked = {key: kept for key, kept in self._unlinked.items() if key in given}
        engine = self._engine
        given_links, kept = engine.hold(links), self._kept if engine.is_local else None
        evidence = engine.run(gather_evidence, self.facts, given_links, config, kinds, held, kept)
        engine.wait(evidence)
        return evidence

    def _hold(self, tokens: PlainTokens) -> Handle[TokenLists[A]]:
        """Return tokens that stay the same from pass to pass, handed over once."""
        if id(tokens[1]) not in self._unlinked:
            held = self._engine.place(self._engine.hold(tokens[1]))
            self._unlinked[id(tokens[1])] = tokens, held  # type: ignore[assignment]
        return self._unlinked[id(tokens[1])][1]

    def consensus(self, evidence: Handle[Evidence[A]], index: Blocks[A]) -> Blocks[A]:
        """Return how much the evidence speaks for each candidate, 0 to 1, (n, k) by left block."""
        return self._engine.map(token_consensus, evidence, self._left, self._right, index)

    def conflicts(self, conflict: ValueConflict, index: Blocks[A]) -> Blocks[A]:
        """Return what it counts against each candidate that values differ, (n, k) by left block."""
        weights = conflict.similar, conflict.different
        tokens = self._hold_conflict(conflict)
        return self._engine.map(conflict_terms, tokens, self._left, self._right, index, *weights)

    def _hold_conflict(self, conflict: ValueConflict) -> Handle[TokenLists[A]]:
        """Return the tokens of a conflict, handed over once for all passes of a round."""
        held = self._conflicts
        if id(conflict) not in held:
            if len(held) >= MOST_COUPLES:
                held.clear()  # those of an earlier round
            placed = self._engine.place(self._engine.hold(conflict.tokens))
            held[id(conflict)] = conflict, placed  # type: ignore[assignment]
        return held[id(conflict)][1]

    def propose(self, evidence: Handle[Evidence[A]], k: int, *, neighbours: bool) -> Blocks[A]:
        """Return the right entities that share most rare tokens, (n, k) by left block.

        Tokens with linked neighbours, or those of times alone: an entity's time profile. -1 where
        there are fewer.
        """
        engine = self._engine
        if engine.is_local and not neighbours:
            return self._propose_once(engine.fetch(evidence), k)
        return self._propose(evidence, k, neighbours=neighbours)

    def _propose_once(self, evidence: Evidence[A], k: int) -> Blocks[A]:
        """Return the candidates by times alone: those of the pass before for the same tokens."""
        tokens = [own for _, own in evidence.of_neighbours(False)]
        before = self._proposed
        if before is None or not before.is_for(tokens, k):
            found = self._propose(self._engine.hold(evidence), k, neighbours=False)
            before = self._proposed = Proposed(tokens, k, found)
        return before.proposals

    def _propose(self, evidence: Handle[Evidence[A]], k: int, *, neighbours: bool) -> Blocks[A]:
        engine = self._engine
        rare = engine.run(
            index_rare_tokens, evidence, self._left, self._right, self._n_targets, neighbours
        )
        rows = Blocks(engine.hold(block) for block in engine.layout.left)
        proposals = engine.map(propose_by_tokens, rare, rows, k)
        engine.wait(proposals)
        return proposals


# ----------------------------------------------------------------------------- of one block


def timed_facts(ops: Ops[A], pair: Pair, is_remote: bool) -> TimedFacts[A]:
    """Return the facts of a pair, ready to be read in any kind of time."""
    return TimedFacts(ops, pair, keeps=ops.keeps_facts and not is_remote)


def gather_evidence(
    ops: Ops[A],
    facts: TimedFacts[A],
    links: Links,
    config: Config,
    kinds: Sequence[TokenKind],
    unlinked: Sequence[TokenLists[A]],
    kept: KeptTokens[A] | None = None,
) -> Evidence[A]:
    """Return the tokens of every kind: those of linked facts, then those given.

    `kept` are those of passes before, which may be the same.
    """
    of_facts = list(fact_tokens(ops, facts, links, config, kept or KeptTokens()))
    return Evidence(
        [*(kind for kind, _ in of_facts), *kinds], [*(tokens for _, tokens in of_facts), *unlinked]
    )


def token_consensus(
    ops: Ops[A], evidence: Evidence[A], left: NumpyArray, right: NumpyArray, index: A
) -> A:
    """Return the weighted mean over kinds of the cosine of two entities' tokens, (n, k)."""
    out = ops.full(tuple(index.shape), 0.0, "float32")
    total = sum(kind.weight for kind in evidence.kinds)
    left_nodes, right_nodes = ops.asarray(left), ops.asarray(right)
    for kind, tokens in zip(evidence.kinds, evidence.tokens, strict=True):
        factor = kind.weight / total
        ops.add_token_cosines(tokens, left_nodes, right_nodes, index, factor, out)
    return out


def has_tokens(evidence: Evidence[NumpyArray], n_nodes: int) -> Bools:
    """Return which nodes have any token that tells something, (n_nodes,)."""
    has_any = np.zeros(n_nodes, bool)
    for tokens in evidence.tokens:
        has_any |= tokens.length > 0
    return has_any


def index_rare_tokens(
    ops: Ops[A],
    evidence: Evidence[A],
    left: Sequence[NumpyArray],
    right: NumpyArray,
    n_targets: int,
    neighbours: bool,
) -> TokenIndex[A]:
    """Return rare tokens with the entities of both sides that have them.

    A token that many entities of a side have is left out; decoys, the right ones after the first
    `n_targets`, do not count.
    """
    left_nodes = ops.concat([ops.asarray(nodes) for nodes in left])
    kinds = [(tokens, kind.weight) for kind, tokens in evidence.of_neighbours(neighbours)]
    limits = RareLimits(n_targets, MOST_HOLDERS, MOST_ANSWERS)
    return ops.index_rare_tokens(kinds, left_nodes, ops.asarray(right), limits)


def propose_by_tokens(ops: Ops[A], rare: TokenIndex[A], rows: slice, k: int) -> A:
    """Return the right entities with the largest inner product of rare tokens, for a block."""
    part = TokenIndex(
        rare.start[rows.start : rows.stop + 1],
        rare.token,
        rare.value,
        rare.holder_start,
        rare.holder,
        rare.holder_value,
        rare.n_right,
    )
    return ops.suggest_by_tokens(part, k)
