"""`lighttea report`, and the reports of `align` and `demo`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lighttea.cli import report as report_command
from lighttea.example import example_file
from lighttea.report import page
from lighttea.results.run import Run
from tests.cli.conftest import LIGHT, Command, Files


@pytest.fixture(autouse=True)
def no_report() -> None:
    """Here reports are written."""


@pytest.mark.slow
def test_the_command_writes_it_and_align_too(command: Command, tmp_path: Path) -> None:
    files = [example_file(name) for name in ("left.tsv", "right.csv", "seeds.tsv", "truth.tsv")]
    base = ("align", files[0], files[1], "--seeds", files[2], "--dim", "16", "--rounds", "1")
    done = command(*base, "--out", tmp_path / "run", "--truth", files[3])
    assert done.code == 0
    assert "report.html" in done.out
    path = tmp_path / "run" / "report.html"
    assert "Against the truth" in path.read_text(encoding="utf-8")
    again = command("report", tmp_path / "run")
    assert again.code == 0
    assert "Against the truth" not in path.read_text(encoding="utf-8")
    command(*base, "--out", tmp_path / "other", "--no-report")
    assert not (tmp_path / "other" / "report.html").exists()


def test_without_the_extra_align_works_and_the_command_says_what_to_install(
    command: Command, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    base = ("align", files.left, files.right, "--seeds", files.seeds, *LIGHT)
    assert command(*base, "--out", tmp_path / "run").code == 0
    assert not (tmp_path / "run" / "report.html").exists()
    done = command("report", tmp_path / "run")
    assert done.code == 1
    assert 'pip install "lighttea[report]"' in done.err


def test_a_report_keeps_to_the_memory_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_command, "peak_rss_mb", lambda: 250.0)
    for limit, has_room in ((0.4, False), (0.6, True), (0, True)):
        info = {"config": {"max_memory": limit}}
        run = cast(Run, SimpleNamespace(info=info))
        assert report_command._has_room(run) == has_room
