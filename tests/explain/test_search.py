"""Entities found by what people call them, and suggestions for what nobody is called."""

from __future__ import annotations

import polars as pl
import pytest

from lighttea.display import Named
from lighttea.explain import search
from lighttea.explain.search import EntityIndex, fold_text

PREFIX = "http://x.example/id/"
NAMES = {
    "1": "Heinrich Böll",
    "2": "HEINRICH BÖLL II",
    "3": "May",
    "4": "may",
    "5": "Straße",
    "6": "عمر الخيام",
    "7": "Jan Novák",
    "8": "Jan Novák",
}


@pytest.fixture
def index() -> EntityIndex:
    entities = [*(PREFIX + number for number in NAMES), PREFIX + "Max_Frisch", "plain_id", ""]
    return EntityIndex.of(entities, {PREFIX + number: name for number, name in NAMES.items()})


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("Heinrich Böll", ["1"]),
        ("heinrich boll", ["1"]),
        ("  HEINRICH_BÖLL ", ["1"]),
        ("Heinrich Bo\u0308ll", ["1"]),
        ("May", ["3"]),
        ("MAY", ["3", "4"]),
        ("strasse", ["5"]),
        ("عمر الخيام", ["6"]),
        ("jan novak", ["7", "8"]),
        ("max frisch", ["Max_Frisch"]),
        ("Heinrich", []),
        ("", []),
        (" ", []),
    ],
)
def test_names_are_found_whatever_their_case_and_accents(
    index: EntityIndex, written: str, ids: list[str]
) -> None:
    assert index.find(written) == [PREFIX + own for own in ids]


def test_ids_without_a_name_are_found_by_what_is_shown_of_them(index: EntityIndex) -> None:
    assert index.find("Plain ID") == ["plain_id"]
    assert index.name(["plain_id", PREFIX + "3"]) == [Named("plain_id"), Named(PREFIX + "3", "May")]


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("Heinrich Bol", "Heinrich Böll"),
        ("Hienrich Böll", "Heinrich Böll"),
        ("Böll", "Heinrich Böll"),
        ("Strase", "Straße"),
        ("عمر", "عمر الخيام"),
        ("Max Fritsch", "Max Frisch"),
    ],
)
def test_the_closest_is_suggested_first(index: EntityIndex, written: str, first: str) -> None:
    assert index.nearest(written)[0].text == first


def test_nothing_is_suggested_where_nothing_is_alike(index: EntityIndex) -> None:
    assert index.nearest("qqqq xxxx zzzz") == []
    assert index.nearest("") == []
    assert EntityIndex.of([], {}).nearest("a") == []


def test_few_of_many_entities_are_compared_letter_by_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []
    likeness = search._likeness

    def counted(*texts: str) -> float:
        compared.append(texts)
        return likeness(*texts)

    monkeypatch.setattr(search, "_likeness", counted)
    index = EntityIndex.of([f"entity {i}" for i in range(20_000)], {})
    assert index.nearest("entity 19999x")[0].id == "entity 19999"
    assert 0 < len(compared) <= 2 * 200
    assert len(index.nearest("entity")) <= search.SUGGESTED


def test_folding_keeps_what_tells_texts_apart() -> None:
    assert fold_text("A_b  C\u2068") == "a b c"
    assert fold_text("Å ß ﬁ") == "a ss fi"
    assert search.fold(pl.Series([None, "É"], dtype=pl.String)).to_list() == [None, "e"]
