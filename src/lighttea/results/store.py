"""Run folders: written under another name and renamed when whole; no pickle."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import InputError, OutputError
from lighttea.io.outputs import writing
from lighttea.io.tables import PARQUET_ERRORS
from lighttea.results.run import FORMAT_VERSION, Run

_UNFINISHED = ".unfinished"
RUN, DATASET = ("run", "run.json"), ("dataset", "triples_1")  # what a folder is, and by which file
PART_ROWS = 1_000_000  # links of a part, where they are written in parts
_TABLES = (
    *("links", "candidates", "relations", "evidence_links", "seeds"),
    *("facts_left", "facts_right"),
)
# runs of earlier versions have none of these
_LATER = ("names_left", "names_right", "cannot_links", "links_without_time")


@contextmanager
def run_folder(
    folder: str | Path, *, overwrite: bool = False, kind: tuple[str, str] = RUN
) -> Iterator[Path]:
    """A new folder to write into, which takes its real name when all went well.

    Entered before the work starts, so that an output that cannot be written is known at once.
    Whatever goes wrong inside, Ctrl-C too, leaves no trace and keeps what was there.
    """
    target = Path(folder)
    refuse_existing(target, overwrite=overwrite, kind=kind)
    new_parents = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        prefix = f".{target.name}.{os.getpid()}."
        unfinished = Path(tempfile.mkdtemp(prefix=prefix, suffix=_UNFINISHED, dir=target.parent))
    except OSError as error:
        raise InputError(f"{target}: cannot write there: {error.strerror}") from None
    try:
        yield unfinished
        unfinished.chmod(0o755)
        with writing(target):
            _put_in_place(unfinished, target)
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        for parent in new_parents:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OutputError):  # said in the names that the user knows
            raise OutputError(str(error).replace(str(unfinished), str(target))) from None
        raise


def _sweep(target: Path) -> None:
    """Remove what killed processes left of this run."""
    import psutil

    for left_over in target.parent.glob(f".{glob.escape(target.name)}.*{_UNFINISHED}"):
        owner = left_over.name.removeprefix(f".{target.name}.").split(".")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left_over, ignore_errors=True)


def refuse_existing(target: Path, *, overwrite: bool, kind: tuple[str, str] = RUN) -> None:
    """An existing run is kept unless overwriting was asked for; other folders always are."""
    word, mark = kind
    if target.exists() and not target.is_dir():
        raise InputError(f"{target}: a file of that name is there; choose another --out")
    if not target.exists() or not any(target.iterdir()):
        return
    if not (target / mark).exists():
        raise InputError(
            f"{target}: the folder is not empty and not a {word}; choose another --out"
        )
    if not overwrite:
        raise InputError(f"{target}: a {word} is there already; give --overwrite to replace it")


def _put_in_place(unfinished: Path, target: Path) -> None:
    if not target.exists():
        unfinished.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.old.", dir=target.parent))
    old.rmdir()
    try:
        target.rename(old)
        unfinished.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_run(run: Run, folder: Path) -> None:
    """All files of a run."""
    for name in (*_TABLES, *_LATER):
        with writing(folder / f"{name}.parquet"):
            getattr(run, name).write_parquet(folder / f"{name}.parquet")
    if run.info.get("engine") == "dask":
        _write_parts(run.links, folder / "links_parts")
    with writing(folder / "links.tsv"):
        run.links.write_csv(folder / "links.tsv", separator="\t", quote_style="never")
    with writing(folder / "run.json"):
        write_json(folder / "run.json", run.info)


def write_table(run: Run, name: str, folder: Path) -> None:
    """One table of a run that is there already, put in place when it is whole."""
    path = folder / f"{name}.parquet"
    unfinished = path.with_name(f".{path.name}{_UNFINISHED}")
    with writing(path):
        getattr(run, name).write_parquet(unfinished)
        unfinished.replace(path)


def _write_parts(links: pl.DataFrame, folder: Path) -> None:
    """The links once more in parts of equal size, for tools that read them side by side."""
    folder.mkdir()
    for number, part in enumerate(links.iter_slices(PART_ROWS)):
        with writing(folder / f"part-{number:05d}.parquet"):
            part.write_parquet(folder / f"part-{number:05d}.parquet")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Readable JSON."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_run(folder: str | Path) -> Run:
    """Read a run folder back."""
    folder = Path(folder)
    if not (folder / "run.json").exists():
        raise InputError(f"{folder}: not a run folder (there is no run.json)")
    try:
        info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        if info["format"] != FORMAT_VERSION:
            raise InputError(
                f"{folder}: written in run format {info['format']}, this version reads "
                f"{FORMAT_VERSION}; align again or use the lighttea that wrote it"
            )
        _refuse_missing(folder)
        tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in _TABLES}
        for name in _LATER:
            if (path := folder / f"{name}.parquet").exists():
                tables[name] = pl.read_parquet(path)
    except (OSError, ValueError, KeyError, TypeError, *PARQUET_ERRORS) as error:
        raise InputError(f"{folder}: the run is damaged: {error}; align again") from None
    return Run(**tables, info=info)


def _refuse_missing(folder: Path) -> None:
    """Tables that are not there are named, all at once."""
    missing = [f"{name}.parquet" for name in _TABLES if not (folder / f"{name}.parquet").exists()]
    if missing:
        raise InputError(
            f"{folder}: the run has no {', '.join(missing)}; an earlier lighttea wrote it, or it "
            "was damaged: align again"
        )
