"""Manifest, suggestions, previews and data extension; every answer fits its schema."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import ValidationError

import lighttea
from lighttea.results.run import Run
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.open import catalogue_of_run
from tests.serve.conftest import Asker, make_client, members
from tests.serve.schemas import validate
from tests.worlds import align_example


def test_the_manifest_says_what_there_is(asker: Asker, client: TestClient) -> None:
    manifest = asker.manifest()
    assert manifest["name"].startswith("left")
    assert manifest["batchSize"] == 100
    assert manifest["defaultTypes"] == [{"id": "@entity", "name": "Entity"}]
    if asker.version == "0.2":
        view = manifest["view"]["url"].replace("{{id}}", "Albert_Einstein")
        preview = manifest["preview"]["url"].replace("{{id}}", "Albert_Einstein")
        assert all("Einstein" in client.get(url).text for url in (view, preview))
    else:
        view = manifest["view"]["url"].replace("{id}", "Albert_Einstein")
        assert "Einstein" in client.get(view).text
        assert "Einstein" in client.get("/draft/preview?id=Albert_Einstein").text


def test_the_schemas_can_fail(asker: Asker) -> None:
    broken = {**asker.manifest(), "versions": ["0.1"]}
    with pytest.raises(ValidationError):
        validate(broken, asker.version, "manifest")


def test_suggestions_begin_as_they_were_typed(asker: Asker) -> None:
    assert asker.suggest("entity", "thatch")[0]["id"] == "Margaret_Thatcher"
    assert asker.suggest("entity", "Margaret Th")[0]["id"] == "Margaret_Thatcher"
    assert asker.suggest("entity", "Margaret_Thatcher")[0]["id"] == "Margaret_Thatcher"
    assert asker.suggest("entity", "United States")[0]["id"] == "United_States"
    assert not asker.suggest("entity", "zzzz")
    assert asker.suggest("property", "holds")[0]["id"] == "holdsOffice"
    assert asker.suggest("property", "time")[0]["id"] == "@time"
    assert asker.suggest("type", "")[0]["id"] == "@entity"


def test_pages_of_suggestions_follow_each_other(asker: Asker) -> None:
    for skip in ("cursor", "offset"):  # of version 0.2, and of the draft
        first, second = (asker.suggest("entity", "a", **{skip: n}) for n in (0, 20))
        assert len(first) == 20
        assert not {each["id"] for each in first} & {each["id"] for each in second}
        assert asker.suggest("entity", "a", **{skip: 9_000}) == []
        assert asker.suggest("entity", "a", limit=3, **{skip: 1}) == first[1:4]
    assert len(asker.suggest("property", "", limit=2)) == 2
    assert len(asker.suggest("entity", "a", limit=900)) == 20


def test_types_are_suggested_by_frequency(member_asker: Asker) -> None:
    assert [each["id"] for each in member_asker.suggest("type", "")] == ["person", "seat"]
    assert [each["id"] for each in member_asker.suggest("type", "se")] == ["seat"]


def test_values_and_times_are_in_the_same_order(member_asker: Asker) -> None:
    rows = member_asker.extend(["m/2", "nobody"], "member for", "member for@time", "height", "x")
    assert [each["name"] for each in rows["m/2"]["member for"]] == ["Harbour", "Valley"]
    assert rows["m/2"]["member for@time"] == [{"str": "1996/1998"}, {"str": "2001/.."}]
    assert rows["m/2"]["height"] == [{"str": "1.80"}]
    assert rows["m/2"]["x"] == []
    assert rows["nobody"] == {name: [] for name in rows["m/2"]}


def test_settings_choose_values(member_asker: Asker) -> None:
    def values(**chosen: object) -> list[str]:
        wanted = {"id": "member for", "settings": chosen}
        return [v["id"] for v in member_asker.extend(["m/2"], wanted)["m/2"]["member for"]]

    assert values(limit=1) == ["harbour"]
    assert values(during="2003") == ["valley"]
    assert values(during="1997-2003") == ["harbour", "valley"]
    assert values(during="", limit=0) == ["harbour", "valley"]


def test_numbers_and_dates_keep_their_datatypes() -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    texts = {
        "n": ("12", "integer"),
        "f": ("0.5", "double"),
        "d": ("1950-03-02", "date"),
        "bad": ("soon", "date"),
        "huge": ("9" * 400, "integer"),
        "nan": ("NaN", "double"),
        "year": ("1950", "date"),
    }
    rows: list[dict[str, str | None]] = [
        {"head": "e", "relation": r, "value": v, "datatype": xsd + t} for r, (v, t) in texts.items()
    ]
    rows.append({"head": "e", "relation": "r", "tail": "o", "value": None, "datatype": None})
    catalogue = Catalogue(lighttea.graph_from([{"tail": None, **row} for row in rows]))
    found = Asker(make_client(catalogue), "draft").extend(["e"], *texts)["e"]
    assert found["n"] == [{"int": 12}]
    assert found["f"] == [{"float": 0.5}]
    assert found["d"] == [{"date": "1950-03-02T00:00:00Z"}]
    for name in ("bad", "huge", "nan", "year"):
        assert found[name] == [{"str": texts[name][0]}]


def test_properties_are_proposed(asker: Asker) -> None:
    proposed = asker.propose(type="@entity", limit=3)
    assert [each["id"] for each in proposed] == ["hasWonPrize", "isCitizenOf", "wasBornIn"]


@pytest.fixture(scope="module")
def run() -> Run:
    return align_example(preset="best", dim=64, rounds=2)


@pytest.mark.parametrize("version", ["0.2", "draft"])
def test_a_run_tells_counterparts(run: Run, version: str) -> None:
    left, right, confidence = run.links.select("left", "right", "confidence").row(0)
    asker = Asker(make_client(catalogue_of_run(run, "right")), version)
    values = asker.extend([right], "@counterpart", "@confidence")[right]
    assert values["@counterpart"] == [{"str": left}]
    assert values["@confidence"] == [{"float": pytest.approx(confidence, abs=1e-5)}]
    (found,) = asker.reconcile("", [("@counterpart", left)])
    assert found["id"] == right
    assert left in asker.client.get("/preview", params={"id": right}).text
    seed = run.seeds.row(0, named=True)
    other = Asker(make_client(catalogue_of_run(run, "left")), version)
    values = other.extend([seed["left"]], "@counterpart", "@confidence")[seed["left"]]
    assert values == {"@counterpart": [{"str": seed["right"]}], "@confidence": [{"float": 1.0}]}
    for own, side in ((asker, "right"), (other, "left")):
        manifest = own.client.get("/").json()
        assert manifest["name"] == f"{side} (lighttea)"
        assert manifest["identifierSpace"] == f"urn:lighttea:{side}:entity"


def test_a_preview_does_not_repeat_an_id_that_is_the_name(client: TestClient) -> None:
    page = client.get("/preview", params={"id": "Albert_Einstein"}).text
    body = page.partition("</title>")[2].replace("<wbr>", "")
    assert body.count("Albert_Einstein") == 1


HOSTILE = st.text(
    st.sampled_from("<>&\"'`/\\= \u202e\u2028\x1b;javascriptonerror{}")
    | st.characters(codec="utf-8"),
    min_size=1,
    max_size=30,
).filter(lambda text: text.strip() == text and not set(text) & set("\t\r\n\x00"))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(HOSTILE, HOSTILE, HOSTILE)
def test_hostile_names_are_text_in_pages(name: str, relation: str, value: str) -> None:
    rows = [
        {"head": "e", "relation": relation, "tail": name, "value": None, "begin": "1990"},
        {"head": "e", "relation": relation, "tail": None, "value": value, "begin": None},
    ]
    graph = lighttea.graph_from(rows)
    named = replace(graph, entity_names={"e": name}, relation_names={relation: name})
    client = make_client(Catalogue(named, given_types=[("e", value)]))
    for address in ("/preview", "/view"):
        answer = client.get(address, params={"id": "e"})
        assert answer.status_code == 200
        assert_is_harmless(answer.text)
    missing = client.get("/preview", params={"id": name + "?"})
    assert missing.status_code == 404
    assert_is_harmless(missing.text)
    for version in ("0.2", "draft"):
        asker = Asker(client, version)
        asker.reconcile(name, [(relation, value)])
        asker.extend(["e"], relation, f"{relation}@time")
        asker.suggest("entity", name)
        asker.suggest("property", relation[:3])


def assert_is_harmless(page: str) -> None:
    """Only the tags of our own are in a page, without attributes of strangers."""
    allowed = r"</?(?:html|head|title|style|body|h1|p|table|tr|td|bdi|wbr)>"
    known = r'<!doctype html>|<html lang="en">|<meta charset="utf-8">|<h1 dir=auto>|<td dir=auto>'
    rest = re.sub(rf'{allowed}|{known}|<td class="time">', "", page)
    assert "<" not in rest
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b]", page)


def test_a_graph_without_facts_answers(member_asker: Asker) -> None:
    empty = Catalogue(lighttea.graph_from([("a", "r", "b")]))
    asker = Asker(make_client(empty), member_asker.version)
    assert asker.reconcile("c") == []
    assert asker.reconcile("", [("r", "zz"), ("@time", 1990)]) == []
    assert asker.reconcile("a", [("@time", 1990)])[0]["id"] == "a"


def test_the_catalogue_names_the_graph() -> None:
    assert Catalogue(members()).name == "members"
