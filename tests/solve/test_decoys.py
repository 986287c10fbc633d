"""Decoys in a problem: what is real stays as it is without them, bit for bit where it can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lighttea.config import Config
from lighttea.engines.cpu.ops import PLAIN
from lighttea.engines.tables import TokenLists
from lighttea.evidence.degrees import degree_tokens
from lighttea.evidence.evidence import PlainTokens
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.literals import WHOLE, WORDS, literal_tokens
from lighttea.evidence.relations import LinkedNodes, match_relations
from lighttea.evidence.tokens import TokenKind, fact_tokens
from lighttea.graph.facts import Graph
from lighttea.io.literals import literal_rows, with_literals
from lighttea.literals.table import GraphLiterals
from lighttea.solve.round import propagate_labels
from lighttea.solve.workspace import Workspace
from lighttea.types import NumpyArray
from tests.propagate.dense import dense_rows
from tests.worlds import World, make_hard_world, workspace_of

Work = Workspace[NumpyArray]
FIRST = ("Ada", "Grace", "Alan", "Edsger", "Barbara")


@pytest.fixture(scope="module")
def hard() -> World:
    return make_hard_world()


def both_of(world: World, **options: Any) -> tuple[Work, Work, Config]:
    """Return a world as a problem without decoys and with a hundred, and the settings."""
    settings = {"dim": 32, "calibrated": True, **options}
    plain, _ = workspace_of(world, "best", decoys=0, **settings)
    work, config = workspace_of(world, "best", decoys=100, **settings)
    return plain, work, config


def test_decoys_are_the_last_possible_candidates(hard: World) -> None:
    plain, work, _ = both_of(hard)
    problem, decoys = work.problem, work.problem.decoys
    assert plain.problem.decoys is None
    assert decoys is not None
    n_targets = len(plain.problem.right)
    assert problem.n_targets == decoys.n_targets == n_targets
    np.testing.assert_array_equal(problem.right[:n_targets], plain.problem.right)
    np.testing.assert_array_equal(problem.right[n_targets:], problem.pair.decoys)
    sources = problem.right[decoys.source]
    np.testing.assert_array_equal(sources, problem.pair.decoy_source)
    assert not np.isin(sources, problem.known.right).any()
    assert decoys.per_target == pytest.approx(100 / n_targets, rel=0.02)


@pytest.mark.parametrize("whitening", [False, True])
def test_labels_of_entities_do_not_know_decoys(hard: World, whitening: bool) -> None:
    plain, work, config = both_of(hard, whitening=whitening)
    expected, labels = (
        propagate_labels(each, each.problem.known, config, np.random.default_rng(3))
        for each in (plain, work)
    )
    right, made = dense_rows(expected.right), dense_rows(labels.right)
    n_targets = len(right)
    of_decoys = np.linalg.norm(made[n_targets:], axis=1)
    assert len(of_decoys) == 100
    assert (of_decoys > 0.99).mean() > 0.9  # as near to seeds as others are
    if whitening:  # sums may be made in another order
        np.testing.assert_allclose(dense_rows(labels.left), dense_rows(expected.left), atol=1e-5)
        np.testing.assert_allclose(made[:n_targets], right, atol=1e-5)
    else:
        np.testing.assert_array_equal(dense_rows(labels.left), dense_rows(expected.left))
        np.testing.assert_array_equal(made[:n_targets], right)


def weights_of_nodes(tokens: TokenLists[NumpyArray], n_nodes: int) -> list[list[float]]:
    """Return the weights of each node's tokens: numbers of tokens may differ."""
    return [
        sorted(tokens.weight[tokens.token[tokens.start[i] : tokens.start[i + 1]]].tolist())
        for i in range(n_nodes)
    ]


def all_tokens(work: Work, world: World, config: Config) -> list[tuple[TokenKind, Any]]:
    pair = work.problem.pair
    facts = TimedFacts(PLAIN, pair, keeps=False)
    of_facts = fact_tokens(PLAIN, facts, work.problem.known, config)
    return [*of_facts, *degree_tokens(PLAIN, pair), *tokens_of_names(work, world)]


def tokens_of_names(work: Work, world: World) -> list[PlainTokens]:
    """Everybody has a name of two words, one of them common; decoys have made-up ones."""
    literals = GraphLiterals(with_names(world.left), with_names(world.right), random_seed=0)
    table = literals.table(work.problem.pair)
    return list(literal_tokens(table, ~table.is_id, None))


def with_names(graph: Graph) -> Graph:
    names = [f"{FIRST[n % len(FIRST)]} Family{n}" for n in range(len(graph.entities))]
    couples = zip(graph.entities, names, strict=True)
    return with_literals(graph, literal_rows((e, "name", text, "", "") for e, text in couples))


def test_tokens_of_entities_weigh_what_they_weigh_without_decoys(hard: World) -> None:
    plain, work, config = both_of(hard)
    n = plain.problem.pair.n_nodes
    expected, made = (all_tokens(each, hard, config) for each in (plain, work))
    assert [kind for kind, _ in made] == [kind for kind, _ in expected]
    has_any = 0
    for (_, alone), (_, beside) in zip(expected, made, strict=True):
        assert weights_of_nodes(beside, n) == weights_of_nodes(alone, n)
        np.testing.assert_allclose(beside.length[:n], alone.length, rtol=1e-6)
        has_any += int((np.diff(beside.start)[n:] > 0).sum())
    assert has_any > 100 * len(made) / 2  # decoys have tokens of most kinds


def test_relations_are_matched_as_without_decoys(hard: World) -> None:
    plain, work, _ = both_of(hard)
    tables = []
    for each in (plain, work):
        pair = each.problem.pair
        facts = TimedFacts(PLAIN, pair, keeps=False)
        linked = LinkedNodes.of(PLAIN, pair, each.problem.known)
        tables.append(match_relations(PLAIN, facts, linked))
    for name, column in vars(tables[0]).items():
        np.testing.assert_array_equal(getattr(tables[1], name), column)


def test_no_decoy_has_a_value_that_one_right_entity_alone_has(hard: World) -> None:
    _, work, _ = both_of(hard)
    pair = work.problem.pair
    kinds = dict(tokens_of_names(work, hard))
    for tokens in kinds.values():
        assert (np.diff(tokens.start) > 0).all()
    whole, words = kinds[WHOLE], kinds[WORDS]
    real, made_up = (
        {t for n in nodes for t in whole.token[whole.start[n] : whole.start[n + 1]]}
        for nodes in (range(pair.n_entities), range(pair.n_entities, pair.n_nodes))
    )
    assert len(real & made_up) < 0.2 * len(made_up)  # two halves may make a real one
    common = sum(  # decoys have the first names that others have too
        words.weight[words.token[words.start[n] : words.start[n + 1]]].min() < words.weight.max()
        for n in range(pair.n_entities, pair.n_nodes)
    )
    assert common > 0.5 * pair.n_decoys
