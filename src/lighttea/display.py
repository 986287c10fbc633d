"""How results look at a Python prompt and in a notebook: a short `repr`, a small table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

_WIDTH = 40  # characters of a name in a summary
_CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"


class Displayed:
    """Base of public results: `repr` and the notebook view, made of one summary.

    A dataclass that inherits from it is declared with `repr=False`; otherwise the dataclass writes
    a `repr` of its own, with every array and table in it.
    """

    def _summary(self) -> str:
        """Return what the object holds, in one or two lines of plain text."""
        raise NotImplementedError

    def _tables(self) -> Iterable[str]:
        """Return what a notebook shows below the summary: pieces of HTML, escaped."""
        return ()

    def __repr__(self) -> str:
        start = f"{type(self).__name__}("
        return start + self._summary().replace("\n", "\n" + " " * len(start)) + ")"

    def _repr_html_(self) -> str:
        title = f"<p><b>{type(self).__name__}</b>: {escape(self._summary())}</p>"
        return f"<div>{title}{''.join(self._tables())}</div>"


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a plain HTML table with inline styles; every cell is escaped."""
    head = _html_row("th", headers)
    body = "".join(_html_row("td", row) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _html_row(tag: str, cells: Iterable[str]) -> str:
    written = "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"


def html_list(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line as an escaped HTML paragraph."""
    return (f"<p>{escape(line)}</p>" for line in lines)


def shorten(text: str, width: int = _WIDTH) -> str:
    """Return the text on one line, its middle replaced by `...` where it is longer than `width`."""
    line = " ".join(text.split())
    kept = (width - 3) // 2
    return line if len(line) <= width else f"{line[:kept]}...{line[-kept:]}"
