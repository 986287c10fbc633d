"""What the links so far say: tokens are numbered once in a worker, and compared by left block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lighttea.config import Config
from lighttea.engines.dask.connection import Connection, Future
from lighttea.engines.dask.inputs import Inputs
from lighttea.engines.dask.layout import Layout
from lighttea.evidence.consensus import NONE, Evidence, _Inverted
from lighttea.evidence.tokens import Kind, Tokens
from lighttea.graph.pair import Links, Pair
from lighttea.kernels import sets
from lighttea.kernels.threads import current_threads
from lighttea.types import Floats, Ints, LeftIds, RightIds


def gathered(
    to: Connection,
    inputs: Inputs,
    links: Links,
    config: Config,
    more: Sequence[tuple[Kind, Tokens]],
) -> Future:
    """The tokens of all kinds."""
    kinds, tokens = zip(*inputs.tokens(more), strict=True) if more else ((), ())
    found = to.submit(evidence_of, inputs.pair, to.hold(links), config, list(kinds), list(tokens))
    return to.finished([found])[0]


def consensus(
    to: Connection, inputs: Inputs, evidence: Future, indices: Sequence[Future]
) -> list[Future]:
    """What the evidence says of candidates, by left block."""
    return [
        to.submit(consensus_of, evidence, left, inputs.right_ids, index)
        for left, index in zip(inputs.left_ids, indices, strict=True)
    ]


def suggested(
    to: Connection, inputs: Inputs, layout: Layout, evidence: Future, k: int, *, neighbours: bool
) -> list[Future]:
    """The right entities that share most rare evidence, by left block: (n, k) each."""
    rare = to.submit(rare_tokens, evidence, inputs.left_ids, inputs.right_ids, neighbours)
    n_right = layout.right.bounds[-1]
    return to.finished([to.submit(suggest, rare, rows, n_right, k) for rows in layout.left])


# ------------------------------------------------------------------------ in the workers


def evidence_of(
    pair: Pair, links: Links, config: Config, kinds: Sequence[Kind], more: Sequence[Tokens]
) -> Evidence:
    """The evidence of all facts."""
    return Evidence(pair, links, config, list(zip(kinds, more, strict=True)))


def consensus_of(evidence: Evidence, left: LeftIds, right: RightIds, index: Ints) -> Floats:
    """What the evidence says of a block's candidates."""
    return evidence.consensus(left, right, index)


def rare_tokens(
    evidence: Evidence, left: Sequence[LeftIds], right: RightIds, neighbours: bool
) -> _Inverted:
    """Rare tokens of everybody: how many have one is counted over all blocks."""
    nodes = evidence._pair.left_nodes(LeftIds(np.concatenate(left)))
    wanted = [one for one in evidence._sets if one[0].neighbour == neighbours]
    return _Inverted.of(wanted, nodes, evidence._pair.right_nodes(right))


def suggest(rare: _Inverted, rows: slice, n_right: int, k: int) -> Ints:
    """The right entities with the largest inner product of rare tokens, for a block."""
    index = np.full((rows.stop - rows.start, k), NONE, np.int32)
    sets.suggest_by_tokens(
        rare.start[rows.start : rows.stop + 1],
        rare.token,
        rare.value,
        rare.holder_start,
        rare.holder,
        rare.holder_value,
        n_right,
        2 * current_threads(),
        index,
    )
    return index
