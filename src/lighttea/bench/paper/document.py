"""The report as data: sections of text, tables and plots, shown by report.md and report.html."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from lighttea.bench.paper.figures import FAR

NOTHING = "–"
FAR_MARK = "‡"  # ends a difference that is worth a look
PAPER_SERIES = " (paper)"  # ends the name of a series that is the paper's
_NUMBER = f"0123456789.,e+-−±{NOTHING}{FAR_MARK} "  # characters of numbers
Record = Mapping[str, str]  # cells by the names of their columns


@dataclass(frozen=True)
class Table:
    """A table with a caption, a record a row; a cell that a record lacks is shown as "–".

    Columns named "Hits@1: ours" and "Hits@1: paper" stand under a common heading, Hits@1. On a page
    the first `heading_columns` are not shown: their cells head a group of rows.
    """

    caption: str
    records: Sequence[Record]
    note: str = ""
    heading_columns: int = 0

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order in which records have them."""
        return list(dict.fromkeys(name for record in self.records for name in record))

    @property
    def rows(self) -> list[list[str]]:
        """The cells, row by row."""
        columns = self.columns
        return [[record.get(name, NOTHING) for name in columns] for record in self.records]

    @property
    def is_numeric(self) -> list[bool]:
        """Whether a column holds numbers alone, for each column."""
        columns = zip(*self.rows, strict=True)
        return [not any(cell.strip(_NUMBER) for cell in cells) for cells in columns]

    def common_headings(self) -> list[tuple[str, int]]:
        """Return the common headings and the number of shown columns below each of them."""
        names = (column.rpartition(": ")[0] for column in self.columns[self.heading_columns :])
        return [(name, len(list(columns))) for name, columns in groupby(names)]

    def row_heading(self, record: Record) -> str:
        """Return the heading of the group that a row belongs to."""
        names = self.columns[: self.heading_columns]
        return ", ".join(record[x] + (" seeds" if x == "seeds" else "") for x in names)

    def is_of_others(self, record: Record) -> bool:
        """Return whether a row has no figure of ours, in a table that has such figures."""
        ours = [name for name in self.columns if name.endswith(": ours")]
        return bool(ours) and all(record.get(name, NOTHING) == NOTHING for name in ours)


@dataclass(frozen=True)
class Point:
    """One point of a curve, or one bar."""

    x: float | str
    y: float
    series: str


@dataclass(frozen=True)
class Plot:
    """A picture: a curve over numbers, or bars by name; `name` is the name of its file."""

    name: str
    caption: str
    kind: str  # curve or bars
    x_title: str
    y_title: str
    points: tuple[Point, ...]
    ticks: tuple[float, ...] = ()  # where the x axis is marked
    log: bool = False


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs, tables and plots."""

    title: str
    text: tuple[str, ...] = ()
    parts: tuple[Table | Plot, ...] = ()


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str
    lead: str
    sections: tuple[Section, ...] = ()

    def plots(self) -> Iterator[Plot]:
        """Yield all plots, in order."""
        for section in self.sections:
            yield from (part for part in section.parts if isinstance(part, Plot))


def format_share(value: float | None, std: float | None = None) -> str:
    """Return a figure between 0 and 1 as the field prints it: .945, or .945 ± .002."""
    if value is None:
        return NOTHING
    text = _drop_zero(f"{value:.3f}")
    return text if std is None else f"{text} ± {format_share(std)}"


def format_difference(value: float | None, digits: int = 3) -> str:
    """Return ours less theirs with its sign: +.002, −.011‡; a share far from theirs is marked."""
    if value is None:
        return NOTHING
    number = f"{abs(value):,.{digits}f}"
    sign = ("+" if value > 0 else "−") if number.strip("0.") else ""
    return sign + _drop_zero(number) + (FAR_MARK if digits and abs(value) > FAR else "")


def format_number(value: float | None, digits: int = 0) -> str:
    """Return a count, or another number with these digits."""
    return NOTHING if value is None else f"{value:,.{digits}f}"


def format_p_value(value: float | None) -> str:
    """Return a p-value with one digit, as the paper prints it: 3e-7."""
    return NOTHING if value is None else f"{value:.0e}".replace("e-0", "e-")


def _drop_zero(text: str) -> str:
    return text.removeprefix("0") if text.startswith("0.") else text
