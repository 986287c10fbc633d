"""Run folders: written under a temporary name, renamed when complete; no pickle."""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.config import with_current_names
from lighttea.errors import InputError, OutputError
from lighttea.io.outputs import writing
from lighttea.io.tables import PARQUET_ERRORS
from lighttea.results.run import FORMAT_VERSION, Run

_UNFINISHED = ".unfinished"
RUN, DATASET = ("run", "run.json"), ("dataset", "triples_1")  # kind of a folder, and a file of it
PART_ROWS = 1_000_000  # links of a part, where they are written in parts
_TABLES = (
    *("links", "candidates", "relations", "evidence_links", "seeds"),
    *("facts_left", "facts_right"),
)
# runs of earlier versions have none of these
_OPTIONAL_TABLES = (
    *("attributes_left", "attributes_right", "names_left", "names_right", "attribute_matches"),
    *("cannot_links", "links_without_time"),
    "suspicious_seeds",
)
_LATER_LINK_COLUMNS = {
    "fdr": pl.lit(None, pl.Float32),
    "alarms": pl.lit(""),
}  # in this order, after margin, as runs of earlier versions are read


@contextmanager
def run_folder(
    folder: str | Path, *, overwrite: bool = False, kind: tuple[str, str] = RUN
) -> Iterator[Path]:
    """Yield a temporary folder to write into; it gets its real name when the block succeeds.

    Entered before the work starts, so that an output that cannot be written is reported at once.
    An error or Ctrl-C inside leaves no trace and keeps the folder that was there before.
    """
    target = Path(folder)
    refuse_existing(target, overwrite=overwrite, kind=kind)
    new_parents = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        prefix = f".{target.name}.{os.getpid()}."
        unfinished = Path(tempfile.mkdtemp(prefix=prefix, suffix=_UNFINISHED, dir=target.parent))
    except OSError as error:
        raise InputError(f"{target}: cannot write there: {error.strerror}") from None
    try:
        yield unfinished
        unfinished.chmod(0o755)
        with writing(target):
            _move_into_place(unfinished, target, overwrite=overwrite, kind=kind)
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        for parent in new_parents:
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OutputError):  # name the folder that the user knows
            raise OutputError(str(error).replace(str(unfinished), str(target))) from None
        raise


def _remove_leftovers(target: Path) -> None:
    """Remove the temporary folders that killed processes left behind."""
    import psutil

    for left_over in target.parent.glob(f".{glob.escape(target.name)}.*{_UNFINISHED}"):
        owner = left_over.name.removeprefix(f".{target.name}.").split(".")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left_over, ignore_errors=True)


def refuse_existing(target: Path, *, overwrite: bool, kind: tuple[str, str] = RUN) -> None:
    """Raise an error where a folder must not be replaced: a run without `overwrite`, or no run."""
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
            f"{target}: something else was written there meanwhile, and is kept; the {kind[0]} is "
            f"in {beside}"
        ) from None
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


def _free_name(target: Path) -> Path:
    """Return a name beside a folder that nothing has."""
    names = (target.with_name(f"{target.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())


def write_run(run: Run, folder: Path) -> None:
    """Write all files of a run."""
    for name in (*_TABLES, *_OPTIONAL_TABLES):
        with writing(folder / f"{name}.parquet"):
            getattr(run, name).write_parquet(folder / f"{name}.parquet")
    if run.info.get("in_parts"):
        _write_parts(run.links, folder / "links_parts")
    _write_tsv(run.links, folder / "links.tsv")
    if len(run.suspicious_seeds):
        _write_tsv(run.suspicious_seeds, folder / "suspicious_seeds.tsv")
    with writing(folder / "run.json"):
        write_json(folder / "run.json", run.info)


def _write_tsv(table: pl.DataFrame, path: Path) -> None:
    with writing(path):
        table.write_csv(path, separator="\t", quote_style="never")


def write_table(run: Run, name: str, folder: Path) -> None:
    """Write one table of a run into its existing folder."""
    path = folder / f"{name}.parquet"
    unfinished = path.with_name(f".{path.name}{_UNFINISHED}")
    with writing(path):
        getattr(run, name).write_parquet(unfinished)
        unfinished.replace(path)


def _write_parts(links: pl.DataFrame, folder: Path) -> None:
    """Write the links again in parts of equal size, for tools that read parts in parallel."""
    folder.mkdir()
    for number, part in enumerate(links.iter_slices(PART_ROWS)):
        with writing(folder / f"part-{number:05d}.parquet"):
            part.write_parquet(folder / f"part-{number:05d}.parquet")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON."""
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load_run(folder: str | Path) -> Run:
    """Return the run that a folder holds."""
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
        info["config"] = with_current_names(info.get("config", {}))
        _refuse_missing(folder)
        tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in _TABLES}
        tables["links"] = _with_later_columns(tables["links"])
        for name in _OPTIONAL_TABLES:
            if (path := folder / f"{name}.parquet").exists():
                tables[name] = pl.read_parquet(path)
    except (OSError, ValueError, KeyError, TypeError, *PARQUET_ERRORS) as error:
        raise InputError(f"{folder}: the run is damaged: {error}; align again") from None
    return Run(**tables, info=info)


def _with_later_columns(links: pl.DataFrame) -> pl.DataFrame:
    """Return links with the columns that earlier versions did not write, without values."""
    return links.with_columns(
        empty.alias(name)
        for name, empty in _LATER_LINK_COLUMNS.items()
        if name not in links.columns
    )


def _refuse_missing(folder: Path) -> None:
    """Raise an error that names all missing tables."""
    missing = [f"{name}.parquet" for name in _TABLES if not (folder / f"{name}.parquet").exists()]
    if missing:
        raise InputError(
            f"{folder}: the run has no {', '.join(missing)}; an earlier lighttea wrote it, or it "
            "was damaged: align again"
        )
