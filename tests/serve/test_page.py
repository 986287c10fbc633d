"""docs/howto/openrefine.md: its questions get its answers, and its numbers are the limits."""

from __future__ import annotations

import json
import re
from pathlib import Path

from fastapi.testclient import TestClient

from lighttea.serve.limits import Limits
from lighttea.serve.matching import AHEAD, SURE
from tests.serve.schemas import validate

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "openrefine.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_questions_get_these_answers(client: TestClient) -> None:
    blocks = re.findall(r"^```json\n(.*?)^```", TEXT, flags=re.S | re.M)
    assert len(blocks) == 6
    for question, answer in zip(blocks[::2], blocks[1::2], strict=True):
        kind = "extend" if '"ids"' in question else "queries"
        found = client.post("/", data={kind: question}).json()
        assert found == json.loads(answer)
        schema = "data-extension-response" if kind == "extend" else "reconciliation-result-batch"
        validate(found, "0.2", schema)


def test_its_numbers_are_the_limits() -> None:
    limits = Limits()
    assert f"A batch has {limits.queries} queries at most and a request 1 MiB" in TEXT
    assert limits.request_bytes == 1024 * 1024
    assert f"{limits.rate:g}\nrequests a second" in TEXT
    assert f"the score is {SURE:g} or more and {AHEAD:g} ahead" in TEXT


def test_its_ways_to_write_a_time_are_understood() -> None:
    from lighttea.serve.periods import parse_period

    (sentence,) = re.findall(r"^A time is (.*?)\. `1996-07`", TEXT, flags=re.M)
    written = re.findall("`(.*?)`", sentence)
    assert len(written) == 8
    assert all(map(parse_period, written))
