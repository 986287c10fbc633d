"""Packed files, unpacked piece by piece: gzip, bzip2, xz, zstd and zip, within one limit.

A file may unpack to `FREE_BYTES`, and beyond that to `RATIO` times its own size. No packer gets
that far with facts; a decompression bomb ends there, in one sentence.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from lighttea.display import escape_value
from lighttea.errors import ConfigError, EngineUnavailable, InputError

FREE_BYTES = 256 << 20  # every file may unpack to as much
RATIO = 200  # times its own size, beyond that
RATIO_VARIABLE = "LIGHTTEA_MAX_RATIO"
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")
DAMAGE = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile)
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x50\x2a\x4d\x18": "zstd",  # a frame to skip, as parallel packers write
    b"PK\3\4": "zip",
    b"PK\5\6": "zip",
}
_PIECE = 1 << 20  # bytes that are unpacked at once
_ZSTD_PIECE = 1 << 10  # its library has no limit, and 4 bytes may be 128 KiB
_WRONG_ZIP = (
    *(*DAMAGE, RuntimeError, NotImplementedError),  # encrypted, or packed in an unknown way
    *(ValueError, OverflowError, IndexError, struct.error),  # a directory that makes no sense
)


def packer_of(start: bytes) -> str:
    """Return what a file is packed with by its first six bytes; empty where it is not packed."""
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "")


def is_packed(path: Path) -> bool:
    """Return whether a file is packed, by its first bytes."""
    with path.open("rb") as file:
        return bool(packer_of(file.read(6)))


def unpack_stream(path: Path, file: BinaryIO, packer: str) -> BinaryIO:
    """Return a packed file as a stream of its content, which raises an error at the limit."""
    return io.BufferedReader(_Limited(path, _OPENERS[packer](path, file)), _PIECE)


def largest_content(size: int) -> int:
    """Return how many bytes a packed file of a size may unpack to."""
    return max(FREE_BYTES, size * max_ratio())


def max_ratio() -> int:
    """Return how many times its size a file may unpack to: the limit, or what the user set."""
    given = os.environ.get(RATIO_VARIABLE, str(RATIO))
    if not given.isdecimal() or not 1 <= int(given) <= 10**9:
        raise ConfigError(f"{RATIO_VARIABLE} must be a whole number from 1 on; got {given!r}")
    return int(given)


def bomb_error(path: Path | str, size: int) -> InputError:
    """Return the error for a file of a size that unpacks to more than it may."""
    limit = largest_content(size)
    return InputError(
        f"{path}: unpacks to more than {limit >> 20:,} MiB, over {max_ratio():,} times its "
        f"{size:,} bytes; a file that does so on purpose is read with {RATIO_VARIABLE}=100000 in "
        "the environment, or unpacked first"
    )


def refuse_inflated_zip(path: Path) -> None:
    """Raise an error where the files of a zip, such as a workbook, unpack to more than they may."""
    try:
        with zipfile.ZipFile(path) as archive:
            content = sum(member.file_size for member in archive.infolist())
    except (*_WRONG_ZIP, OSError):
        return  # who reads the file says what is wrong with it
    size = path.stat().st_size
    if content > largest_content(size):
        raise bomb_error(path, size)


def only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the only file of a zip file; raise an error where it holds none or several."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) == 1:
        return members[0]
    names = [escape_value(member.filename) for member in members[:5]]
    listed = f" ({', '.join(names)}{', ...' * (len(members) > 5)})" * bool(names)
    raise InputError(
        f"{path}: contains {len(members):,} files{listed}; expected one: unpack it and give the "
        "file"
    )


class _Limited(io.RawIOBase):
    """The content of a packed file, counted."""

    def __init__(self, path: Path, content: Any) -> None:
        self._path, self._content = path, content
        self._size = path.stat().st_size
        self._left = largest_content(self._size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._content.read(min(len(buffer), _PIECE))
        self._left -= len(piece)
        if self._left < 0:
            raise bomb_error(self._path, self._size)
        buffer[: len(piece)] = piece
        return len(piece)


# ---------------------------------------------------------------- each packer


def _open_zip(path: Path, file: BinaryIO) -> Any:
    try:
        archive = zipfile.ZipFile(file)
        member = only_member(path, archive)
        content = archive.open(member)
    except _WRONG_ZIP as error:
        raise InputError(f"{path}: cannot be read as zip: {error}") from None
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Python unpacks these without a limit: 45 bytes of bzip2 may be 45 MB
        raise InputError(f"{path}: a zip packed by other means than deflate; unpack it first")
    return content


def _open_zstd(path: Path, file: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError:
        raise EngineUnavailable(
            f"{path}: reading zstd needs a library: pip install 'lighttea[zstd]', or unpack the "
            "file first"
        ) from None
    return _Pieces(_unpack_frames(file, zstandard))


def _unpack_frames(file: BinaryIO, library: Any) -> Iterator[bytes]:
    """Yield the content of zstd frames one after another; an incomplete last one is an error."""
    frame = None
    while chunk := file.read(_ZSTD_PIECE):
        while chunk:
            frame = frame or library.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(chunk)
            except library.ZstdError as error:
                raise EOFError(str(error)) from None
            chunk = b""
            if frame.eof:
                chunk, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError("the last frame has no end")


class _Pieces:
    """Pieces of content as a file that is read from the front."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece, self._place = b"", 0

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        while self._place >= len(self._piece):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._piece, self._place = piece, 0
        self._place += size
        return self._piece[self._place - size : self._place]


_OPENERS: Mapping[str, Callable[[Path, BinaryIO], Any]] = {
    "zip": _open_zip,
    "zstd": _open_zstd,
    "gzip": lambda _, file: gzip.GzipFile(fileobj=file),
    "bzip2": lambda _, file: bz2.BZ2File(file),
    "xz": lambda _, file: lzma.LZMAFile(file),  # noqa: SIM115 - `file` is closed by its opener
}
