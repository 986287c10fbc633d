"""One graph: its facts as columns of numbers, and the names behind the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lighttea.display import Displayed, Named, html_list, html_table, shorten, visible
from lighttea.graph.attributes import Attributes
from lighttea.graph.keys import Keys, mix_keys, name_keys
from lighttea.graph.timeline import (
    UNKNOWN,
    Instants,
    TimeKind,
    format_instant,
    ticks_of,
    time_kinds,
)
from lighttea.types import Ints

if TYPE_CHECKING:
    from lighttea.export.objects import NetworkxGraph, PandasFrame, PolarsFrame, RdflibGraph

_SHOWN_FACTS, _SHOWN_NOTES = 5, 10


@dataclass(frozen=True, repr=False)
class Facts(Displayed):
    """The facts of one graph as columns of dense ids; begin and end are codes of instants."""

    head: Ints
    relation: Ints
    tail: Ints
    begin: Ints  # code into Graph.instants, or -1 for unknown
    end: Ints

    def __post_init__(self) -> None:
        lengths = {len(column) for column in vars(self).values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns of Facts differ in length: {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.head)

    def take(self, order: Ints) -> Facts:
        """Return the facts at these positions, in this order."""
        return Facts(*(column[order] for column in vars(self).values()))

    def entity_times(self, place_of_code: Ints) -> tuple[Ints, Ints]:
        """Return the distinct (entity, place) couples of the times of all facts, sorted.

        `place_of_code` maps the codes of instants to places from 0; -1 leaves an instant out.
        """
        bits = int(place_of_code.max(initial=0)).bit_length()
        parts = [np.empty(0, np.int64)]
        for codes in (self.begin, np.where(self.end == self.begin, UNKNOWN, self.end)):
            places = ticks_of(codes, place_of_code)
            known = places != UNKNOWN
            parts += [
                (entity[known].astype(np.int64) << bits) + places[known]
                for entity in (self.head, self.tail)
            ]
        packed = np.concatenate(parts)
        packed.sort()
        packed = packed[np.diff(packed, prepend=-1) != 0]
        return (packed >> bits).astype(np.int32), (packed & ((1 << bits) - 1)).astype(np.int32)

    def kinds(self) -> NDArray[np.int8]:
        """The `TimeKind` of each fact."""
        return time_kinds(self.begin, self.end)

    def n_timed(self) -> int:
        """How many facts have a known begin or end."""
        return int(((self.begin != UNKNOWN) | (self.end != UNKNOWN)).sum())

    def _summary(self) -> str:
        return f"{len(self):,} facts, {self.n_timed():,} with time"

    def _tables(self) -> list[str]:
        counts = np.bincount(self.kinds(), minlength=len(TimeKind))
        rows = [(kind.name.lower().replace("_", " "), f"{counts[kind]:,}") for kind in TimeKind]
        return [html_table(("time", "facts"), rows)]


@dataclass(frozen=True, repr=False)
class Graph(Displayed):
    """A temporal knowledge graph G = (E, R, T, Q): ids of entities and relations, and facts.

    Beside facts a graph has attributes: literals of its entities. `entities` may hold entities that
    no fact mentions. `entity_names` and `relation_names` are what a person reads instead of an id,
    where that differs; relations and attributes share the latter. `notes` are remarks of the reader
    that a user should see; `source` and `digest` tell where the graph comes from; `name` is what
    the graph is called in pages and messages, where somebody gave it one. `recognised` counts the
    ways in which the file says time, by their names.
    """

    entities: Sequence[str]
    relations: Sequence[str]
    facts: Facts
    instants: Instants
    source: str = ""
    digest: str = ""
    notes: tuple[str, ...] = ()
    entity_names: Mapping[str, str] = field(default_factory=dict)
    relation_names: Mapping[str, str] = field(default_factory=dict)
    attributes: Attributes = field(default_factory=Attributes)
    name: str = ""
    recognised: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def entity_ids(self) -> dict[str, int]:
        """The number of each entity by its id."""
        return {name: number for number, name in enumerate(self.entities)}

    @cached_property
    def entity_keys(self) -> Keys:
        """A key of each entity's name, by which chance decides about it."""
        return name_keys(self.entities)

    def fact_keys(self) -> Keys:
        """Return a key of each fact, made of all that it says."""
        times = np.append(mix_keys(self.instants.second, self.instants.grain), np.uint64(0))
        facts = self.facts
        return mix_keys(
            self.entity_keys[facts.head],
            name_keys(self.relations)[facts.relation],
            self.entity_keys[facts.tail],
            times[facts.begin],  # the last one where it is unknown
            times[facts.end],
        )

    @property
    def has_time(self) -> bool:
        """Whether any fact has a known time."""
        return self.facts.n_timed() > 0

    def to_polars(self) -> PolarsFrame:
        """Return a frame with a row for each fact, and one for each literal: a value, no tail."""
        from lighttea.export.objects import to_polars

        return to_polars(self)

    def to_pandas(self) -> PandasFrame:
        """Return the frame of `to_polars` as one of pandas."""
        from lighttea.export.objects import to_pandas, to_polars

        return to_pandas(to_polars(self))

    def to_rdflib(self, *, namespace: str = "https://example.org/") -> RdflibGraph:
        """Return a graph of rdflib; `namespace` is put before ids that are no IRIs.

        Times of facts and literals are on statements (`rdf:Statement`).
        """
        from lighttea.export.objects import to_rdflib

        return to_rdflib(self, namespace)

    def to_networkx(self) -> NetworkxGraph:
        """Return a directed multigraph of networkx.

        Edges have relation, begin and end; literals are attributes of nodes.
        """
        from lighttea.export.objects import to_networkx

        return to_networkx(self)

    def _summary(self) -> str:
        facts = self.facts
        source = f" from {shorten(self.source, 80)}" * bool(self.source)
        name = f"{shorten(visible(self.name))}: " * bool(self.name)
        span = self.instants.range_text()
        share = facts.n_timed() / max(len(facts), 1)
        return (
            f"{name}{len(self.entities):,} entities, {len(self.relations):,} relations, "
            f"{len(facts):,} facts{self._literals_text()}{source};\n"
            + (f"{share:.0%} of the facts with time, {span}" if span else "no time")
        )

    def _literals_text(self) -> str:
        return f", {len(self.attributes):,} literals" * bool(len(self.attributes))

    def _tables(self) -> list[str]:
        facts = self.facts.take(np.arange(min(len(self.facts), _SHOWN_FACTS)))
        rows = [
            (
                Named.of(self.entities[h], self.entity_names),
                Named.of(self.relations[r], self.relation_names),
                Named.of(self.entities[t], self.entity_names),
                *(self._time(begin), self._time(end)),
            )
            for h, r, t, begin, end in zip(*vars(facts).values(), strict=True)
        ]
        notes = (shorten(note, 300) for note in self.notes[:_SHOWN_NOTES])
        literals = self.attributes.make_tables(self.relation_names) if len(self.attributes) else []
        return [html_table(tuple(vars(facts)), rows), *literals, *html_list(notes)]

    def _time(self, code: int) -> str:
        """Return the text of an instant by its code; empty for unknown."""
        instants = self.instants
        return (
            "" if code == UNKNOWN else format_instant(instants.second[code], instants.grain[code])
        )
