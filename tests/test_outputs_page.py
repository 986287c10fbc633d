"""docs/outputs.md: its commands run, and what it shows stands in their files."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from lighttea.cli import run_command
from lighttea.config import LinkRules
from lighttea.export.options import FORMATS, ExportOptions
from lighttea.results.run import Run

PAGE = (Path(__file__).parent.parent / "docs" / "outputs.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.S | re.M)


def without_decimals(line: str) -> str:
    """Confidences differ in their last digits between machines."""
    return re.sub(r"0\.\d{3,}|1\.0\b", "#", line)


@pytest.mark.slow
def test_the_commands_run_and_the_extracts_are_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command(["demo"]) == 0
    for line in "".join(blocks("sh")).splitlines():
        words = shlex.split(line)
        assert words[0] == "lighttea"
        assert run_command(words[1:]) == 0, capsys.readouterr().err
    written = {
        without_decimals(line)
        for path in (tmp_path / "out").glob("*.*")
        if path.suffix not in (".parquet", "")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    extracts = [line for block in blocks("text") for line in block.splitlines()]
    assert len(extracts) > 12
    for line in extracts:
        assert without_decimals(line) in written, line


def test_every_file_format_and_option_is_named() -> None:
    for form in FORMATS:
        assert f"--format {form} " in PAGE
    for one in fields(LinkRules):
        assert f"--{one.name.replace('_', '-')}" in PAGE
    for one in fields(ExportOptions):
        assert f"--{one.name.replace('_', '-')}" in PAGE
    for name in Run.__dataclass_fields__:
        if name != "info":
            assert f"{name}.parquet" in PAGE, name
