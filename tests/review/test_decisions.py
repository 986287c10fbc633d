"""Decisions: written at once, undone without loss, safe with several writers and a crash."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from lighttea.errors import InputError
from lighttea.review.decisions import Decisions, decisions_file
from lighttea.review.standing import ACCEPT, REJECT, SKIP, VERDICTS, Conflict, Locked


@pytest.fixture
def log(tmp_path: Path) -> Decisions:
    return Decisions(tmp_path / "run.review" / "decisions.sqlite")


def pairs(log: Decisions) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    must, cannot = log.links()
    return must.rows(), cannot.rows()


def test_what_was_decided_holds(log: Decisions) -> None:
    first = log.decide("a", "x", ACCEPT, seen=0)
    log.decide("b", "y", REJECT, seen=0)
    log.decide("c", "z", SKIP, seen=0)
    assert pairs(log) == ([("a", "x")], [("b", "y")])
    assert log.standing()["a"].last == first
    again = Decisions(log.path)  # another process, or the next day
    assert pairs(again) == pairs(log)


def test_a_later_decision_stands_over_an_earlier_one(log: Decisions) -> None:
    one = log.decide("a", "x", REJECT, seen=0)
    two = log.decide("a", "y", ACCEPT, seen=one.id)
    assert pairs(log) == ([("a", "y")], [("a", "x")])
    three = log.decide("a", "x", ACCEPT, seen=two.id)
    assert pairs(log) == ([("a", "x")], [])
    log.decide("a", "x", REJECT, seen=three.id)
    assert pairs(log) == ([], [("a", "x")])


def test_undo_takes_back_one_and_keeps_the_log(log: Decisions) -> None:
    one = log.decide("a", "x", ACCEPT, seen=0)
    log.decide("b", "y", REJECT, seen=0)
    assert log.undo(one.id) == [one]
    assert pairs(log) == ([], [("b", "y")])
    assert [decision.left for decision in log.undo()] == ["b"]
    assert log.undo() == []
    assert log.undo(one.id) == []
    with sqlite3.connect(log.path) as file:
        assert file.execute("SELECT count(*), sum(undone) FROM decision").fetchone() == (2, 2)
    file.close()


def test_two_tabs_cannot_overrule_each_other_unseen(log: Decisions) -> None:
    log.decide("a", "x", ACCEPT, seen=0)
    with pytest.raises(Conflict, match="decided meanwhile"):
        log.decide("a", "x", REJECT, seen=0)
    with pytest.raises(Conflict, match="already accepted for a"):
        log.decide("b", "x", ACCEPT, seen=0)
    assert pairs(log) == ([("a", "x")], [])


def test_a_wrong_verdict_is_refused(log: Decisions) -> None:
    with pytest.raises(InputError, match="accept, reject, skip"):
        log.decide("a", "x", "perhaps", seen=0)


def test_notes_come_and_go(log: Decisions) -> None:
    assert log.note("a") == ""
    log.set_note("a", "  look at <b>this</b> ")
    log.set_note("a", "look again")
    assert log.note("a") == "look again"
    log.set_note("a", " ")
    assert log.note("a") == ""


def test_many_writers_at_once_lose_nothing(log: Decisions) -> None:
    def work(number: int) -> None:
        for i in range(10):
            log.decide(f"{number}-{i}", f"x{number}-{i}", ACCEPT, seen=0)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pairs(log)[0]) == 60


def test_only_one_of_two_who_decide_at_once_gets_through(log: Decisions) -> None:
    outcomes: list[str] = []
    barrier = threading.Barrier(2)

    def work(right: str) -> None:
        barrier.wait()
        try:
            log.decide("a", right, ACCEPT, seen=0)
            outcomes.append("done")
        except Conflict:
            outcomes.append("refused")

    threads = [threading.Thread(target=work, args=(right,)) for right in ("x", "y")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["done", "refused"]


def test_a_killed_process_loses_nothing_that_was_said(log: Decisions) -> None:
    code = (
        "import os, sys, signal\n"
        "from pathlib import Path\n"
        "from lighttea.review.decisions import Decisions\n"
        "log = Decisions(Path(sys.argv[1]))\n"
        "for i in range(5):\n"
        "    log.decide(f'e{i}', f'x{i}', 'accept', seen=0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(log.path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(pairs(Decisions(log.path))[0]) == 5


def test_it_is_written_with_care(log: Decisions) -> None:
    with log._open() as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert file.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_decisions_lie_beside_the_run(tmp_path: Path) -> None:
    assert (
        decisions_file(tmp_path / "runs" / "a")
        == tmp_path / "runs" / "a.review" / "decisions.sqlite"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="cannot run here: root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot keep decisions there"):
        Decisions(tmp_path / "x.review" / "decisions.sqlite")


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    path.write_text("not a database at all, and long enough to be noticed" * 20)
    with pytest.raises(InputError, match="cannot keep decisions there"):
        Decisions(path)


def test_what_was_read_before_is_told_as_if_read_anew(tmp_path: Path) -> None:
    """Any mix of deciding and undoing, by two who do not know of each other."""
    path = tmp_path / "decisions.sqlite"
    one, other = Decisions(path), Decisions(path)
    rng = np.random.default_rng(4)
    for step in range(150):
        who, left = (one, other)[step % 2], f"l{rng.integers(6)}"
        standing = who.standing().get(left)
        seen = standing.last.id if standing and standing.last else 0
        verdict = VERDICTS[rng.integers(3)]
        if rng.random() < 0.25:
            who.undo()
        else:
            with suppress(Conflict):
                who.decide(left, f"r{rng.integers(4)}", verdict, seen=seen)
        anew = Decisions(path).standing()
        assert one.standing() == other.standing() == anew
        held = [told.must for told in anew.values() if told.must is not None]
        assert len(held) == len(set(held))  # nobody is accepted twice


def test_undoing_gives_nobody_what_another_has_by_now(log: Decisions) -> None:
    accepted = log.decide("a", "x", ACCEPT, seen=0)
    rejected = log.decide("a", "x", REJECT, seen=accepted.id)
    log.decide("b", "x", ACCEPT, seen=0)
    with pytest.raises(Conflict, match="x is accepted for b by now; undo that first"):
        log.undo(rejected.id)
    assert pairs(log) == ([("b", "x")], [("a", "x")])
    log.undo()
    assert log.undo(rejected.id) == [rejected]
    assert pairs(log) == ([("a", "x")], [])


# ----------------------------------------------------------------- who decided, and many at once


def test_the_reviewer_and_the_date_are_kept(log: Decisions) -> None:
    decision = log.decide("a", "x", ACCEPT, seen=0, reviewer="Anna Example")
    log.decide("b", "y", REJECT, seen=0)
    again = Decisions(log.path).standing()
    assert again["a"].last == decision
    assert again["b"].last is not None
    assert again["b"].last.reviewer == ""
    rows = log.reviews().rows(named=True)
    assert [(row["left"], row["verdict"], row["reviewer"]) for row in rows] == [
        ("a", "accept", "Anna Example"),
        ("b", "reject", ""),
    ]
    assert rows[0]["at"][:10] == decision.day


def test_reviews_hold_what_the_log_comes_to(log: Decisions) -> None:
    first = log.decide("a", "x", ACCEPT, seen=0, reviewer="one")
    second = log.decide("a", "x", REJECT, seen=first.id, reviewer="two")
    log.decide("a", "y", SKIP, seen=second.id)
    gone = log.decide("b", "z", ACCEPT, seen=0)
    log.undo(gone.id)
    assert log.reviews().select("left", "right", "verdict", "reviewer").rows() == [
        ("a", "x", "reject", "two")
    ]


def test_reviews_of_the_run_before_stay_until_another_decision(
    log: Decisions, tmp_path: Path
) -> None:
    log.decide("a", "x", ACCEPT, seen=0, reviewer="one")
    log.decide("b", "y", REJECT, seen=0, reviewer="one")
    later = Decisions(tmp_path / "later" / "decisions.sqlite")
    later.add_earlier(log.reviews())
    assert later.reviews().equals(log.reviews())
    assert later.standing() == {}  # the later run is reviewed anew
    later.decide("b", "y", ACCEPT, seen=0, reviewer="two")
    found = {row[:3]: row[4] for row in later.reviews().rows()}
    assert found == {("a", "x", "accept"): "one", ("b", "y", "accept"): "two"}


OLD_SCHEMA = """
CREATE TABLE decision (
    id INTEGER PRIMARY KEY AUTOINCREMENT, left TEXT NOT NULL, right TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accept', 'reject', 'skip')),
    at TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE note (left TEXT PRIMARY KEY, text TEXT NOT NULL, at TEXT NOT NULL);
INSERT INTO decision (left, right, verdict, at) VALUES
    ('a', 'x', 'accept', '2025-01-02T03:04:05+00:00'),
    ('b', 'y', 'reject', '2025-01-02T03:05:05+00:00');
"""


def test_a_file_of_an_earlier_version_is_opened_and_extended(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    with closing(sqlite3.connect(path)) as file:
        file.executescript(OLD_SCHEMA)
    for _ in range(2):  # the second time nothing is left to do
        log = Decisions(path)
        assert pairs(log) == ([("a", "x")], [("b", "y")])
    assert log.reviews()["reviewer"].to_list() == ["", ""]
    assert log.reviews()["at"][0] == "2025-01-02T03:04:05+00:00"
    assert log.decide("c", "z", ACCEPT, seen=0, reviewer="Anna").id == 3
    assert [decision.left for decision in log.undo(1)] == ["a"]


def test_a_batch_is_decided_and_undone_as_a_whole(log: Decisions) -> None:
    alone = log.decide("z", "w", REJECT, seen=0)
    batch = log.decide_many([("a", "x"), ("b", "y")], ACCEPT, reviewer="Anna", most=2)
    assert (batch.n_decided, batch.n_before, batch.n_taken) == (2, 0, 0)
    last = log.last()
    assert last is not None
    assert (last[0].left, last[0].reviewer, last[1]) == ("b", "Anna", 2)
    assert {decision.left for decision in log.undo(batch.number)} == {"a", "b"}
    assert pairs(log) == ([], [("z", "w")])
    assert log.last() == (alone, 1)
    log.decide_many([("a", "x"), ("b", "y")], REJECT, most=2)
    assert len(log.undo()) == 2  # also without its number


def test_a_batch_leaves_out_what_is_decided_or_taken(log: Decisions) -> None:
    log.decide("a", "x", REJECT, seen=0)
    log.decide("b", "y", ACCEPT, seen=0)
    log.decide("s", "q", SKIP, seen=0)
    asked = [("a", "x"), ("c", "y"), ("d", "w"), ("e", "w"), ("s", "q")]
    batch = log.decide_many(asked, ACCEPT, most=5)
    assert (batch.n_decided, batch.n_before, batch.n_taken) == (2, 1, 2)
    assert pairs(log) == ([("b", "y"), ("s", "q"), ("d", "w")], [("a", "x")])
    nothing = log.decide_many([("a", "x")], ACCEPT, most=1)
    assert (nothing.number, nothing.n_decided) == (0, 0)


def test_a_batch_larger_than_was_shown_is_refused(log: Decisions) -> None:
    with pytest.raises(Conflict, match="2 pairs would be decided now, not 1"):
        log.decide_many([("a", "x"), ("b", "y")], ACCEPT, most=1)
    assert log.standing() == {}


def test_undoing_a_batch_gives_nobody_what_another_has_by_now(log: Decisions) -> None:
    first = log.decide("a", "x", ACCEPT, seen=0)
    log.decide("a", "q", SKIP, seen=first.id)
    batch = log.decide_many([("a", "x"), ("b", "y")], REJECT, most=2)
    log.decide("c", "x", ACCEPT, seen=0)
    with pytest.raises(Conflict, match="x is accepted for c by now"):
        log.undo(batch.number)
    assert pairs(log) == ([("c", "x")], [("a", "x"), ("b", "y")])


def test_a_note_that_changed_meanwhile_is_not_lost(log: Decisions) -> None:
    log.set_note("a", "first", seen="")
    with pytest.raises(Conflict, match='says by now: "first"'):
        log.set_note("a", "second", seen="")
    assert log.note("a") == "first"
    log.set_note("a", "second", seen="first")
    assert log.note("a") == "second"


def test_a_locked_file_is_said(log: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lighttea.review.file.MOST_WAIT", 0.05)
    with closing(sqlite3.connect(log.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Locked, match="locked the decisions; nothing was changed"):
            log.decide("a", "x", ACCEPT, seen=0)
        other.execute("ROLLBACK")
    assert log.decide("a", "x", ACCEPT, seen=0).id == 1
