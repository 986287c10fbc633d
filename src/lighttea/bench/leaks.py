"""Accuracy without any alignment: equal names, and ids whose order gives the answer away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from lighttea.evaluate.ranking import LinkFigures, link_figures
from lighttea.io.benchmark import Dataset


@dataclass(frozen=True)
class NameJoin:
    """Figures of links between equal names, among the known pairs and among all entities."""

    hits_at_1: float
    open_links: LinkFigures


def score_sorted_ids(dataset: Dataset) -> float:
    """Return Hits@1 of sorting both sides of the known pairs by their ids and zipping them."""
    left, right = (sorted(dataset.pairs[side], key=int) for side in ("left", "right"))
    truth = set(dataset.pairs.rows())
    return sum(pair in truth for pair in zip(left, right, strict=True)) / len(left)


def join_names(dataset: Dataset) -> NameJoin | None:
    """Return figures of links between entities of the same name; None where a side has no names."""
    if not dataset.left.entity_names or not dataset.right.entity_names:
        return None
    left = _clean_names(dataset.left.entity_names)
    right = _clean_names(dataset.right.entity_names)
    return NameJoin(_score_closed(dataset, left, right), _score_open(dataset, left, right))


def _clean_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names without the brackets and the namespace of an IRI."""
    plain = {entity: name.strip().strip("<>") for entity, name in names.items()}
    return {
        entity: name.rsplit("/", 1)[-1] if name.startswith(("http://", "https://")) else name
        for entity, name in plain.items()
    }


def _score_closed(dataset: Dataset, left: Mapping[str, str], right: Mapping[str, str]) -> float:
    """Return the mean probability of a hit when ties between equal names are broken at random."""
    pairs = [(left.get(a), right.get(b)) for a, b in dataset.pairs.rows()]
    counts = Counter(name for _, name in pairs)
    return sum(1 / counts[b] for a, b in pairs if a is not None and a == b) / len(pairs)


def _score_open(dataset: Dataset, left: Mapping[str, str], right: Mapping[str, str]) -> LinkFigures:
    """Return figures of links between names that are unique on their side."""
    right_of = {name: entity for entity, name in _find_unique(right)}
    links = [(entity, right_of[name]) for entity, name in _find_unique(left) if name in right_of]
    truth = set(dataset.pairs.rows())
    return link_figures(len(links), sum(link in truth for link in links), len(truth))


def _find_unique(names: Mapping[str, str]) -> list[tuple[str, str]]:
    counts = Counter(names.values())
    return [(entity, name) for entity, name in names.items() if counts[name] == 1]
