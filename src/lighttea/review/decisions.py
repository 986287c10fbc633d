"""Decisions in SQLite, beside the run: written at once, safe with several tabs or processes.

Decisions are a log: undoing one marks it and keeps it. The standing of an entity follows from the
log in order. Decisions made at once are a batch, which goes by the number of its first decision and
is undone as a whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import polars as pl

from lighttea.errors import InputError
from lighttea.results.schema import PAIRS, RECORD
from lighttea.review.file import DecisionFile
from lighttea.review.restore import has_decisions
from lighttea.review.standing import (
    ACCEPT,
    PAST,
    VERDICTS,
    Batch,
    Conflict,
    Decision,
    Standing,
)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS decision (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    left TEXT NOT NULL,
    right TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accept', 'reject', 'skip')),
    at TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    reviewer TEXT NOT NULL DEFAULT '',
    batch INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS decision_left ON decision (left);
CREATE INDEX IF NOT EXISTS decision_right ON decision (right);
CREATE INDEX IF NOT EXISTS decision_undone ON decision (id) WHERE undone = 1;
CREATE TABLE IF NOT EXISTS note (left TEXT PRIMARY KEY, text TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS earlier (
    left TEXT NOT NULL,
    right TEXT NOT NULL,
    verdict TEXT NOT NULL,
    at TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    PRIMARY KEY (left, right)
);
"""
_BATCH_INDEX = (
    "CREATE INDEX IF NOT EXISTS decision_batch ON decision (batch, undone) WHERE batch > 0"
)
_ADDED = {"reviewer": "TEXT NOT NULL DEFAULT ''", "batch": "INTEGER NOT NULL DEFAULT 0"}
_COLUMNS = "id, left, right, verdict, at, reviewer, batch"
_REVIEWS = ("left", "right", "verdict", "at", "reviewer")


def decisions_file(run_folder: Path) -> Path:
    """Return the path of the decisions, beside the run: replacing the run keeps them.

    Those on two graphs of several lie beside the run of all.
    """
    run_folder = run_folder.resolve()
    whole = run_folder.parent.parent
    if run_folder.parent.name == PAIRS and (whole / RECORD).exists():
        return whole.with_name(f"{whole.name}.review") / run_folder.name / "decisions.sqlite"
    return run_folder.with_name(f"{run_folder.name}.review") / "decisions.sqlite"


_NO_DECISION = Standing()


def keep_reviews(run_folder: Path, reviews: pl.DataFrame) -> None:
    """Store who decided what on an earlier run beside the run that was aligned from it."""
    if len(reviews):
        Decisions(decisions_file(run_folder)).add_earlier(reviews)


def read_reviews(run_folder: Path) -> pl.DataFrame | None:
    """Return the reviews of a run's links; None where nobody reviewed it."""
    path = decisions_file(run_folder)
    return Decisions(path).reviews() if has_decisions(path) else None


Describe: TypeAlias = Callable[[str, str], tuple[str, str]]


def _by_id(left: str, right: str) -> tuple[str, str]:
    return left, right


class Decisions(DecisionFile):
    """The log of one run. Every call opens the file, so that any thread or process may call.

    `describe` returns what messages call a left and a right entity.
    """

    def __init__(
        self, path: Path, *, many_to_one: bool = False, describe: Describe = _by_id
    ) -> None:
        self.many_to_one, self._describe = many_to_one, describe
        self._snapshot = _Snapshot()
        super().__init__(path, _create_tables)

    def decide(
        self, left: str, right: str, verdict: str, *, seen: int, reviewer: str = ""
    ) -> Decision:
        """Write a decision. `seen` is the last one of this entity that the page showed."""
        _check_verdict(verdict)
        with self._writing() as file:
            last = _last(file, left)
            if (last.id if last else 0) != seen:
                raise Conflict(self._meanwhile(left, last))
            is_claim = verdict == ACCEPT and not self.many_to_one
            if is_claim and (other := _accepted_for(file, right, left)) is not None:
                holder, taken = self._describe(other, right)
                raise Conflict(f"{taken} is already accepted for {holder}; undo that first")
            decision = Decision(_next_number(file), left, right, verdict, _now(), reviewer)
            _insert(file, [decision])
            return decision

    def decide_many(
        self, pairs: Sequence[tuple[str, str]], verdict: str, *, reviewer: str = "", most: int
    ) -> Batch:
        """Write decisions on many pairs at once; entities that are decided already are left out.

        An entity that was skipped is undecided. Raise a Conflict where more than `most` would be
        decided: the page that asked for it showed no more.
        """
        _check_verdict(verdict)
        with self._writing() as file:
            standing = _replay(file, {}, "id > ?", 0)
            undecided = [pair for pair in pairs if standing.get(pair[0], _NO_DECISION).is_undecided]
            free = undecided
            if verdict == ACCEPT and not self.many_to_one:
                held = {state.must for state in standing.values() if state.must is not None}
                free = _first_claims(undecided, held)
            if len(free) > most:
                raise Conflict(
                    f"{len(free):,} pairs would be decided now, not {most:,}: look again"
                )
            number, at = _next_number(file), _now()
            decisions = [
                Decision(number + i, *pair, verdict, at, reviewer, number)
                for i, pair in enumerate(free)
            ]
            _insert(file, decisions)
        n_before, n_taken = len(pairs) - len(undecided), len(undecided) - len(free)
        return Batch(number if free else 0, len(free), n_before, n_taken)

    def _meanwhile(self, left: str, last: Decision | None) -> str:
        entity, other = self._describe(left, last.right if last else "")
        if last is None:
            return f"The decision on {entity} was undone meanwhile, in another tab perhaps"
        by = f" by {last.reviewer}" * bool(last.reviewer)
        previous = f"{PAST[last.verdict]}: {other}{by}, {last.at[:16].replace('T', ' ')} UTC"
        return f"{entity} was decided meanwhile, in another tab perhaps ({previous})"

    def last(self) -> tuple[Decision, int] | None:
        """Return the last decision that holds and the number of decisions in its batch."""
        with self._open() as file:
            row = file.execute(
                f"SELECT {_COLUMNS} FROM decision WHERE undone = 0 ORDER BY id DESC LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            decision = Decision(*row)
            return decision, _batch_size(file, decision)

    def undo(self, number: int | None = None) -> list[Decision]:
        """Undo a decision with its batch, by default the last one; return what was undone."""
        with self._writing() as file:
            where, values = ("AND id = ?", (number,)) if number is not None else ("", ())
            row = file.execute(
                f"SELECT {_COLUMNS} FROM decision "
                f"WHERE undone = 0 {where} ORDER BY id DESC LIMIT 1",
                values,
            ).fetchone()
            if row is None:
                return []
            undone = _with_batch(file, Decision(*row))
            ids = [(decision.id,) for decision in undone]
            file.executemany("UPDATE decision SET undone = 1 WHERE id = ?", ids)
            self._refuse_second_holder(file, {decision.left for decision in undone})
            return undone

    def _refuse_second_holder(self, file: sqlite3.Connection, lefts: set[str]) -> None:
        """Raise an error where a restored acceptance was given to another entity meanwhile."""
        if self.many_to_one:
            return
        holders: dict[str, str] = {}
        for left, state in _replay(file, {}, "id > ?", 0).items():
            if state.must is None:
                continue
            other = holders.setdefault(state.must, left)
            if other != left and lefts & {other, left}:
                holder, taken = self._describe(other if left in lefts else left, state.must)
                raise Conflict(f"{taken} is accepted for {holder} by now; undo that first")

    def set_note(self, left: str, text: str, *, seen: str | None = None) -> None:
        """Store a note on a left entity; an empty text removes it.

        `seen` is the note that the page showed; raise a Conflict where there is another by now.
        """
        with self._writing() as file:
            if seen is not None and (stored := _note(file, left)) != seen:
                raise Conflict(f'The note was changed meanwhile. It says by now: "{stored}"')
            if text.strip():
                file.execute(
                    "INSERT INTO note (left, text, at) VALUES (?, ?, ?) "
                    "ON CONFLICT (left) DO UPDATE SET text = excluded.text, at = excluded.at",
                    (left, text.strip(), _now()),
                )
            else:
                file.execute("DELETE FROM note WHERE left = ?", (left,))

    def note(self, left: str) -> str:
        """Return the note on a left entity, or an empty text."""
        with self._open() as file:
            return _note(file, left)

    def standing(self) -> Mapping[str, Standing]:
        """Return the state of each left entity; only new entries of the log are read."""
        snapshot = self._snapshot
        with self._open() as file:
            file.execute("BEGIN")  # a consistent view of the log
            n_undone = _query_number(file, "SELECT count(*) FROM decision WHERE undone = 1")
            last = _query_number(file, "SELECT coalesce(max(id), 0) FROM decision")
            if (last, n_undone) != (snapshot.last, snapshot.n_undone):
                if n_undone != snapshot.n_undone:  # the undone one may be anywhere in the log
                    snapshot = _Snapshot()
                standing = _replay(file, snapshot.standing, "id > ?", snapshot.last)
                snapshot = _Snapshot(last, n_undone, standing)
            file.execute("COMMIT")
        self._snapshot = snapshot
        return snapshot.standing

    def reviews(self) -> pl.DataFrame:
        """Return left, right, verdict, at and reviewer of each pair accepted or rejected.

        Decisions on the runs that this one was aligned from come first and hold until another one
        names the pair.
        """
        with self._open() as file:
            rows = file.execute(f"SELECT {', '.join(_REVIEWS)} FROM earlier").fetchall()
            latest = {row[:2]: row for row in rows}
            standing = _replay(file, {}, "id > ?", 0)
            for row in file.execute(
                f"SELECT {_COLUMNS} FROM decision WHERE undone = 0 ORDER BY id"
            ):
                decision = Decision(*row)
                if standing[decision.left].holds(decision):
                    pair = (decision.left, decision.right)
                    latest[pair] = tuple(getattr(decision, name) for name in _REVIEWS)
        schema = dict.fromkeys(_REVIEWS, pl.String)
        return pl.DataFrame(list(latest.values()), schema=schema, orient="row")

    def add_earlier(self, reviews: pl.DataFrame) -> None:
        """Store the reviews of an earlier run, from which this one was aligned."""
        with self._writing() as file:
            file.executemany(
                f"INSERT OR REPLACE INTO earlier ({', '.join(_REVIEWS)}) VALUES (?, ?, ?, ?, ?)",
                reviews.select(_REVIEWS).rows(),
            )

    def links(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the pairs that must be linked, and the pairs that must not."""
        standing = self.standing()
        must = [(left, state.must) for left, state in standing.items() if state.must is not None]
        cannot = [
            (left, right) for left, state in standing.items() for right in sorted(state.cannot)
        ]
        schema = {"left": pl.String, "right": pl.String}
        return (
            pl.DataFrame(must, schema=schema, orient="row"),
            pl.DataFrame(cannot, schema=schema, orient="row"),
        )


@dataclass(frozen=True)
class _Snapshot:
    """The states after a last decision, and the number of undone ones at that time."""

    last: int = 0
    n_undone: int = 0
    standing: Mapping[str, Standing] = field(default_factory=dict)


def _check_verdict(verdict: str) -> None:
    if verdict not in VERDICTS:
        raise InputError(f"a verdict is one of {', '.join(VERDICTS)}; got {verdict!r}")


def _create_tables(file: sqlite3.Connection) -> None:
    """Make the tables, or what files of earlier versions lack of them."""
    file.executescript(_SCHEMA)
    _add_missing_columns(file)


def _add_missing_columns(file: sqlite3.Connection) -> None:
    """Add what files of earlier versions lack: their decisions have no reviewer and no batch."""
    present = {row[1] for row in file.execute("PRAGMA table_info(decision)")}
    for name, declaration in _ADDED.items():
        if name not in present:
            file.execute(f"ALTER TABLE decision ADD COLUMN {name} {declaration}")
    file.execute(_BATCH_INDEX)


def _next_number(file: sqlite3.Connection) -> int:
    """Return the number of the next decision; that of an undone one is never used again."""
    last = file.execute("SELECT seq FROM sqlite_sequence WHERE name = 'decision'").fetchone()
    return int(last[0]) + 1 if last else 1


def _insert(file: sqlite3.Connection, decisions: Iterable[Decision]) -> None:
    file.executemany(
        f"INSERT INTO decision ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [tuple(vars(decision).values()) for decision in decisions],
    )


def _first_claims(pairs: Iterable[tuple[str, str]], held: set[str]) -> list[tuple[str, str]]:
    """Return the pairs whose right entity is not held, nor that of an earlier pair."""
    claimed, free = set(held), []
    for left, right in pairs:
        if right not in claimed:
            claimed.add(right)
            free.append((left, right))
    return free


def _with_batch(file: sqlite3.Connection, decision: Decision) -> list[Decision]:
    """Return a decision, or those of its batch that hold."""
    if not decision.batch:
        return [decision]
    rows = file.execute(
        f"SELECT {_COLUMNS} FROM decision WHERE undone = 0 AND batch = ? ORDER BY id",
        (decision.batch,),
    )
    return [Decision(*row) for row in rows]


def _batch_size(file: sqlite3.Connection, decision: Decision) -> int:
    """Return how many decisions of a batch hold; 1 for a decision made alone."""
    if not decision.batch:
        return 1
    question = "SELECT count(*) FROM decision WHERE batch > 0 AND batch = ? AND undone = 0"
    return int(file.execute(question, (decision.batch,)).fetchone()[0])


def _note(file: sqlite3.Connection, left: str) -> str:
    row = file.execute("SELECT text FROM note WHERE left = ?", (left,)).fetchone()
    return str(row[0]) if row else ""


def _query_number(file: sqlite3.Connection, question: str) -> int:
    return int(file.execute(question).fetchone()[0])


def _replay(
    file: sqlite3.Connection, before: Mapping[str, Standing], which: str, value: int | str
) -> dict[str, Standing]:
    """Return the states after the selected decisions, starting from `before`."""
    standing = dict(before)
    rows = file.execute(
        f"SELECT {_COLUMNS} FROM decision WHERE undone = 0 AND {which} ORDER BY id",
        (value,),
    )
    for row in rows:
        decision = Decision(*row)
        standing[decision.left] = standing.get(decision.left, _NO_DECISION).after(decision)
    return standing


def _last(file: sqlite3.Connection, left: str) -> Decision | None:
    row = file.execute(
        f"SELECT {_COLUMNS} FROM decision WHERE left = ? AND undone = 0 ORDER BY id DESC LIMIT 1",
        (left,),
    ).fetchone()
    return Decision(*row) if row else None


def _accepted_for(file: sqlite3.Connection, right: str, left: str) -> str | None:
    """Return another left entity that this right one is accepted for; None where there is none."""
    standing = _replay(file, {}, "left IN (SELECT left FROM decision WHERE right = ?)", right)
    return next(
        (other for other, state in standing.items() if state.must == right and other != left), None
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
