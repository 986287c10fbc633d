"""What a report is made of, as data: both texts, Markdown and HTML, are written from these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lighttea.bench.paper.figures import FAR

NOTHING = "–"
SPREAD = " ± "  # between a mean and its standard deviation
PAPER_SERIES = " (paper)"  # ends the name of a series that is not ours


@dataclass(frozen=True)
class Difference:
    """Ours less theirs; shares are marked where they are far apart."""

    value: float
    digits: int = 3

    @property
    def text(self) -> str:
        """With its sign: +.002, −.011, or without one where it rounds to nothing."""
        shown = f"{abs(self.value):,.{self.digits}f}"
        if not float(shown.replace(",", "")):
            return unpadded(shown)
        return ("+" if self.value > 0 else "−") + unpadded(shown)

    @property
    def is_far(self) -> bool:
        """Beyond what two runs of the same method may differ by."""
        return self.digits > 0 and abs(self.value) > FAR


Cell = str | Difference


@dataclass(frozen=True)
class Column:
    """A column, perhaps one of several under a common heading."""

    name: str
    group: str = ""
    numeric: bool = True


@dataclass(frozen=True)
class Row:
    """The cells of a row; those of others' figures are muted."""

    cells: tuple[Cell, ...]
    muted: bool = False


@dataclass(frozen=True)
class Table:
    """A captioned table; on a page the first columns may head groups of rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    heading_columns: int = 0


@dataclass(frozen=True)
class Point:
    """One point of a plot, or one bar."""

    x: float | str
    y: float
    series: str


@dataclass(frozen=True)
class Plot:
    """A picture: a curve over numbers, or bars by name; `name` is its file's."""

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
    """A heading, some words, tables and plots."""

    title: str
    text: tuple[str, ...] = ()
    parts: tuple[Table | Plot, ...] = ()


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str
    lead: str
    sections: tuple[Section, ...] = field(default=())

    def plots(self) -> Iterator[Plot]:
        """All pictures, in order."""
        for section in self.sections:
            yield from (part for part in section.parts if isinstance(part, Plot))


def unpadded(text: str) -> str:
    """A decimal as the field prints it: .945 and not 0.945."""
    return text.removeprefix("0") if text.startswith("0.") else text


def share(value: float | None) -> str:
    """A figure between 0 and 1."""
    return NOTHING if value is None else unpadded(f"{value:.3f}")


def spread(value: float, std: float | None) -> str:
    """A mean and its standard deviation."""
    return share(value) if std is None else f"{share(value)}{SPREAD}{share(std)}"


def whole(value: float | None) -> str:
    """A count."""
    return NOTHING if value is None else f"{value:,.0f}"


def seconds(value: float | None) -> str:
    """Seconds, to a tenth."""
    return NOTHING if value is None else f"{value:,.1f}"


def p_text(value: float | None) -> str:
    """A p-value, one digit, as the paper prints it."""
    if value is None:
        return NOTHING
    mantissa, _, exponent = f"{value:.0e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
