"""A graph from facts that are read one after another: names and times are numbered on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
    return (f"{len(texts):,} different times are not understood and count as unknown: {shown}",)


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
) -> Graph:
    """Return a graph of these facts; only nodes and predicates that facts use are kept."""
    entities, places = _keep_used(list(nodes), facts.head, facts.tail)
    relations, relation_places = _keep_used(list(predicates), facts.relation)
    used_instants = np.unique(np.concatenate([facts.begin, facts.end]))
    used_instants = used_instants[used_instants != UNKNOWN]
    instant_places = np.full(len(instants) + 1, UNKNOWN, np.int32)  # the last for unknown
    instant_places[used_instants] = np.arange(len(used_instants), dtype=np.int32)
    dense = Facts(
        head=places[facts.head],
        relation=relation_places[facts.relation],
        tail=places[facts.tail],
        begin=instant_places[facts.begin],
        end=instant_places[facts.end],
    )
    kept = instants.take(used_instants)
    return Graph(
        entities=entities,
        relations=relations,
        facts=dense,
        instants=kept,
        source=source,
        digest=digest,
        notes=(*notes, *note_contradictions(dense, kept)),
        entity_names={name: names[name] for name in entities if name in names},
        relation_names={r: predicate_names[r] for r in relations if r in predicate_names},
    )


def _keep_used(names: list[str], *columns: Ints) -> tuple[list[str], NDArray[np.int32]]:
    """Return the names that the columns use, in order, and the new number of each name."""
    mark = np.zeros(len(names), bool)
    for column in columns:
        mark[column] = True
    places = np.cumsum(mark, dtype=np.int32) - np.int32(1)
    return [name for name, is_used in zip(names, mark.tolist(), strict=True) if is_used], places
