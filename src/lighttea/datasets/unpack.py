"""Unpack the files of datasets from a zip or tar archive that cannot be trusted.

Python's own unpacking writes nothing outside the folder it is given. An archive that tries it, or
that holds links, devices or a decompression bomb, is refused before anything is written.
"""

from __future__ import annotations

import errno
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from lighttea.datasets.download import Limits
from lighttea.errors import InputError

_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError),
    ValueError,  # a name that is no text
    RuntimeError,  # an encrypted member, or a compression that Python does not know
)
# of an OSError: decompressors give no number; the others are names that no file can have
_DAMAGED_NUMBERS = (None, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)


def unpack(path: Path, target: Path, names: Collection[str], limits: Limits | None = None) -> None:
    """Unpack the files of these names, wherever they are in the archive, into a folder."""
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, target, names, limits or Limits())
        elif tarfile.is_tarfile(path):
            _unpack_tar(path, target, names, limits or Limits())
        else:
            raise InputError(f"neither a zip nor a tar archive; it begins with {_start(path)!r}")
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _DAMAGED_NUMBERS:
            raise  # a problem of the disk
        raise InputError(f"the archive is damaged or cannot be read: {error}") from None


def _unpack_zip(path: Path, target: Path, names: Collection[str], limits: Limits) -> None:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_members(((m.filename, m.file_size, _is_plain(m)) for m in members), limits)
        archive.extractall(target, [m for m in members if PurePosixPath(m.filename).name in names])


def _is_plain(member: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(member.external_attr >> 16)  # 0 where the system has no kinds of files
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def _unpack_tar(path: Path, target: Path, names: Collection[str], limits: Limits) -> None:
    with tarfile.open(path) as archive:
        _check_members(((m.name, m.size, m.isreg() or m.isdir()) for m in archive), limits)
        chosen = [m for m in archive.getmembers() if PurePosixPath(m.name).name in names]
        archive.extractall(target, chosen, filter="data")


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(40)


def _check_members(members: Iterable[tuple[str, int, bool]], limits: Limits) -> None:
    """Check the name, the size and the kind (a file or a folder) of every member.

    Sizes are summed on the way, so that a decompression bomb is refused before it is unpacked.
    """
    total = 0
    for count, (name, size, is_plain) in enumerate(members, 1):
        path = PureWindowsPath(name)  # understands both slashes, drives and roots
        if path.anchor or ".." in path.parts:
            raise InputError(f"{name!r} in the archive leads out of its folder; refused")
        if not is_plain:
            raise InputError(f"{name!r} in the archive is a link or a device; refused")
        total += abs(size)
        if count > limits.unpacked_files or total > limits.unpacked_bytes:
            raise InputError(
                f"the archive holds more than {limits.unpacked_files:,} files or "
                f"{limits.unpacked_bytes:,} bytes unpacked; refused"
            )
