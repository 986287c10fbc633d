"""What fuzzing found once is read or refused ever after; and a few changed files of every kind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.__main__ import fuzz
from tests.fuzz.kinds import KINDS, File, Kind, tell, try_file
from tests.fuzz.mutator import CHANGES, mutate
from tests.fuzz.worker import Fuzzer

FINDS = sorted((Path(__file__).parent / "finds").iterdir())
FEW = 15


@pytest.mark.parametrize("place", FINDS, ids=lambda place: place.name)
def test_a_find_is_read_or_refused(tmp_path: Path, place: Path) -> None:
    kind = KINDS[place.name.rpartition("-")[0]]
    (path,) = place.iterdir()
    result = try_file(kind, tmp_path / "place", File(path.name, path.read_bytes()))
    assert result.startswith(("read", "refused: "))


@pytest.mark.parametrize("name", KINDS)
def test_good_files_of_a_kind_are_read(tmp_path: Path, name: str) -> None:
    for file in KINDS[name].make():
        assert try_file(KINDS[name], tmp_path / "place", file).startswith("read"), file.name


@pytest.mark.parametrize("name", KINDS)
def test_a_few_changed_files_are_read_or_refused(tmp_path: Path, name: str) -> None:
    fuzzer = Fuzzer(KINDS[name], tmp_path / "finds")
    for number in range(FEW):
        file = fuzzer.changed_file(random.Random(f"{name} {number}"))
        result = try_file(fuzzer.kind, tmp_path / "place", file)
        assert result.startswith(("read", "refused: "))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_changes_something(change: object) -> None:
    content = b"a\tr\tb\t1999\nc\tr\td\t2001\n"
    made = {mutate(content, random.Random(number), [content]) for number in range(50)}
    assert len(made) > 40
    assert callable(change)
    own = {change(content, random.Random(number), [b"other 7\n"]) for number in range(20)}
    assert own - {content}


def fail(place: Path, file: File) -> str:
    raise KeyError(file.name)


def test_what_is_raised_is_a_find_that_is_kept_once(tmp_path: Path) -> None:
    kind = Kind("made-up", lambda: [File("g.tsv", b"a\tr\tb\n")], fail)
    fuzzer = Fuzzer(kind, tmp_path / "finds")
    for content in (b"first", b"second"):
        assert fuzzer.try_one(tmp_path, File("g.tsv", content)) == "find"
    (kept,) = (tmp_path / "finds").iterdir()
    assert (kept / "g.tsv").read_bytes() == b"first"
    assert "KeyError" in (kept / "story.txt").read_text()


@pytest.mark.parametrize("message", ["", "a\x1b[31mred", "turned \u202e", "x" * 3000])
def test_a_refusal_that_no_terminal_can_show_is_a_find(message: str) -> None:
    with pytest.raises(AssertionError):
        tell(ValueError(message))


@pytest.mark.slow
def test_a_process_of_its_own_counts_what_became_of_files(tmp_path: Path) -> None:
    counts = fuzz("settings", "0", 20, tmp_path / "finds")
    assert counts.total() == 20
    assert set(counts) <= {"read", "refused"}
