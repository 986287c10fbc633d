"""docs/confidence.md: its commands run, and every figure of a link is explained."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest

from lighttea.cli import run_command
from lighttea.example import example_file

PAGE = (Path(__file__).parent.parent / "docs" / "confidence.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_run_and_each_keeps_fewer_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("left.tsv", "right.csv", "seeds.tsv"):
        shutil.copy(example_file(name), tmp_path)
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.S | re.M)
    for line in block.splitlines():
        assert run_command(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    links = pl.read_parquet("runs/all/links.parquet")
    for column in links.columns[2:]:
        assert f"| `{column}` |" in PAGE
    numbers = [len(pl.read_csv(f"{name}.tsv", separator="\t")) for name in ("sure", "surest")]
    n_seeds = len(pl.read_parquet("runs/all/seeds.parquet"))
    assert n_seeds < numbers[1] <= numbers[0] <= len(links) + n_seeds
    sure = pl.read_csv("sure.tsv", separator="\t")
    assert sure["fdr"].cast(pl.Float64).max() <= 0.01  # type: ignore[operator]
