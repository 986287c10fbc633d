"""Sources that are files: which files a name or a glob means, and what reads each of them."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.formats import TABLE
from lighttea.io.graphs import read_graph, recognise_format
from lighttea.io.lines import existing_file, file_digest
from lighttea.io.packed import COMPRESSED_SUFFIXES
from lighttea.io.parquet.read import read_parquet_table
from lighttea.io.parts import PARQUET, find_parts

_TableReader: TypeAlias = Callable[[Path, SourceDescription], Iterable[Rows]]
SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
JSON_LINES = (".jsonl", ".ndjson")
DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
_OF_KIND: Mapping[str, tuple[str, ...]] = {  # options that some files alone have
    "text": ("separator", "encoding", "header"),
    "sheet": ("sheet", "header"),
    "json": ("each",),
    "parquet": (),
}


def read_files(source: SourceDescription) -> Iterator[Rows | Graph]:
    """Yield the rows, or the graphs, of all files of a source."""
    for path in find_files(source):
        if _is_whole_graph(path, source):
            yield _read_whole_graph(path, source)
        else:
            kind = kind_of_file(path)
            _refuse_options(path, kind, source)
            yield from _READERS[kind](path, source)


def _read_whole_graph(path: Path, source: SourceDescription) -> Graph:
    if suffix_of(path) == ".toml":
        raise InputError(
            f"{source.place('file')}: a description cannot be the source of another one"
        )
    for key in source.options.keys() - {"file", "format"}:
        raise InputError(
            f"{source.place(key)}: does not apply to a file that is a graph already; name its "
            "columns to read it as a table"
        )
    return read_graph(path, format=source.options.get("format"), strict=source.strict)


def find_files(source: SourceDescription) -> list[Path]:
    """Return the files that a source names, those of a pattern in order."""
    paths: list[Path] = []
    for name in source.options["file"]:
        path = source.folder / name
        if any(sign in name for sign in "*?[") and not _exists(path):
            pattern = str(Path(glob.escape(str(source.folder))) / name)
            files = sorted(p for p in map(Path, glob.glob(pattern, recursive=True)) if p.is_file())
            if not files:
                raise InputError(f"{source.place('file')}: no file matches {path}")
            paths += files
        else:
            paths += find_parts(path) or [_existing(path, source)]
    return paths


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # not a possible file name
        return False


def kind_of_file(path: Path) -> str:
    """Return what a table lies in by its extension: text, parquet, sheet or json."""
    suffix = suffix_of(path)
    if suffix in PARQUET:
        return "parquet"
    if suffix in SHEETS:
        return "sheet"
    return "json" if suffix in (".json", *JSON_LINES) else "text"


def format_of_file(path: Path) -> str | None:
    """Return the format of a file by itself; None for JSON and XML of an unknown structure."""
    is_told = suffix_of(path) in (*SHEETS, *DATABASES)
    return TABLE if is_told else recognise_format(path)


def suffix_of(path: Path) -> str:
    """Return the extension of a file, that of a packed one aside."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _existing(path: Path, source: SourceDescription) -> Path:
    try:
        existing_file(path)
    except InputError as error:
        raise InputError(f"{source.place('file')}: {error}") from None
    if suffix_of(path) in DATABASES:
        raise InputError(
            f'{source.place("file")}: {path} is a database; write database = "{path.name}" and '
            'sql = "SELECT ..."'
        )
    return path


def _is_whole_graph(path: Path, source: SourceDescription) -> bool:
    """Whether a file without roles is read as it would be without a description."""
    if source.roles is not None:
        return False
    if "format" in source.options or format_of_file(path) != TABLE:
        return True
    rules = source.rules
    plain = set(source.options) == {"file"} and not rules.missing and not rules.date_formats
    return plain and kind_of_file(path) in ("text", "parquet")


def _refuse_options(path: Path, kind: str, source: SourceDescription) -> None:
    for key in source.options.keys() - {"file", *_OF_KIND[kind]}:
        raise InputError(f"{source.place(key)}: does not apply to {path.name}")


def _read_text(path: Path, source: SourceDescription) -> Iterator[Rows]:
    from lighttea.io.descriptions.text_tables import read_text_table

    yield read_text_table(path, source)


def _read_parquet(path: Path, source: SourceDescription) -> Iterator[Rows]:
    yield Rows.of_frame(read_parquet_table(path), str(path), digest=file_digest(path))


def _read_sheet(path: Path, source: SourceDescription) -> Iterator[Rows]:
    from lighttea.io.descriptions.sheets import read_sheet

    yield read_sheet(path, source)


def _read_json(path: Path, source: SourceDescription) -> Iterator[Rows]:
    from lighttea.io.descriptions.json_rows import read_json_rows

    return read_json_rows(path, source)


_READERS: Mapping[str, _TableReader] = {
    "text": _read_text,
    "parquet": _read_parquet,
    "sheet": _read_sheet,
    "json": _read_json,
}
