"""The list of a run's files, `files.json`: size, digest and rows of each, as it was written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.io.files import write_whole
from lighttea.results.schema import FILES, FORMAT_VERSION

CURE = "copy the run again from where it is whole, or align again"
DIGEST_ON_OPENING = 256 << 20  # bytes; larger files are digested by `lighttea check` alone


def describe_damage(path: Path, problem: str) -> str:
    """Return a sentence: which file, what is wrong with it, what to do."""
    return f"{path}: damaged: {problem}; {CURE}"


@dataclass(frozen=True)
class WrittenFile:
    """A file as it was written; `rows` of a table. `before` is what it replaces just now."""

    bytes: int
    sha256: str
    rows: int | None = None
    before: WrittenFile | None = None

    def differs(self, path: Path, *, digest: bool) -> str | None:
        """Return how the file at this path differs; None where it does not."""
        size = path.stat().st_size
        if self.before is not None and self.before.differs(path, digest=True) is None:
            return None
        if size != self.bytes:
            return f"expected {self.bytes:,} bytes, found {size:,}"
        if digest and digest_of(path) != self.sha256:
            return "its content is not what was written (other digest)"
        return None

    def rows_at(self, path: Path) -> int | None:
        """Return how many rows the table at this path has: the new one, or the one before."""
        is_before = self.before is not None and self.before.differs(path, digest=True) is None
        return self.before.rows if self.before is not None and is_before else self.rows


@dataclass(frozen=True)
class Manifest:
    """All files of a run by their paths within its folder."""

    files: Mapping[str, WrittenFile] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the list into the folder."""
        content = {"format": FORMAT_VERSION, "files": {n: _entry(f) for n, f in self.files.items()}}
        write_whole(folder / FILES, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _entry(file: WrittenFile) -> dict[str, Any]:
    return {name: value for name, value in asdict(file).items() if value is not None}


def describe_file(path: Path, rows: int | None = None) -> WrittenFile:
    """Return a file as it stands; its content is on the disk afterwards."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return WrittenFile(path.stat().st_size, digest_of(path), rows)


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Manifest | None:
    """Return the list of a run's files; None where an earlier version wrote none."""
    path = folder / FILES
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT_VERSION:
            raise ValueError(f"expected format {FORMAT_VERSION}, found {content['format']!r}")
        return Manifest({name: _file_of(entry) for name, entry in content["files"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            describe_damage(path, f"it is no readable list of files ({error})")
        ) from None


def _file_of(entry: Mapping[str, Any]) -> WrittenFile:
    """Return a file from its entry in the list."""
    size, digest, rows, before = (entry.get(n) for n in ("bytes", "sha256", "rows", "before"))
    if type(size) is not int or not isinstance(digest, str) or type(rows) not in (int, type(None)):
        raise ValueError("an entry without bytes or sha256")
    return WrittenFile(size, digest, rows, None if before is None else _file_of(before))
