"""What is in the attributes of a graph: how many literals, how complete, how unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lighttea.graph.facts import Graph
from lighttea.graph.timeline import UNKNOWN
from lighttea.types import Ints

_EXAMPLES = 3


@dataclass(frozen=True)
class AttributeProfile:
    """Counts that describe one attribute of a graph.

    A value is a text: its datatype and language do not count. It is unique where no other entity
    has it, whatever its own one has beside it.
    """

    attribute: str
    literals: int
    timed_literals: int
    entities: int  # that have a value
    completeness: float  # share of all entities that have a value
    values: int  # distinct texts
    uniqueness: float  # share of the entities with a value that no other entity has
    datatypes: dict[str, int]  # literals by datatype, most frequent first; "" for none
    languages: dict[str, int]
    examples: tuple[str, ...]  # the most frequent texts

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "examples": list(self.examples)}


def profile_attributes(graph: Graph) -> tuple[AttributeProfile, ...]:
    """Return the profile of each attribute, the one with the most literals first."""
    attributes = graph.attributes
    order = np.argsort(attributes.attribute, kind="stable")
    starts = np.searchsorted(attributes.attribute[order], np.arange(len(attributes.names) + 1))
    kinds = (attributes.texts, attributes.datatypes, attributes.languages)
    texts, datatypes, languages = (_Numbered.of(column, attributes.value) for column in kinds)
    profiles = []
    for number, name in enumerate(attributes.names):
        rows = order[starts[number] : starts[number + 1]]
        entity, text = attributes.entity[rows], texts.code[rows]
        n_entities = len(np.unique(entity))
        is_timed = (attributes.begin[rows] != UNKNOWN) | (attributes.end[rows] != UNKNOWN)
        by_text = texts.count(rows)
        profiles.append(
            AttributeProfile(
                attribute=name,
                literals=len(rows),
                timed_literals=int(is_timed.sum()),
                entities=n_entities,
                completeness=n_entities / max(len(graph.entities), 1),
                values=len(by_text),
                uniqueness=_count_unique(entity, text) / max(n_entities, 1),
                datatypes=dict(datatypes.count(rows)),
                languages=dict(languages.count(rows)),
                examples=tuple(text for text, _ in by_text[:_EXAMPLES]),
            )
        )
    return tuple(sorted(profiles, key=lambda profile: -profile.literals))


def _count_unique(entity: Ints, text: Ints) -> int:
    """Return how many entities have a text that no other entity has."""
    pairs = np.unique((text.astype(np.int64) << 32) + entity)  # one for each text of an entity
    _, first, n_entities = np.unique(pairs >> 32, return_index=True, return_counts=True)
    return len(np.unique(pairs[first[n_entities == 1]] & 0xFFFFFFFF))


@dataclass(frozen=True)
class _Numbered:
    """Distinct texts, and the number of the text of each row."""

    texts: list[str]
    code: Ints  # (n_rows,)

    @classmethod
    def of(cls, texts: Sequence[str], rows: Ints) -> _Numbered:
        """Return the distinct ones of some texts, and their numbers at these places."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(text, len(numbers)) for text in texts]
        return cls(list(numbers), np.array(codes, np.int32)[rows])

    def count(self, rows: Ints) -> list[tuple[str, int]]:
        """Return each text of these rows and how many have it, the most frequent first."""
        numbers, counts = np.unique(self.code[rows], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return [(self.texts[n], int(c)) for n, c in zip(numbers[order], counts[order], strict=True)]
