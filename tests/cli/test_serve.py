"""`lighttea serve` as a process: the address it prints, what it answers, how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from lighttea.example import example_file
from tests.cli.conftest import LIGHT, Command, Files
from tests.waiting import PATIENCE


def test_it_prints_its_address_and_answers_until_interrupted() -> None:
    words = [sys.executable, "-m", "lighttea", "serve", str(example_file("left.tsv"))]
    with subprocess.Popen(
        [*words, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("reconciliation service: ").strip()
        assert address.startswith("http://127.0.0.1:")
        assert process.stdout.readline() == f"version 1.0-draft: {address}draft\n"
        assert "Ctrl-C" in process.stdout.readline()
        open_url = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
        batch = json.dumps({"q": {"query": "einstien"}})
        body = urllib.parse.urlencode({"queries": batch}).encode()
        with open_url(address, body, timeout=PATIENCE) as answer:
            assert json.load(answer)["q"]["result"][0]["id"] == "Albert_Einstein"
        with open_url(f"{address}draft", timeout=PATIENCE) as answer:
            assert json.load(answer)["versions"] == ["1.0-draft"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "Traceback" not in out + err


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What would be served: no server starts."""
    calls: list[dict[str, object]] = []

    def remember(catalogue: object, **options: object) -> None:
        calls.append({"catalogue": catalogue, **options})

    monkeypatch.setattr("lighttea.serve.server.serve", remember)
    return calls


def test_a_run_is_served_by_its_side(
    command: Command, files: Files, tmp_path: Path, served: list[dict[str, object]]
) -> None:
    run = tmp_path / "run"
    assert command("align", files.left, files.right, "--out", run, *LIGHT).code == 0
    types = tmp_path / "types.tsv"
    types.write_text("entity\ttype\nnobody\tperson\n", encoding="utf-8")
    for words, side in (((), "right"), (("--side", "left", "--types", types), "left")):
        assert command("serve", run, *words).code == 0
        catalogue = served[-1]["catalogue"]
        assert catalogue.links  # type: ignore[attr-defined]
        facts = served[-1]["catalogue"].graph.entities  # type: ignore[attr-defined]
        text = (files.left if side == "left" else files.right).read_text(encoding="utf-8")
        assert facts[0] in text


def test_options_reach_the_service(command: Command, served: list[dict[str, object]]) -> None:
    words = ("--allow-origin", "https://a.example", "--allow-origin", "https://b.example")
    assert command("serve", example_file("left.tsv"), *words, "--rate", "7").code == 0
    assert served[0]["allowed_origins"] == ("https://a.example", "https://b.example")
    assert served[0]["limits"].rate == 7  # type: ignore[attr-defined]
    assert (served[0]["host"], served[0]["port"]) == ("127.0.0.1", 8000)


def test_wrong_input_is_a_sentence(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = command("serve", tmp_path / "missing.tsv")
    assert missing.code == 2
    assert "missing.tsv" in missing.err
    assert command("serve", example_file("left.tsv"), "--rate", "0").code == 2
    elsewhere = command("serve", example_file("left.tsv"), "--host", "192.0.2.1")
    assert elsewhere.code == 2
    assert "choose another --port" in elsewhere.err
    monkeypatch.setattr("lighttea.cli.serve.find_spec", lambda name: None)
    outcome = command("serve", example_file("left.tsv"))
    assert outcome.code == 1
    assert 'pip install "lighttea[serve]"' in outcome.err
