"""Tokens of literals, against sets of words, pieces and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lighttea.engines.tables import TokenLists
from lighttea.evidence.attribute_checks import JudgedAttributes
from lighttea.evidence.attributes import match_attributes
from lighttea.evidence.literals import (
    LITERAL_KINDS,
    MATCHED,
    NUMBERS,
    PIECES,
    WHOLE,
    WORDS,
    LiteralEvidence,
    literal_tokens,
)
from lighttea.evidence.tokens import TokenKind
from lighttea.graph.pair import Links
from lighttea.literals.kinds import special_words
from lighttea.literals.table import LiteralTable
from lighttea.literals.text import split_pieces, split_words
from lighttea.types import Bools, NumpyArray
from tests.evidence.test_attributes import People, mixed_people, people
from tests.literals.worlds import invented_words

Tokens = TokenLists[NumpyArray]


def all_of(table: LiteralTable) -> Bools:
    return np.ones(table.n_attributes, bool)


def judged(trusted: Bools, doubtful: Bools | None = None) -> JudgedAttributes:
    none = np.zeros(len(trusted), bool)
    return JudgedAttributes((), trusted, none if doubtful is None else doubtful)


def tokens_of(world: People, *, matched: bool = False) -> dict[TokenKind, Tokens]:
    table = world.table
    matches = match_attributes(table, world.links)[0] if matched else None
    return dict(literal_tokens(table, all_of(table), matches))


def own_of(tokens: Tokens, node: int) -> set[int]:
    return set(tokens.token[tokens.start[node] : tokens.start[node + 1]].tolist())


def slow_tokens(
    table: LiteralTable, parts: Callable[[int, str], list[object]]
) -> list[set[object]]:
    """The parts of each node's values; a part may know the attribute that it stands in."""
    found: list[set[object]] = [set() for _ in range(table.n_nodes)]
    for node, attribute, value in zip(table.node, table.attribute, table.value, strict=True):
        found[node] |= set(parts(int(attribute), table.texts[value]))
    return found


def assert_same_tokens(tokens: Tokens, expected: list[set[object]]) -> None:
    """Check what nodes share, how many tokens each has, and what tokens weigh."""
    n_nodes = len(expected)
    found = [own_of(tokens, node) for node in range(n_nodes)]
    assert [len(own) for own in found] == [len(own) for own in expected]
    for one in range(0, n_nodes, 3):
        for other in range(n_nodes):
            assert len(found[one] & found[other]) == len(expected[one] & expected[other])
    holders = np.bincount(tokens.token, minlength=tokens.n_tokens)
    np.testing.assert_allclose(tokens.weight, np.log(n_nodes / holders) ** 2, rtol=1e-5)


def wholes(_: int, text: str) -> list[object]:
    words = split_words(text)
    return ["".join(words), " ".join(sorted(words))]


def words(_: int, text: str) -> list[object]:
    return [*split_words(text), *special_words(text)]


def pieces(_: int, text: str) -> list[object]:
    return [piece for word in split_words(text) for piece in split_pieces(word)]


@pytest.mark.parametrize(("kind", "parts"), [(WHOLE, wholes), (WORDS, words), (PIECES, pieces)])
def test_tokens_are_parts_of_values_whatever_their_attribute(
    kind: TokenKind, parts: Callable[[int, str], list[object]]
) -> None:
    world = mixed_people(4, n=40)
    assert_same_tokens(tokens_of(world)[kind], slow_tokens(world.table, parts))


def test_matched_words_know_their_class() -> None:
    world = mixed_people(4, n=60)
    classes = world.matched.classes()

    def parts(attribute: int, text: str) -> list[object]:
        own = classes[attribute]
        return [(own, word) for word in words(attribute, text)] if own >= 0 else []

    assert_same_tokens(tokens_of(world, matched=True)[MATCHED], slow_tokens(world.table, parts))


def test_what_literals_say_needs_no_neighbour() -> None:
    """Words and numbers of matched attributes know their class; whole values and pieces do not."""
    assert not any(kind.neighbour for kind in LITERAL_KINDS)
    assert [kind for kind in LITERAL_KINDS if kind.relation] == [MATCHED, NUMBERS]


def test_attributes_that_do_not_count_give_no_token() -> None:
    world = mixed_people(4, n=40)
    table = world.table
    usable = np.array([name in {"height", "size"} for name in table.names])
    kept = table.where(usable[table.attribute])
    tokens = dict(literal_tokens(table, usable, None))
    assert_same_tokens(tokens[WORDS], slow_tokens(kept, words))


def test_what_one_side_alone_has_is_no_evidence() -> None:
    world = people({"name": ["Ada", "Grace"]}, {"label": ["…", "—"]})
    assert tokens_of(world) == {}


def number_tokens(left: list[str], right: list[str]) -> tuple[Tokens, People]:
    """Tokens of the first numbers; a hundred further ones tell what ratio is usual."""
    rng = np.random.default_rng(6)
    sizes = rng.lognormal(8, 2, 100)
    world = people(
        {"height": [*left, *(f"{s:.3f}" for s in sizes)]},
        {"feet": [*right, *(f"{s * 3.28084:.3f}" for s in sizes)]},
    )
    return tokens_of(world, matched=True)[NUMBERS], world


def test_close_numbers_share_tokens_in_whatever_unit() -> None:
    metres = [100.0, 100.0, 100.0, 100.0, 100.0]
    feet = [328.084, 329.5, 345.0, 500.0, -328.084]
    tokens, world = number_tokens([str(m) for m in metres], [str(f) for f in feet])
    nodes = zip(world.links.left.tolist(), world.links.right.tolist(), strict=True)
    shared = [
        len(own_of(tokens, left) & own_of(tokens, world.table.n_left + right))
        for left, right in list(nodes)[:5]
    ]
    assert shared[0] == 4  # the same: a fine and a coarse scale, twice each
    assert 4 >= shared[1] > shared[2] >= 1
    assert shared[3:] == [0, 0]


def test_number_tokens_are_steps_of_logarithms() -> None:
    tokens, world = number_tokens(["7.5", "0", "80"], ["24.6", "0", "-12"])
    table = world.table
    scale = world.matched.log_scale()
    expected: list[set[object]] = [set() for _ in range(table.n_nodes)]
    for node, attribute, value in zip(table.node, table.attribute, table.value, strict=True):
        number = table.vocabulary.number[value]
        if number:
            size = math.log(abs(number)) + scale[attribute]
            expected[node] |= {
                (step, number < 0, math.floor(size / step) + near)
                for step in (0.01, 0.1)
                for near in (0, 1)
            }
    assert_same_tokens(tokens, expected)


# --------------------------------------------------------------------- as links tell it


def test_evidence_learns_from_links_and_few_tell_nothing() -> None:
    world = mixed_people(1)
    before = LiteralEvidence.of(world.table, judged(all_of(world.table)))
    assert {kind for kind, _ in before.tokens} == {WHOLE, WORDS, PIECES}
    assert before.fitted(world.links.take(slice(9))) is before
    after = before.fitted(world.links)
    assert {kind for kind, _ in after.tokens} == {WHOLE, WORDS, PIECES, MATCHED, NUMBERS}
    assert after.matches is not None
    assert len(after.conflicts) >= 1


def names_and_codes(*, same: bool) -> tuple[People, Bools]:
    """Names, and codes that are those of the same people or not; and which are names."""
    rng = np.random.default_rng(3)
    names, codes = invented_words(rng, 60), invented_words(rng, 60)
    other = codes if same else codes[1:] + codes[:1]
    world = people({"name": names, "code": codes}, {"label": names, "key": other})
    return world, np.array([name in {"name", "label"} for name in world.table.names])


def test_what_is_not_trusted_counts_where_links_speak_for_it() -> None:
    for same in (False, True):
        world, are_names = names_and_codes(same=same)
        before = LiteralEvidence.of(world.table, judged(are_names))
        assert np.diff(dict(before.tokens)[WORDS].start).max() == 1
        fitted = before.fitted(world.links)
        used = {world.table.names[n] for n in np.flatnonzero(fitted.usable).tolist()}
        assert used == {"name", "label", *(("code", "key") if same else ())}
        assert np.diff(dict(fitted.tokens)[WORDS].start).max() == 1 + same


def test_what_is_doubtful_counts_where_nothing_else_begins() -> None:
    world, are_names = names_and_codes(same=True)
    none = np.zeros(len(are_names), bool)
    evidence = LiteralEvidence.of(world.table, judged(none, are_names))
    assert list(evidence.tokens) == []
    again = evidence.without_doubt()
    assert again.usable.tolist() == are_names.tolist()
    assert {kind for kind, _ in again.tokens} == {WHOLE, WORDS, PIECES}


def test_attributes_come_back_when_better_links_speak_for_them() -> None:
    rng = np.random.default_rng(3)
    names = invented_words(rng, 60)
    world = people({"name": names}, {"label": names})
    wrong = Links(world.links.left, np.roll(world.links.right, 1))
    evidence = LiteralEvidence.of(world.table, judged(~world.table.is_id)).fitted(wrong)
    assert not evidence.usable.any()
    assert list(evidence.tokens) == []
    again = evidence.fitted(world.links)
    assert again.usable.tolist() == (~world.table.is_id).tolist()
