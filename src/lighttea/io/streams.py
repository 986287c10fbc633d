"""The bytes of plain and compressed files, and their lines in blocks."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from lighttea.errors import EngineUnavailable, InputError

BLOCK_BYTES = 8 << 20
LONGEST_LINE = 16 << 20  # bytes; longer lines are refused
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\3\4": "zip",
    b"PK\5\6": "zip",
}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")


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
            kind = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "")
            with _decompressed(path, file, kind) as stream:
                yield stream
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path}: the compressed file is damaged or cut short ({error}); get it again"
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, decompressed."""
    with open_bytes(path) as stream:
        return stream.read(size)


def only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the only file of a zip file; raise an error where it holds none or several."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) == 1:
        return members[0]
    names = [member.filename for member in members]
    listed = f" ({', '.join(names[:5])}{', ...' * (len(names) > 5)})" * bool(names)
    raise InputError(
        f"{path}: holds {len(names)} files{listed}; expected one: unpack it and give the file"
    )


def _decompressed(path: Path, file: BinaryIO, kind: str) -> Any:
    if kind == "zip":
        return _unzipped(path, file)
    if kind == "gzip":
        return gzip.open(file, "rb")
    if kind == "bzip2":
        return bz2.open(file, "rb")
    if kind == "xz":
        return lzma.open(file, "rb")
    return _zstd(file) if kind == "zstd" else file


def _unzipped(path: Path, file: BinaryIO) -> Any:
    try:
        archive = zipfile.ZipFile(file)
        return io.BufferedReader(archive.open(only_member(path, archive)))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{path}: cannot be read as zip: {error}") from None


def _zstd(file: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError:
        raise EngineUnavailable(
            "reading zstd needs a library: pip install 'lighttea[zstd]', or unpack the file first"
        ) from None

    return io.BufferedReader(_ZstdFrames(file, zstandard), BLOCK_BYTES)


class _ZstdFrames(io.RawIOBase):
    """Decompressed frames one after another; an incomplete last frame is an error."""

    def __init__(self, file: BinaryIO, library: Any) -> None:
        self._file = file
        self._library = library
        self._frame: Any = None
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and (chunk := self._file.read(1 << 18)):
            self._ready = self._decompress(chunk)
        if not self._ready and self._frame is not None:
            raise EOFError("the last frame has no end")
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, chunk: bytes) -> bytes:
        parts = []
        while chunk:
            if self._frame is None:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                parts.append(self._frame.decompress(chunk))
            except self._library.ZstdError as error:
                raise EOFError(str(error)) from None
            chunk = b""
            if self._frame.eof:
                chunk, self._frame = self._frame.unused_data, None
        return b"".join(parts)


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
