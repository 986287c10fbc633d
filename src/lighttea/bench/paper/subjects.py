"""The dataset folders that are there: what they are, by their bytes and sizes, and how to run them.

Only a folder whose digests are known counts as the published dataset. One with the same sizes is
run and compared in the same way, but keeps a name of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lighttea.bench.leaks import NameJoin, name_join, sorted_ids
from lighttea.bench.paper.published import Setting, published
from lighttea.datasets.registry import (
    FILES,
    REGISTRY,
    PublishedDataset,
    hash_file,
    identify,
)
from lighttea.datasets.statistics import Statistics, count_statistics
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.timeline import TimeKind, Timeline
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.io.lines import read_lines

SEED_SHARE = 0.3  # where a folder does not say how many of its pairs are seeds


@dataclass(frozen=True)
class Subject:
    """A dataset folder and all that can be said of it without aligning anything."""

    folder: Path
    title: str
    digest: str
    is_published: bool  # byte for byte
    reference: str | None  # whose published figures are shown beside
    statistics: Statistics
    ticks_used: int  # different instants of the facts: time_id may list one under several ids
    undated: tuple[float, float]  # share of facts without time, left and right
    has_time: bool
    seeds: tuple[int, ...]
    study: int
    options: Mapping[str, Any]
    sorted_ids: float
    names: NameJoin | None

    @property
    def methods(self) -> tuple[str, ...]:
        """What is run here: without time there is nothing for LightTEA to add to LightEA."""
        return ("lighttea", "lightea") if self.has_time else ("lightea",)

    def dangling(self) -> tuple[int, int]:
        """Entities without a counterpart on either side."""
        left, right = self.statistics.entities or (0, 0)
        return left - (self.statistics.pairs or 0), right - (self.statistics.pairs or 0)

    def to_dict(self) -> dict[str, Any]:
        """For results.json."""
        return {**asdict(self), "folder": self.folder.name}


def find_folders(data: Path, wanted: Sequence[str] = ()) -> list[Path]:
    """The dataset folders in a folder, or that folder itself; those wanted, if any are named."""
    if not data.is_dir():
        raise InputError(f"{data}: no such folder; --data is a folder of dataset folders")
    found = [path for path in (data, *sorted(data.iterdir())) if _is_dataset(path)]
    there = {path.name: path for path in found}
    if strangers := [name for name in wanted if name not in there]:
        raise InputError(
            f"{data}: no dataset folder {', '.join(strangers)}; "
            f"there are: {', '.join(there) or 'none'}"
        )
    return [there[name] for name in wanted] if wanted else found


def _is_dataset(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("triples_1", "triples_2"))


@dataclass(frozen=True)
class Missing:
    """A published dataset that is not there, and the one that stands in for it, if any does."""

    name: str
    how_to_get: str
    stand_in: str | None


def missing(subjects: Sequence[Subject]) -> list[Missing]:
    """Every dataset one can get whose published files are not among the subjects."""
    there = {subject.title for subject in subjects if subject.is_published}
    stand_ins = {subject.reference: subject.title for subject in subjects}
    return [
        Missing(one.name, " ".join(one.how_to_get.split()), stand_ins.get(one.name))
        for one in REGISTRY.values()
        if one.source is not None and one.name not in there
    ]


def survey(folder: Path) -> Subject:
    """Read a dataset folder and say what it is."""
    dataset = read_dataset(folder)
    timeline = Timeline.of(dataset.left.instants, dataset.right.instants)
    sizes = count_statistics(folder, dataset)
    if sizes.ticks is None:
        sizes = replace(sizes, ticks=len(timeline.ticks))
    identified = identify(folder)
    reference = _reference(identified, sizes)
    setting = _setting(folder, dataset, reference)
    return Subject(
        folder=folder,
        title=identified.name if identified else _own_title(folder, sizes),
        digest=_digest(folder),
        is_published=identified is not None and reference in (identified.name, None),
        reference=reference,
        statistics=sizes,
        ticks_used=len(timeline.ticks),
        undated=(_undated(dataset.left), _undated(dataset.right)),
        has_time=dataset.left.has_time and dataset.right.has_time,
        seeds=setting.seeds,
        study=setting.study,
        options=setting.options,
        sorted_ids=sorted_ids(dataset),
        names=name_join(dataset),
    )


def _undated(graph: Graph) -> float:
    return float((graph.facts.kinds() == TimeKind.UNKNOWN).mean())


def _reference(identified: PublishedDataset | None, sizes: Statistics) -> str | None:
    """The dataset with published figures that this is, or whose sizes it has."""
    known = published().settings
    if identified is not None and identified.name in known:
        return identified.name
    untimed = replace(sizes, ticks=None)
    alike = (name for name in known if replace(REGISTRY[name].statistics, ticks=None) == untimed)
    return next(alike, None)


def _own_title(folder: Path, sizes: Statistics) -> str:
    left, right = sizes.entities or (0, 0)
    facts = sum(sizes.facts or ())
    return f"folder {folder.name} ({left:,} + {right:,} entities, {facts:,} facts)"


def _setting(folder: Path, dataset: Dataset, reference: str | None) -> Setting:
    """Of the dataset it is or resembles, else by the folder's name, else by its own split."""
    known = published().settings
    n_pairs = len(dataset.pairs)
    setting = known.get(reference or folder.name)
    if setting is not None and max(setting.seeds) < n_pairs:
        return setting
    given = _given_seeds(folder) if dataset.fixed_split else round(SEED_SHARE * n_pairs)
    n_seeds = min(max(1, given), n_pairs - 1)
    return Setting((n_seeds,), n_seeds)


def _given_seeds(folder: Path) -> int:
    name = "sup_pairs" if (folder / "sup_pairs").exists() else "sup_ent_ids"
    return len(read_lines(folder / name).text)


def _digest(folder: Path) -> str:
    """One digest for all the files that the reader looks at."""
    digests = ((name, hash_file(folder / name)) for name in sorted(FILES))
    text = "\n".join(f"{name} {digest}" for name, digest in digests if digest)
    return hashlib.sha256(text.encode()).hexdigest()
