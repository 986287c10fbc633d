"""Decisions in SQLite, beside the run: written at once, never lost, safe with two tabs.

Decisions are a log: undoing one marks it and keeps it. What holds follows from the log in order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

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
    """Beside the run, not in it: replacing the run keeps the decisions."""
    run_folder = run_folder.resolve()
    return run_folder.with_name(f"{run_folder.name}.review") / "decisions.sqlite"


class Conflict(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """Somebody decided otherwise meanwhile."""


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
    """What holds for a left entity after all decisions."""

    last: Decision | None = None
    must: str | None = None
    cannot: frozenset[str] = frozenset()

    def after(self, one: Decision) -> Standing:
        """A later decision stands over an earlier one."""
        if one.verdict == ACCEPT:
            return Standing(one, one.right, self.cannot - {one.right})
        if one.verdict == REJECT:
            must = None if self.must == one.right else self.must
            return Standing(one, must, self.cannot | {one.right})
        return replace(self, last=one)


_NOTHING = Standing()


class Decisions:
    """The log of one run. Every call opens the file anew, so any thread or process may call."""

    def __init__(self, path: Path, *, many_to_one: bool = False) -> None:
        self.path, self.many_to_one = path, many_to_one
        self._known = _Known()
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
        """One writer at a time, from the first look to the last word."""
        with self._open() as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
            except BaseException:
                file.execute("ROLLBACK")
                raise
            file.execute("COMMIT")

    def decide(self, left: str, right: str, verdict: str, *, seen: int) -> Decision:
        """Write a decision. `seen` is the last one of this entity that the person knew of."""
        if verdict not in VERDICTS:
            raise InputError(f"a verdict is one of {', '.join(VERDICTS)}; got {verdict!r}")
        with self._writing() as file:
            last = _last(file, left)
            if (last.id if last else 0) != seen:
                said = f"{last.verdict} {last.right}" if last else "undone"
                raise Conflict(f"{left} was decided meanwhile ({said}), in another tab perhaps")
            is_claim = verdict == ACCEPT and not self.many_to_one
            if is_claim and (other := _holder(file, right, left)) is not None:
                raise Conflict(f"{right} is already accepted for {other}; undo that first")
            at = _now()
            cursor = file.execute(
                "INSERT INTO decision (left, right, verdict, at) VALUES (?, ?, ?, ?)",
                (left, right, verdict, at),
            )
            return Decision(int(cursor.lastrowid or 0), left, right, verdict, at)

    def undo(self, number: int | None = None) -> Decision | None:
        """Take back a decision, the last one unless told which; None where there is none."""
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
        """What holds again for this entity may have been given to another meanwhile."""
        must = _told(file, {}, "left = ?", left).get(left, _NOTHING).must
        if must is None or self.many_to_one:
            return
        if (other := _holder(file, must, left)) is not None:
            raise Conflict(f"{must} is accepted for {other} by now; undo that first")

    def set_note(self, left: str, text: str) -> None:
        """Keep a note on a left entity; an empty one is removed."""
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
        """The note on a left entity, or nothing."""
        with self._open() as file:
            row = file.execute("SELECT text FROM note WHERE left = ?", (left,)).fetchone()
        return str(row[0]) if row else ""

    def standing(self) -> Mapping[str, Standing]:
        """What holds, by left entity. The log is long; what was read of it is not read again."""
        known = self._known
        with self._open() as file:
            file.execute("BEGIN")  # one sight of the log
            n_undone = _only(file, "SELECT count(*) FROM decision WHERE undone = 1")
            last = _only(file, "SELECT coalesce(max(id), 0) FROM decision")
            if (last, n_undone) != (known.last, known.n_undone):
                if n_undone != known.n_undone:  # what was undone may lie anywhere
                    known = _Known()
                told = _told(file, known.standing, "id > ?", known.last)
                known = _Known(last, n_undone, told)
            file.execute("COMMIT")
        self._known = known
        return known.standing

    def links(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Pairs that must be linked, and pairs that must not."""
        told = self.standing()
        must = [(left, one.must) for left, one in told.items() if one.must is not None]
        cannot = [(left, right) for left, one in told.items() for right in sorted(one.cannot)]
        schema = {"left": pl.String, "right": pl.String}
        return (
            pl.DataFrame(must, schema=schema, orient="row"),
            pl.DataFrame(cannot, schema=schema, orient="row"),
        )


@dataclass(frozen=True)
class _Known:
    """What held when the log ended with this decision and had so many undone ones."""

    last: int = 0
    n_undone: int = 0
    standing: Mapping[str, Standing] = field(default_factory=dict)


def _only(file: sqlite3.Connection, question: str) -> int:
    return int(file.execute(question).fetchone()[0])


def _told(
    file: sqlite3.Connection, before: Mapping[str, Standing], which: str, value: int | str
) -> dict[str, Standing]:
    """What holds after more decisions; what held before is left as it is."""
    found = dict(before)
    rows = file.execute(
        "SELECT id, left, right, verdict, at FROM decision "
        f"WHERE undone = 0 AND {which} ORDER BY id",
        (value,),
    )
    for row in rows:
        one = Decision(*row)
        found[one.left] = found.get(one.left, _NOTHING).after(one)
    return found


def _last(file: sqlite3.Connection, left: str) -> Decision | None:
    row = file.execute(
        "SELECT id, left, right, verdict, at FROM decision "
        "WHERE left = ? AND undone = 0 ORDER BY id DESC LIMIT 1",
        (left,),
    ).fetchone()
    return Decision(*row) if row else None


def _holder(file: sqlite3.Connection, right: str, left: str) -> str | None:
    """Another left entity that this right one is accepted for."""
    told = _told(file, {}, "left IN (SELECT left FROM decision WHERE right = ?)", right)
    return next((who for who, one in told.items() if one.must == right and who != left), None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
