"""The items of a JSON file, one after another: of lines, of an array, of the parts of an object.

A file with one value on each line, in an array or not, is read line by line, and a wrong line costs
that line alone. Other files are read value by value. Memory stays within a few blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from lighttea.io.graph_rows import GraphRows
from lighttea.io.json.scan import Scanner
from lighttea.io.json.shape import Shape
from lighttea.io.json.values import parse_json
from lighttea.io.lines import quote_line
from lighttea.io.problems import Problems
from lighttea.io.streams import LONGEST_LINE, Readable, line_blocks, open_bytes, read_start

SAMPLE_BYTES = 1 << 16
_BRACKETS = (b"", b"[", b"]", b",", b"],", b"[]")
OTHER_FORMAT = (
    "name another format with `format`, or describe the file: lighttea describe FILE "
    "(docs/descriptions.md)"
)
_MARK = b"\xef\xbb\xbf"


class Item(NamedTuple):
    """A value with its line, and the keys above it: of a part of an object, and in that part."""

    line: int
    value: Any
    section: str = ""
    key: str = ""


def add_each(rows: GraphRows, items: Iterable[Item], add: Callable[[Item], None]) -> None:
    """Add each item; one that is wrong, a ValueError, leaves nothing behind but a problem."""
    for item in items:
        mark = rows.mark()
        try:
            add(item)
        except (ValueError, RecursionError) as error:
            rows.take_back(mark)
            too_deep = isinstance(error, RecursionError)
            rows.add_problem(item.line, "nested too deep" if too_deep else str(error))


class Layout(Enum):
    """How the items of a file are laid out."""

    LINES = "one on each line"
    VALUES = "one after another, each over lines"
    ARRAY = "an array over lines"
    SECTIONS = "the parts of one object"


def read_items(path: Path, problems: Problems, sections: Collection[str] = ()) -> Iterator[Item]:
    """Yield the items of a file; wrong ones become problems.

    `sections` are keys by which one object that holds many items is known from items on lines; the
    members of its arrays and objects are the items then.
    """
    layout = find_layout(read_start(path, SAMPLE_BYTES), sections)
    with open_bytes(path) as stream:
        if layout is Layout.LINES:
            yield from _items_of_lines(path, stream, problems)
            return
        scanner = Scanner(path, stream)
        yield from _READERS[layout](path, scanner, problems)
        if scanner.peek():
            scanner.refuse("expected the end of the file after the first value")


def find_layout(start: bytes, sections: Collection[str] = ()) -> Layout:
    """Return how the items of a file are laid out, by its first bytes."""
    shape = Shape.of(start.decode("utf-8", "replace"))
    if any(key in shape.sections for key in sections):
        return Layout.SECTIONS
    text = start.removeprefix(_MARK).lstrip()
    if not text.startswith(b"["):
        return Layout.VALUES if text.partition(b"\n")[0].strip() == b"{" else Layout.LINES
    first, *others = [line.strip() for line in text[1:].split(b"\n")]
    lines = [first, *others] if first else others
    if len(start) >= SAMPLE_BYTES and len(lines) == 1:  # cut off
        aligned = not first
    else:
        aligned = b"{" not in lines and any(map(_is_item, lines[:2]))
    return Layout.LINES if aligned else Layout.ARRAY


def _is_item(line: bytes) -> bool:
    """Whether a line of an array holds one whole item."""
    text = line.removesuffix(b",")
    for candidate in (text, text.removesuffix(b"]")):
        try:
            if isinstance(parse_json(candidate), dict):
                return True
        except (ValueError, RecursionError):
            continue
    return False


def _items_of_lines(path: Path, stream: Readable, problems: Problems) -> Iterator[Item]:
    found_any = False
    for line, text in _texts_of_lines(path, stream, problems):
        try:
            value = parse_json(text)
        except RecursionError:
            problems.add(f"{path}:{line}: JSON nested too deep")
        except ValueError as error:
            not_utf8 = isinstance(error, UnicodeDecodeError)
            reason = "not UTF-8 text" if not_utf8 else f"not JSON on one line: {error}"
            shown = quote_line(text[:200].decode("utf-8", "replace"))
            problems.add(f"{path}:{line}: {reason} ({shown})")
        else:
            found_any = True
            yield Item(line, value)
            continue
        problems.give_up(found_any=found_any)


def _texts_of_lines(
    path: Path, stream: Readable, problems: Problems
) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line with a value, without the signs of an array."""
    for block in line_blocks(stream):
        if block.too_long:
            size = f"a line longer than {LONGEST_LINE >> 20} MiB"
            problems.add(f"{path}:{block.first_line}: {size}")
            continue
        for line, content in enumerate(block.content.split(b"\n"), block.first_line):
            text = content.removeprefix(_MARK).strip().removesuffix(b",")
            if text in _BRACKETS:
                continue
            if text.startswith(b"[{"):
                text = text.removeprefix(b"[")
            if text.endswith(b"}]"):
                text = text.removesuffix(b"]")
            yield line, text


def _items_of_values(path: Path, scanner: Scanner, problems: Problems) -> Iterator[Item]:
    while scanner.peek():
        yield from _item(path, scanner, problems)


def _items_of_array(path: Path, scanner: Scanner, problems: Problems) -> Iterator[Item]:
    scanner.take("[", "an array")
    for _ in scanner.members("]"):
        yield from _item(path, scanner, problems)


def _items_of_sections(path: Path, scanner: Scanner, problems: Problems) -> Iterator[Item]:
    """Yield the members of arrays and objects in an object, and its other values as they are."""
    scanner.take("{", "an object")
    for _ in scanner.members("}"):
        section = scanner.key()
        sign = scanner.peek()
        if sign == "[":
            scanner.take("[", "an array")
            for _ in scanner.members("]"):
                yield from _item(path, scanner, problems, section)
        elif sign == "{":
            scanner.take("{", "an object")
            for _ in scanner.members("}"):
                yield from _item(path, scanner, problems, section, scanner.key())
        else:
            yield from _item(path, scanner, problems, section)


_READERS = {
    Layout.VALUES: _items_of_values,
    Layout.ARRAY: _items_of_array,
    Layout.SECTIONS: _items_of_sections,
}


def _item(
    path: Path, scanner: Scanner, problems: Problems, section: str = "", key: str = ""
) -> Iterator[Item]:
    line = scanner.line
    try:
        value = scanner.value()
    except ValueError as error:
        problems.add(f"{path}:{line}: {error}")
        return
    yield Item(line, value, section, key)
