"""Consensus and proposed candidates against an obvious version made of Python sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lighttea.config import Config, make_config
from lighttea.engines.base import Blocks, Engine, Handle
from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence import evidence as evidence_module
from lighttea.evidence.degrees import degree_tokens
from lighttea.evidence.evidence import EvidenceSource, PlainTokens
from lighttea.evidence.facts import TimedFacts, years_of
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import TokenKind, make_tokens, used_kinds
from lighttea.graph.pair import Links, Pair
from lighttea.graph.timeline import Grain
from lighttea.io.frames import graph_of_frame
from lighttea.types import NO_CANDIDATE, Doubles, Floats, Ints, LeftIds, NumpyArray, RightIds
from tests.plain import plain_engine
from tests.worlds import World, fact_frame, make_hard_world, renamed


@pytest.fixture(scope="module")
def world() -> World:
    return make_hard_world()


@pytest.fixture(scope="module")
def pair(world: World) -> Pair:
    return Pair.of(world.left, world.right)


@pytest.fixture(scope="module")
def links(world: World) -> Links:
    some = (world.seeds + world.truth)[:150]
    return Links(
        LeftIds(np.array([world.left.entity_ids[a] for a, _ in some], np.int32)),
        RightIds(np.array([world.right.entity_ids[b] for _, b in some], np.int32)),
    )


class Gathered:
    """The evidence of some links, asked on an engine and answered in whole tables."""

    def __init__(
        self,
        pair: Pair,
        links: Links,
        config: Config,
        *,
        left: LeftIds | None = None,
        right: RightIds | None = None,
        unlinked: list[PlainTokens] | None = None,
        n_blocks: int = 1,
    ) -> None:
        left = pair.all_left if left is None else left
        right = pair.all_right if right is None else right
        self.engine: Engine[NumpyArray]
        self.engine = plain_engine(len(left), len(right), pair.n_nodes, n_blocks=n_blocks)
        self.source = EvidenceSource(self.engine, pair, left, right)
        self.evidence = self.source.gather(links, config, unlinked or [])

    def consensus(self, index: Ints) -> Floats:
        blocks = Blocks(Handle[NumpyArray](index[rows]) for rows in self.engine.layout.left)
        return self._join(self.source.consensus(self.evidence, blocks))

    def propose(self, k: int, *, neighbours: bool) -> Ints:
        return self._join(self.source.propose(self.evidence, k, neighbours=neighbours))

    def _join(self, blocks: Blocks[NumpyArray]) -> NumpyArray:
        return np.concatenate([self.engine.fetch(block) for block in blocks])


def every_place(n_left: int, n_right: int) -> Ints:
    """All right entities as candidates of each left one."""
    return np.tile(np.arange(n_right, dtype=np.int32), (n_left, 1))


def slow_rows(pair: Pair, time: str) -> Iterator[tuple[int, int, int, int]]:
    """head, relation, tail and time of every fact, as a kind sees it; -1 for unknown."""
    years = years_of(pair.ticks).tolist()
    if time == "during":
        spans = pair.spans
        for place in range(len(spans)):
            head, relation, tail = spans.head[place], spans.relation[place], spans.tail[place]
            for year in range(years[spans.begin[place]], years[spans.end[place]] + 1):
                yield int(head), int(relation), int(tail), 9999 + year
        return
    facts = (column.tolist() for column in (pair.head, pair.relation, pair.tail, pair.tick))
    for head, relation, tail, tick in zip(*facts, strict=True):
        if tick < 0:
            yield head, relation, tail, -1
        elif time == "near":
            assert pair.ticks.grain[tick] == Grain.YEAR  # in this world
            yield head, relation, tail, 9999 + years[tick]
            yield head, relation, tail, 9999 + years[tick] + 1
        else:
            yield head, relation, tail, 9999 + years[tick] if time == "year" else tick


def slow_tokens(pair: Pair, links: Links, kind: TokenKind) -> list[set[tuple[int, ...]]]:
    """The tokens of each node."""
    partner = dict(
        zip(pair.right_nodes(links.right).tolist(), links.left.tolist(), strict=True)
    ) | {int(n): int(n) for n in links.left}
    facts = TimedFacts(PLAIN, pair, keeps=False)
    classes = match_relations(PLAIN, facts, LinkedNodes.of(PLAIN, pair, links)).classes()
    tokens: list[set[tuple[int, ...]]] = [set() for _ in range(pair.n_nodes)]
    for head, relation, tail, time in slow_rows(pair, kind.time):
        token: list[int] = []
        if kind.neighbour:
            token.append(partner.get(tail, -1) if tail != head else -1)
        if kind.relation:
            token.append(int(classes[relation]))
        if kind.time:
            token.append(time)
        if min(token) >= 0:
            tokens[head].add(tuple(token))
    return tokens


def slow_cosines(
    pair: Pair, links: Links, config: Config, *, neighbours: bool | None = None
) -> Doubles:
    """(n_left, n_right): the weighted mean over kinds of the cosine."""
    out = np.zeros((pair.n_left, pair.n_right))
    used = used_kinds(config, has_time=pair.has_time).values()
    kinds = [kind for kind in used if neighbours in (None, kind.neighbour)]
    sets = [(kind, slow_tokens(pair, links, kind)) for kind in kinds]
    sets = [(kind, tokens) for kind, tokens in sets if any(tokens)]
    for kind, tokens in sets:
        holders = Counter(token for held in tokens for token in held)
        weight = {t: math.log(pair.n_nodes / n) ** 2 for t, n in holders.items()}
        total = [sum(weight[t] for t in held) for held in tokens]
        for i in range(pair.n_left):
            for j in range(pair.n_right):
                shared = tokens[i] & tokens[pair.n_left + j]
                if shared:
                    cosine = sum(weight[t] for t in shared)
                    cosine /= math.sqrt(total[i] * total[pair.n_left + j])
                    out[i, j] += kind.weight * cosine
    return np.asarray(out / sum(kind.weight for kind, _ in sets))


@pytest.mark.parametrize(
    ("options", "n_blocks"),
    [
        ({}, 1),
        ({}, 3),
        ({"joint_evidence": False}, 1),
        ({"relation_evidence": False}, 1),
        ({"time_evidence": False}, 2),
    ],
)
def test_consensus_and_proposals_are_the_slow_ones(
    pair: Pair, links: Links, options: dict[str, Any], n_blocks: int
) -> None:
    config = make_config("best", **options)
    gathered = Gathered(pair, links, config, n_blocks=n_blocks)
    index = every_place(pair.n_left, pair.n_right)
    index[:, 3] = NO_CANDIDATE
    found = gathered.consensus(index)
    expected = slow_cosines(pair, links, config)
    expected[:, 3] = 0
    assert np.allclose(found, expected, atol=1e-5)
    assert 0.5 < found.max() <= 1 + 1e-5
    expected = slow_cosines(pair, links, config, neighbours=True)
    proposed = gathered.propose(7, neighbours=True)
    assert proposed.shape == (pair.n_left, 7)
    for row, near in enumerate(proposed):
        places = near[near != NO_CANDIDATE]
        assert len(set(places.tolist())) == len(places) == min(7, (expected[row] > 0).sum())
        best = np.sort(expected[row])[::-1][: len(places)]
        assert np.allclose(np.sort(expected[row, places])[::-1], best, atol=1e-5)


def test_evidence_is_of_the_entities_of_the_problem(pair: Pair, links: Links) -> None:
    """Some rows and some places, with what all entities together say of them."""
    config = make_config("best")
    left, right = LeftIds(np.arange(5, pair.n_left, 3)), RightIds(np.arange(0, pair.n_right, 2))
    some = Gathered(pair, links, config, left=left, right=right, n_blocks=2)
    whole = Gathered(pair, links, config).consensus(every_place(pair.n_left, pair.n_right))
    found = some.consensus(every_place(len(left), len(right)))
    assert np.allclose(found, whole[np.ix_(left, right)], atol=1e-6)
    proposed = some.propose(5, neighbours=True)
    assert proposed.shape == (len(left), 5)
    assert proposed.max() < len(right)


def test_tokens_that_many_entities_have_propose_nothing(
    pair: Pair, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence_module, "MOST_HOLDERS", 0)
    gathered = Gathered(pair, links, make_config("best"))
    for neighbours in (True, False):
        assert (gathered.propose(5, neighbours=neighbours) == NO_CANDIDATE).all()


def test_true_pairs_have_more_consensus_than_others(world: World, pair: Pair, links: Links) -> None:
    """A constant or a random score would fail: the counterpart is the best of all for most."""
    rest = (world.seeds + world.truth)[150:]
    left = np.array([world.left.entity_ids[a] for a, _ in rest], np.int32)
    gold = np.array([world.right.entity_ids[b] for _, b in rest])
    gathered = Gathered(pair, links, make_config("best"), left=LeftIds(left))
    found = gathered.consensus(every_place(len(left), pair.n_right))
    assert (found.argmax(axis=1) == gold).mean() > 0.8


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_tokens_without_links_count_beside_the_others(
    pair: Pair, links: Links, n_blocks: int
) -> None:
    """A token that the last left and the first right entity share, of no less weight than all."""
    config = make_config("best")
    weight = sum(kind.weight for kind in used_kinds(config, has_time=True).values())
    nodes = np.array([pair.n_left - 1, pair.n_left], np.int32)
    shared = make_tokens(PLAIN, pair.n_nodes, nodes, np.array([7, 7]))
    index = every_place(pair.n_left, pair.n_right)
    before = Gathered(pair, links, config).consensus(index)
    unlinked = [(TokenKind(False, False, "name", weight), shared)]
    gathered = Gathered(pair, links, config, unlinked=unlinked, n_blocks=n_blocks)
    expected = before / 2
    expected[-1, 0] += 0.5
    assert np.allclose(gathered.consensus(index), expected, atol=1e-5)
    assert 0 in gathered.propose(3, neighbours=False)[-1]


def test_a_token_that_all_entities_have_tells_nothing() -> None:
    """Its weight is zero; it must not propose anything, again and again."""
    facts = [(f"e{i}", "r", f"e{(i + 1) % 40}", "2001", "") for i in range(40)]
    left, right = (graph_of_frame(fact_frame(*rows)) for rows in (facts, renamed(facts)))
    pair = Pair.of(left, right)
    gathered = Gathered(pair, Links.none(), make_config("best"))
    assert (gathered.propose(10, neighbours=False) == NO_CANDIDATE).all()


def test_tokens_of_one_side_alone_are_dropped_and_still_count_in_lengths() -> None:
    """Nodes 0 to 2 are left, 3 and 4 right; only token 7 and token 8 are on both sides."""
    node = np.array([0, 0, 1, 3, 3, 4], np.int32)
    number = np.array([7, 5, 8, 7, 6, 8], np.int64)
    tokens = make_tokens(PLAIN, 5, node, number)
    kept = PLAIN.keep_shared(tokens, 3)
    distinct = list(dict.fromkeys(number.tolist()))  # as they are numbered
    lists = [kept.token[a:b].tolist() for a, b in zip(kept.start, kept.start[1:], strict=False)]
    assert [[distinct[t] for t in own] for own in lists] == [[7], [8], [], [7], [8]]
    np.testing.assert_array_equal(kept.length, tokens.length)
    np.testing.assert_array_equal(kept.weight, tokens.weight)


def test_passes_after_one_another_say_what_each_says_alone(pair: Pair, links: Links) -> None:
    """What is kept of a pass before is used only where it is the same."""
    few, none = links.take(np.arange(40)), Links.none()
    config, unlinked = make_config("best"), list(degree_tokens(PLAIN, pair))
    source = Gathered(pair, none, config)
    places = every_place(pair.n_left, pair.n_right)
    for some, more in ((none, []), (links, unlinked), (links, []), (few, []), (links, unlinked)):
        source.evidence = source.source.gather(some, config, more)
        alone = Gathered(pair, some, config, unlinked=more)
        np.testing.assert_array_equal(source.consensus(places), alone.consensus(places))
        for neighbours, k in ((True, 10), (False, 10), (False, 5)):
            np.testing.assert_array_equal(
                source.propose(k, neighbours=neighbours), alone.propose(k, neighbours=neighbours)
            )


def test_what_is_the_same_in_the_next_pass_is_not_made_again(pair: Pair, links: Links) -> None:
    config = make_config("best")
    source = Gathered(pair, links, config)
    before = source.engine.fetch(source.evidence)
    proposed = source.source.propose(source.evidence, 10, neighbours=False)
    source.evidence = source.source.gather(links.take(np.arange(len(links) - 1)), config)
    after = source.engine.fetch(source.evidence)
    same = [a is b for a, b in zip(before.tokens, after.tokens, strict=True)]
    assert same == [not kind.neighbour for kind in before.kinds]
    assert source.source.propose(source.evidence, 10, neighbours=False) is proposed
