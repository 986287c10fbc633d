"""What the columns of a source say once they have roles: texts, ids with prefixes, times, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.io.cells import NA, note_na
from lighttea.io.descriptions.model import Cell, SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.problems import Problems
from lighttea.io.tables import datatype_of, value_column

_FORBIDDEN_CHARACTERS = r"[\t\r\n\x00]"


@dataclass
class RoleColumns:
    """The columns of one table as its description reads them; problems are collected."""

    rows: Rows
    source: SourceDescription
    problems: Problems = field(default_factory=lambda: Problems(strict=True))
    _times: dict[str, pl.Series] = field(default_factory=dict)
    _n_na: dict[str, int] = field(default_factory=dict)

    def texts(self, column: str) -> pl.Series:
        """Return a column as texts, or as lists of texts; null where there is no value."""
        values, rules = self.rows.column(column), self.source.rules
        separator = self.source.splits.get(column)
        if isinstance(values.dtype, pl.List):
            return self._members(self._list_of_texts(values))
        texts = value_column(self.rows.where, values)
        if separator is None:
            return rules.without_missing(texts)
        return self._members(texts.str.split(separator))

    def plain_texts(self, column: str, key: str) -> pl.Series:
        """Return a column as texts; a list is an error."""
        texts = self.texts(column)
        if isinstance(texts.dtype, pl.List):
            raise InputError(
                f"{self.source.place(key)}: {self.rows.where}: column {column!r} holds lists; "
                "expected one value in each row"
            )
        return texts

    def datatype(self, column: str) -> str:
        """Return the datatype that the type of a column says; empty for texts."""
        return datatype_of(self.rows.column(column))

    def times(self, column: str, key: str) -> pl.Series:
        """Return a column of times in a usual form, null for unknown."""
        if column not in self._times:
            texts = self.plain_texts(column, key).alias(column)
            self._n_na[column] = int((texts.str.strip_chars() == NA).sum())
            self._times[column] = self.source.rules.iso_times(
                texts, self.rows.lines, self.rows.where, self.problems
            )
        return self._times[column]

    def time(self, cell: Cell, key: str) -> pl.Series:
        """Return the times that a column or a constant gives to the rows."""
        return self.times(cell.column, key) if cell.column else self.constant(cell.constant)

    def constant(self, text: str | None) -> pl.Series:
        """Return a text for every row."""
        return pl.repeat(text, len(self.rows), dtype=pl.String, eager=True)

    def ids(self, texts: pl.Series, column: str, key: str) -> pl.Series:
        """Return ids of entities: with their prefix; those that break lines become problems."""
        self._refuse_breaks(texts, column)
        prefixes = self.source.prefixes
        prefix = prefixes.get(key, "" if key == "relation" else prefixes.get("", ""))
        if not prefix:
            return texts
        if isinstance(texts.dtype, pl.List):
            return texts.list.eval(prefix + pl.element())
        return prefix + texts

    def shown_names(self, columns: Sequence[str]) -> pl.Series:
        """Return one readable name for each row, of several columns; null where all are empty."""
        parts = []
        for number, column in enumerate(columns):
            texts = self.texts(column)
            first = texts.list.first() if isinstance(texts.dtype, pl.List) else texts
            parts.append(first.alias(f"part_{number}"))
        joined = pl.DataFrame(parts).select(
            pl.concat_str(pl.all(), separator=" ", ignore_nulls=True)
        )
        text = joined.to_series().str.replace_all(r"\s+", " ").str.strip_chars()
        return text.set(text == "", None)

    def notes(self) -> tuple[str, ...]:
        """Return notes on columns that have no role, and on times that R wrote as missing."""
        used = {column for _, column in self.source.columns()}
        names = self.rows.names
        unused = [n for i, n in enumerate(names, 1) if n not in used and str(i) not in used]
        marked = [column for column, count in self._n_na.items() if count]
        return (
            *self.rows.notes,
            *[f"unused columns: {', '.join(unused)}"] * bool(unused),
            *note_na(sum(self._n_na.values()), marked),
        )

    def _list_of_texts(self, values: pl.Series) -> pl.Series:
        inner = values.dtype.inner if isinstance(values.dtype, pl.List) else values.dtype
        if isinstance(inner, pl.DataType) and (inner.is_nested() or inner == pl.Binary):
            raise InputError(
                f"{self.rows.where}: column {values.name!r} holds lists of {inner}; expected "
                "texts, numbers or dates"
            )
        return values.cast(pl.List(pl.String))

    def _members(self, lists: pl.Series) -> pl.Series:
        """Return lists without blanks and marks of missing values; null where nothing is left."""
        text = pl.element().str.strip_chars()
        known = lists.list.eval(text.filter(~text.is_in(["", *self.source.rules.missing])))
        return known.set(known.list.len() == 0, None)

    def _refuse_breaks(self, texts: pl.Series, column: str) -> None:
        flat = texts.list.join("") if isinstance(texts.dtype, pl.List) else texts
        is_wrong = flat.str.contains(_FORBIDDEN_CHARACTERS).fill_null(value=False)
        if not is_wrong.any():
            return
        where = self.rows.where
        first = [
            (
                f"{where}:{line}: column {column!r}: an id must not contain a tab, a line break "
                "or a NUL"
            )
            for line in self.rows.lines.filter(is_wrong).head(SHOWN_PROBLEMS)
        ]
        self.problems.add_many(first, total=int(is_wrong.sum()))


def names_by_id(ids: pl.Series, names: pl.Series) -> Mapping[str, str]:
    """Return the first name of each id, where it differs from the id."""
    pairs = pl.DataFrame({"id": ids, "name": names}).drop_nulls()
    known = pairs.filter(pl.col("id") != pl.col("name"))
    first = known.unique("id", keep="first", maintain_order=True)
    return dict(first.iter_rows())
