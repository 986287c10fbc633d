"""What is known of the published datasets, read from registry.toml.

A folder is a published dataset only when its bytes are: names and sizes prove nothing.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lighttea.errors import InputError

# every file of a dataset folder that the reader looks at
FILES = frozenset(
    (
        *(f"{name}_{side}" for name in ("triples", "ent_ids", "rel_ids") for side in (1, 2)),
        *("sup_pairs", "ref_pairs", "sup_ent_ids", "ref_ent_ids", "time_id"),
    )
)
_SIDES = ("entities", "relations", "facts")


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Published sizes; (left, right) where the sides differ, None where nothing is published."""

    entities: tuple[int, int] | None = None
    relations: tuple[int, int] | None = None
    facts: tuple[int, int] | None = None
    ticks: int | None = None  # ids in time_id, that of the unknown time included
    pairs: int | None = None


@dataclass(frozen=True, kw_only=True)
class Published:
    """One dataset: where it comes from, under which terms, and how it is recognised."""

    name: str
    title: str
    source: str | None  # the public repository; None where there is none to download from
    licence: str
    size_bytes: int | None  # of its files, unpacked
    sha256: Mapping[str, str]  # by file name; empty where the digests are not known
    statistics: Statistics
    how_to_get: str
    archive: str | None = None  # what `fetch` downloads
    folder: str | None = None  # where the dataset lies in the archive, if that is known


@dataclass(frozen=True)
class _Reader:
    """Digests of a folder's files, each computed once and only when asked for."""

    folder: Path
    known: dict[str, str | None] = field(default_factory=dict)

    def sha256(self, name: str) -> str | None:
        if name not in self.known:
            self.known[name] = file_sha256(self.folder / name)
        return self.known[name]


def identify(folder: Path) -> Published | None:
    """The published dataset that a folder is, byte for byte; None for every other folder.

    A file too many that the reader would look at, such as other pairs, makes it another dataset.
    """
    reader = _Reader(folder)
    for one in REGISTRY.values():
        digests = one.sha256.items()
        same = digests and all(reader.sha256(name) == digest for name, digest in digests)
        if same and not any((folder / name).exists() for name in _foreign(one)):
            return one
    return None


def _foreign(one: Published) -> frozenset[str]:
    """Files that would change what is read of this dataset and are not part of it."""
    unread = {"sup_ent_ids", "ref_ent_ids"} if "ref_pairs" in one.sha256 else set()
    return FILES - one.sha256.keys() - unread


def identified_in(data: Path) -> dict[str, list[Path]]:
    """The folders of a data folder that are published datasets, by the dataset's name."""
    found: dict[str, list[Path]] = {}
    for folder in sorted(data.iterdir()) if data.is_dir() else ():
        one = identify(folder) if folder.is_dir() else None
        if one is not None:
            found.setdefault(one.name, []).append(folder)
    return found


def dataset_named(name: str) -> Published:
    """The entry of that name, upper and lower case aside."""
    for one in REGISTRY.values():
        if one.name.lower() == name.lower():
            return one
    raise InputError(f"no dataset is called {name!r}; there are: {', '.join(REGISTRY)}")


def file_sha256(path: Path) -> str | None:
    """sha256 of a file in hexadecimal digits; None where there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def read_registry(path: Path) -> Mapping[str, Published]:
    """The entries of a registry file, by name, in its order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["dataset"]
    return MappingProxyType({entry["name"]: _published(entry) for entry in entries})


def _published(entry: dict[str, Any]) -> Published:
    sizes = dict(entry.get("statistics", {}))
    for name in _SIDES:
        if name in sizes:
            left, right = sizes[name]
            sizes[name] = (left, right)
    return Published(
        name=entry["name"],
        title=entry["title"],
        source=entry.get("source"),
        licence=entry["licence"],
        size_bytes=entry.get("size_bytes"),
        sha256=MappingProxyType(dict(entry.get("sha256", {}))),
        statistics=Statistics(**sizes),
        how_to_get=entry["how_to_get"],
        archive=entry.get("archive"),
        folder=entry.get("folder"),
    )


REGISTRY: Mapping[str, Published] = read_registry(Path(__file__).with_name("registry.toml"))
