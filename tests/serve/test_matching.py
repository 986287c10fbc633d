"""Known answers: names with mistakes, namesakes told apart by office and year."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.serve.conftest import Asker

PRESIDENT = ("holdsOffice", "President of the United States")


def ids(candidates: list[Any]) -> list[str]:
    return [each["id"] for each in candidates]


def sure(candidates: list[Any]) -> list[str]:
    return [each["id"] for each in candidates if each["match"]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Albert Einstein", "Albert_Einstein"),
        ("albert EINSTEIN", "Albert_Einstein"),
        ("Einstein, Albert", "Albert_Einstein"),
        ("Albert Einstien", "Albert_Einstein"),
        ("Âlbert Éinstein", "Albert_Einstein"),
        ("A. Einstein", "Albert_Einstein"),
        ("Margret Thacher", "Margaret_Thatcher"),
        ("President of the United Sates", "President_of_the_United_States"),
        ("Albert_Einstein", "Albert_Einstein"),
    ],
)
def test_a_name_with_mistakes_is_found_and_sure(asker: Asker, written: str, meant: str) -> None:
    candidates = asker.reconcile(written)
    assert ids(candidates)[0] == meant
    assert sure(candidates) == [meant]


def test_nothing_is_sure_of_two_that_fit_alike(asker: Asker) -> None:
    candidates = asker.reconcile("George Bush")
    assert set(ids(candidates)[:2]) == {"George_W._Bush", "George_H._W._Bush"}
    assert sure(candidates) == []


@pytest.mark.parametrize(
    ("year", "meant"),
    [("1990", "George_H._W._Bush"), (2005, "George_W._Bush"), ("2001-2009", "George_W._Bush")],
)
@pytest.mark.parametrize("time", ["@time", "year", "Time", "holdsOffice@time"])
def test_office_and_year_tell_namesakes_apart(
    asker: Asker, year: Any, meant: str, time: str
) -> None:
    candidates = asker.reconcile("George Bush", [PRESIDENT, (time, year)])
    assert sure(candidates) == [meant]
    best, second = candidates[:2]
    features = [{f["id"]: f["value"] for f in each["features"]} for each in (best, second)]
    key = "@time" if time != "holdsOffice@time" else time
    assert features[0][key] > features[1][key] == 0
    assert features[0]["holdsOffice"] == features[1]["holdsOffice"] == 1


def test_the_year_is_that_of_the_office_not_of_any_fact(asker: Asker) -> None:
    """George H. W. Bush was vice president in 1985, not president."""
    president, vice = (
        asker.reconcile("George H. W. Bush", [("holdsOffice", office), ("year", 1985)])[0]
        for office in (PRESIDENT[1], "Vice_President_of_the_United_States")
    )
    assert president["score"] < vice["score"]
    assert vice["match"]


def test_a_value_may_carry_its_time(member_asker: Asker) -> None:
    for value in ("Harbour, 1996-98", "Harbour (1996-98)", "harbuor, 1997"):
        assert sure(member_asker.reconcile("John Smith", [("member for", value)])) == ["m/2"], value
    for value in ("Harbour, 1990-95", "Harbour (1992)"):
        assert sure(member_asker.reconcile("Smith, John", [("member for", value)])) == ["m/1"]


@pytest.mark.parametrize("period", ["1996-98", "1996/98", "1996 to 1998", "1996–1998", "1997"])
def test_a_period_in_any_spelling(member_asker: Asker, period: str) -> None:
    given = [("member for", "Harbour"), ("@time", period)]
    assert sure(member_asker.reconcile("John Smith", given)) == ["m/2"]


def test_an_open_end_holds_on(member_asker: Asker) -> None:
    given = [("member for", {"id": "valley"}), ("@time", 2015)]
    assert sure(member_asker.reconcile("John Smith", given)) == ["m/2"]
    assert not sure(member_asker.reconcile("John Smith", [given[0], ("@time", 1999)]))


@pytest.mark.parametrize(
    ("value", "meant"), [("1950", "m/1"), ("2 March 1950", None), ("1961-05-06", "m/2")]
)
def test_a_date_that_is_a_literal(member_asker: Asker, value: str, meant: str | None) -> None:
    found = sure(member_asker.reconcile("John Smith", [("born", value)]))
    assert found == ([meant] if meant else [])


def test_a_number_that_is_a_literal(member_asker: Asker) -> None:
    best = member_asker.reconcile("John Smith", [("height", 1.8)])[0]
    assert best["id"] == "m/2"
    assert {"id": "height", "name": "height", "value": 1.0} in best["features"]


def test_rows_without_a_name_are_found_by_properties(asker: Asker) -> None:
    candidates = asker.reconcile("", [PRESIDENT, ("year", 1962)])
    assert sure(candidates) == ["John_F._Kennedy"]
    assert not asker.reconcile("", [("holdsOffice", {"id": "nobody"})])


def test_another_name_finds_the_entity_too(member_asker: Asker) -> None:
    assert sure(member_asker.reconcile("Jack Smith of the Quay")) == ["m/1"]


def test_a_type_restricts(member_asker: Asker) -> None:
    assert ids(member_asker.reconcile("Harbour", type="seat")) == ["harbour"]
    assert not member_asker.reconcile("Harbour", type="person")
    assert ids(member_asker.reconcile("Harbour", type="@entity")) == ["harbour"]
    (found,) = member_asker.reconcile("Harbour")
    assert found["type"] == [{"id": "seat", "name": "Seat"}]


def test_types_of_version_0_2(member_asker: Asker) -> None:
    if member_asker.version != "0.2":
        return
    both = ["person", "seat"]
    assert ids(member_asker.reconcile("Harbour", type=both)) == ["harbour"]
    assert not member_asker.reconcile("Harbour", type=both, type_strict="all")
    (hard,) = member_asker.reconcile("Harbour", type="seat", type_strict="should")
    (soft,) = member_asker.reconcile("Harbour", type="person", type_strict="should")
    assert soft["score"] < hard["score"]


def test_conditions_of_the_draft(member_asker: Asker) -> None:
    if member_asker.version != "draft":
        return

    def ask(**condition: Any) -> list[str]:
        name = {"matchType": "name", "v": "John Smith"}
        given = {"matchType": "property", "pid": "member for", **condition}
        answer = member_asker.batch([{"conditions": [name, given]}])
        return ids(answer["results"][0]["candidates"])

    assert ask(v="Valley", required=True) == ["m/2"]
    assert ask(v=["Harbour", "Valley"], matchQuantifier="all", required=True) == ["m/2"]
    assert ask(v="Valley", matchQuantifier="none", required=True) == ["m/1"]
    assert set(ask(v="Valley")) == {"m/1", "m/2"}
    assert ask(propertyId="member for", propertyValue="Valley", required=True) == ["m/2"]


def test_the_draft_is_answered_where_it_used_to_be(client: TestClient) -> None:
    named = {"matchType": "name", "v": "Albert Einstein"}
    asked = {"queries": [{"conditions": [named]}]}
    now, before = (client.post(f"/draft/{path}", json=asked) for path in ("match", "reconcile"))
    assert now.json() == before.json()
    assert now.json()["results"][0]["candidates"][0]["id"] == "Albert_Einstein"


def test_an_unknown_property_says_nothing(asker: Asker) -> None:
    without = asker.reconcile("Albert Einstein")
    assert asker.reconcile("Albert Einstein", [("no such property", "x")]) == without


def test_the_limit_counts(asker: Asker) -> None:
    assert len(asker.reconcile("George", limit=2)) == 2
    assert len(asker.reconcile("George", limit=1e9)) > 2


def test_an_inverse_relation(asker: Asker) -> None:
    candidates = asker.reconcile("", [("^hasCapital", "Austria")])
    assert ids(candidates)[:1] == ["Vienna"]
