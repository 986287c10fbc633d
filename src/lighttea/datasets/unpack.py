"""Archives from strangers: looked through before anything is written, bounded, never trusted.

Only the files of a dataset are unpacked, each under its own known name, so that no name in an
archive ever becomes a path. An archive that tries something all the same is refused whole.
"""

from __future__ import annotations

import hashlib
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from lighttea.datasets.registry import FILES
from lighttea.errors import InputError

_CHUNK = 1 << 20
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    ValueError,  # names that are no text, offsets before the beginning
    NotImplementedError,  # a compression that Python does not know
    RuntimeError,  # an encrypted member
)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much an archive may hold, unpacked."""

    total_bytes: int = 8 << 30
    files: int = 50_000


@dataclass(frozen=True)
class Archive:
    """An archive that was looked through: its regular files by path."""

    source: zipfile.ZipFile | tarfile.TarFile
    files: Mapping[PurePosixPath, zipfile.ZipInfo | tarfile.TarInfo]

    def open(self, path: PurePosixPath) -> IO[bytes]:
        """Read one file."""
        member = self.files[path]
        if isinstance(self.source, zipfile.ZipFile):
            assert isinstance(member, zipfile.ZipInfo)
            return self.source.open(member)
        assert isinstance(member, tarfile.TarInfo)
        opened = self.source.extractfile(member)
        assert opened is not None  # it is a regular file
        return opened

    def size(self, path: PurePosixPath) -> int:
        """Bytes of one file, unpacked."""
        member = self.files[path]
        return member.file_size if isinstance(member, zipfile.ZipInfo) else member.size

    def sha256(self, path: PurePosixPath) -> str:
        """Digest of one file."""
        digest = hashlib.sha256()
        with self.open(path) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def dataset_folders(self) -> list[PurePosixPath]:
        """Folders that hold facts of two sides and pairs."""
        found = []
        for folder in {path.parent for path in self.files if path.name == "triples_1"}:
            has_pairs = any(folder / name in self.files for name in ("ref_pairs", "ref_ent_ids"))
            if folder / "triples_2" in self.files and has_pairs:
                found.append(folder)
        return sorted(found)

    def unpack(self, folder: PurePosixPath, target: Path, names: frozenset[str] = FILES) -> None:
        """Write the dataset files of one folder of the archive."""
        for name in sorted(names):
            path = folder / name
            if path in self.files:
                with self.open(path) as file, (target / name).open("xb") as written:
                    _copy(file, written, path, self.size(path))


def _copy(file: IO[bytes], written: IO[bytes], path: PurePosixPath, size: int) -> None:
    """Copy as many bytes as the archive said there would be; a file that is longer is a bomb."""
    done = 0
    while chunk := file.read(_CHUNK):
        done += len(chunk)
        if done > size:
            raise InputError(f"{path} in the archive is larger than the archive says")
        written.write(chunk)
    if done < size:
        raise InputError(f"{path} in the archive is shorter than the archive says")


@contextmanager
def open_archive(path: Path, *, limits: Limits | None = None) -> Iterator[Archive]:
    """Open a zip or a tar, plain or compressed, and look through it.

    Whatever is wrong with it, also what shows only while it is read, is an InputError.
    """
    try:
        with _opened(path) as source:
            members = source.infolist() if isinstance(source, zipfile.ZipFile) else source
            yield Archive(source, _looked_through(members, limits or Limits()))
    except _DAMAGED as error:
        raise InputError(f"the archive is damaged or cannot be read: {error}") from None
    except OSError as error:
        if error.errno is not None:  # the disk's trouble; decompressors' errors have no number
            raise
        raise InputError(f"the archive is damaged: {error}") from None


def _opened(path: Path) -> zipfile.ZipFile | tarfile.TarFile:
    if zipfile.is_zipfile(path):
        return zipfile.ZipFile(path)
    try:
        return tarfile.open(path)
    except tarfile.ReadError:
        with path.open("rb") as file:
            start = file.read(40)
        raise InputError(f"neither a zip nor a tar archive; it begins with {start!r}") from None


def _looked_through(
    members: list[zipfile.ZipInfo] | tarfile.TarFile, limits: Limits
) -> dict[PurePosixPath, zipfile.ZipInfo | tarfile.TarInfo]:
    """The regular files, once every member was found harmless.

    Sizes are summed on the way, so that a bomb is known before it is unpacked.
    """
    files: dict[PurePosixPath, zipfile.ZipInfo | tarfile.TarInfo] = {}
    total = count = 0
    for member in members:
        name = member.filename if isinstance(member, zipfile.ZipInfo) else member.name
        _refuse_dangerous(name, member)
        count += 1
        total += member.file_size if isinstance(member, zipfile.ZipInfo) else member.size
        if count > limits.files or total > limits.total_bytes:
            raise InputError(
                f"the archive holds more than {limits.files:,} files or {limits.total_bytes:,} "
                "bytes unpacked; refused"
            )
        if _is_folder(member):
            continue
        path = PurePosixPath(name.replace("\\", "/"))
        if path in files:
            raise InputError(f"the archive holds {name!r} twice; refused")
        files[path] = member
    return files


def _is_folder(member: zipfile.ZipInfo | tarfile.TarInfo) -> bool:
    return member.is_dir() if isinstance(member, zipfile.ZipInfo) else member.isdir()


def _refuse_dangerous(name: str, member: zipfile.ZipInfo | tarfile.TarInfo) -> None:
    """Refuse a path that leads out of the folder, on any system, and all that is not a file."""
    path = PureWindowsPath(name)  # knows both kinds of slashes, drives and roots
    if path.drive or path.root or ".." in path.parts:
        raise InputError(f"{name!r} in the archive leads out of its folder; refused")
    if isinstance(member, zipfile.ZipInfo):
        kind = stat.S_IFMT(member.external_attr >> 16)
        is_plain = kind in (0, stat.S_IFREG, stat.S_IFDIR)  # 0: made where there are no kinds
    else:
        is_plain = member.isreg() or member.isdir()
    if not is_plain:
        raise InputError(f"{name!r} in the archive is a link or a device, not a file; refused")
