"""A report as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lighttea.bench.paper.document import FAR_MARK, Document, Table


def render_markdown(document: Document, pictures: Collection[str]) -> str:
    """Return the text of report.md; plots are links to those pictures that were made."""
    return "\n\n".join(_blocks(document, pictures)) + "\n"


def _blocks(document: Document, pictures: Collection[str]) -> Iterator[str]:
    yield from (f"# {document.title}", document.lead)
    for section in document.sections:
        yield from (f"## {section.title}", *section.text)
        for part in section.parts:
            if isinstance(part, Table):
                yield from _table_blocks(part)
            elif part.name in pictures:
                yield f"![{part.caption}](plots/{part.name}.svg)"


def _table_blocks(table: Table) -> Iterator[str]:
    heads = [column.replace(": ", " ") for column in table.columns]
    marks = ["---:" if is_numeric else "---" for is_numeric in table.is_numeric]
    rows = "\n".join(_line(row) for row in table.rows)
    yield f"**{table.caption}**"
    yield f"{_line(heads)}\n{_line(marks)}\n{rows}"
    legend = f"{FAR_MARK} more than .005 apart." if FAR_MARK in rows else ""
    if table.note or legend:
        yield f"{table.note} {legend}".strip()


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in cells) + " |"
