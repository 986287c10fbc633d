"""Files whose heads bound too little are decoded in a process of their own first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lighttea import InputError, read_graph
from lighttea.io.parquet import read
from lighttea.io.parquet.look import look_at
from tests.fuzz.parquet_files import delta_content, parquet_contents

FINDS = Path(__file__).parents[2] / "fuzz" / "finds"
ENDS_PROCESS = sorted(FINDS.glob("parquet-*/g.parquet"))
DECODE = """
import polars, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))  # as a machine has its limits
polars.read_parquet(sys.argv[1])
"""


def written(place: Path, content: bytes) -> Path:
    path = place / "g.parquet"
    path.write_bytes(content)
    return path


def test_deltas_are_tried_elsewhere_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []
    monkeypatch.setattr(read, "_try_elsewhere", tried.append)
    for content in parquet_contents():
        read.decode_parquet(written(tmp_path, content))
        assert bool(tried) == (content == delta_content())
        tried.clear()


@pytest.mark.parametrize("code", [-6, 134, 137, -11])
def test_a_trial_that_ends_otherwise_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def end(words: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(words, code, b"", b"memory allocation failed")

    path = written(tmp_path, delta_content())
    monkeypatch.setattr(subprocess, "run", end)
    monkeypatch.setattr(pl, "read_parquet", None)
    with pytest.raises(InputError, match="decoding it ends the process that does it; the file is"):
        read_graph(path)


@pytest.mark.slow
def test_a_trial_runs_nothing_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "polars.py").write_text("open('ran', 'w').close()", encoding="utf-8")
    written(tmp_path, delta_content())
    monkeypatch.chdir(tmp_path)
    assert len(read.decode_parquet(Path("g.parquet"))) == 12
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_deltas_that_are_whole_are_read(tmp_path: Path) -> None:
    table = read.decode_parquet(written(tmp_path, delta_content()))
    assert table["head"].n_unique() == 7


@pytest.mark.slow
def test_a_file_that_a_trial_refuses_is_refused_in_words() -> None:
    path = FINDS / "parquet-9c7f431c" / "g.parquet"
    assert not look_at(path).is_bounded
    with pytest.raises(InputError, match=r"g\.parquet: cannot be read as Parquet: .*; the file is"):
        read_graph(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", ENDS_PROCESS, ids=lambda path: path.parent.name)
def test_what_ends_a_process_that_decodes_it_is_one_sentence(path: Path) -> None:
    """The command says it and ends with 2, where polars alone would end with a signal."""
    decode = [sys.executable, "-c", DECODE, str(path)]
    assert subprocess.run(decode, capture_output=True, check=False).returncode < 0
    command = [sys.executable, "-m", "lighttea", "inspect", str(path)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=120)
    assert done.returncode == 2
    assert "cannot be read as Parquet" in done.stderr
    assert "Traceback" not in done.stderr


def test_there_are_such_files() -> None:
    assert len(ENDS_PROCESS) >= 3
