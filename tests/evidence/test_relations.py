"""Relations are matched by where they hold, not by their names."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.engines.cpu.ops import PLAIN
from lighttea.evidence import relations
from lighttea.evidence.facts import TimedFacts
from lighttea.evidence.relations import (
    LinkedNodes,
    RelationMatches,
    match_relations,
    relation_classes,
)
from lighttea.graph.pair import Links, Pair
from lighttea.io.frames import graph_of_frame
from lighttea.types import LeftIds, RightIds
from tests.worlds import Fact, fact_frame


def pair_of(left: list[Fact], right: list[Fact]) -> tuple[Pair, Links, list[str], list[str]]:
    """Both graphs; every entity is linked to its namesake."""
    one, other = graph_of_frame(fact_frame(*left)), graph_of_frame(fact_frame(*right))
    both = [name for name in one.entities if name in other.entity_ids]
    links = Links(
        LeftIds(np.array([one.entity_ids[name] for name in both], np.int32)),
        RightIds(np.array([other.entity_ids[name] for name in both], np.int32)),
    )
    return Pair.of(one, other), links, list(one.relations), list(other.relations)


def matches_of(pair: Pair, links: Links) -> RelationMatches:
    facts = TimedFacts(PLAIN, pair, keeps=False)
    return match_relations(PLAIN, facts, LinkedNodes.of(PLAIN, pair, links))


def facts_of(relation: str, begin: int, end: int) -> list[Fact]:
    return [(f"a{i}", relation, f"b{i}", None, None) for i in range(begin, end)]


def test_relations_that_hold_between_the_same_entities_match_in_both_directions() -> None:
    left = facts_of("born", 0, 10) + facts_of("led", 20, 30)
    right = facts_of("x1", 20, 30) + facts_of("x2", 0, 10)
    pair, links, ours, theirs = pair_of(left, right)
    classes = matches_of(pair, links).classes()
    shift = 2 * len(ours)
    for name, other in (("born", "x2"), ("led", "x1")):
        for inverse in (0, 1):
            one = 2 * ours.index(name) + inverse
            assert classes[one] == classes[shift + 2 * theirs.index(other) + inverse] >= 0
    assert len(set(classes.tolist())) == 4


def test_a_relation_that_the_other_side_splits_has_both_parts_for_partners() -> None:
    left = facts_of("works", 0, 20)
    right = facts_of("leads", 0, 10) + facts_of("serves", 10, 20)
    pair, links, _, _ = pair_of(left, right)
    classes = matches_of(pair, links).classes()
    assert len(set(classes[::2].tolist())) == 1  # forward: one class of three relations
    assert classes.min() >= 0


def test_couples_that_are_nobodys_best_join_nothing() -> None:
    left, right = np.array([0, 0, 1, 1]), np.array([2, 3, 2, 3])
    agreement = np.array([0.9, 0.2, 0.2, 0.8], np.float32)
    classes = RelationMatches(left, right, np.full(4, 9), agreement, n_relations=4).classes()
    assert classes[0] == classes[2] != classes[1] == classes[3]


def test_too_few_shared_facts_match_nothing() -> None:
    pair, links, _, _ = pair_of(facts_of("r", 0, 2), facts_of("q", 0, 2))
    found = matches_of(pair, links)
    assert len(found.left) == 0
    assert (found.classes() == -1).all()


def test_agreement_is_a_cosine_over_what_both_sides_know() -> None:
    """r holds for 10 couples, q for 5 of these; of 5 more the right side knows another relation."""
    left = facts_of("r", 0, 10)
    right = facts_of("q", 0, 5) + facts_of("p", 5, 10) + facts_of("q", 50, 60)
    pair, links, ours, theirs = pair_of(left, right)
    found = matches_of(pair, links)
    here = (found.left == 2 * ours.index("r")) & (
        found.right == 2 * len(ours) + 2 * theirs.index("q")
    )
    assert found.shared[here].tolist() == [5]
    assert np.allclose(found.agreement[here], 5 / np.sqrt(10 * 5))


def test_classes_are_kept_until_there_are_other_links(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [fact for n in range(4) for fact in facts_of("one", 10 * n, 10 * n + 5)]
    right = [fact for n in range(4) for fact in facts_of("other", 10 * n, 10 * n + 5)]
    pair, links, _, _ = pair_of(left, right)
    facts = TimedFacts(PLAIN, pair, keeps=False)
    first = relation_classes(PLAIN, facts, links)
    assert first.tolist() == matches_of(pair, links).classes().tolist()
    few = links.take(slice(2))
    again = relation_classes(PLAIN, facts, few)
    assert again.tolist() == matches_of(pair, few).classes().tolist() != first.tolist()
    assert len(facts.classes) == 1
    monkeypatch.setattr(relations, "match_relations", None)
    same = few.take(slice(2))  # the links count, not the object
    assert relation_classes(PLAIN, facts, same) is again
