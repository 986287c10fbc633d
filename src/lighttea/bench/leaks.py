"""What can be had without aligning anything: names that agree, ids whose order is the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from lighttea.evaluate.ranking import LinkFigures, link_figures
from lighttea.io.benchmark import Dataset


@dataclass(frozen=True)
class NameJoin:
    """Links between equal names: among the known pairs (Hits@1), and among all entities."""

    hits_at_1: float
    open_links: LinkFigures


def sorted_ids(dataset: Dataset) -> float:
    """Hits@1 of sorting the two sides of the known pairs by their ids and zipping them."""
    left, right = (sorted(dataset.pairs[side], key=int) for side in ("left", "right"))
    truth = set(dataset.pairs.rows())
    return sum(pair in truth for pair in zip(left, right, strict=True)) / len(left)


def name_join(dataset: Dataset) -> NameJoin | None:
    """Links between entities of exactly the same name; None where a side has no names."""
    if not dataset.left.entity_names or not dataset.right.entity_names:
        return None
    left, right = _names(dataset.left.entity_names), _names(dataset.right.entity_names)
    return NameJoin(_closed(dataset, left, right), _open(dataset, left, right))


def _names(names: Mapping[str, str]) -> dict[str, str]:
    """Names as a person reads them: without the brackets and the namespace of an IRI."""
    plain = {entity: name.strip().strip("<>") for entity, name in names.items()}
    return {
        entity: name.rsplit("/", 1)[-1] if name.startswith(("http://", "https://")) else name
        for entity, name in plain.items()
    }


def _closed(dataset: Dataset, left: Mapping[str, str], right: Mapping[str, str]) -> float:
    """The chance to hit when a tie between equal names is broken at random, mean over pairs."""
    pairs = [(left.get(a), right.get(b)) for a, b in dataset.pairs.rows()]
    bearers = Counter(name for _, name in pairs)
    return sum(1 / bearers[b] for a, b in pairs if a is not None and a == b) / len(pairs)


def _open(dataset: Dataset, left: Mapping[str, str], right: Mapping[str, str]) -> LinkFigures:
    """Links between names that only one entity of each side bears, dangling ones included."""
    right_of = {name: entity for entity, name in _unique(right)}
    links = [(entity, right_of[name]) for entity, name in _unique(left) if name in right_of]
    truth = set(dataset.pairs.rows())
    return link_figures(len(links), sum(link in truth for link in links), len(truth))


def _unique(names: Mapping[str, str]) -> list[tuple[str, str]]:
    bearers = Counter(names.values())
    return [(entity, name) for entity, name in names.items() if bearers[name] == 1]
