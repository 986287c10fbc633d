"""The lines of a text file in portions, so that only a few megabytes of it are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.io.encodings import encoding_error
from lighttea.io.lines import Lines, quote_line
from lighttea.io.problems import Problems
from lighttea.io.streams import LONGEST_LINE, Block, line_blocks, open_bytes

_Portion = tuple[Sequence[int], Sequence[str]]  # numbers and texts of lines
_EMPTY = "the file is empty; expected one line per row"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16


def read_portions(path: Path, problems: Problems) -> Iterator[Lines]:
    """Yield the lines of a packed or plain file in portions, blank ones left out.

    Lines that are not UTF-8 and lines that are too long become problems. A file without a line is
    an error, and so is one in which most lines are not UTF-8.
    """
    n_lines = 0
    for numbers, texts in _portions(path, problems):
        text = pl.Series(texts, dtype=pl.String).str.strip_suffix("\r")
        has_text = text.str.strip_chars() != ""
        if not has_text.any():
            continue
        number = pl.Series(numbers, dtype=pl.UInt32)
        lines = Lines(path, number.filter(has_text), text.filter(has_text))
        if not n_lines:
            _refuse_binary(path, lines.first_number, lines.first)
        n_lines += len(lines.text)
        yield lines
    if problems.n_not_utf8 > n_lines:
        raise encoding_error(path, "most lines are not")  # it says how to convert the file
    if not n_lines:
        raise problems.error() if problems.total else InputError(f"{path}: {_EMPTY}")


def read_numbered(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield number and text of all lines, blank ones too; problems as with `read_portions`."""
    n_lines = 0
    for numbers, texts in _portions(path, problems):
        if not n_lines and texts:
            _refuse_binary(path, numbers[0], texts[0])
        n_lines += len(texts)
        yield from zip(numbers, texts, strict=True)
    if problems.n_not_utf8 > n_lines:
        raise encoding_error(path, "most lines are not")


def _portions(path: Path, problems: Problems) -> Iterator[_Portion]:
    """Yield numbers and texts of the lines of each block."""
    found_any = False
    with open_bytes(path) as stream:
        for block in line_blocks(stream):
            if block.too_long:
                size = f"a line longer than {LONGEST_LINE >> 20} MiB"
                problems.add(f"{path}:{block.first_line}: {size}")
                continue
            numbers, texts = _decode(path, block, problems)
            found_any = found_any or bool(texts)
            problems.give_up(found_any=found_any)
            yield numbers, texts


def _decode(path: Path, block: Block, problems: Problems) -> _Portion:
    """Return numbers and texts of the lines of a block that are UTF-8."""
    content = block.content.removesuffix(b"\n")
    try:
        texts = content.decode().split("\n")
    except UnicodeDecodeError as error:
        if problems.strict or content[:2] in _WIDE_MARKS:
            raise encoding_error(path, str(error)) from None
        return _decode_each(path, block.first_line, content, problems)
    if block.first_line == 1:
        texts[0] = texts[0].removeprefix("\ufeff")
    return range(block.first_line, block.first_line + len(texts)), texts


def _decode_each(path: Path, first: int, content: bytes, problems: Problems) -> _Portion:
    numbers, texts = [], []
    for number, line in enumerate(content.split(b"\n"), first):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            shown = quote_line(line[:200].decode("utf-8", "replace"))
            problems.add(f"{path}:{number}: not UTF-8 text ({shown})")
            problems.n_not_utf8 += 1
        else:
            numbers.append(number)
            texts.append(text)
    return numbers, texts


def _refuse_binary(path: Path, number: int, text: str) -> None:
    if "\0" in text:
        raise InputError(
            f"{path}:{number}: a NUL byte: the file is binary, damaged or UTF-16 text (convert "
            "it: iconv -f UTF-16 -t UTF-8 FILE > NEW)"
        )
