"""Decisions that a damaged file cannot take along: found out, put aside, made anew from the log.

Beside `decisions.sqlite` lie its log (`decisions.jsonl`) and a backup of when the app was closed
(`decisions.backup.sqlite`). Whoever calls these functions holds the lock of the decisions.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from lighttea.errors import InputError
from lighttea.review.journal import (
    KEYS,
    Change,
    Content,
    Line,
    Log,
    Row,
    append_line,
    apply_lines,
    changes_of,
    cut_log,
    iterate_rows,
    log_file,
    no_content,
    read_content,
    read_log,
)
from lighttea.review.standing import VERDICTS

_STATE = """
CREATE TABLE IF NOT EXISTS journal (
    one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL, size INTEGER NOT NULL
)
"""
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter for messages with damaged text
_SIDE_FILES = ("", "-wal", "-shm")
_NOT_DAMAGED = (  # what SQLite says of a file that cannot be had just now
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM),
)
Create: TypeAlias = Callable[[sqlite3.Connection], None]  # makes the tables where they are missing


@dataclass(frozen=True)
class LogState:
    """How far the log goes that the tables know: number of its last line, and its size."""

    last: int = 0
    size: int = 0


def read_state(file: sqlite3.Connection) -> LogState:
    """Return how far the tables know the log."""
    row = file.execute("SELECT last, size FROM journal").fetchone()
    is_sound = row is not None and all(isinstance(value, int) for value in row)
    return LogState(*row) if is_sound else LogState()


def write_state(file: sqlite3.Connection, state: LogState) -> None:
    """Store how far the log goes, within a transaction."""
    file.execute(
        "INSERT OR REPLACE INTO journal (one, last, size) VALUES (1, ?, ?)",
        (state.last, state.size),
    )


def log_changes(file: sqlite3.Connection, path: Path, before: LogState) -> None:
    """Write the changes of a transaction to the log, and how far it goes, before the commit."""
    if changes := changes_of(file):
        line = Line(before.last + 1, changes)
        write_state(file, LogState(line.number, append_line(log_file(path), line)))


def is_in_step(file: sqlite3.Connection, path: Path) -> bool:
    """Return whether the log ends where the tables say."""
    log = log_file(path)
    return (log.stat().st_size if log.exists() else 0) == read_state(file).size


def backup_file(path: Path) -> Path:
    """Return the backup beside a file of decisions."""
    return path.with_suffix(".backup.sqlite")


def has_decisions(path: Path) -> bool:
    """Return whether there are decisions in any form: the file, its log or its backup."""
    return any(file.exists() for file in (path, log_file(path), backup_file(path)))


def prepare(path: Path, create: Create) -> list[str]:
    """Make file and log say the same, whatever has become of either; return what was done."""
    log, notices = read_log(log_file(path)), []
    damage = find_damage(path)
    if damage is None and not path.exists() and has_decisions(path):
        damage = "the file is missing"
    damage = damage or _damage_of(lambda: _read_tables(path, create))
    if damage is not None:
        notices.append(_rebuild(path, log, damage, create))
    content, state = _read_tables(path, create)
    if log.is_whole and log.last >= state.last:
        cut_log(log_file(path), log.size)
        notices += _follow_log(path, log, content, state, create)
    elif log.exists or state.size:
        notices.append(_renew_log(path, log, content, state))
    else:
        _log_missing(path, log, content)
    return notices


def _follow_log(
    path: Path, log: Log, content: Content, state: LogState, create: Create
) -> Iterator[str]:
    """Store what the log has more than the file, or make the file anew where they disagree."""
    after = apply_lines(content, [line for line in log.lines if line.number > state.last])
    if _disagree(log.content(), after):
        yield _rebuild(path, log, "its rows are not those of the log", create)
        return
    if after != content or state != LogState(log.last, log.size):
        _write(path, after, LogState(log.last, log.size))
    _log_missing(path, log, after)


def find_damage(path: Path) -> str | None:
    """Return what is wrong with a file of decisions; None where it is sound or not there.

    That it cannot be had just now, as others have locked it, is no damage but an error.
    """
    return _damage_of(lambda: _find_problem(path)) if path.exists() else None


def _damage_of(look: Callable[[], Any]) -> str | None:
    """Return the problem that a look at a file finds or fails with."""
    try:
        problem = look()
    except SQLITE_ERRORS as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGED:
            raise
        return str(error)
    return problem if isinstance(problem, str) else None


def _find_problem(path: Path) -> str | None:
    """Return what SQLite, or a look at all rows, finds wrong with a file."""
    with closing(_connect(path)) as file:
        problem = file.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            return str(problem).splitlines()[-1]
        names = _table_names(file)
        if "decision" in names:
            file.execute("SELECT id, left, right, verdict, at FROM decision").fetchall()
        elif names:
            return "it has no table of decisions"
        return next(_wrong_values(file, names), None)


def _read_tables(path: Path, create: Create) -> tuple[Content, LogState]:
    """Return all rows of a file, and how far it knows the log; missing tables are made."""
    with closing(_connect(path)) as file:
        create(file)
        file.execute(_STATE)
        return read_content(file), read_state(file)


def _table_names(file: sqlite3.Connection) -> set[str]:
    return {row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _wrong_values(file: sqlite3.Connection, names: set[str]) -> Iterator[str]:
    """Yield columns with values that are neither text nor number."""
    for table in (table for table in KEYS if table in names):
        for row in file.execute(f"SELECT * FROM {table}"):
            if any(not isinstance(value, str | int) for value in row):
                yield f"the table {table} has values that are neither text nor numbers"


def back_up(path: Path) -> None:
    """Copy a sound file of decisions to its backup; a damaged one leaves the backup as it is."""
    if not path.exists() or find_damage(path) is not None:
        return
    unfinished = path.with_name(f".{path.name}.backup.unfinished")
    with suppress(OSError, *SQLITE_ERRORS):
        unfinished.unlink(missing_ok=True)
        with closing(_connect(path)) as file, closing(_connect(unfinished)) as copy:
            file.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        os.replace(unfinished, backup_file(path))


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=5.0)


def _disagree(logged: Content, stored: Content) -> bool:
    """Return whether a row of the log is not stored, or stored otherwise.

    Rows that the log does not have are of an earlier version, which wrote none.
    """
    return any(
        _with_names(row, stored[table].get(key)) != stored[table].get(key)
        for table, rows in logged.items()
        for key, row in rows.items()
    )


def _with_names(row: object, stored: object) -> object:
    """Return a row of the log with the columns that came later, as they are stored."""
    if isinstance(row, dict) and isinstance(stored, dict):
        return {**stored, **row}
    return row


def _rebuild(path: Path, log: Log, damage: str, create: Create) -> str:
    """Put a file aside and make it anew from the log and the backup; return a sentence."""
    content, state, source = _best_content(path, log)
    if not log.exists and not any(content.values()):
        raise InputError(
            f"{path}: cannot keep decisions there: damaged ({damage}), and there is no log or "
            "backup to restore it from; move it away to begin anew"
        )
    aside = put_aside(path)
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with closing(_connect(unfinished)) as file:
        create(file)
        file.execute(_STATE)
    _write(unfinished, content, state)
    os.replace(unfinished, path)
    n = len(content["decision"])
    word = "decision" if n == 1 else "decisions"
    kept = f"; what was there is in {aside.name}" if aside is not None else ""
    lost = "" if log.is_whole else "; the log is not whole: look whether some are missing"
    return f"{path}: damaged ({damage}): restored {n:,} {word} from {source}{kept}{lost}"


def _best_content(path: Path, log: Log) -> tuple[Content, LogState, str]:
    """Return the rows that can be had, how far they know the log, and where they are from.

    What can still be read of the damaged file counts last.
    """
    content, state = _read_backup(backup_file(path))
    if log.is_whole and log.last >= state.last:
        return log.content(), LogState(log.last, log.size), "the log"
    merged = apply_lines(content, [line for line in log.lines if line.number > state.last])
    n_sure = sum(map(len, merged.values()))
    for others in (log.content(), _salvage(path)):
        for table, rows in others.items():
            merged[table] = {**rows, **merged[table]}
    sources = ["the backup"] * any(content.values()) + ["the log"] * bool(log.lines)
    sources += ["what could be read of it"] * (sum(map(len, merged.values())) > n_sure)
    last = max(log.last, state.last)
    return merged, LogState(last, 0), " and ".join(sources) or "nothing"


def _read_backup(path: Path) -> tuple[Content, LogState]:
    """Return the rows of a backup and how far it knows the log; nothing where it is of no use."""
    if not path.exists() or find_damage(path) is not None:
        return no_content(), LogState()
    with closing(_connect(path)) as file:
        if not {*KEYS, "journal"} <= _table_names(file):
            return no_content(), LogState()
        return read_content(file), read_state(file)


def _salvage(path: Path) -> Content:
    """Return the rows of a damaged file that can still be read and are what they must be."""
    content = no_content()
    with suppress(*SQLITE_ERRORS), closing(_connect(path)) as file:
        file.text_factory = _text_or_none
        for table, key in KEYS.items():
            with suppress(*SQLITE_ERRORS):
                for row in iterate_rows(file, table):
                    if _is_sound(table, row):
                        content[table][tuple(row[name] for name in key)] = row
    return content


def _text_or_none(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _is_sound(table: str, row: Row) -> bool:
    """Return whether a row has a key, a known verdict and no values of odd types."""
    is_known = "verdict" not in row or row["verdict"] in VERDICTS
    whole = isinstance(row["id"], int) if table == "decision" else True
    texts = all(isinstance(row.get(name), str) for name in ("left", "at"))
    return is_known and whole and texts and all(isinstance(v, str | int) for v in row.values())


def _write(path: Path, content: Content, state: LogState) -> None:
    """Store rows in the tables of a file, beside those that are there."""
    with closing(_connect(path)) as file:
        file.execute("BEGIN IMMEDIATE")
        for table, rows in content.items():
            known = {row[1] for row in file.execute(f"PRAGMA table_info({table})")}
            stored = read_content(file)[table]
            for key in stored.keys() - rows.keys():
                where = " AND ".join(f"{name} = ?" for name in KEYS[table])
                file.execute(f"DELETE FROM {table} WHERE {where}", key)
            for row in rows.values():
                names = [name for name in row if name in known]
                file.execute(
                    f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) "
                    f"VALUES ({', '.join('?' * len(names))})",
                    [row[name] for name in names],
                )
        write_state(file, state)
        file.execute("COMMIT")


def _log_missing(path: Path, log: Log, content: Content) -> None:
    """Write the rows to the log that it does not have: of an earlier version."""
    logged = log.content()
    missing = [
        Change(table, key, row)
        for table, rows in content.items()
        for key, row in rows.items()
        if key not in logged[table]
    ]
    if not missing:
        return
    size = append_line(log_file(path), Line(log.last + 1, missing))
    with closing(_connect(path)) as file:
        write_state(file, LogState(log.last + 1, size))


def _renew_log(path: Path, log: Log, content: Content, state: LogState) -> str:
    """Put a log aside that is not whole, and write one of all rows; return a sentence."""
    later = [line for line in log.lines if line.number > state.last]
    after = apply_lines(content, later)
    aside = put_aside(log_file(path))
    last = max(log.last, state.last)
    _write(path, after, LogState(last, 0))
    _log_missing(path, Log(lines=(Line(last, ()),)), after)
    kept = f"; what was there is in {aside.name}" if aside is not None else ""
    return f"{log_file(path)}: damaged or missing: written anew from the decisions{kept}"


def put_aside(path: Path) -> Path | None:
    """Rename a file to a free name beside it, and return that; None where there is none."""
    if not any(Path(f"{path}{ending}").exists() for ending in _SIDE_FILES):
        return None
    names = (path.with_suffix(f".aside-{number}{path.suffix}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    for ending in _SIDE_FILES:
        with suppress(FileNotFoundError):
            os.replace(f"{path}{ending}", f"{aside}{ending}")
    return aside
