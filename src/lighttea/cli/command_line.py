"""The command that is running, as a person would type it again, and where it writes."""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_CURRENT: ContextVar[str] = ContextVar("command", default="")
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")  # user and password of an address


@contextmanager
def running(tokens: Sequence[str]) -> Iterator[None]:
    """Keep the words of a command for as long as it runs."""
    previous = _CURRENT.set(_SECRET.sub("", shlex.join(["lighttea", *tokens])))
    try:
        yield
    finally:
        _CURRENT.reset(previous)


def accept_any_letter() -> None:
    """Let stdout and stderr take every letter, whatever their encoding.

    What an encoding lacks is written as an escape. On Windows files and pipes get UTF-8: their
    encoding there is that of the country, which has no arrow.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_file = sys.platform == "win32" and not stream.isatty()
            encoding = "utf-8" if is_file else stream.encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def current_command() -> str:
    """Return the command that is running, without passwords; empty in Python."""
    return _CURRENT.get()
