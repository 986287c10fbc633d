"""The blocks that sections consist of, as the template reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lighttea.display import Named
from lighttea.report.drawing import Drawing

Block = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    """A cell with a bar in front of its text."""

    text: str
    share: float  # of the longest bar, 0 to 1
    second: bool = False  # in the second colour

    @property
    def is_negative(self) -> bool:
        """Whether the value counts against; such a bar is hatched."""
        return self.text.startswith("-")

    @property
    def width(self) -> float:
        """The length in percent."""
        return round(100 * min(max(self.share, 0.0), 1.0), 1)


Cell = str | Named | Bar


@dataclass(frozen=True)
class Heading:
    """A row of a table that stands above those it belongs to."""

    text: str


@dataclass(frozen=True)
class Section:
    """A heading and the blocks below it."""

    title: str
    blocks: list[Block]

    @property
    def anchor(self) -> str:
        """The id of the section, for links within the page."""
        return "-".join(self.title.lower().replace("?", "").replace(",", "").split())


def table_block(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell] | Heading],
    *,
    half: bool = False,
) -> Block:
    """Return a table; columns of numbers are right-aligned, names have their ids below."""
    cells = [row for row in rows if not isinstance(row, Heading)]
    numeric = [
        bool(cells) and all(_is_number(row[i]) for row in cells) for i in range(len(columns))
    ]
    content = {"columns": columns, "numeric": numeric, "rows": rows}
    return {"table": True, "caption": caption, "half": half, **content}


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, str) and not cell.strip("0123456789.,%+- s")


def chart_block(drawing: Drawing, caption: str) -> Block:
    """Return a chart with its caption; one with a narrow picture takes the whole width."""
    return {"chart": drawing, "caption": caption, "wide": bool(drawing.narrow)}


def text_block(text: str) -> Block:
    """Return a paragraph; words between backquotes are code."""
    return {"text": text}


def note_block(text: str) -> Block:
    """Return a paragraph in small print; words between backquotes are code."""
    return {"note": text}


def bars(values: Sequence[float], texts: Sequence[str]) -> Iterator[Bar]:
    """Yield cells whose bars compare the values."""
    longest = max([*values, 1e-9])
    for value, text in zip(values, texts, strict=True):
        yield Bar(text, value / longest)
