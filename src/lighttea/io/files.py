"""Files that appear complete or not at all: written under a temporary name and renamed."""

from __future__ import annotations

import glob
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_UNFINISHED = "unfinished"


def write_whole(path: Path, text: str) -> None:
    """Write a text file; a concurrent reader sees the old content or the new, never a part."""
    with whole_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")  # the same bytes everywhere


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; it gets its real name when the block succeeds.

    The content is on the disk before. What killed processes left of the same file is removed.
    """
    _remove_leftovers(path)
    unfinished = path.with_name(f".{path.name}.{_host()}.{os.getpid()}.{_UNFINISHED}")
    try:
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove the temporary files of this path whose processes, on this host, have ended."""
    import psutil

    pattern = f".{glob.escape(path.name)}.{_host()}.*.{_UNFINISHED}"
    for left_over in path.parent.glob(pattern):
        owner = left_over.name.split(".")[-2]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            with suppress(OSError):
                left_over.unlink()


def _host() -> str:
    """Return the name of this machine, fit for a file name."""
    return re.sub(r"[^A-Za-z0-9]", "-", socket.gethostname()) or "host"
