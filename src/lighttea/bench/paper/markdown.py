"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lighttea.bench.paper.document import Cell, Difference, Document, Plot, Table

FAR_MARK = "‡"


def markdown(document: Document, pictures: Collection[str]) -> str:
    """The text of report.md; plots are links to those pictures that were made."""
    return "\n\n".join(_blocks(document, pictures)) + "\n"


def _blocks(document: Document, pictures: Collection[str]) -> Iterator[str]:
    yield f"# {document.title}"
    yield document.lead
    for section in document.sections:
        yield f"## {section.title}"
        yield from section.text
        for part in section.parts:
            if isinstance(part, Table):
                yield _table(part)
            elif part.name in pictures:
                yield _picture(part)


def _picture(plot: Plot) -> str:
    return f"![{plot.caption}](plots/{plot.name}.svg)"


def _table(table: Table) -> str:
    heads = [f"{column.group} {column.name}".strip() for column in table.columns]
    marks = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [_line(heads), _line(marks), *(_line(map(_text, row.cells)) for row in table.rows)]
    far = any(isinstance(x, Difference) and x.is_far for row in table.rows for x in row.cells)
    notes = [table.note, f"{FAR_MARK} more than .005 apart." if far else ""]
    note = " ".join(one for one in notes if one)
    return "\n\n".join(x for x in (f"**{table.caption}**", "\n".join(lines), note) if x)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _text(cell: Cell) -> str:
    if isinstance(cell, Difference):
        return cell.text + (FAR_MARK if cell.is_far else "")
    return cell.replace("*", "\\*")
