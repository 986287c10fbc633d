"""Endpoints that are busy, break off, answer nonsense or bend the rules of paging."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat

from lighttea.errors import FetchError, InputError, OutputError
from lighttea.io.sparql.limits import FetchLimits
from lighttea.io.sparql.read import read_answers, read_query
from tests.io.sparql.endpoint import Fault, Service, service_of, serving

N_ROWS = 7
QUERY = "SELECT ?head ?relation ?tail WHERE { ?head ?relation ?tail }"
TRIPLES = "\n".join(f"<http://x/{i}> <http://x/knows> <http://x/{i + 1}> ." for i in range(N_ROWS))
PAGES = -(-N_ROWS // 2) + 1


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(service_of(TRIPLES)) as service:
        yield service


@pytest.fixture
def limits(tmp_path: Path) -> FetchLimits:
    return FetchLimits(page_size=2, attempts=3, pause_s=0, timeout_s=5, cache=tmp_path / "kept")


def heads(service: Service, limits: FetchLimits) -> list[str]:
    return sorted(read_answers(service.url, QUERY, limits).frame["head"])


def failure(service: Service, limits: FetchLimits) -> str:
    with pytest.raises(FetchError) as caught:
        read_answers(service.url, QUERY, limits)
    return str(caught.value)


EVERYBODY = [f"http://x/{i}" for i in range(N_ROWS)]
BROKEN = b'{"head":{"vars":["head","relation","tail"]},"results":{"bindings":[{"head":'


@pytest.mark.parametrize(
    "fault",
    [
        Fault(500),
        Fault(502),
        Fault(503, headers={"Retry-After": "0"}),
        Fault(429, headers={"Retry-After": "0"}),
        Fault(429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Fault(503, headers={"Retry-After": "soon"}),
        Fault(cut_at=40),  # shorter than announced
        Fault(cut_at=40, announces_length=False),
        Fault(body=BROKEN),
        Fault(body=BROKEN + b"\njava.util.concurrent.TimeoutException\n"),
        Fault(body=b""),
    ],
)
def test_what_may_pass_is_tried_again(service: Service, limits: FetchLimits, fault: Fault) -> None:
    service.faults = [None, fault, fault, None, fault]
    assert heads(service, limits) == EVERYBODY
    assert len(service.queries) == PAGES + 3


def test_pauses_double_unless_the_server_asks_for_another(
    service: Service, limits: FetchLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("lighttea.io.sparql.client.time.sleep", pauses.append)
    later = Fault(429, headers={"Retry-After": "7"})
    service.faults = [Fault(500), Fault(500), later, Fault(500)]
    assert heads(service, replace(limits, pause_s=1.5, attempts=9)) == EVERYBODY
    assert pauses == [1.5, 3, 7, 12]


def test_a_date_to_wait_for_is_understood(
    service: Service, limits: FetchLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("lighttea.io.sparql.client.time.sleep", pauses.append)
    moment = (datetime.now(UTC) + timedelta(seconds=60)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    service.faults = [Fault(503, headers={"Retry-After": moment})]
    assert heads(service, limits) == EVERYBODY
    assert 50 < pauses[0] <= 60


def test_a_pause_that_is_too_long_is_said(service: Service, limits: FetchLimits) -> None:
    service.faults = [Fault(429, headers={"Retry-After": "4000"})]
    said = failure(service, limits)
    assert said.startswith(f"{service.url}: the server answers 429 Too Many Requests")
    assert "asks to wait 4,000 s" in said


def test_attempts_come_to_an_end_and_the_reason_is_said(
    service: Service, limits: FetchLimits
) -> None:
    error = Fault(500, body=b"\nout of memory\nat line 7\n", media_type="text/plain")
    service.faults = [error] * 3
    said = failure(service, limits)
    assert said.startswith(
        f"{service.url}: the query failed (attempts: 3): the server answers 500 Internal Server "
        "Error (out of memory); try again later"
    )
    assert "line 7" not in said


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(404, body=b"no such dataset"), "the server answers 404 Not Found (no such dataset)"),
        (Fault(403, body=b""), "the server answers 403 Forbidden"),
        (
            Fault(body=b"<!DOCTYPE html><html><title>Query\x1b[31m me</title>"),
            "found HTML (Query[31m me); is this the address of the endpoint",
        ),
        (Fault(body=b"\n <HTML><body>\n<p>Sorry</p>"), "found HTML (Sorry)"),
        (
            Fault(headers={"X-SQL-State": "S1TAT", "X-SQL-Message": "RC: incomplete results"}),
            "the answer is incomplete: RC: incomplete results; ask for less",
        ),
        (Fault(body=b'{"head":{"vars":["x"]},"results":{"bindings":[]}}'), "got x"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(
    service: Service, limits: FetchLimits, fault: Fault, said: str
) -> None:
    service.faults = [fault]
    assert said in failure(service, limits)
    assert len(service.queries) == 1


def test_a_refused_query_is_wrong_input(service: Service, limits: FetchLimits) -> None:
    service.faults = [Fault(400, body=b"Lexical error\nstack")]
    with pytest.raises(InputError, match=r"the query is refused: .* \(Lexical error\)$"):
        read_answers(service.url, QUERY, limits)


def test_an_answer_of_yes_or_no_is_wrong_input(service: Service, limits: FetchLimits) -> None:
    service.faults = [Fault(body=b'{"head":{},"boolean":true}')]
    with pytest.raises(InputError, match="found ASK"):
        read_answers(service.url, QUERY, limits)


def test_a_server_that_says_nothing_is_given_up(service: Service, limits: FetchLimits) -> None:
    service.faults = [Fault(delay_s=0.5)] * 2
    said = failure(service, replace(limits, timeout_s=0.1, attempts=2))
    assert "(attempts: 2): the server does not answer" in said


def test_a_server_that_is_not_there_is_not_asked_twice(
    service: Service, limits: FetchLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("lighttea.io.sparql.client.time.sleep", pauses.append)
    with pytest.raises(
        FetchError, match=r"127.0.0.1:9/sparql: the query failed: Connection refused"
    ):
        read_answers("http://127.0.0.1:9/sparql", QUERY, limits)
    assert pauses == []


def answer_of(*rows: dict[str, dict[str, str]]) -> Fault:
    content = {"head": {"vars": ["head", "relation", "tail"]}, "results": {"bindings": rows}}
    return Fault(body=json.dumps(content).encode())


def uri(text: str) -> dict[str, str]:
    return {"type": "uri", "value": text}


def test_what_real_servers_send_is_taken_as_it_is(service: Service, limits: FetchLimits) -> None:
    blank = {"type": "bnode", "value": "nodeID://b10"}
    tagged = {"type": "literal", "value": "x \ud800", "xml:lang": "en_US"}
    typed = {"type": "typed-literal", "value": "1", "datatype": "http://x/ y"}
    bare = {"type": "literal", "value": "2", "datatype": ""}
    know = uri("http://x/knows")
    rows = [
        {"head": uri("http://x/a b"), "relation": know, "tail": uri("http://x/c")},
        {"head": blank, "relation": know, "tail": uri("http://x/c")},
        *(
            {"head": uri("http://x/a"), "relation": know, "tail": tail}
            for tail in (tagged, typed, bare)
        ),
        {"head": uri("http://x/a")},
    ]
    service.faults = [answer_of(*rows), answer_of()]
    graph = read_query(service.url, QUERY, {}, limits)
    assert len(graph.facts) == 1
    assert sorted(zip(graph.attributes.texts, graph.attributes.languages, strict=True)) == [
        ("1", ""),
        ("2", ""),
        ("x ?", "en-us"),
    ]
    assert "1 rows with invalid IRIs left out: http://x/a b http://x/knows" in graph.notes[-1]
    frame = read_answers(service.url, QUERY, limits).frame
    assert frame["head"].to_list()[:2] == ["http://x/a b", "_:nodeID://b10"]


def test_answers_in_another_format_are_said(service: Service, limits: FetchLimits) -> None:
    xml = Fault(body=b"<?xml version='1.0'?>\n<sparql>", media_type="application/xml; charset=x")
    service.faults = [xml] * 3
    said = failure(service, limits)
    assert "expected SPARQL results in JSON, found application/xml that is cut short or" in said
    assert "(<?xml version='1.0'?>)" in said


def test_quoted_triples_are_refused(service: Service, limits: FetchLimits) -> None:
    service.faults = [answer_of({"head": {"type": "triple", "value": "t"}})]
    with pytest.raises(InputError, match="ask for its parts"):
        read_answers(service.url, QUERY, limits)


def test_answers_that_are_too_large_are_refused(service: Service, limits: FetchLimits) -> None:
    said = failure(service, replace(limits, page_bytes=100))
    assert "an answer exceeds 0 MiB; ask for smaller pages with page_size" in said
    said = failure(service, replace(limits, max_rows=5))
    assert "the query has more than 5 rows; ask for less, or raise max_rows" in said


def test_a_limit_of_the_server_does_not_lose_rows(service: Service, limits: FetchLimits) -> None:
    service.most_rows = 3
    assert heads(service, replace(limits, page_size=100)) == EVERYBODY
    assert [query.rpartition("OFFSET ")[2] for query in service.queries] == ["0", "3", "6", "7"]


def test_a_server_that_ignores_offset_is_noticed(service: Service, limits: FetchLimits) -> None:
    service.ignores_offset = True
    assert "two pages are the same: the endpoint ignores OFFSET" in failure(service, limits)


def test_rows_that_come_twice_are_counted_once_and_said(
    service: Service, limits: FetchLimits
) -> None:
    rows = [{v: uri(f"http://x/{n}") for v in ("head", "relation", "tail")} for n in range(3)]
    service.faults = [answer_of(*page) for page in (rows[:2], rows[1:], [])]
    table = read_answers(service.url, QUERY, limits)
    assert len(table.frame) == 3
    assert table.notes[1].startswith("1 rows came on two pages and count once")


# a fetch that broke off


def test_a_broken_fetch_goes_on_where_it_stopped(service: Service, limits: FetchLimits) -> None:
    service.faults = [None, None, *[Fault(500)] * 3]
    failure(service, limits)
    service.queries.clear()
    assert heads(service, limits) == EVERYBODY
    assert [query.rpartition("OFFSET ")[2] for query in service.queries] == ["4", "6", "7"]


def test_only_whole_pages_are_kept(service: Service, limits: FetchLimits) -> None:
    service.faults = [None, *[Fault(cut_at=60)] * 3]
    failure(service, limits)
    assert limits.cache is not None
    (folder,) = limits.cache.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        "page-000000000000.parquet",
        "query.json",
    ]


@pytest.mark.parametrize("name", ["page-000000000002.parquet", "complete.json", "query.json"])
def test_damaged_or_missing_pages_are_asked_for_again(
    service: Service, limits: FetchLimits, name: str
) -> None:
    heads(service, limits)
    assert limits.cache is not None
    (path,) = limits.cache.glob(f"*/{name}")
    path.write_bytes(b"PAR1 and nothing else")
    if name == "complete.json":
        path.unlink()
    service.queries.clear()
    assert heads(service, limits) == EVERYBODY
    assert service.queries
    service.queries.clear()
    assert heads(service, limits) == EVERYBODY
    assert not service.queries


def test_pages_of_yesterday_are_fetched_anew(service: Service, limits: FetchLimits) -> None:
    heads(service, limits)
    assert limits.cache is not None
    (path,) = limits.cache.glob("*/query.json")
    about = json.loads(path.read_text())
    about["begun"] = (datetime.now(UTC) - timedelta(hours=25)).isoformat()
    path.write_text(json.dumps(about))
    service.store.clear()
    service.store.load(b"<x:a> <x:b> <x:c> .", format=RdfFormat.TURTLE)
    assert heads(service, limits) == ["x:a"]


def test_another_query_endpoint_or_page_size_has_pages_of_its_own(
    service: Service, limits: FetchLimits
) -> None:
    heads(service, limits)
    heads(service, replace(limits, page_size=3))
    read_answers(service.url, QUERY + " ", limits)
    with serving(service_of("<x:a> <x:b> <x:c> .")) as other:
        assert heads(other, limits) == ["x:a"]
    assert limits.cache is not None
    assert len(list(limits.cache.iterdir())) == 4


def test_a_folder_that_cannot_be_written_is_said(service: Service, limits: FetchLimits) -> None:
    assert limits.cache is not None
    limits.cache.write_text("a file in the way")
    with pytest.raises(OutputError, match=r"query\.json: cannot be written"):
        read_answers(service.url, QUERY, limits)


def test_progress_is_logged(
    service: Service, limits: FetchLimits, caplog: pytest.LogCaptureFixture
) -> None:
    service.faults = [Fault(503, body=b"")]
    with caplog.at_level("INFO", logger="lighttea.sparql"):
        heads(service, limits)
    lines = [record.getMessage().removeprefix(f"{service.url}: ") for record in caplog.records]
    assert lines[0] == "asking for answers"
    assert lines[1] == "the server answers 503 Service Unavailable; another attempt in 0 s"
    assert lines[2:] == ["2 rows", "4 rows", "6 rows", "7 rows"]
