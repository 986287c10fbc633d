"""The file of the decisions: one writer at a time, and a log that is ahead of it."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lighttea.errors import InputError, LightteaError, LightteaWarning
from lighttea.results.lock import Held, locked
from lighttea.review.journal import cut_log, log_file, watch
from lighttea.review.restore import (
    SQLITE_ERRORS,
    Create,
    back_up,
    is_in_step,
    log_changes,
    prepare,
    read_state,
)
from lighttea.review.standing import Locked

MOST_WAIT = 5.0  # seconds for another writer


class DecisionFile:
    """A file of SQLite with its log. Every call opens it, so that any thread or process may call.

    It is checked when it is first opened, and restored where it is damaged.
    """

    def __init__(self, path: Path, create: Create) -> None:
        self.path, self._create = path, create
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._alone():
                self._prepare()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{path}: cannot keep decisions there: {reason}") from None

    def _prepare(self) -> None:
        """Make the file and its log whole; what had to be restored is a warning."""
        for notice in prepare(self.path, self._create):
            warnings.warn(notice, LightteaWarning, stacklevel=4)
        with self._open():
            pass  # from now on with a write-ahead log, beside which others can read

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes and threads from writing; errors of SQLite become sentences."""
        try:
            with locked(self.path.with_name("decisions.lock"), patience=MOST_WAIT, keep=True):
                yield
        except Held:
            raise self._locked() from None
        except SQLITE_ERRORS as error:
            raise self._unusable(error) from None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            file = sqlite3.connect(self.path, isolation_level=None, timeout=MOST_WAIT)
            with closing(file):
                file.execute("PRAGMA journal_mode = WAL")
                file.execute("PRAGMA synchronous = FULL")
                yield file
        except SQLITE_ERRORS as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> LightteaError:
        """Return what users are told of an error of SQLite."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return self._locked()
        return InputError(
            f"{self.path}: cannot keep decisions there: {error}; nothing was changed. Start again: "
            "what is damaged is restored from the log"
        )

    def _locked(self) -> Locked:
        return Locked(
            f"{self.path}: another program has locked the decisions; nothing was changed. "
            "Close that program, or wait, and try again"
        )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one writer at a time; an error inside changes nothing.

        The changes are in the log, on the disk, before they are committed.
        """
        with self._alone():
            self._catch_up()
            with self._open() as file:
                watch(file)
                file.execute("BEGIN IMMEDIATE")
                before = read_state(file)
                try:
                    yield file
                    log_changes(file, self.path, before)
                    file.execute("COMMIT")
                except BaseException:
                    if file.in_transaction:
                        file.execute("ROLLBACK")
                    cut_log(log_file(self.path), before.size)
                    raise

    def _catch_up(self) -> None:
        """Take over what a killed process had logged and not committed."""
        with self._open() as file:
            in_step = is_in_step(file, self.path)
        if not in_step:
            self._prepare()

    def back_up(self) -> None:
        """Copy the decisions beside themselves, for when the file is damaged."""
        with self._alone():
            back_up(self.path)
