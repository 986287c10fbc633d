"""A report as one self-contained page, where the extra `report` is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from lighttea.bench.paper.document import (
    NOTHING,
    SPREAD,
    Cell,
    Column,
    Difference,
    Document,
    Plot,
    Row,
    Section,
    Table,
)
from lighttea.errors import EngineUnavailable
from lighttea.report.theme import INSTALL, themed

if TYPE_CHECKING:
    from markupsafe import Markup

LONG_TABLE = 60  # rows; a longer one is folded away
LONG_TEXT = 32  # characters; a longer text is broken into lines


def html(document: Document, pictures: Mapping[str, str]) -> str:
    """The text of report.html, with the pictures by the names of their plots."""
    try:
        import jinja2
    except ImportError:
        raise EngineUnavailable(f"report.html needs jinja2: {INSTALL}") from None
    folder = files("lighttea.bench.paper")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["prose"] = _prose
    template = environment.from_string(folder.joinpath("report.html.j2").read_text("utf-8"))
    return template.render(
        document=document,
        style=_markup(files("lighttea.report").joinpath("page.css").read_text("utf-8")),
        sections=[_section(one, pictures) for one in document.sections],
    )


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _escaped(text: str) -> Markup:
    from markupsafe import escape

    return escape(text)


def _prose(text: str) -> Markup:
    """Words between backquotes are code."""
    return _markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(_escaped(text))))


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _section(section: Section, pictures: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": section.title,
        "anchor": _anchor(section.title),
        "text": section.text,
        "blocks": list(_blocks(section, pictures)),
    }


def _blocks(section: Section, pictures: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Tables one by one; plots that stand together in one block, so that they share a line."""
    for is_plot, parts in groupby(section.parts, key=lambda part: isinstance(part, Plot)):
        if not is_plot:
            yield from ({"table": _table(part)} for part in parts if isinstance(part, Table))
            continue
        shown = [part for part in parts if isinstance(part, Plot) and part.name in pictures]
        if shown:
            yield {"pictures": [_picture(plot, pictures[plot.name]) for plot in shown]}


def _picture(plot: Plot, svg: str) -> dict[str, Any]:
    return {"caption": plot.caption, "svg": _markup(themed(svg))}


def _table(table: Table) -> dict[str, Any]:
    columns = table.columns[table.heading_columns :]
    return {
        "caption": table.caption,
        "anchor": _anchor(table.caption),
        "note": table.note,
        "is_long": len(table.rows) > LONG_TABLE,
        "columns": columns,
        "groups": _groups(columns),
        "rows": list(_rows(table)),
    }


def _groups(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """The upper line of the head; none where no column has a common heading."""
    if not any(column.group for column in columns):
        return []
    spans = groupby(columns, key=lambda column: column.group)
    return [{"name": name, "span": len(list(group))} for name, group in spans]


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    """Rows below the headings of their groups; words that repeat the line above are faint."""
    spreads = _with_spreads(table)
    above: tuple[Cell, ...] = ()
    for row in table.rows:
        same = _n_same(row, above, table.columns)
        cells = [
            _cell(cell, column, is_again=number < same, has_spread=number in spreads)
            for number, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True))
        ]
        heading = _heading(row, table) if same < table.heading_columns else ""
        shown = cells[table.heading_columns :]
        yield {"heading": heading, "cells": shown, "muted": row.muted}
        above = row.cells


def _heading(row: Row, table: Table) -> str:
    """The words that a group of rows has in common."""
    named = zip(row.cells[: table.heading_columns], table.columns, strict=False)
    return ", ".join(f"{cell} seeds" if column.numeric else str(cell) for cell, column in named)


def _with_spreads(table: Table) -> set[int]:
    """The columns in which a figure has its standard deviation beside it."""
    return {
        number
        for row in table.rows
        for number, cell in enumerate(row.cells)
        if isinstance(cell, str) and SPREAD in cell
    }


def _n_same(row: Row, above: Sequence[Cell], columns: Sequence[Column]) -> int:
    """How many leading cells repeat the line above; figures never count as repeated."""
    same = 0
    for cell, other, column in zip(row.cells, above, columns, strict=False):
        if cell != other or (column.numeric and column.name != "seeds"):
            break
        same += 1
    return same


def _cell(cell: Cell, column: Column, *, is_again: bool, has_spread: bool) -> dict[str, Any]:
    styles = ["number"] if column.numeric else []
    if isinstance(cell, Difference):
        styles.append("difference")
        if cell.is_far:
            styles.append("above" if cell.value > 0 else "below")
        return {"style": " ".join(styles), "html": _difference(cell)}
    if is_again:
        styles.append("again")
    if not column.numeric:
        styles.append("long" if len(cell) > LONG_TEXT else "word")
    return {"style": " ".join(styles), "html": _figure(cell, has_spread=has_spread)}


def _difference(cell: Difference) -> Markup:
    """The sign tells the direction, a mark that it is far; colour only repeats them."""
    mark = ("▲" if cell.value > 0 else "▼") if cell.is_far else ""
    place = f'<span class="mark">{mark}</span>' if cell.digits else ""
    return _markup(f"{_escaped(cell.text)}{place}")


def _figure(cell: str, *, has_spread: bool) -> Markup:
    """A figure; where others of its column have a deviation it keeps the place of one."""
    text, sign, std = cell.partition(SPREAD)
    shown = f'<span class="nothing">{NOTHING}</span>' if cell == NOTHING else str(_escaped(text))
    if not has_spread:
        return _markup(shown)
    return _markup(f'{shown} <span class="std">{_escaped((sign + std).strip())}</span>')
