"""Graphs to ask, and a client of each version of the API."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

import lighttea
from lighttea.example import example_file
from lighttea.graph.facts import Graph
from lighttea.serve.app import build_app
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.guard import ServiceGuard
from lighttea.serve.limits import Limits
from lighttea.web.hosts import OwnHost
from tests.serve.schemas import validate

PORT = 8765
BASE = f"http://127.0.0.1:{PORT}"
VERSIONS = ("0.2", "draft")


@dataclass
class Asker:
    """A client of one version; every answer is validated."""

    client: TestClient
    version: str

    @property
    def root(self) -> str:
        return "" if self.version == "0.2" else "/draft"

    def manifest(self) -> Any:
        return self._checked(self.client.get(f"{self.root}/"), "manifest")

    def reconcile(self, name: str = "", properties: Any = (), **more: Any) -> list[Any]:
        """The candidates of one query."""
        if self.version == "0.2":
            given = [{"pid": pid, "v": value} for pid, value in properties]
            query = {"query": name, "properties": given, **more}
            return list(self.batch({"q": query})["q"]["result"])
        conditions = [{"matchType": "name", "propertyValue": name}] * bool(name)
        conditions += [
            {"matchType": "property", "propertyId": pid, "propertyValue": value}
            for pid, value in properties
        ]
        return list(self.batch([{"conditions": conditions, **more}])["results"][0]["candidates"])

    def batch(self, queries: Any) -> Any:
        answer = (
            self.client.post("/", data={"queries": json.dumps(queries)})
            if self.version == "0.2"
            else self.client.post("/draft/match", json={"queries": queries})
        )
        return self._checked(answer, "reconciliation-result-batch")

    def extend(self, ids: list[str], *properties: Any) -> dict[str, dict[str, Any]]:
        """The values by entity and property."""
        wanted = [p if isinstance(p, dict) else {"id": p} for p in properties]
        asked = {"ids": ids, "properties": wanted}
        if self.version == "0.2":
            answer = self.client.post("/", data={"extend": json.dumps(asked)})
            return dict(self._checked(answer, "data-extension-response")["rows"])
        answer = self.client.post("/draft/extend", json=asked)
        rows = self._checked(answer, "data-extension-response")["rows"]
        return {row["id"]: {p["id"]: p["values"] for p in row["properties"]} for row in rows}

    def suggest(self, kind: str, prefix: str, **more: Any) -> list[Any]:
        answer = self.client.get(f"{self.root}/suggest/{kind}", params={"prefix": prefix, **more})
        plural = {"entity": "entities", "property": "properties", "type": "types"}[kind]
        return list(self._checked(answer, f"suggest-{plural}-response")["result"])

    def propose(self, **parameters: Any) -> list[Any]:
        answer = self.client.get(f"{self.root}/extend/propose", params=parameters)
        return list(self._checked(answer, "data-extension-property-proposal")["properties"])

    def _checked(self, answer: Any, schema: str) -> Any:
        assert answer.status_code == 200, answer.text
        validate(answer.json(), self.version, schema)
        return answer.json()


def make_client(catalogue: Catalogue, **limits: Any) -> TestClient:
    guard = ServiceGuard(OwnHost("127.0.0.1", PORT), Limits(**{"rate": 1e6, **limits}))
    return TestClient(build_app(catalogue, guard), base_url=BASE, follow_redirects=False)


@pytest.fixture(scope="session")
def example_graph() -> Graph:
    return lighttea.read_graph(example_file("left.tsv"))


@pytest.fixture(scope="session")
def example(example_graph: Graph) -> Catalogue:
    return Catalogue(example_graph)


@pytest.fixture
def client(example: Catalogue) -> TestClient:
    return make_client(example)


@pytest.fixture(params=VERSIONS)
def asker(request: pytest.FixtureRequest, client: TestClient) -> Asker:
    return Asker(client, request.param)


def members() -> Graph:
    """Two members of a parliament of one name, told apart by seat and time alone."""
    facts = [
        ("m/1", "member for", "harbour", "1990", "1995"),
        ("m/2", "member for", "harbour", "1996", "1998"),
        ("m/2", "member for", "valley", "2001", None),
        *((m, "type", "person", None, None) for m in ("m/1", "m/2")),
        ("harbour", "type", "seat", None, None),
    ]
    literals = [("m/1", "born", "1950-03-02"), ("m/2", "born", "1961"), ("m/2", "height", "1.80")]
    literals += [("m/1", "alias", "Jack Smith of the Quay")]
    columns = ("head", "relation", "tail", "value", "begin", "end")
    rows: list[tuple[str | None, ...]] = [(h, r, t, None, b, e) for h, r, t, b, e in facts]
    rows += [(h, r, None, v, None, None) for h, r, v in literals]
    graph = lighttea.graph_from([dict(zip(columns, row, strict=True)) for row in rows])
    names = {"m/1": "John Smith", "m/2": "John Smith", "harbour": "Harbour", "valley": "Valley"}
    return replace(graph, entity_names={**names, "seat": "Seat"}, name="members")


@pytest.fixture(params=VERSIONS)
def member_asker(request: pytest.FixtureRequest) -> Asker:
    return Asker(make_client(Catalogue(members())), request.param)
