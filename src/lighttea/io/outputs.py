"""Errors for outputs that cannot be written, such as on a full disk."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from lighttea.errors import OutputError

_SYSTEM_CODE = re.compile(r"\(os error (\d+)\)")  # how polars reports errors of the system
_WINDOWS_CODES = {
    5: errno.EACCES,
    32: errno.EACCES,  # another program has the file open
    39: errno.ENOSPC,
    112: errno.ENOSPC,
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_LAST_BYTES = 4096  # polars fails without a reason while it writes the end of a table


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failed write of this file inside the block into an `OutputError` of one line."""
    try:
        yield
    except OutputError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        code = _system_code(error) or (errno.EFBIG if _is_at_its_limit(path) else None)
        reason = os.strerror(code) if code else str(error)
        advice = "choose another place"
        if code is None or code in _NO_ROOM:  # polars does not always tell the code
            reason, advice = reason + _free_space(path), f"free some space or {advice}"
        raise OutputError(
            f"{path}: cannot be written: {reason}; {advice}, then run again"
        ) from None


def _system_code(error: Exception) -> int | None:
    """Return the system's number of an error, also of one that polars wrapped."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    match = _SYSTEM_CODE.search(str(error))
    if match and sys.platform == "win32":  # whose own numbers are not those of errno
        return _WINDOWS_CODES.get(int(match[1]))
    return int(match[1]) if match else None


def _is_at_its_limit(path: Path) -> bool:
    """Whether the file has reached the process's limit of file sizes."""
    try:
        import resource  # not on Windows

        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        return limit != resource.RLIM_INFINITY and path.stat().st_size + _LAST_BYTES > limit
    except (ImportError, OSError):
        return False


def _free_space(path: Path) -> str:
    """Return the free space beside the file as text; empty where it is not known."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return ""
    return f" ({free / (1 << 20):,.1f} MiB free)"
