"""How results look at a Python prompt and in a notebook: a short `repr`, a small table.

What a person reads instead of an id, and of a side, is decided here too: see `Named` and
`GraphNames`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol
from urllib.parse import unquote

_WIDTH, _CELL_WIDTH = 40, 80  # characters of a name in a summary and in a table
_SHOWN_VALUE = 200  # characters of a value in a message
_LONGEST_QUOTE, _LONGEST_MESSAGE = 400, 1_500  # characters of a word, and of a line, in a message
_CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"
_NEEDED = "\xad\u200c\u200d\u200e\u200f"  # not printed, but names of some scripts need them
_ISOLATE, _END = "\u2068", "\u2069"
_ISOLATED = re.compile("\u2068([^\u2066-\u2069]*)\u2069")
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"\S+")
_LONGEST = 20  # letters of a word that stays on one line
_LONG_QUOTE = re.compile(rf"\S{{{_LONGEST_QUOTE + 1},}}")
_SIGNS = re.compile(r"([/#?&=:;,._-]+)(?=[^/#?&=:;,._-])")
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst|zip)$", re.IGNORECASE)
_FORMAT = re.compile(r"(?<=.)\.[a-z][a-z0-9]*$", re.IGNORECASE)


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


# ------------------------------------------------------------------------------------- names


@dataclass(frozen=True)
class Named:
    """An entity, a relation or an attribute: its id, and its name where it has one."""

    id: str
    name: str | None = None

    @classmethod
    def of(cls, id: str, names: Mapping[str, str]) -> Named:  # noqa: A002 - as the field
        """Return an id with its name among these."""
        return cls(id, names.get(id))

    @property
    def text(self) -> str:
        """What a person reads: the name, or else the id, of an IRI its last part."""
        return visible((self.name or "").strip() or short_form(self.id))

    @property
    def shown_id(self) -> str:
        """The whole id; empty where the text is the id."""
        whole = visible(self.id)
        return "" if whole == self.text else whole

    @property
    def words(self) -> str:
        """The text, and the id behind it in brackets where that differs."""
        return f"{self.text} ({self.shown_id})" if self.shown_id else self.text

    def shortened(self, width: int = _WIDTH) -> str:
        """Return the text on one line, its middle left out where it is long."""
        return shorten(self.text, width)


class NamedGraph(Protocol):
    """What has a name, or else is called by where it comes from."""

    @property
    def name(self) -> str:
        """What people call it; empty where that is not known."""

    @property
    def source(self) -> str:
        """Its file or address."""


def name_graph(name: str, source: str) -> str:
    """Return what a graph is called: its name, or its file without folder and extension."""
    return shorten(visible(name.strip() or _stem(source)))


@dataclass(frozen=True)
class GraphNames:
    """What the two graphs are called in pages and messages."""

    left: str = "left"
    right: str = "right"

    @classmethod
    def of(cls, left: tuple[str, str], right: tuple[str, str]) -> GraphNames:
        """Return the names of two graphs, of which name and source are given.

        A graph without a name goes by its file, without folder and extension. Where both would be
        called the same, or each like the other's side, they are left and right.
        """
        names = [name_graph(*left) or "left", name_graph(*right) or "right"]
        keys = [name.casefold() for name in names]
        is_mixed_up = keys[0] == keys[1] or keys[0] == "right" or keys[1] == "left"
        return cls() if is_mixed_up else cls(*names)

    @classmethod
    def of_graphs(cls, left: NamedGraph, right: NamedGraph) -> GraphNames:
        """Return the names of two graphs."""
        return cls.of((left.name, left.source), (right.name, right.source))

    def of_side(self, side: str) -> str:
        """Return the name of one side, `left` or `right`."""
        return self.left if side == "left" else self.right

    def graph(self, side: str) -> str:
        """Return one side in words: `the left graph`, or `people (the left graph)`."""
        name = self.of_side(side)
        return f"the {side} graph" if name == side else f"{name} (the {side} graph)"

    def place(self, side: str) -> str:
        """Return where a fact of one side is: `on the left`, or `in people`."""
        name = self.of_side(side)
        return f"on the {side}" if name == side else f"in {name}"


def label_graphs(graphs: Sequence[NamedGraph]) -> list[str]:
    """Return what several graphs are called: names, or else files; a number where two agree."""
    names = [
        shorten(visible(graph.name.strip() or _stem(graph.source) or f"graph {number}"))
        for number, graph in enumerate(graphs, 1)
    ]
    keys = [name.casefold() for name in names]
    labels = [
        f"{name} {number}" if keys.count(key) > 1 else name
        for number, (name, key) in enumerate(zip(names, keys, strict=True), 1)
    ]
    is_clear = len({label.casefold() for label in labels}) == len(labels)
    return labels if is_clear else [f"graph {number}" for number in range(1, len(labels) + 1)]


def _stem(source: str) -> str:
    """Return the name of a file or folder without path and extensions; a number is none."""
    file = re.split(r"[/\\]", source.rstrip("/\\"))[-1]
    stem = _FORMAT.sub("", _PACKED.sub("", file))
    return stem if _LETTER.search(stem) else ""


def short_form(name: str) -> str:
    """Return the readable last part of an IRI; any other id as it is.

    Percent signs are decoded, underscores are spaces. A number alone says little: it keeps the part
    before it, as in `person/37`.
    """
    if "://" not in name:
        return name
    parts = [part for part in re.split(r"[/#]", name.split("://", 1)[1]) if part]
    if not parts:
        return name
    try:
        last = unquote(parts[-1], errors="strict").replace("_", " ").strip()
    except UnicodeDecodeError:
        last = parts[-1]
    if not _LETTER.search(last) and len(parts) > 2:
        last = f"{parts[-2]}/{last}"
    return last or name


# -------------------------------------------------------------------------------------- text


def visible(text: str) -> str:
    """Return the text on one line; characters that cannot be seen, or turn text round, escaped."""
    if text.isprintable():
        return text
    return "".join(sign if _is_shown(sign) else ascii(sign)[1:-1] for sign in text)


def escape_value(text: str, width: int = _SHOWN_VALUE) -> str:
    """Return a value for a message: on one line, escaped, its middle left out where it is long."""
    return visible(_cut_middle(text, width))


def escape_message(text: str) -> str:
    """Return a message for people, escaped line by line; what is longer than a screen is cut.

    Every error, warning and note goes through it before it is shown, whatever it quotes.
    """
    return "\n".join(map(_escape_line, text.split("\n")))


def _escape_line(line: str) -> str:
    if len(line) > _LONGEST_QUOTE:
        line = _LONG_QUOTE.sub(lambda quote: _cut_middle(quote[0], _LONGEST_QUOTE), line)
    pieces = _ISOLATED.split(_cut_middle(line, _LONGEST_MESSAGE))  # every other one was isolated
    return "".join(
        f"{_ISOLATE}{visible(piece)}{_END}" if number % 2 else visible(piece)
        for number, piece in enumerate(pieces)
    )


def _cut_middle(text: str, width: int) -> str:
    kept = (width - 3) // 2
    return text if len(text) <= width else f"{text[:kept]}...{text[-kept:]}"


def _is_shown(sign: str) -> bool:
    return sign.isprintable() or sign in _NEEDED or unicodedata.category(sign) == "Zs"


def isolate(text: str) -> str:
    """Return a text for a terminal: what runs from right to left turns nothing else round."""
    if text.isascii() or not any(
        unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in text
    ):
        return text
    return f"{_ISOLATE}{text}{_END}"


def without_isolates(text: str) -> str:
    """Return a text as it was before `isolate`, for what was copied from a terminal."""
    return text.strip(_ISOLATE + _END)


def shorten(text: str, width: int = _WIDTH) -> str:
    """Return the text on one line, its middle replaced by `...` where it is longer than `width`."""
    return _cut_middle(" ".join(text.split()), width)


# -------------------------------------------------------------------------------------- HTML


def html_text(text: str, *, longest: int = _LONGEST) -> str:
    """Return a text as HTML, escaped; a long word breaks after its signs, not between letters."""
    marked = _WORD.sub(
        lambda word: _SIGNS.sub("\\1\n", word[0]) if len(word[0]) > longest else word[0],
        visible(text),
    )
    return "<wbr>".join(escape(piece) for piece in marked.split("\n"))


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str | Named]]) -> str:
    """Return a plain HTML table with inline styles; every cell is escaped."""
    head = _html_row("th", headers)
    body = "".join(_html_row("td", row) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _html_row(tag: str, cells: Iterable[str | Named]) -> str:
    written = "".join(f'<{tag} style="{_CELL}">{_html_cell(cell)}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"


def _html_cell(cell: str | Named) -> str:
    """Return a cell as HTML; the direction of a text does not change that of the table."""
    if isinstance(cell, str):
        return f'<bdi dir="auto">{escape(visible(cell))}</bdi>' if cell else ""
    text, shown_id = cell.shortened(_CELL_WIDTH), shorten(cell.shown_id, _CELL_WIDTH)
    title = f' title="{escape(visible(cell.id))}"' if text != cell.id else ""
    small = f" <small><bdi>{html_text(shown_id)}</bdi></small>" if shown_id else ""
    return f'<bdi dir="auto"{title}>{escape(text)}</bdi>{small}'


def html_list(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line as an escaped HTML paragraph."""
    return (f'<p dir="auto">{escape(visible(line))}</p>' for line in lines)
