"""A lock that the system takes back when its process ends, however it ends.

The file names the process that holds it; the system knows whether one does. Where a file system
has no locks, the process that the file names is looked for.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_FAR_BYTE = 1 << 30  # locked on Windows, where a locked byte cannot be read
_PAUSE = 0.001  # seconds between two attempts
_YIELD = 0.003  # seconds left to others before the same process takes the lock again


class Held(Exception):  # noqa: N818 - reads as a state
    """Another process, or another part of this one, holds the lock."""


@contextmanager
def locked(path: Path, *, patience: float = 0.0, keep: bool = False) -> Iterator[None]:
    """Hold a lock inside the block; raise `Held`, with its holder, after so many seconds.

    The file is removed afterwards unless it is to be kept.
    """
    number = _acquire(path, time.monotonic() + patience)
    try:
        yield
    finally:
        _release(path, number, keep=keep)
        if patience:
            time.sleep(_YIELD)


def is_held(path: Path) -> bool:
    """Return whether a process holds a lock."""
    if not path.exists():
        return False
    try:
        with locked(path):
            return False
    except (Held, OSError):
        return True


def _acquire(path: Path, until: float) -> int:
    """Return the number of the open, locked file."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if _try_lock(number, path) and _is_still(path, number):
                _write_holder(number)
                return number
        except BaseException:
            os.close(number)
            raise
        holder = describe_holder(path)
        os.close(number)
        if time.monotonic() >= until and holder is not None:
            raise Held(holder)
        time.sleep(_PAUSE)


def _try_lock(number: int, path: Path) -> bool:
    """Return whether the open file is locked now."""
    try:
        _lock(number)
    except OSError as error:
        if error.errno in _HELD:
            return False
        if error.errno not in _NO_LOCKS:
            raise
        return not _is_alive(_read_holder(path))
    return True


def _lock(number: int) -> None:
    """Lock an open file, or raise an error at once."""
    if os.name == "nt":
        import msvcrt

        os.lseek(number, _FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_still(path: Path, number: int) -> bool:
    """Return whether the open file is still the one of this name: its holder removes it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(number))
    except OSError:
        return False


def _release(path: Path, number: int, *, keep: bool) -> None:
    """Give the lock back."""
    if not keep and os.name != "nt":  # before others can have it
        path.unlink(missing_ok=True)
    with suppress(OSError):
        os.ftruncate(number, 0)
    os.close(number)
    if not keep and os.name == "nt":  # open files cannot be removed there
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _write_holder(number: int) -> None:
    """Write which process holds the lock, for processes that wait."""
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
    os.ftruncate(number, 0)
    os.lseek(number, 0, os.SEEK_SET)
    os.write(number, json.dumps(holder).encode())


def _read_holder(path: Path) -> dict[str, Any]:
    """Return process, host and time of the holder; nothing where it is not known."""
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def describe_holder(path: Path) -> str | None:
    """Return which process holds a lock, in words; None where the file is gone."""
    if not path.exists():
        return None
    holder = _read_holder(path)
    if not holder:
        return "another process"
    return f"process {holder.get('pid')} on {holder.get('host')}, since {holder.get('since')}"


def _is_alive(holder: dict[str, Any]) -> bool:
    """Return whether the process that a lock names runs; one of another host may."""
    import psutil

    if not holder or holder.get("host") != socket.gethostname():
        return bool(holder)
    pid = holder.get("pid")
    return isinstance(pid, int) and pid != os.getpid() and psutil.pid_exists(pid)
