"""The log of all changes to decisions: a line of JSON for each, on the disk before it counts.

Lines are numbered and carry a check sum. A line holds the rows of one transaction as they are
afterwards, whatever their columns; so the tables can be made anew from the log alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

KEYS = {"decision": ("id",), "note": ("left",), "earlier": ("left", "right")}  # of the tables
_FORMAT = 1

Key: TypeAlias = tuple[Any, ...]
Row: TypeAlias = Mapping[str, Any]
Content: TypeAlias = dict[str, dict[Key, Row]]  # rows by table and key


@dataclass(frozen=True)
class Change:
    """A row as it is after a change; None where it was removed."""

    table: str
    key: Key
    row: Row | None


@dataclass(frozen=True)
class Line:
    """A line of the log: the changes of one transaction."""

    number: int
    changes: Sequence[Change]


@dataclass(frozen=True)
class Log:
    """What a log holds: the lines that are sound, and whether these are all."""

    lines: Sequence[Line] = ()
    n_damaged: int = 0  # lines that cannot be read, and gaps between numbers
    size: int = 0  # up to the end of the last line
    exists: bool = False

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.lines[-1].number if self.lines else 0

    @property
    def is_whole(self) -> bool:
        """Whether every line is there, up to the last."""
        return self.exists and not self.n_damaged

    def content(self) -> Content:
        """Return all rows after the last line."""
        return apply_lines(no_content(), self.lines)


def no_content() -> Content:
    """Return tables without rows."""
    return {table: {} for table in KEYS}


def apply_lines(content: Content, lines: Sequence[Line]) -> Content:
    """Return the rows after the changes of some lines."""
    after = {table: dict(rows) for table, rows in content.items()}
    for change in (change for line in lines for change in line.changes):
        if change.row is None:
            after[change.table].pop(change.key, None)
        else:
            after[change.table][change.key] = change.row
    return after


# ---------------------------------------------------------------- the file


def log_file(path: Path) -> Path:
    """Return the log beside a file of decisions."""
    return path.with_suffix(".jsonl")


def append_line(path: Path, line: Line) -> int:
    """Write a line at the end and return the size of the log; it is on the disk afterwards."""
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        text = b"" if size else _text_of({"log": _FORMAT, "begin": line.number})
        file.write(text + _text_of(_dict_of(line)))
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def cut_log(path: Path, size: int) -> None:
    """Take back what was written after this size: a line that failed, or half of one."""
    if path.exists() and path.stat().st_size > size:
        with path.open("rb+") as file:
            file.truncate(size)


def read_log(path: Path) -> Log:
    """Return what a log holds; damaged lines are counted and left out."""
    if not path.exists():
        return Log()
    raw = path.read_bytes()
    *texts, torn = raw.split(b"\n")  # a line without end was being written when its process died
    if not texts:
        return Log(exists=True)
    entries = [_entry_of(text) for text in texts]
    header = entries[0]
    lines: list[Line] = []
    n_damaged = sum(entry is None for entry in entries)
    expected = header["begin"] if header is not None and "begin" in header else None
    n_damaged += expected is None
    for entry in entries[1:] if expected is not None else entries:
        line = None if entry is None else _line_of(entry)
        if line is None or (lines and line.number <= lines[-1].number):
            n_damaged += entry is not None
            continue
        n_damaged += expected is not None and line.number != expected
        expected = line.number + 1
        lines.append(line)
    return Log(lines, n_damaged, len(raw) - len(torn), exists=True)


def _dict_of(line: Line) -> dict[str, Any]:
    return {"n": line.number, "changes": [[c.table, c.key, c.row] for c in line.changes]}


def _text_of(content: Mapping[str, Any]) -> bytes:
    """Return a line with its check sum."""
    text = json.dumps({**content, "check": _check_sum(content)}, ensure_ascii=False)
    return text.encode() + b"\n"


def _check_sum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _entry_of(text: bytes) -> dict[str, Any] | None:
    """Return what a line says; None where it is not what was written."""
    try:
        content = json.loads(text)
        check = content.pop("check")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content if check == _check_sum(content) else None


def _line_of(entry: Mapping[str, Any]) -> Line | None:
    """Return a line of known tables; None for anything else."""
    try:
        changes = [Change(table, tuple(key), row) for table, key, row in entry["changes"]]
        is_known = all(change.table in KEYS for change in changes)
        return Line(int(entry["n"]), changes) if is_known else None
    except (KeyError, TypeError, ValueError):
        return None


# ---------------------------------------------------------------- changes of a transaction


def watch(file: sqlite3.Connection) -> None:
    """Note the rows that change from now on, for `changes_of`."""
    file.execute("CREATE TEMP TABLE changed (name TEXT, first, second)")
    for table, key in KEYS.items():
        for event in ("INSERT", "UPDATE", "DELETE"):
            row = "OLD" if event == "DELETE" else "NEW"
            first, second = f"{row}.{key[0]}", f"{row}.{key[1]}" if len(key) > 1 else "NULL"
            file.execute(
                f"CREATE TEMP TRIGGER log_{table}_{event} AFTER {event} ON main.{table} BEGIN "
                f"INSERT INTO changed VALUES ('{table}', {first}, {second}); END"
            )


def changes_of(file: sqlite3.Connection) -> list[Change]:
    """Return the rows that changed since `watch`, as they are now, in the order of the changes."""
    rows = file.execute("SELECT name, first, second FROM changed ORDER BY rowid").fetchall()
    return [
        Change(table, key, _row_at(file, table, key))
        for table, key in dict.fromkeys(
            (row[0], tuple(row[1 : 1 + len(KEYS[row[0]])])) for row in rows
        )
    ]


def _row_at(file: sqlite3.Connection, table: str, key: Key) -> Row | None:
    where = " AND ".join(f"{name} = ?" for name in KEYS[table])
    return next(_rows(file.execute(f"SELECT * FROM {table} WHERE {where}", key)), None)


def read_content(file: sqlite3.Connection) -> Content:
    """Return all rows of the tables."""
    return {
        table: {tuple(row[name] for name in key): row for row in iterate_rows(file, table)}
        for table, key in KEYS.items()
    }


def iterate_rows(file: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Return the rows of a table, one after the other."""
    return _rows(file.execute(f"SELECT * FROM {table}"))


def _rows(cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)
