"""Literals of decoys: as many words as their source's, and none that points at one entity."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from lighttea.literals.decoys import decoy_literals
from lighttea.literals.text import split_words
from lighttea.types import Ints

N_PEOPLE, FIRST_NODE = 200, 1000
GIVEN = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Tony", "Margaret")
NAME, CODE, PLACE = 5, 6, 7  # attributes


def surnames(rng: np.random.Generator) -> list[str]:
    """Words of random letters: two halves hardly ever make one of them."""
    letters = rng.integers(97, 123, size=(N_PEOPLE, 8))
    return ["".join(map(chr, row)) for row in letters.tolist()]


def people() -> tuple[Ints, list[str]]:
    """Names of two words, one of them common; codes that nobody shares; places for some."""
    rng = np.random.default_rng(2)
    family, codes = surnames(rng), surnames(rng)
    texts: list[str] = []
    rows = []
    for number in range(N_PEOPLE):
        own = [(NAME, f"{family[number]}, {GIVEN[number % 7]}"), (CODE, codes[number])]
        own += [(PLACE, "Upper Village")] * (number % 3 == 0)
        for attribute, text in own:
            if text not in texts:
                texts.append(text)
            rows.append((FIRST_NODE + number, attribute, texts.index(text)))
    rows = [rows[i] for i in rng.permutation(len(rows))]
    return np.array(rows).T, texts


def made_up(
    rows: Ints, source: Ints, texts: list[str], seed: int = 3
) -> dict[tuple[int, int], str]:
    """The text of each decoy's attribute."""
    made = decoy_literals(rows, source, texts, np.random.default_rng(seed))
    return {(d, a): texts[v] for d, a, v in made.T.tolist()}


SOURCE = np.arange(FIRST_NODE, FIRST_NODE + N_PEOPLE, 4)


def test_a_decoy_has_as_many_words_of_each_attribute_as_its_source() -> None:
    rows, texts = people()
    expected = {
        (int((node - FIRST_NODE) // 4), int(attribute)): len(split_words(texts[value]))
        for node, attribute, value in rows.T
        if node in SOURCE
    }
    found = made_up(rows, SOURCE, texts)
    assert {key: len(split_words(text)) for key, text in found.items()} == expected
    assert {decoy for decoy, _ in found} == set(range(len(SOURCE)))


def holders_of_words(rows: Ints, texts: list[str]) -> dict[tuple[int, str], set[int]]:
    """The entities that have a word in an attribute."""
    holders: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    for node, attribute, value in rows.T.tolist():
        for word in split_words(texts[value]):
            holders[attribute, word].add(node)
    return holders


def test_words_are_those_of_several_or_of_nobody() -> None:
    rows, texts = people()
    holders, found = holders_of_words(rows, texts), made_up(rows, SOURCE, list(texts))
    counts = Counter(
        len(holders.get((attribute, word), ()))
        for (_, attribute), text in found.items()
        for word in split_words(text)
    )
    n_words = sum(counts.values())
    assert counts[1] < 0.05 * n_words  # two halves may meet
    assert counts[0] > 0.3 * n_words
    assert sum(n for holders_, n in counts.items() if holders_ > 1) > 0.3 * n_words


def test_hardly_any_value_is_that_of_one_entity_alone() -> None:
    rows, texts = people()
    whole = Counter((a, " ".join(sorted(split_words(texts[v])))) for _, a, v in rows.T.tolist())
    made = made_up(rows, SOURCE, list(texts))
    own = [(a, " ".join(sorted(split_words(text)))) for (_, a), text in made.items()]
    assert sum(whole[value] == 1 for value in own) < 0.05 * len(own)
    assert any(whole[value] > 1 for value in own)  # many live in that village


def test_two_names_of_one_entity_do_not_make_its_words_common() -> None:
    """Everybody is called twice, `Lovelace, Ada` and `Ada Lovelace`."""
    names = zip(surnames(np.random.default_rng(4)), GIVEN * N_PEOPLE, strict=False)
    texts = [text for one, other in names for text in (f"{one}, {other}", f"{other} {one}")]
    node = FIRST_NODE + np.repeat(np.arange(N_PEOPLE), 2)
    rows = np.stack([node, np.full(len(texts), NAME), np.arange(len(texts))])
    holders = holders_of_words(rows, texts)
    made = decoy_literals(rows, SOURCE, texts, np.random.default_rng(3))
    words = [word for value in made[2].tolist() for word in split_words(texts[value])]
    alone = sum(len(holders.get((NAME, word), ())) == 1 for word in words)
    assert alone < 0.05 * len(words)


def test_a_word_said_twice_is_not_common() -> None:
    texts = [f"{name} {name}" for name in surnames(np.random.default_rng(4))]
    node = FIRST_NODE + np.arange(N_PEOPLE)
    rows = np.stack([node, np.full(N_PEOPLE, NAME), np.arange(N_PEOPLE)])
    known = {word for text in texts for word in split_words(text)}
    made = decoy_literals(rows, SOURCE, texts, np.random.default_rng(3))
    words = [word for value in made[2].tolist() for word in split_words(texts[value])]
    assert len(words) == 2 * len(SOURCE)
    assert sum(word in known for word in words) < 0.1 * len(words)


def test_texts_stay_where_they_are_and_new_ones_follow() -> None:
    rows, texts = people()
    before = list(texts)
    made = decoy_literals(rows, SOURCE, texts, np.random.default_rng(3))
    assert texts[: len(before)] == before
    assert len(set(texts)) == len(texts)
    assert set(range(len(before), len(texts))) <= set(made[2].tolist())


def test_the_same_numbers_make_the_same_decoys() -> None:
    rows, texts = people()
    one, again = (made_up(rows, SOURCE, list(texts), seed=9) for _ in range(2))
    assert one == again
    assert one != made_up(rows, SOURCE, list(texts), seed=10)


@pytest.mark.parametrize("text", ["…", "!!"])
def test_values_without_words_make_no_literal(text: str) -> None:
    rows = np.array([[FIRST_NODE, NAME, 0], [FIRST_NODE + 1, NAME, 1]]).T
    made = decoy_literals(rows, SOURCE[:1], [text, "—"], np.random.default_rng(1))
    assert made.shape == (3, 0)


def test_no_literals_make_none() -> None:
    none = np.empty((3, 0), np.int64)
    assert decoy_literals(none, SOURCE, [], np.random.default_rng(1)).shape == (3, 0)
