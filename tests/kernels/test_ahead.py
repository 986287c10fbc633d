"""Loops compiled ahead: the list is the one of the default settings, and two processes share it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numba as nb
import pytest

from lighttea.kernels import ahead
from lighttea.kernels.ahead import listed_loops, type_of, word_of

ROOT = Path(__file__).parent.parent.parent
SHORT = (  # quick to compile
    "assignment.best_of_columns f4/2C i4/2C f4/2C",
    "sets.number_keys i8/1C i4/1C i8/1C i8/1C",
    "products.normalise_rows f4/2C",
    "products.stretch_parts f4/2C f4/2C",
)


def python(*arguments: str, cache: Path | None = None) -> str:
    """What a process of its own prints; with a cache of compiled loops of its own if given."""
    more = {"NUMBA_CACHE_DIR": str(cache)} if cache else {}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **more}
    ).stdout


def of_short_list(code: str, folder: Path, lines: Sequence[str] = SHORT) -> str:
    """What code prints that runs with a list of its own, and a cache beside it."""
    written = folder / "ahead.txt"
    written.write_text("\n".join(lines), encoding="ascii")
    before = (
        f"from lighttea.kernels import ahead, compiled; ahead.LIST = ahead.Path({str(written)!r})\n"
    )
    return python("-c", before + code, cache=folder / "cache")


def kept(folder: Path) -> set[str]:
    """The names of the functions whose code was kept."""
    names = {path.name.split("-")[0].split(".")[1] for path in folder.rglob("*.nbc")}
    return {name for name in names if name[0] != "_"}  # without what these call


@pytest.mark.parametrize("word", ["i8", "f4", "u1", "f4/2C", "i4/1C", "f8/2A"])
def test_words_stand_for_types(word: str) -> None:
    assert word_of(type_of(word)) == word


def test_types_are_those_of_arguments() -> None:
    assert type_of("f4/2C") == nb.types.Array(nb.float32, 2, "C")
    assert type_of("i8") == nb.int64


@pytest.mark.slow
def test_the_list_is_what_the_default_settings_call() -> None:
    """A loop that is missing here is compiled late, by one process: `make loops` lists it."""
    listed = set(ahead.LIST.read_text(encoding="ascii").splitlines())
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\nimport list_loops\n"
    found = python("-c", code + "print(*list_loops.loops_of_example(), sep='\\n')").splitlines()
    assert listed == set(found)


def test_every_listed_loop_can_be_had() -> None:
    assert len(list(listed_loops())) > 30


def test_what_is_listed_is_compiled_and_kept(tmp_path: Path) -> None:
    of_short_list("ahead.compile_ahead()", tmp_path)
    assert kept(tmp_path) >= {"best_of_columns", "number_keys", "normalise_rows", "stretch_parts"}


def test_the_second_process_begins_at_the_end_and_stops_where_it_meets_the_first(
    tmp_path: Path,
) -> None:
    of_short_list("ahead.compile_from_the_end(1)", tmp_path, SHORT[:2])
    assert kept(tmp_path) == {"best_of_columns", "number_keys"}
    lines = [SHORT[2], SHORT[1], SHORT[3]]
    of_short_list("ahead.compile_from_the_end(1)", tmp_path, lines)
    assert kept(tmp_path) == {"best_of_columns", "number_keys", "stretch_parts"}


@pytest.mark.parametrize(("cores", "begun"), [(1, 0), (2, 1)])
def test_a_second_process_is_begun_once_and_where_there_is_a_core_for_it(
    cores: int, begun: int, tmp_path: Path
) -> None:
    code = (
        f"count = []; ahead.available_threads = lambda: {cores}\n"
        "real = ahead.subprocess.Popen\n"
        "ahead.subprocess.Popen = lambda *a, **k: count.append(a) or real(*a, **k)\n"
        "ahead.compile_ahead(); print(len(count))\n"
    )
    assert int(of_short_list(code, tmp_path)) == begun
    assert int(of_short_list(code, tmp_path)) == 0  # all is kept by now


def test_nothing_is_begun_where_nothing_can_be_kept(tmp_path: Path) -> None:
    code = (
        "ahead.can_keep = lambda: False\n"
        "ahead.subprocess.Popen = None\n"  # calling it would fail
        "ahead.compile_ahead(); print('ready')\n"
    )
    assert of_short_list(code, tmp_path).strip() == "ready"


def test_a_failure_ends_the_second_process(tmp_path: Path) -> None:
    code = (
        "count = []; real = ahead.subprocess.Popen\n"
        "ahead.available_threads = lambda: 2\n"
        "def begin(*a, **k):\n"
        "    count.append(real([ahead.sys.executable, '-c', 'import time; time.sleep(60)']))\n"
        "    return count[0]\n"
        "ahead.subprocess.Popen = begin\n"
        "from lighttea.kernels import sets\n"
        "def fail(types): raise KeyboardInterrupt\n"
        "sets.number_keys.compile = fail\n"
        "try: ahead.compile_ahead()\n"
        "except KeyboardInterrupt: print(count[0].returncode)\n"
    )
    assert int(of_short_list(code, tmp_path)) < 0


def test_a_machine_without_room_for_a_second_process_compiles_alone(tmp_path: Path) -> None:
    code = (
        "ahead.available_threads = lambda: 2\n"
        "def fail(*a, **k): raise OSError('no more processes')\n"
        "ahead.subprocess.Popen = fail\n"
        "ahead.compile_ahead(); print('ready')\n"
    )
    assert of_short_list(code, tmp_path).strip() == "ready"
    assert len(kept(tmp_path)) == len(SHORT)


def test_the_second_process_runs_nothing_that_lies_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "numba.py").write_text("open('was_run', 'w').close()")
    monkeypatch.chdir(here)
    listed = tmp_path / "ahead.txt"
    listed.write_text("\n".join(SHORT), encoding="ascii")
    code = (
        f"from lighttea.kernels import ahead; ahead.LIST = ahead.Path({str(listed)!r})\n"
        "count = []; real = ahead.subprocess.Popen\n"
        "ahead.available_threads = lambda: 2\n"
        "ahead.subprocess.Popen = lambda *a, **k: count.append(a) or real(*a, **k)\n"
        "ahead.compile_ahead(); print(len(count))\n"
    )
    assert int(python("-P", "-c", code, cache=tmp_path / "cache")) == 1
    assert not (here / "was_run").exists()
