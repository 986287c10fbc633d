"""The bytes of plain and compressed files, and their lines in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from lighttea.errors import InputError
from lighttea.io.packed import DAMAGE, packer_of, unpack_stream

BLOCK_BYTES = 8 << 20
LONGEST_LINE = 16 << 20  # bytes; longer lines are refused


class Readable(Protocol):
    """A file that can be read in pieces."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


@dataclass(frozen=True)
class Block:
    """Whole lines of a file: the number of the first one, from 1, and their bytes."""

    first_line: int
    content: bytes
    too_long: bool = False  # the beginning of a line that is too long


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressed by the mark in its first bytes; damage is an `InputError`."""
    try:
        with path.open("rb") as file:
            start = file.read(6)
            file.seek(0)
            packer = packer_of(start)
            yield unpack_stream(path, file, packer) if packer else file
    except DAMAGE as error:
        raise InputError(
            f"{path}: the compressed file is damaged or incomplete ({error}); download or "
            "copy it again"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, decompressed."""
    with open_bytes(path) as stream:
        return stream.read(size)


def line_blocks(stream: Readable, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Yield the lines of a stream in blocks of whole lines; memory stays within two blocks.

    A line longer than `LONGEST_LINE` is a block of its own, cut and marked; its rest is skipped.
    """
    line, pending = 1, b""
    while chunk := stream.read(size):
        pending += chunk
        end = pending.rfind(b"\n") + 1
        if end:
            content, pending = pending[:end], pending[end:]
            yield Block(line, content)
            line += content.count(b"\n")
        elif len(pending) > LONGEST_LINE:
            yield Block(line, pending[:200], too_long=True)
            line += 1
            pending = _after_line(stream, size)
    if pending:
        yield Block(line, pending)


def _after_line(stream: Readable, size: int) -> bytes:
    """Return what follows the next line break."""
    while chunk := stream.read(size):
        _, line_break, rest = chunk.partition(b"\n")
        if line_break:
            return rest
    return b""
