"""Unpack the files of datasets from a zip or tar archive that cannot be trusted.

Python's own unpacking writes nothing outside the folder it is given. An archive that tries it, or
that holds links, devices or a decompression bomb, is refused before anything is written.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

from lighttea.datasets.download import Limits
from lighttea.display import escape_value
from lighttea.errors import InputError
from lighttea.io.packed import packer_of

_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError),
    ValueError,  # a name that is no text
    RuntimeError,  # an encrypted member, or a compression that Python does not know
    *(IndexError, OverflowError, struct.error),  # a member without a name, a size beyond all sizes
)
# of an OSError: decompressors give no number; the others are names that no file can have
_LONGEST_NAME = 4096
_LARGEST_HEADER = 64 << 10  # bytes of a tar that are held at once: long names, further fields
_ALL_HEADERS = 64 << 20
_UNPACKERS: Mapping[str, Callable[[BinaryIO], Any]] = {
    "": lambda file: file,
    "gzip": lambda file: gzip.GzipFile(fileobj=file),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}
_DAMAGED_NUMBERS = (
    *(None, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST),
    errno.EINVAL,  # a place in the archive before its begin
)


def unpack(path: Path, target: Path, names: Collection[str], limits: Limits | None = None) -> None:
    """Unpack the files of these names, wherever they are in the archive, into a folder."""
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, target, names, limits or Limits())
        else:
            _unpack_tar(path, target, names, limits or Limits())
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _DAMAGED_NUMBERS:
            raise  # a problem of the disk
        raise InputError(f"the archive is damaged or cannot be read: {error}") from None


def _unpack_zip(path: Path, target: Path, names: Collection[str], limits: Limits) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_members(((m.filename, m.file_size, _is_plain(m)) for m in members), limits)
        chosen = [m for m in members if PurePosixPath(m.filename).name in names]
        _check_sizes([(m.filename, m.file_size) for m in chosen], limits)
        archive.extractall(target, chosen)


def _is_plain(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)  # 0 where the system has no kinds of files
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def _unpack_tar(path: Path, target: Path, names: Collection[str], limits: Limits) -> None:
    with _tar_file(path) as file, _open_tar(path, file) as archive:
        _check_members(((m.name, m.size, m.isreg() or m.isdir()) for m in archive), limits)
        chosen = [m for m in archive.getmembers() if PurePosixPath(m.name).name in names]
        _check_sizes([(m.name, m.size) for m in chosen], limits)
        file.left = None
        archive.extractall(target, chosen, filter="data")


@contextmanager
def _tar_file(path: Path) -> Iterator[_GuardedFile]:
    """Yield the content of a tar that may be packed."""
    with path.open("rb") as file:
        packer = packer_of(file.read(6))
        file.seek(0)
        yield _GuardedFile(_UNPACKERS.get(packer, _UNPACKERS[""])(file))


def _open_tar(path: Path, file: _GuardedFile) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=file, mode="r:")  # type: ignore[call-overload, no-any-return]
    except tarfile.ReadError:
        with path.open("rb") as archive:
            start = archive.read(40)
        raise InputError(f"neither a zip nor a tar archive; it begins with {start!r}") from None


class _GuardedFile:
    """The content of a tar; refuses to read much of it at once, or many headers."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.left: int | None = _ALL_HEADERS  # None once the headers are read
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        if self.left is not None:
            self.left -= size
            if self.left < 0 or size > _LARGEST_HEADER:
                raise InputError("the archive has headers without end; refused")
        return bytes(self._file.read(size))


def _check_members(members: Iterable[tuple[str, int, bool]], limits: Limits) -> None:
    """Check the name, the size and the kind (a file or a folder) of every member.

    Sizes are summed on the way, so that a decompression bomb is refused before it is unpacked.
    """
    total = 0
    for count, (name, size, is_plain) in enumerate(members, 1):
        if len(name) > _LONGEST_NAME:
            raise InputError(f"a name of {len(name):,} characters in the archive; refused")
        path = PureWindowsPath(name)  # understands both slashes, drives and roots
        if path.anchor or ".." in path.parts:
            raise InputError(
                f"refused: '{escape_value(name)}' in the archive leads out of its folder"
            )
        if not is_plain:
            raise InputError(
                f"refused: '{escape_value(name)}' in the archive is a link or a device"
            )
        total += abs(size)
        if count > limits.unpacked_files or total > limits.unpacked_bytes:
            raise InputError(
                f"refused: the archive holds more than {limits.unpacked_files:,} files or "
                f"{limits.unpacked_bytes:,} bytes unpacked"
            )


def _check_sizes(members: Iterable[tuple[str, int]], limits: Limits) -> None:
    """Raise an error where a file is far larger than the dataset that is wanted."""
    for name, size in members:
        if size > limits.file_bytes:
            raise InputError(
                f"'{escape_value(name)}' in the archive has {size:,} bytes, far more than the "
                f"dataset as it was published (limit: {limits.file_bytes:,}); refused"
            )
