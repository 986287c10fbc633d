"""A graph from facts that are read one after another: names and times are numbered on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import UNKNOWN, Instants, distinct_instants
from lighttea.io.frames import note_contradictions, note_missing_days
from lighttea.io.times import parse_instants
from lighttea.types import Ints


class Numbering(dict[str, int]):
    """Names and their numbers, in order of first appearance."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def codes(self, names: Sequence[str]) -> Ints:
        """Return the number of each name; new names get the next numbers."""
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))

    def codes_of_runs(self, names: pl.Series) -> Ints:
        """As `codes`, faster where names repeat in successive rows; null is -1."""
        runs = names.rle().struct.unnest()
        known = runs["value"].is_not_null().to_numpy()
        codes = np.full(len(runs), UNKNOWN, np.int32)
        codes[known] = self.codes(runs["value"].drop_nulls().to_list())
        return np.repeat(codes, runs["len"].to_numpy())


@dataclass(frozen=True)
class TimeCodes:
    """Instants, and their codes by the number of a time text."""

    instants: Instants
    code: Ints  # (n_texts,) of each text, or -1 where it is no time
    notes: tuple[str, ...]
    bad: tuple[str, ...]  # texts that are no times

    @classmethod
    def of(cls, texts: Sequence[str]) -> TimeCodes:
        """Parse each text; equal instants written differently share a code."""
        parsed = parse_instants(texts)
        known = np.array([text not in parsed.problems for text in texts], bool)
        code = np.full(len(texts), UNKNOWN, np.int32)
        instants, code[known] = distinct_instants(parsed.instants)
        bad = tuple(parsed.problems)
        return cls(
            instants, code, (*note_missing_days(parsed.taken_as_month), *_note_bad_times(bad)), bad
        )

    def codes(self, places: Ints) -> Ints:
        """Return the codes of instants from numbers of texts; -1 stays -1."""
        if not len(self.code):
            return np.full(len(places), UNKNOWN, np.int32)
        return np.where(places == UNKNOWN, UNKNOWN, self.code[places]).astype(np.int32)


def _note_bad_times(texts: Sequence[str]) -> tuple[str, ...]:
    if not texts:
        return ()
    shown = ", ".join(texts[:3]) + (" ..." if len(texts) > 3 else "")
    return (f"{len(texts):,} different times not understood, taken as unknown: {shown}",)


@dataclass(frozen=True)
class Literals:
    """Literals of nodes as a reader numbers them: rows like facts, tails are distinct literals."""

    rows: Facts
    texts: Sequence[str] = ()
    datatypes: Sequence[str] = ()
    languages: Sequence[str] = ()

    @classmethod
    def none(cls) -> Literals:
        """Return no literals."""
        return cls(Facts(*(np.empty(0, np.int32) for _ in range(5))))


def assemble(
    nodes: Iterable[str],
    predicates: Iterable[str],
    facts: Facts,
    instants: Instants,
    *,
    names: Mapping[str, str],
    predicate_names: Mapping[str, str],
    source: str,
    digest: str,
    notes: Sequence[str],
    literals: Literals | None = None,
    recognised: Mapping[str, int] | None = None,
    standing: Ints | None = None,
) -> Graph:
    """Return a graph of these facts and literals.

    Only nodes, predicates and instants that these use are kept, and the nodes in `standing`.
    """
    all_predicates, own = list(predicates), literals or Literals.none()
    kept_nodes = np.empty(0, np.int32) if standing is None else standing
    entities, places = _keep_used(list(nodes), facts.head, facts.tail, own.rows.head, kept_nodes)
    relations, relation_places = _keep_used(all_predicates, facts.relation)
    kept, instant_places = _used_instants(instants, facts, own.rows)
    dense = Facts(
        head=places[facts.head],
        relation=relation_places[facts.relation],
        tail=places[facts.tail],
        begin=instant_places[facts.begin],
        end=instant_places[facts.end],
    )
    attributes = _attributes(own, all_predicates, places, instant_places)
    named = (*relations, *attributes.names)
    return Graph(
        entities=entities,
        relations=relations,
        facts=dense,
        instants=kept,
        source=source,
        digest=digest,
        notes=(*notes, *note_contradictions(dense, kept)),
        entity_names={name: names[name] for name in entities if name in names},
        relation_names={r: predicate_names[r] for r in named if r in predicate_names},
        attributes=attributes,
        recognised=dict(recognised or {}),
    )


def _attributes(
    literals: Literals, predicates: list[str], places: Ints, instant_places: Ints
) -> Attributes:
    """Return the literals over the entities and instants that are kept, sorted by entity."""
    rows = literals.rows
    if not len(rows):
        return Attributes()
    order = np.argsort(places[rows.head], kind="stable")
    names, name_places = _keep_used(predicates, rows.relation)
    (texts, value), (datatypes, _), (languages, _) = (
        _keep_used(column, rows.tail)
        for column in (literals.texts, literals.datatypes, literals.languages)
    )
    return Attributes(
        entity=places[rows.head][order],
        attribute=name_places[rows.relation][order],
        value=value[rows.tail][order],
        begin=instant_places[rows.begin][order],
        end=instant_places[rows.end][order],
        names=names,
        texts=texts,
        datatypes=datatypes,
        languages=languages,
    )


def _used_instants(instants: Instants, *tables: Facts) -> tuple[Instants, Ints]:
    """Return the instants that facts or literals name, and the new code of each; -1 stays -1."""
    used = np.unique(np.concatenate([c for rows in tables for c in (rows.begin, rows.end)]))
    used = used[used != UNKNOWN]
    places = np.full(len(instants) + 1, UNKNOWN, np.int32)  # the last for unknown
    places[used] = np.arange(len(used), dtype=np.int32)
    return instants.take(used), places


def _keep_used(names: Sequence[str], *columns: Ints) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names that the columns use, in order, and the new number of each name."""
    mark = np.zeros(len(names), bool)
    for column in columns:
        mark[column] = True
    places = np.cumsum(mark, dtype=np.int32) - np.int32(1)
    return [name for name, is_used in zip(names, mark.tolist(), strict=True) if is_used], places
