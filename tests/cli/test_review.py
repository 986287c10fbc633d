"""`lighttea review` as a process: the address it prints, who it answers, how it ends."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import LIGHT, Command, Files
from tests.conftest import CANNOT
from tests.waiting import PATIENCE, wait_until


@pytest.fixture
def run(command: Command, files: Files, tmp_path: Path) -> Path:
    base = ("align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "run")
    assert command(*base, *LIGHT).code == 0
    return tmp_path / "run"


@pytest.fixture
def process(run: Path) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "lighttea", "review", str(run), "--no-browser"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        yield started
        started.kill()


def test_it_serves_who_has_the_key_until_interrupted(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    address = process.stdout.readline().removeprefix("review: ").strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
    assert "Ctrl-C" in process.stdout.readline()
    handlers = urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({})
    with urllib.request.build_opener(*handlers).open(address, timeout=PATIENCE) as answer:
        page = answer.read().decode()
    assert "Links to review" in page
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.build_opener(handlers[1]).open(address.split("?")[0], timeout=PATIENCE)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Traceback" not in out + err


def test_an_alignment_at_work_ends_with_it(process: subprocess.Popen[str], run: Path) -> None:
    """Interrupted from a terminal or by one signal to the app alone: nobody works on unseen."""
    assert process.stdout is not None
    address = process.stdout.readline().removeprefix("review: ").strip()
    handlers = urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({})
    opener = urllib.request.build_opener(*handlers)
    with opener.open(address, timeout=PATIENCE) as answer:
        token = re.findall(r'name="form_token" value="([^"]+)"', answer.read().decode())[0]
    form = urllib.parse.urlencode({"form_token": token}).encode()
    base = address.split("?")[0]
    with opener.open(f"{base}realign", data=form, timeout=PATIENCE) as answer:
        assert answer.status == 200
    workers = children_of(process.pid)
    assert workers
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    folder = run.with_name("run.review")
    assert not list(folder.glob("run-*"))  # it was not done
    assert (folder / "decisions.sqlite").exists()


def children_of(parent: int) -> list[int]:
    """Processes that this one started, as soon as there are some."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip(f"{CANNOT}this system does not tell who started whom")

    def children() -> list[int]:
        tasks = Path(f"/proc/{parent}/task").iterdir()
        texts = [(task / "children").read_text(encoding="ascii") for task in tasks]
        return [int(child) for text in texts for child in text.split()]

    return wait_until(children, "a process of the app's own")


def test_what_cannot_be_served_is_said(command: Command, run: Path, tmp_path: Path) -> None:
    missing = command("review", tmp_path / "missing")
    assert missing.code == 2
    assert "not a run folder" in missing.err
    elsewhere = command("review", run, "--host", "192.0.2.1", "--no-browser")
    assert elsewhere.code == 2
    assert "cannot listen on 192.0.2.1:0" in elsewhere.err


def test_without_the_extra_it_says_what_to_install(
    command: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lighttea.cli.review.find_spec", lambda name: None)
    outcome = command("review", run)
    assert outcome.code == 1
    assert 'pip install "lighttea[review]"' in outcome.err


def test_progress_can_be_read_along_line_by_line(
    command: Command, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIGHTTEA_PROGRESS", "lines")
    base = ("align", files.left, files.right, "--seeds", files.seeds, "--out", tmp_path / "new")
    lines = command(*base, *LIGHT).err.splitlines()
    assert lines[0] == "reading"
    assert "round 1 of 1: searching candidates" in lines
    assert lines[-1].endswith("writing the run folder")
