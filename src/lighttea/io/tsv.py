"""Tables as tab-separated text: one row on each line, whatever the values hold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import polars.selectors as cs

_BREAKING = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
_FORMULA = r"^[=+\-@\t\r\n]"  # how a spreadsheet knows a formula


def write_tsv(table: pl.DataFrame, path: Path, *, for_spreadsheets: bool = False) -> None:
    """Write a table with a header, without quotes.

    A tab or a line break in a text is written as `\\t`, `\\r` or `\\n`; it would begin a cell or a
    row of its own. With `for_spreadsheets`, texts that would be formulas begin with an apostrophe.
    """
    if for_spreadsheets:
        table = guard_formulas(table)
    texts = cs.string().str.replace_many(list(_BREAKING), list(_BREAKING.values()))
    table.with_columns(texts).write_csv(path, separator="\t", quote_style="never")


def guard_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts no spreadsheet takes for a formula."""
    names = [name for name, kind in table.schema.items() if kind == pl.String]
    return table.with_columns(
        pl.when(pl.col(name).str.contains(_FORMULA))
        .then(pl.lit("'") + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name in names
    )
