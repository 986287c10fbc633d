"""Decisions in SQLite, beside the run: written at once, safe with several tabs or processes.

Decisions are a log: undoing one marks it and keeps it. The standing of an entity follows from the
log in order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import polars as pl

from lighttea.errors import InputError, LightteaError

ACCEPT, REJECT, SKIP = "accept", "reject", "skip"
VERDICTS = (ACCEPT, REJECT, SKIP)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS decision (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    left TEXT NOT NULL,
    right TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accept', 'reject', 'skip')),
    at TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS decision_left ON decision (left);
CREATE INDEX IF NOT EXISTS decision_right ON decision (right);
CREATE INDEX IF NOT EXISTS decision_undone ON decision (id) WHERE undone = 1;
CREATE TABLE IF NOT EXISTS note (left TEXT PRIMARY KEY, text TEXT NOT NULL, at TEXT NOT NULL);
"""


def decisions_file(run_folder: Path) -> Path:
    """Return the path of the decisions, beside the run: replacing the run keeps them."""
    run_folder = run_folder.resolve()
    return run_folder.with_name(f"{run_folder.name}.review") / "decisions.sqlite"


class Conflict(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """A decision that contradicts another one made meanwhile."""


@dataclass(frozen=True)
class Decision:
    """One decision of the log."""

    id: int
    left: str
    right: str
    verdict: str
    at: str


@dataclass(frozen=True)
class Standing:
    """The state of a left entity after all decisions: accepted and rejected right entities."""

    last: Decision | None = None
    must: str | None = None
    cannot: frozenset[str] = frozenset()

    def after(self, decision: Decision) -> Standing:
        """Return the state after one more decision, which overrides earlier ones."""
        if decision.verdict == ACCEPT:
            return Standing(decision, decision.right, self.cannot - {decision.right})
        if decision.verdict == REJECT:
            must = None if self.must == decision.right else self.must
            return Standing(decision, must, self.cannot | {decision.right})
        return replace(self, last=decision)


_NO_DECISION = Standing()


Describe: TypeAlias = Callable[[str, str], tuple[str, str]]


def _by_id(left: str, right: str) -> tuple[str, str]:
    return left, right


class Decisions:
    """The log of one run. Every call opens the file, so that any thread or process may call.

    `describe` returns what messages call a left and a right entity.
    """

    def __init__(
        self, path: Path, *, many_to_one: bool = False, describe: Describe = _by_id
    ) -> None:
        self.path, self.many_to_one, self._describe = path, many_to_one, describe
        self._snapshot = _Snapshot()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as file:
                file.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise InputError(f"{path}: cannot keep decisions there: {error}") from None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=15)) as file:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = FULL")
            yield file

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one writer at a time; an error inside changes nothing."""
        with self._open() as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")

    def decide(self, left: str, right: str, verdict: str, *, seen: int) -> Decision:
        """Write a decision. `seen` is the last one of this entity that the page showed."""
        if verdict not in VERDICTS:
            raise InputError(f"a verdict is one of {', '.join(VERDICTS)}; got {verdict!r}")
        with self._writing() as file:
            last = _last(file, left)
            if (last.id if last else 0) != seen:
                raise Conflict(self._meanwhile(left, last))
            is_claim = verdict == ACCEPT and not self.many_to_one
            if is_claim and (other := _accepted_for(file, right, left)) is not None:
                holder, taken = self._describe(other, right)
                raise Conflict(f"{taken} is already accepted for {holder}; undo that first")
            at = _now()
            cursor = file.execute(
                "INSERT INTO decision (left, right, verdict, at) VALUES (?, ?, ?, ?)",
                (left, right, verdict, at),
            )
            return Decision(int(cursor.lastrowid or 0), left, right, verdict, at)

    def _meanwhile(self, left: str, last: Decision | None) -> str:
        entity, other = self._describe(left, last.right if last else "")
        previous = f"{last.verdict} {other}" if last else "undone"
        return f"{entity} was decided meanwhile ({previous}), in another tab perhaps"

    def undo(self, number: int | None = None) -> Decision | None:
        """Undo a decision, by default the last one, and return it; None where there is none."""
        with self._writing() as file:
            where, values = ("AND id = ?", (number,)) if number is not None else ("", ())
            row = file.execute(
                "SELECT id, left, right, verdict, at FROM decision "
                f"WHERE undone = 0 {where} ORDER BY id DESC LIMIT 1",
                values,
            ).fetchone()
            if row is None:
                return None
            file.execute("UPDATE decision SET undone = 1 WHERE id = ?", (row[0],))
            self._refuse_second_holder(file, row[1])
            return Decision(*row)

    def _refuse_second_holder(self, file: sqlite3.Connection, left: str) -> None:
        """Raise an error where a restored acceptance was given to another entity meanwhile."""
        must = _replay(file, {}, "left = ?", left).get(left, _NO_DECISION).must
        if must is None or self.many_to_one:
            return
        if (other := _accepted_for(file, must, left)) is not None:
            holder, taken = self._describe(other, must)
            raise Conflict(f"{taken} is accepted for {holder} by now; undo that first")

    def set_note(self, left: str, text: str) -> None:
        """Store a note on a left entity; an empty text removes it."""
        with self._writing() as file:
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
            row = file.execute("SELECT text FROM note WHERE left = ?", (left,)).fetchone()
        return str(row[0]) if row else ""

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


def _query_number(file: sqlite3.Connection, question: str) -> int:
    return int(file.execute(question).fetchone()[0])


def _replay(
    file: sqlite3.Connection, before: Mapping[str, Standing], which: str, value: int | str
) -> dict[str, Standing]:
    """Return the states after the selected decisions, starting from `before`."""
    standing = dict(before)
    rows = file.execute(
        "SELECT id, left, right, verdict, at FROM decision "
        f"WHERE undone = 0 AND {which} ORDER BY id",
        (value,),
    )
    for row in rows:
        decision = Decision(*row)
        standing[decision.left] = standing.get(decision.left, _NO_DECISION).after(decision)
    return standing


def _last(file: sqlite3.Connection, left: str) -> Decision | None:
    row = file.execute(
        "SELECT id, left, right, verdict, at FROM decision "
        "WHERE left = ? AND undone = 0 ORDER BY id DESC LIMIT 1",
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
