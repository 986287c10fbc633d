"""The published datasets, read from registry.toml, and which of them a folder is.

A folder is a published dataset only when its bytes are: names and sizes prove nothing.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lighttea.datasets.statistics import Statistics
from lighttea.errors import InputError

# every file of a dataset folder that the reader looks at
FILES = frozenset(
    (
        *(f"{name}_{side}" for name in ("triples", "ent_ids", "rel_ids") for side in (1, 2)),
        *("sup_pairs", "ref_pairs", "sup_ent_ids", "ref_ent_ids", "time_id"),
    )
)
_MANY, _LEAST = 4, 64 << 20  # times, bytes: an archive may hold other datasets beside the one
_LINE_BYTES = 40  # bytes


@dataclass(frozen=True, kw_only=True)
class PublishedDataset:
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

    @property
    def most_bytes(self) -> int:
        """A size that no file of the dataset reaches: far above the published one."""
        size = self.size_bytes or _LINE_BYTES * self.statistics.n_lines
        return max(_MANY * size, _LEAST)


def identify(folder: Path) -> PublishedDataset | None:
    """Return the published dataset that a folder is, byte for byte; None for every other folder.

    A further file that the reader would look at, such as other pairs, makes it another dataset.
    """
    digest = cache(lambda name: hash_file(folder / name))  # hash each file once
    for dataset in REGISTRY.values():
        expected = dataset.sha256.items()
        is_same = expected and all(digest(name) == sha256 for name, sha256 in expected)
        if is_same and not any((folder / name).exists() for name in _foreign_files(dataset)):
            return dataset
    return None


def _foreign_files(dataset: PublishedDataset) -> frozenset[str]:
    """Return the files that are not part of a dataset and would change what is read of it."""
    unread = {"sup_ent_ids", "ref_ent_ids"} if "ref_pairs" in dataset.sha256 else set()
    return FILES - dataset.sha256.keys() - unread


def find_published(data: Path) -> dict[str, list[Path]]:
    """Return the folders in a data folder that are published datasets, by the dataset's name."""
    folders: dict[str, list[Path]] = {}
    for folder in sorted(data.iterdir()) if data.is_dir() else ():
        dataset = identify(folder) if folder.is_dir() else None
        if dataset is not None:
            folders.setdefault(dataset.name, []).append(folder)
    return folders


def find_dataset(name: str) -> PublishedDataset:
    """Return the dataset of that name, upper and lower case aside."""
    for dataset in REGISTRY.values():
        if dataset.name.lower() == name.lower():
            return dataset
    raise InputError(f"there is no dataset {name!r}; choose from {', '.join(REGISTRY)}")


def hash_file(path: Path) -> str | None:
    """Return the sha256 of a file in hexadecimal digits; None where there is no such file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def read_registry(path: Path) -> Mapping[str, PublishedDataset]:
    """Return the datasets of a registry file, by name, in its order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["dataset"]
    return MappingProxyType({entry["name"]: _make_dataset(entry) for entry in entries})


def _make_dataset(entry: dict[str, Any]) -> PublishedDataset:
    sizes: dict[str, Any] = {
        name: tuple(size) if isinstance(size, list) else size
        for name, size in entry.pop("statistics", {}).items()
    }
    optional: dict[str, Any] = {"source": None, "size_bytes": None, "sha256": {}}
    fields = {**optional, **entry, "statistics": Statistics(**sizes)}
    return PublishedDataset(**{**fields, "sha256": MappingProxyType(fields["sha256"])})


REGISTRY: Mapping[str, PublishedDataset] = read_registry(Path(__file__).with_name("registry.toml"))
