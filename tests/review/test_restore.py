"""Decisions that are damaged, killed and restored: what was acknowledged is never lost."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.errors import InputError, LightteaError, LightteaWarning
from lighttea.review.decisions import Decisions
from lighttea.review.journal import read_content, read_log
from lighttea.review.standing import ACCEPT, REJECT, Conflict
from tests.fuzzing import examples

N_DECISIONS = 60
FILES = ("decisions.sqlite", "decisions.sqlite-wal", "decisions.jsonl", "decisions.backup.sqlite")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with decisions, their log and their backup."""
    folder = tmp_path_factory.mktemp("decided") / "run.review"
    decide_much(folder / "decisions.sqlite")
    return folder


@pytest.fixture
def path(decided: Path, tmp_path: Path) -> Path:
    """Decisions that a test may damage."""
    return Path(shutil.copytree(decided, tmp_path / "run.review")) / "decisions.sqlite"


def decide_much(path: Path) -> Decisions:
    """Write decisions, notes and undone decisions, with a backup in the middle."""
    log = Decisions(path)
    for number in range(N_DECISIONS):
        decision = log.decide(
            f"left {number}", f"right {number}", (ACCEPT, REJECT)[number % 2], seen=0
        )
        if number % 7 == 3:
            log.undo(decision.id)
        if number % 10 == 1:
            log.set_note(f"left {number}", f"note {number} – “é”")
        if number == N_DECISIONS // 2:
            log.back_up()
    log.set_note("left 1", "")
    return log


def content_of(path: Path) -> object:
    with sqlite3.connect(path) as file:
        content = read_content(file)
    file.close()
    return content


def restored(path: Path, *, match: str) -> Decisions:
    with pytest.warns(LightteaWarning, match=match):
        return Decisions(path)


def test_a_damaged_file_is_put_aside_and_made_anew_from_the_log(path: Path) -> None:
    before, damaged = content_of(path), b"not a database" + path.read_bytes()[14:]
    path.write_bytes(damaged)
    restored(path, match=r"restored 60 decisions from the log; .* in decisions.aside-1.sqlite$")
    assert content_of(path) == before
    assert path.with_name("decisions.aside-1.sqlite").read_bytes() == damaged  # never deleted
    Decisions(path)  # without another warning


def test_a_file_that_is_gone_is_made_anew(path: Path) -> None:
    before = content_of(path)
    path.unlink()
    restored(path, match="the file is missing")
    assert content_of(path) == before


def test_numbers_are_not_used_again_after_restoring(path: Path) -> None:
    log = Decisions(path)
    log.undo()
    path.unlink()
    again = restored(path, match="restored")
    assert again.decide("new", "newer", ACCEPT, seen=0).id == N_DECISIONS + 1


def test_a_text_that_changed_inside_the_file_is_noticed(path: Path) -> None:
    """SQLite itself has no check sums."""
    before = content_of(path)
    raw = path.read_bytes()
    assert b"right 12" in raw
    path.write_bytes(raw.replace(b"right 12", b"right 13"))
    restored(path, match="its rows are not those of the log")
    assert content_of(path) == before


def test_a_damaged_log_is_put_aside_and_written_anew(path: Path) -> None:
    before, log = content_of(path), path.with_suffix(".jsonl")
    log.write_bytes(log.read_bytes().replace(b"left 20", b"left 21", 1))
    assert read_log(log).n_damaged
    restored(path, match=r"decisions.jsonl: damaged or missing: written anew .*aside-1.jsonl")
    assert content_of(path) == before
    path.unlink()
    restored(path, match="restored 60 decisions from the log")
    assert content_of(path) == before


def test_decisions_of_an_earlier_version_get_a_log(path: Path) -> None:
    before = content_of(path)
    with sqlite3.connect(path) as file:
        file.execute("DROP TABLE journal")
    file.close()
    for name in ("decisions.jsonl", "decisions.backup.sqlite"):
        path.with_name(name).unlink()
    Decisions(path)
    path.unlink()
    restored(path, match="restored 60 decisions from the log")
    assert content_of(path) == before


def without_copies(path: Path) -> Path:
    """The file alone, without log and backup."""
    for name in ("decisions.jsonl", "decisions.backup.sqlite"):
        path.with_name(name).unlink()
    return path


def test_without_log_and_backup_what_can_be_read_is_kept(path: Path) -> None:
    raw = without_copies(path).read_bytes()
    path.write_bytes(raw.replace(b"right 12", b"right \xff2"))
    log = restored(path, match=r"restored 59 decisions from what could be read of it; .*aside-1")
    assert "left 12" not in log.standing()
    assert "left 14" in log.standing()


@pytest.mark.parametrize("damage", [b"CREATF", b"CREAT\xe4"])
def test_a_file_of_which_nothing_is_left_stays_where_it_is(path: Path, damage: bytes) -> None:
    raw = bytearray(without_copies(path).read_bytes())
    index = raw.find(b"CREATE INDEX decision_left")
    raw[index : index + 6] = damage
    path.write_bytes(bytes(raw))
    with pytest.raises(InputError, match="no log or backup to restore it from; move it away"):
        Decisions(path)


def test_a_line_half_written_was_not_acknowledged(path: Path) -> None:
    before, log = content_of(path), path.with_suffix(".jsonl")
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"n": 99, "chan')
    Decisions(path)  # without a warning
    assert log.read_bytes() == whole
    assert content_of(path) == before


def test_what_was_logged_and_not_committed_is_taken_over(path: Path) -> None:
    """Also by a process that had opened the decisions before."""
    witness = Decisions(path)
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "import lighttea.review.file as f\n"
        "from lighttea.review.decisions import Decisions\n"
        "write = f.log_changes\n"
        "def log_and_die(*given):\n"
        "    write(*given)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "log = Decisions(Path(sys.argv[1]))\n"
        "f.log_changes = log_and_die\n"
        "log.decide('killed', 'x', 'accept', seen=0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    witness.decide("after", "y", ACCEPT, seen=0)
    assert {"killed", "after"} <= set(witness.standing())
    assert {"killed", "after"} <= set(Decisions(path).standing())
    assert read_log(path.with_suffix(".jsonl")).is_whole


WRITER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from lighttea.review.decisions import Decisions\n"
    "log = Decisions(Path(sys.argv[1]))\n"
    "for i in range(100_000):\n"
    "    d = log.decide(f'{sys.argv[2]}-{i}', f'{sys.argv[2]}-x{i}', 'accept', seen=0)\n"
    "    sys.stdout.write(f'{d.id} {d.left}\\n')\n"
    "    sys.stdout.flush()\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("n_lines", [1, 7, 25])
def test_two_killed_processes_lose_nothing_that_was_acknowledged(
    tmp_path: Path, n_lines: int
) -> None:
    path = tmp_path / "run.review" / "decisions.sqlite"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name], stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    acknowledged = set()
    for writer in writers:
        assert writer.stdout is not None
        acknowledged |= {writer.stdout.readline().strip() for _ in range(n_lines)}
    for writer in writers:
        writer.kill()
        assert writer.stdout is not None
        whole = [
            line.strip()
            for line in writer.stdout.read().splitlines(keepends=True)
            if line[-1] == "\n"
        ]
        acknowledged |= set(whole)
        writer.wait()
        writer.stdout.close()
    assert len(acknowledged) >= 2 * n_lines
    log = Decisions(path)  # without a warning
    kept = {f"{s.last.id} {left}" for left, s in log.standing().items() if s.last}
    assert acknowledged <= kept
    for file in path.parent.glob("decisions.sqlite*"):
        file.unlink()
    again = restored(path, match="from the log")
    assert again.standing() == log.standing()


def test_of_two_processes_the_later_is_told(path: Path) -> None:
    one, other = Decisions(path), Decisions(path)
    one.decide("a", "x", ACCEPT, seen=0, reviewer="Ada")
    with pytest.raises(Conflict, match=r"decided meanwhile.*accepted: x by Ada"):
        other.decide("a", "y", ACCEPT, seen=0)
    assert one.standing() == other.standing()


def test_damage_while_the_app_is_open_is_a_sentence(path: Path) -> None:
    log = Decisions(path)
    path.write_bytes(b"not a database" + path.read_bytes()[14:])
    with pytest.raises(LightteaError, match="Start again: what is damaged is restored"):
        log.standing()
    again = restored(path, match="restored 60")
    assert log.standing() == again.standing()


def test_a_failed_write_leaves_no_line_in_the_log(path: Path) -> None:
    log = Decisions(path)
    size = path.with_suffix(".jsonl").stat().st_size

    def fail() -> None:
        with log._writing() as file:
            file.execute("INSERT INTO note VALUES ('x', 'y', 'z')")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    assert path.with_suffix(".jsonl").stat().st_size == size
    assert log.note("x") == ""


# damage of all kinds


@pytest.fixture(scope="module")
def whole(decided: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Decisions with a write-ahead log that is not yet in the file, as a killed app leaves them."""
    folder = Path(shutil.copytree(decided, tmp_path_factory.mktemp("whole") / "run.review"))
    path = folder / "decisions.sqlite"
    reader = sqlite3.connect(path)  # keeps the write-ahead log
    reader.execute("SELECT count(*) FROM decision").fetchone()
    log = Decisions(path)
    log.decide("last", "right last", ACCEPT, seen=0)
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    reader.close()
    return copy


def damage_file(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "flip", "cut", "zero", "random", "remove", "grow"))
    begin, length = rng.randrange(len(content) or 1), rng.choice((1, 16, 4096))
    if kind == "flip":
        for _ in range(rng.choice((1, 3, 30))):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del content[begin:]
    elif kind == "zero":
        content[begin : begin + length] = b"\0" * len(content[begin : begin + length])
    elif kind == "random":
        content[begin : begin + length] = rng.randbytes(length)
    elif kind == "grow":
        content += rng.randbytes(length)
    path.write_bytes(bytes(content))
    if kind == "remove":
        path.unlink()


def opened(path: Path) -> Decisions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LightteaWarning)
        return Decisions(path)


@examples(12)
@given(number=st.integers(0, 2**32))
def test_whichever_file_is_damaged_every_decision_survives(
    whole: Path, tmp_path: Path, number: int
) -> None:
    rng, path = random.Random(number), tmp_path / "review" / "decisions.sqlite"
    shutil.rmtree(path.parent, ignore_errors=True)
    shutil.copytree(whole, path.parent)
    parts = (FILES[:2], FILES[2:3], FILES[3:])  # the file and its write-ahead log are one
    for name in rng.choice(parts):
        damage_file(path.with_name(name), rng)
    log = opened(path)
    assert content_of(path) == content_of_whole(whole, tmp_path)
    log.decide("new", "newest", ACCEPT, seen=0)
    assert opened(path).standing() == log.standing()


def content_of_whole(whole: Path, tmp_path: Path) -> object:
    folder = tmp_path / "expected"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    Decisions(folder / "decisions.sqlite")
    return content_of(folder / "decisions.sqlite")


@examples(8)
@given(number=st.integers(0, 2**32))
def test_however_many_files_are_damaged_nothing_is_raw(
    whole: Path, tmp_path: Path, number: int
) -> None:
    rng, path = random.Random(number), tmp_path / "review" / "decisions.sqlite"
    shutil.rmtree(path.parent, ignore_errors=True)
    shutil.copytree(whole, path.parent)
    for name in rng.sample(FILES, rng.choice((2, 3, 4))):
        damage_file(path.with_name(name), rng)
    refusal = ""
    try:
        log = opened(path)
    except LightteaError as error:
        refusal = str(error)
    if refusal:
        assert "move it away" in refusal
        return
    log.decide("new", "newest", REJECT, seen=0)
    assert opened(path).standing() == log.standing()
