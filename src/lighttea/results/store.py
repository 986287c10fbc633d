"""Run folders: written and read by one schema, with a list of their files; no pickle."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lighttea.errors import InputError, LightteaWarning
from lighttea.io.files import whole_file
from lighttea.io.outputs import writing
from lighttea.io.tsv import write_tsv
from lighttea.results.check import NO_LIST, refuse_other_folders
from lighttea.results.manifest import (
    Manifest,
    WrittenFile,
    describe_damage,
    describe_file,
    read_manifest,
)
from lighttea.results.place import bring_back
from lighttea.results.read import find_difference, read_tables
from lighttea.results.record import check_record, parse_record
from lighttea.results.run import Run
from lighttea.results.schema import CLUSTERS, FILES, RECORD, TABLES, Table, table_of

PART_ROWS = 1_000_000  # links of a part, where they are written in parts


def write_run(run: Run, folder: Path) -> None:
    """Write all files of a run, and the list of them last."""
    files: dict[str, WrittenFile] = {}
    for table in TABLES:
        files[table.file] = write_frame(getattr(run, table.name), table, folder / table.file)
    if run.info.get("in_parts"):
        files |= _write_parts(run.links, folder)
    files["links.tsv"] = write_frame_tsv(run.links, folder / "links.tsv")
    if len(run.suspicious_seeds):
        name = "suspicious_seeds.tsv"
        files[name] = write_frame_tsv(run.suspicious_seeds, folder / name)
    if "update" in run.info:
        files["changes.tsv"] = write_frame_tsv(run.changes, folder / "changes.tsv")
    with writing(folder / RECORD):
        write_json(folder / RECORD, run.info)
        files[RECORD] = describe_file(folder / RECORD)
        Manifest(files).write(folder)


def write_table(run: Run, name: str, folder: Path) -> None:
    """Write one table of a run into its existing folder.

    The list of files names the old and the new one until the new one is in place, so that the run
    is whole at every moment.
    """
    table, manifest = table_of(name), read_manifest(folder)
    path = folder / table.file
    with writing(path), whole_file(path) as unfinished:
        new = write_frame(getattr(run, name), table, unfinished)
        if manifest is not None:
            old = manifest.files.get(table.file)
            Manifest({**manifest.files, table.file: replace(new, before=old)}).write(folder)
    if manifest is not None:
        with writing(path):
            Manifest({**manifest.files, table.file: new}).write(folder)


def write_frame(frame: pl.DataFrame, table: Table, path: Path) -> WrittenFile:
    """Write a table with the declared columns first, in their types; others follow."""
    present = [column for column in table.columns if column.name in frame.columns]
    missing = [c.name for c in table.columns if not c.optional and c not in present]
    if missing:
        raise InputError(f"{table.name}: cannot be written without a column {missing[0]}")
    names = [column.name for column in present]
    ordered = frame.select(
        *(pl.col(column.name).cast(column.dtype) for column in present), pl.exclude(names)
    )
    with writing(path):
        ordered.write_parquet(path)
        return describe_file(path, len(ordered))


def write_frame_tsv(table: pl.DataFrame, path: Path) -> WrittenFile:
    """Write a table as tab-separated text, a copy for other tools."""
    with writing(path):
        write_tsv(table, path)
        return describe_file(path, len(table))


def _write_parts(links: pl.DataFrame, folder: Path) -> dict[str, WrittenFile]:
    """Write the links again in parts of equal size, for tools that read parts in parallel."""
    (folder / "links_parts").mkdir()
    files = {}
    for number, part in enumerate(links.iter_slices(PART_ROWS)):
        name = f"links_parts/part-{number:05d}.parquet"
        with writing(folder / name):
            part.write_parquet(folder / name)
            files[name] = describe_file(folder / name, len(part))
    return files


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON."""
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def load_run(folder: str | Path) -> Run:
    """Return the run that a folder holds.

    Its files are compared with what was written: sizes, columns, types, rows, and the digests of
    files up to 256 MiB. An error names every file that differs.
    """
    folder = Path(folder)
    bring_back(folder)
    refuse_other_folders(folder)
    info, manifest = open_record(folder)
    if info.get("kind") == CLUSTERS:
        raise InputError(
            f"{folder}: a run of several graphs; load it with `lighttea.load_clusters`, or open "
            f"one of its pairs, such as {next(iter(sorted(folder.glob('pairs/*'))), folder)}"
        )
    info = check_record(info, folder)
    tables, problems = read_tables(folder, manifest)
    if problems:
        raise damaged(folder, problems)
    for note in _notes(folder, manifest):
        warnings.warn(f"{folder}: {note}", LightteaWarning, stacklevel=2)
    return Run(**tables, info=info)


def open_record(folder: Path) -> tuple[dict[str, Any], Manifest | None]:
    """Return the record of a run and the list of its files, if the record is as it was written."""
    info, manifest = parse_record(folder), read_manifest(folder)
    if manifest is None and info.get("files"):
        raise damaged(folder, {FILES: "the file is missing"})
    if problem := find_difference(folder, RECORD, manifest, needed=True):
        raise damaged(folder, {RECORD: problem})
    return info, manifest


def damaged(folder: Path, problems: Mapping[str, str]) -> InputError:
    """Return an error with a sentence for each file."""
    return InputError.of_many(
        [describe_damage(folder / name, problem) for name, problem in problems.items()]
    )


def _notes(folder: Path, manifest: Manifest | None) -> Iterator[str]:
    """Yield what users should know of a run that can be used."""
    if manifest is None:
        yield NO_LIST
        return
    tables = {table.file for table in TABLES}
    for name in sorted(set(manifest.files) - tables - {RECORD}):  # copies, for other tools
        problem = find_difference(folder, name, manifest, needed=False, digest=False)
        if problem is not None:
            yield f"{name} is not as it was written: {problem}; lighttea does not read it"
