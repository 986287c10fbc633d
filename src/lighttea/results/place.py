"""The place of a run: one writer at a time, the folder replaced when the new one is whole.

Folders are written under a hidden name beside their place. What a killed process left there is
cleared by the next one, and a run that it had put aside comes back.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from lighttea.errors import InputError, LightteaWarning, OutputError
from lighttea.io.outputs import writing
from lighttea.results.lock import Held, locked
from lighttea.results.schema import RECORD

_UNFINISHED, _OLD, _LOCK = ".unfinished", "old", ".lock"
RUN, DATASET = ("run", RECORD), ("dataset", "triples_1")  # kind of a folder, and a file of it


@contextmanager
def run_folder(
    folder: str | Path, *, overwrite: bool = False, kind: tuple[str, str] = RUN
) -> Iterator[Path]:
    """Yield a temporary folder to write into; it gets its real name when the block succeeds.

    Entered before the work starts, so that an output that cannot be written is reported at once,
    as is another process that writes there. An error or Ctrl-C inside leaves no trace and keeps
    the folder that was there before.
    """
    target = Path(folder)
    refuse_existing(target, overwrite=overwrite, kind=kind)
    new_parents = [parent for parent in target.parents if not parent.exists()]
    try:
        with _alone(target, kind):
            restore_old(target, kind=kind)
            refuse_existing(target, overwrite=overwrite, kind=kind)
            _remove_leftovers(target)
            with _written(target) as unfinished:
                yield unfinished
                _give_name(unfinished, target, overwrite=overwrite, kind=kind)
    except BaseException:
        for parent in new_parents:
            with suppress(OSError):
                parent.rmdir()
        raise


@contextmanager
def _alone(target: Path, kind: tuple[str, str] = RUN) -> Iterator[None]:
    """Keep other processes from writing to the same place inside the block."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = locked(lock_of(target))
        lock.__enter__()
    except Held as held:
        raise InputError(
            f"{target}: a {kind[0]} is being written there by {held}; wait for it, or choose "
            "another folder"
        ) from None
    except OSError as error:
        raise InputError(f"{target}: cannot write there: {error.strerror}") from None
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def lock_of(target: Path) -> Path:
    """Return the file that a process holds while it writes to this place."""
    return target.with_name(f".{target.name}{_LOCK}")


@contextmanager
def _written(target: Path) -> Iterator[Path]:
    """Yield a new hidden folder beside the target; an error removes it."""
    prefix = f".{target.name}.{os.getpid()}."
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=prefix, suffix=_UNFINISHED, dir=target.parent))
    except OSError as error:
        raise InputError(f"{target}: cannot write there: {error.strerror}") from None
    try:
        yield unfinished
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        if isinstance(error, OutputError):  # name the folder that the user knows
            raise OutputError(str(error).replace(str(unfinished), str(target))) from None
        raise


def _give_name(unfinished: Path, target: Path, *, overwrite: bool, kind: tuple[str, str]) -> None:
    unfinished.chmod(0o755)
    with writing(target):
        _move_into_place(unfinished, target, overwrite=overwrite, kind=kind)


def _remove_leftovers(target: Path) -> None:
    """Remove what killed processes left behind: only the holder of the lock writes.

    An old run goes only where a run stands in its place.
    """
    for left_over in _hidden(target, f"*{_UNFINISHED}"):
        if _owner(left_over, target).isdecimal():
            shutil.rmtree(left_over, ignore_errors=True)
    if not _is_vacant(target):
        for old in _hidden(target, f"{_OLD}.*"):
            if _owner(old, target, f"{_OLD}.").isdecimal():
                shutil.rmtree(old, ignore_errors=True)


def _owner(folder: Path, target: Path, prefix: str = "") -> str:
    """Return what stands for the process in the name of a hidden folder."""
    return folder.name.removeprefix(f".{target.name}.{prefix}").split(".")[0]


def _hidden(target: Path, pattern: str) -> list[Path]:
    """Return the hidden folders of ours beside a place."""
    folders = target.parent.glob(f".{glob.escape(target.name)}.{pattern}")
    return sorted(path for path in folders if path.is_dir())


def bring_back(target: Path) -> None:
    """Give an old run its name again that a killed process had put aside while replacing it."""
    if _is_vacant(target) and _hidden(target, f"{_OLD}.*"):
        with _alone(target):
            restore_old(target)


def restore_old(target: Path, kind: tuple[str, str] = RUN) -> None:
    """Give a folder that was put aside its name again, where that is free; warn of it."""
    whole = [old for old in _hidden(target, f"{_OLD}.*") if (old / kind[1]).exists()]
    if not whole or not _is_vacant(target):
        return
    newest = max(whole, key=lambda old: old.stat().st_mtime)
    try:
        if target.exists():
            target.rmdir()
        newest.rename(target)
    except OSError as error:
        raise InputError(
            f"{target}: its {kind[0]} lies in {newest}, put aside by a process that was killed "
            f"while it replaced it, and cannot be renamed: {error.strerror}; rename it"
        ) from None
    warnings.warn(
        f"{target}: the {kind[0]} was brought back: the process that replaced it was killed",
        LightteaWarning,
        stacklevel=2,
    )


def _is_vacant(target: Path) -> bool:
    """Return whether nothing is at a place, or an empty folder."""
    return not target.exists() or (target.is_dir() and not any(target.iterdir()))


def refuse_existing(target: Path, *, overwrite: bool, kind: tuple[str, str] = RUN) -> None:
    """Raise an error where a folder must not be replaced: a run without `overwrite`, or no run."""
    word, mark = kind
    if target.exists() and not target.is_dir():
        raise InputError(f"{target}: a file of that name exists; choose another folder")
    if not target.exists() or not any(target.iterdir()):
        return
    if not (target / mark).exists():
        raise InputError(
            f"{target}: the folder is not empty and is not a {word}; choose another one"
        )
    if not overwrite:
        raise InputError(f"{target}: a {word} exists there; use `overwrite=True` to replace it")


def _move_into_place(
    unfinished: Path, target: Path, *, overwrite: bool, kind: tuple[str, str]
) -> None:
    """Give a finished folder its name; what has appeared there meanwhile is kept.

    Then the finished folder gets a name beside it, and an error says so.
    """
    if not target.exists():
        unfinished.rename(target)
        return
    try:
        refuse_existing(target, overwrite=overwrite, kind=kind)
    except InputError:
        beside = _free_name(target)
        unfinished.rename(beside)
        raise OutputError(
            f"{target}: another program wrote there meanwhile; that is kept, and the {kind[0]} is "
            f"in {beside}"
        ) from None
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.{_OLD}.{os.getpid()}.", dir=target.parent))
    old.rmdir()
    try:
        target.rename(old)
        unfinished.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _free_name(target: Path) -> Path:
    """Return a name beside a folder that nothing has."""
    names = (target.with_name(f"{target.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())
