"""Parquet files as tables: looked at, then decoded; in a trial first where looks say little."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.io.packed import bomb_error, largest_content
from lighttea.io.parquet.look import Look, ParquetError, look_at

# damaged files make polars panic, which is no Exception
PARQUET_ERRORS = (ParquetError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
_TRIAL_MEMORY = 4 << 30  # bytes, and four times what the file may unpack to
_TRIAL = """
import sys, polars
path, memory = sys.argv[1], int(sys.argv[2])
try:
    from resource import RLIMIT_DATA, getrlimit, setrlimit
    most = getrlimit(RLIMIT_DATA)[1]
    setrlimit(RLIMIT_DATA, (memory if most < 0 else min(memory, most), most))
except (ImportError, OSError, ValueError):
    pass  # a system without such limits
try:
    polars.read_parquet(path, glob=False)
except BaseException as error:
    sys.exit(f"refused: {error}")
"""
_REFUSED = "refused: "


def read_parquet_table(path: Path) -> pl.DataFrame:
    """Return the table of a Parquet file; a few bytes that stand for a huge one are an error."""
    try:
        return decode_parquet(path, is_limited=True)
    except (*PARQUET_ERRORS, OSError) as error:
        raise InputError(
            f"{path}: cannot be read as Parquet: {reason_of(error)}; the file is damaged or no "
            "Parquet"
        ) from None


def decode_parquet(path: Path, *, is_limited: bool = False) -> pl.DataFrame:
    """Return the table of a Parquet file; raise one of `PARQUET_ERRORS` where it is damaged.

    With `is_limited`, one that unpacks to more than a packed file may is an `InputError`.
    """
    look = look_at(path)
    if is_limited:
        _refuse_inflated(path, look)
    if not look.is_bounded:
        _try_elsewhere(path)
    return pl.read_parquet(path, glob=False)


def reason_of(error: BaseException) -> str:
    """Return what is wrong with a file, in one line."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _refuse_inflated(path: Path, look: Look) -> None:
    """Raise an error where a file would take more memory than it may."""
    size = path.stat().st_size
    if max(look.cell_bytes, look.page_bytes) > largest_content(size):
        raise bomb_error(path, size)


def _try_elsewhere(path: Path) -> None:
    """Raise an error where a process of its own cannot decode a file, or ends over it."""
    memory = _TRIAL_MEMORY + 4 * largest_content(path.stat().st_size)
    # -P: a polars.py in the working folder is not ours to run
    words = [sys.executable, "-P", "-c", _TRIAL, str(path.resolve()), str(memory)]
    trial = subprocess.run(words, capture_output=True, check=False)
    if trial.returncode != 0:
        _, refused, reason = trial.stderr.decode("utf-8", "replace").rpartition(_REFUSED)
        first = (reason.splitlines() or ["damaged"])[0]
        raise ParquetError(first if refused else "decoding it ends the process that does it")
