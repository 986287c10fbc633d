"""Sources that are sheets of a workbook: xlsx and its relatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from lighttea.config import did_you_mean
from lighttea.errors import EngineUnavailable, InputError
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.lines import existing_file, file_digest
from lighttea.io.packed import refuse_inflated_zip


def read_sheet(path: Path, source: SourceDescription) -> Rows:
    """Return the rows of a sheet; lines are the numbers that the program shows beside them."""
    workbook = _open(path)
    names = list(workbook.sheet_names)
    chosen = source.options.get("sheet", names[0] if names else "")
    if chosen not in names:
        raise InputError(
            f"{source.place('sheet')}: {path} has no sheet {chosen!r}; found {len(names)}: "
            f"{', '.join(names)}{did_you_mean(chosen, names)}"
        )
    has_header = bool(source.options.get("header", True))
    frame = sheet_frame(workbook, path, chosen, has_header=has_header)
    notes = (f"read sheet {chosen!r}, not {', '.join(names[1:])}",)
    is_told = "sheet" in source.options or len(names) == 1
    return Rows.of_frame(
        frame,
        f"{path} [{chosen}]" if len(names) > 1 else str(path),
        digest=file_digest(path),
        first_line=1 + has_header,
        notes=() if is_told else notes,
    )


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets of a workbook."""
    return list(_open(path).sheet_names)


def sheet_frame(workbook: Any, path: Path, sheet: str, *, has_header: bool) -> pl.DataFrame:
    """Return a sheet; columns without a header are called 1, 2, ..."""
    import fastexcel

    try:
        loaded = workbook.load_sheet(
            sheet, header_row=0 if has_header else None, schema_sample_rows=None
        )
        frame: pl.DataFrame = loaded.to_polars()
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: the sheet {sheet!r} cannot be read: {reason}") from None
    if not has_header:
        frame.columns = [str(n + 1) for n in range(frame.width)]
    return frame


def _open(path: Path) -> Any:
    refuse_inflated_zip(existing_file(path))
    try:
        import fastexcel
    except ImportError:
        raise EngineUnavailable(
            "reading a workbook needs a library: pip install 'lighttea[xlsx]', or save the sheet "
            "as CSV"
        ) from None
    try:
        return fastexcel.read_excel(str(path))
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read as a workbook: {reason}") from None
