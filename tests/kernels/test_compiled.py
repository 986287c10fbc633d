"""Compiled loops that several processes keep in one folder."""

from __future__ import annotations

import importlib.util
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from lighttea.kernels.announce import listening
from lighttea.kernels.threads import limited_threads

SOURCE = """
from lighttea.kernels.compiled import compiled

@compiled
def total(numbers):
    found = numbers[0] * 0
    for one in numbers:
        found += one
    return found{more}
"""
NUMBER = count()


def started(folder: Path, more: str = "") -> Any:
    """The function as another process would have it that starts now."""
    file = folder / "loop.py"
    source = SOURCE.format(more=more)
    if not file.exists() or file.read_text() != source:
        file.write_text(source)
    return loaded(file).total


def loaded(file: Path) -> Any:
    """Return a module of its own from a file."""
    spec = importlib.util.spec_from_file_location(f"loop_{next(NUMBER)}", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FLOATS, INTS = np.array([1.5, 2.0], np.float32), np.array([1, 2], np.int64)


@pytest.fixture(autouse=True)
def no_other_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "kept"))


def test_what_was_compiled_is_kept(tmp_path: Path) -> None:
    assert started(tmp_path)(FLOATS) == 3.5
    again = started(tmp_path)
    assert again(FLOATS) == 3.5
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_number_whose_file_is_still_that_of_an_older_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process begins between the writing of the numbers and that of the code."""
    assert started(tmp_path)(FLOATS) == 3.5
    save: Any = IndexDataCacheFile._save_data
    others: list[Any] = []

    def late(self: Any, name: str, data: Any) -> None:
        if not others:
            others.append(None)
            others.append(started(tmp_path, " + 1")(FLOATS))
        save(self, name, data)

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", late)
    assert started(tmp_path, " + 1")(FLOATS) == 4.5
    assert others == [None, 4.5]


def test_one_number_for_two_kinds_of_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes that compile for other types at once take the same number."""
    save: Any = IndexDataCacheFile._save_data
    others: list[Any] = []

    def late(self: Any, name: str, data: Any) -> None:
        if not others:
            Path(self._index_path).unlink()  # the other one has looked before it was there
            others.append(None)
            others.append(started(tmp_path)(INTS))
        save(self, name, data)

    monkeypatch.setattr(IndexDataCacheFile, "_save_data", late)
    assert started(tmp_path)(FLOATS) == 3.5
    assert others == [None, 3]
    monkeypatch.setattr(IndexDataCacheFile, "_save_data", save)
    for _ in range(2):
        third = started(tmp_path)
        assert third(INTS) == 3
        assert third(FLOATS) == 3.5


PARALLEL = """
import numba
from lighttea.kernels.compiled import parallel

@parallel
def halves(numbers):
    for place in numba.prange(len(numbers)):
        numbers[place] /= 2
"""


def parallel_loop(folder: Path) -> Any:
    file = folder / "loops.py"
    file.write_text(PARALLEL)
    return loaded(file).halves


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_one_thread_has_a_plain_loop_of_its_own(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Both are kept beside each other, and neither is taken for the other."""
    announced: list[str] = []
    for _ in range(2):  # the second time both are there already
        halves = parallel_loop(tmp_path)
        with listening(announced.append):
            for n_threads in order:
                numbers = np.array([4.0, 6.0])
                with limited_threads(n_threads):
                    halves(numbers)
                assert numbers.tolist() == [2.0, 3.0]
    assert announced == ["halves", "halves"]
    kept = {path.name.split(".py3")[1].split(".", 1)[1] for path in tmp_path.rglob("*.nbi")}
    assert kept == {"nbi", "alone.nbi"}
