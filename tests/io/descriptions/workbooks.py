"""A workbook of the smallest kind, written without a library."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

Cell: TypeAlias = str | int | float | None
Sheets: TypeAlias = Mapping[str, Sequence[Sequence[Cell]]]
_SPACE = "http://schemas.openxmlformats.org"
_MAIN = f"{_SPACE}/spreadsheetml/2006/main"
_PACKAGE = f"{_SPACE}/package/2006"
_OFFICE = f"{_SPACE}/officeDocument/2006/relationships"


def write_workbook(path: Path, sheets: Sheets) -> None:
    """Write sheets of texts and numbers."""
    places = list(enumerate(sheets, 1))
    parts = {
        "[Content_Types].xml": _types(len(sheets)),
        "_rels/.rels": _relationships([("officeDocument", "xl/workbook.xml")]),
        "xl/_rels/workbook.xml.rels": _relationships(
            [("worksheet", f"worksheets/sheet{n}.xml") for n, _ in places]
        ),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="{escape(s)}" sheetId="{n}" r:id="r{n}"/>' for n, s in places)
        + "</sheets></workbook>",
        **{f"xl/worksheets/sheet{n}.xml": _sheet(sheets[name]) for n, name in places},
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def _types(n_sheets: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n + 1}.xml" ContentType="{kind}.worksheet+xml"/>'
        for n in range(n_sheets)
    )
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{relations}"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f"{sheets}</Types>"
    )


def _relationships(targets: Sequence[tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    written = ""
    for y, row in enumerate(rows, 1):
        cells = "".join(_cell(f"{chr(64 + x)}{y}", cell) for x, cell in enumerate(row, 1))
        written += f'<row r="{y}">{cells}</row>'
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{written}</sheetData></worksheet>'


def _cell(place: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'
