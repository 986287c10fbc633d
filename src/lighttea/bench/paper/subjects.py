"""Dataset folders: what they are, by their bytes and sizes, and how they are run.

Only a folder whose digests are known counts as the published dataset. One with the same sizes is
run and compared in the same way, but keeps a name of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lighttea.bench.leaks import NameJoin, join_names, score_sorted_ids
from lighttea.bench.paper.sets import Setting, known_sets
from lighttea.config import Method
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
    """A dataset folder and what is known of it without an alignment."""

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
    points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # of its own sweeps

    @property
    def methods(self) -> tuple[Method, ...]:
        """What is run here: without time there is nothing for LightTEA to add to LightEA."""
        return ("lighttea", "lightea") if self.has_time else ("lightea",)

    def dangling(self) -> tuple[int, int]:
        """Return the number of entities without a counterpart, left and right."""
        left, right = self.statistics.entities or (0, 0)
        return left - (self.statistics.pairs or 0), right - (self.statistics.pairs or 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the subject as results.json has it."""
        return {**asdict(self), "folder": self.folder.name}


def find_folders(data: Path, names: Sequence[str] = ()) -> list[Path]:
    """Return the dataset folders in a folder, or that folder itself; those named, if any are."""
    if not data.is_dir():
        raise InputError(f"{data}: no such folder; `data` must be a folder of dataset folders")
    folders = [path for path in (data, *sorted(data.iterdir())) if _is_dataset(path)]
    by_name = {path.name: path for path in folders}
    if unknown := [name for name in names if name not in by_name]:
        raise InputError(
            f"{data}: no dataset folder {', '.join(unknown)}; found: {', '.join(by_name) or 'none'}"
        )
    return [by_name[name] for name in names] if names else folders


def _is_dataset(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("triples_1", "triples_2"))


@dataclass(frozen=True)
class Missing:
    """A published dataset that is missing, and the folder that stands in for it, if any does."""

    name: str
    how_to_get: str
    stand_in: str | None


def find_missing(subjects: Sequence[Subject]) -> list[Missing]:
    """Return the datasets with a source whose published files are not among the subjects."""
    present = {subject.title for subject in subjects if subject.is_published}
    stand_ins = {subject.reference: subject.title for subject in subjects}
    return [
        Missing(name, " ".join(dataset.how_to_get.split()), stand_ins.get(name))
        for name, dataset in REGISTRY.items()
        if dataset.source is not None and name not in present
    ]


def survey(folder: Path) -> Subject:
    """Read a dataset folder and return what is known of it."""
    dataset = read_dataset(folder)
    timeline = Timeline.of(dataset.left.instants, dataset.right.instants)
    sizes = count_statistics(folder, dataset)
    if sizes.ticks is None:
        sizes = replace(sizes, ticks=len(timeline.ticks))
    identified = identify(folder)
    reference = _find_reference(identified, sizes)
    setting = _choose_setting(folder, dataset, reference)
    return Subject(
        folder=folder,
        title=identified.name if identified else _make_title(folder, sizes),
        digest=_hash_folder(folder),
        is_published=identified is not None and reference in (identified.name, None),
        reference=reference,
        statistics=sizes,
        ticks_used=len(timeline.ticks),
        undated=(_undated_share(dataset.left), _undated_share(dataset.right)),
        has_time=dataset.left.has_time and dataset.right.has_time,
        seeds=setting.seeds,
        study=setting.study,
        options=setting.options,
        sorted_ids=score_sorted_ids(dataset),
        names=join_names(dataset),
        points=setting.points,
    )


def _undated_share(graph: Graph) -> float:
    return float((graph.facts.kinds() == TimeKind.UNKNOWN).mean())


def _find_reference(identified: PublishedDataset | None, sizes: Statistics) -> str | None:
    """Return the dataset with published figures that this is, or whose sizes it has."""
    known = known_sets()
    if identified is not None and identified.name in known:
        return identified.name
    untimed = replace(sizes, ticks=None)
    alike = (name for name in known if replace(REGISTRY[name].statistics, ticks=None) == untimed)
    return next(alike, None)


def _make_title(folder: Path, sizes: Statistics) -> str:
    left, right = sizes.entities or (0, 0)
    facts = sum(sizes.facts or ())
    return f"folder {folder.name} ({left:,} + {right:,} entities, {facts:,} facts)"


def _choose_setting(folder: Path, dataset: Dataset, reference: str | None) -> Setting:
    """Return the setting of the reference, else of the folder's name, else by its own split."""
    n_pairs = len(dataset.pairs)
    setting = known_sets().get(reference or folder.name)
    if setting is not None and max(setting.seeds) < n_pairs:
        return setting
    given = _count_seeds(folder) if dataset.fixed_split else round(SEED_SHARE * n_pairs)
    n_seeds = min(max(1, given), n_pairs - 1)
    return Setting((n_seeds,), n_seeds)


def _count_seeds(folder: Path) -> int:
    name = "sup_pairs" if (folder / "sup_pairs").exists() else "sup_ent_ids"
    return len(read_lines(folder / name).text)


def _hash_folder(folder: Path) -> str:
    """Return one digest for all the files that the reader looks at."""
    digests = ((name, hash_file(folder / name)) for name in sorted(FILES))
    text = "\n".join(f"{name} {digest}" for name, digest in digests if digest)
    return hashlib.sha256(text.encode()).hexdigest()
