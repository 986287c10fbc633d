"""Outputs that cannot be written, a full disk above all: what, where, why, and what to do."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from lighttea.errors import OutputError

_SYSTEM_CODE = re.compile(r"\(os error (\d+)\)")  # how polars passes the system's errors on
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_LAST_BYTES = 4096  # what the end of a table may take, whose writing polars does not explain


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A failed write of this file inside becomes an `OutputError` that says so in one line."""
    try:
        yield
    except OutputError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        code = _system_code(error) or (errno.EFBIG if _is_at_its_limit(path) else None)
        reason = os.strerror(code) if code else str(error)
        advice = "choose another place"
        if code is None or code in _NO_ROOM:  # polars does not always say which
            reason, advice = reason + _free_space(path), f"make room or {advice}"
        raise OutputError(
            f"{path}: cannot be written: {reason}; {advice}, then run again"
        ) from None


def _system_code(error: Exception) -> int | None:
    """The system's number of an error, also where polars wrapped it."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    found = _SYSTEM_CODE.search(str(error))
    return int(found[1]) if found else None


def _is_at_its_limit(path: Path) -> bool:
    """Whether the file is as long as this process may make one; polars does not always say it."""
    try:
        import resource  # not on Windows

        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        return limit != resource.RLIM_INFINITY and path.stat().st_size + _LAST_BYTES > limit
    except (ImportError, OSError):
        return False


def _free_space(path: Path) -> str:
    """How much room is left where the file was to be; nothing where nobody says."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return ""
    return f" ({free / (1 << 20):,.1f} MiB free)"
