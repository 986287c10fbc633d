"""The place of a run: one writer, kills at the worst moments, nothing of others removed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lighttea
from lighttea.cli import run_command
from lighttea.errors import InputError, LightteaWarning
from lighttea.io.files import write_whole
from lighttea.results.check import check_run
from lighttea.results.lock import Held, is_held, locked
from lighttea.results.place import lock_of, run_folder
from lighttea.results.run import Run
from lighttea.results.store import load_run
from tests.waiting import PATIENCE, wait_until
from tests.worlds import World


@pytest.fixture(scope="module")
def run(world: World) -> Run:
    """A small run."""
    return lighttea.align(world.left, world.right, seeds=world.seeds, dim=16, rounds=1, threads=1)


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    return run.save(tmp_path / "run")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run_code(code: str, *words: object) -> int:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], check=False, timeout=PATIENCE
    )
    return done.returncode


KILLED_WHILE_REPLACING = """
import os, signal, sys
from pathlib import Path
from lighttea.results import place
from lighttea.results.store import load_run

target, moment = Path(sys.argv[1]), sys.argv[2]
run = load_run(target)
rename, remove = Path.rename, place.shutil.rmtree

def die(*given, **options):
    os.kill(os.getpid(), signal.SIGKILL)

def rename_or_die(self, other):
    if self.name.endswith(".unfinished") and moment == "between":
        die()
    return rename(self, other)

if moment == "writing":
    place._give_name = die
if moment == "after":
    place.shutil.rmtree = die
Path.rename = rename_or_die
run.save(target, overwrite=True)
"""


def kill_while_replacing(target: Path, moment: str) -> None:
    assert run_code(KILLED_WHILE_REPLACING, target, moment) == -signal.SIGKILL


def test_a_run_that_was_put_aside_by_a_killed_process_comes_back(run: Run, saved: Path) -> None:
    kill_while_replacing(saved, "between")
    assert not saved.exists()
    with pytest.warns(LightteaWarning, match="was brought back"):
        loaded = load_run(saved)
    assert loaded.links.equals(run.links)
    assert check_run(saved).is_whole


def test_check_and_the_next_run_bring_it_back_too(run: Run, saved: Path) -> None:
    kill_while_replacing(saved, "between")
    with pytest.warns(LightteaWarning, match="was brought back"):
        assert check_run(saved).is_whole
    kill_while_replacing(saved, "between")
    with (
        pytest.warns(LightteaWarning, match="was brought back"),
        pytest.raises(InputError, match="use `overwrite=True` to replace it"),
    ):
        run.save(saved)
    run.save(saved, overwrite=True)
    assert names_in(saved.parent) == ["run"]


@pytest.mark.parametrize("moment", ["writing", "after"])
def test_what_killed_processes_left_is_cleared_by_the_next(
    run: Run, saved: Path, moment: str
) -> None:
    kill_while_replacing(saved, moment)
    assert len(names_in(saved.parent)) > 1
    assert load_run(saved).links.equals(run.links)
    run.save(saved, overwrite=True)
    assert names_in(saved.parent) == ["run"]


def test_what_others_have_beside_a_run_is_never_cleared(run: Run, saved: Path) -> None:
    for name in (
        ".run.notes",
        ".run.old",
        ".run.old.thesis",
        ".runner.123.x.unfinished",
        ".run.mine.unfinished",
    ):
        (saved.parent / name).mkdir()
        (saved.parent / name / "thesis.tex").write_text("years of work")
    before = names_in(saved.parent)
    run.save(saved, overwrite=True)
    assert names_in(saved.parent) == before


def test_an_old_run_is_kept_while_something_else_is_in_its_place(saved: Path) -> None:
    kill_while_replacing(saved, "between")
    saved.mkdir()
    (saved / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="not a run folder"):
        load_run(saved)
    assert [name for name in names_in(saved.parent) if ".old." in name]
    assert names_in(saved) == ["thesis.tex"]


HOLDER = """
import sys, time
from pathlib import Path
from lighttea.results.place import run_folder

with run_folder(sys.argv[1]):
    Path(sys.argv[2]).touch()
    time.sleep(600)
"""


def test_a_second_run_into_one_place_is_told_at_its_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target, ready = tmp_path / "runs" / "run", tmp_path / "ready"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(target), str(ready)]) as holder:
        try:
            wait_until(ready.exists, "the first run")
            words = ["align", "no.tsv", "none.tsv", "--out", str(target)]
            assert run_command(words) == 2
            told = capsys.readouterr().err
            assert f"a run is being written there by process {holder.pid} on " in told
            assert "no.tsv" not in told  # before any file is read
        finally:
            holder.kill()
    assert lock_of(target).exists()  # the killed process could not remove it
    with run_folder(target) as unfinished:
        (unfinished / "run.json").write_text("{}")
    assert names_in(target.parent) == ["run"]


def test_two_threads_exclude_each_other_too(tmp_path: Path) -> None:
    refusals: list[str] = []

    def write() -> None:
        try:
            with run_folder(tmp_path / "run"):
                pass
        except InputError as error:
            refusals.append(str(error))

    with run_folder(tmp_path / "run") as unfinished:
        (unfinished / "run.json").write_text("{}")
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert "is being written there by process" in refusals[0]
    assert names_in(tmp_path) == ["run"]


def test_a_lock_is_free_after_its_block_and_kept_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path):
        assert is_held(path)
        with pytest.raises(Held, match=f"process {os.getpid()}"), locked(path):
            pass
    assert not path.exists()
    with locked(path, keep=True):
        pass
    assert path.exists()
    assert not is_held(path)


def test_where_a_file_system_has_no_locks_the_process_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(number: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("lighttea.results.lock._lock", refuse)
    path = tmp_path / "lock"
    host = os.uname().nodename
    path.write_text(f'{{"pid": {os.getppid()}, "host": "{host}", "since": "today"}}')
    with pytest.raises(Held, match=f"process {os.getppid()} on"), locked(path):
        pass
    dead = run_code("raise SystemExit") or 2**22 + 1
    path.write_text(f'{{"pid": {dead}, "host": "{host}", "since": "today"}}')
    with locked(path):
        assert path.exists()


KILLED_WHILE_EXPORTING = """
import os, signal, sys
from pathlib import Path
from lighttea.io.files import whole_file

with whole_file(Path(sys.argv[1])) as unfinished:
    unfinished.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_export_keeps_the_file_and_is_cleared_by_the_next(tmp_path: Path) -> None:
    out = tmp_path / "links.tsv"
    out.write_text("mine")
    (tmp_path / ".links.tsv.host.abc.unfinished").write_text("of others")
    assert run_code(KILLED_WHILE_EXPORTING, out) == -signal.SIGKILL
    assert out.read_text() == "mine"
    assert len(names_in(tmp_path)) == 3
    write_whole(out, "new")
    assert names_in(tmp_path) == [".links.tsv.host.abc.unfinished", "links.tsv"]


KILLED_WHILE_ADDING = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from lighttea.results import store

folder, moment = Path(sys.argv[1]), sys.argv[2]
run = store.load_run(folder)
write, written = store.Manifest.write, []

def write_or_die(self, place):
    if moment == "after" and written:
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, place)
    written.append(place)
    if moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)

store.Manifest.write = write_or_die
store.write_table(replace(run, links_without_time=run.links), "links_without_time", folder)
"""


@pytest.mark.parametrize(("moment", "is_new"), [("before", False), ("after", True)])
def test_a_run_is_whole_whenever_a_table_is_added(
    run: Run, saved: Path, moment: str, is_new: bool
) -> None:
    assert run_code(KILLED_WHILE_ADDING, saved, moment) == -signal.SIGKILL
    assert check_run(saved).is_whole
    assert len(load_run(saved).links_without_time) == (len(run.links) if is_new else 0)
