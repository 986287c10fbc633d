"""`read_rdf`: a graph from one RDF file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.io.assemble import Literals, assemble
from lighttea.io.lines import existing_file, file_digest
from lighttea.io.problems import Problems
from lighttea.io.rdf.batches import Batch
from lighttea.io.rdf.collect import Collector
from lighttea.io.rdf.documents import read_document_batches
from lighttea.io.rdf.lines import read_line_batches
from lighttea.io.rdf.pages import leave_out_pages
from lighttea.io.rdf.resolve import Resolved, Resolver
from lighttea.io.rdf.vocabulary import PROPERTY_NUMBER, TimePredicates, property_number
from lighttea.io.streams import Readable, open_bytes

LINE_FORMATS = ("ntriples", "nquads")
_PREFIX = re.compile(rb"(?:\s|#[^\n]*\n)*@?prefix\s", re.IGNORECASE)

_NOTES = {
    "empty literals": "{:,} literals without text were left out",
    "of predicates": "{:,} literals of predicates and their properties are no attributes",
    "entity dates": "{:,} dates of entities are facts that link the entity with itself",
    "coarse times": "{:,} times known only to the decade or coarser count as unknown",
    "quoted without time": "{:,} quoted triples without a time are no facts",
    "unknown values": "{:,} facts whose value is unknown (a blank node in Wikidata) were left out",
    "deprecated": "{:,} statements of deprecated rank were left out",
    "about statements": "{:,} triples about statements and other technical nodes are no facts",
    "sitelinks": "{:,} triples about pages of wikis were left out (--sitelinks keeps them)",
    "technical": "{:,} triples of references, ranks and other parts of the layout are no facts",
}


def read_rdf(
    path: str | Path,
    form: str,
    *,
    time_predicates: Mapping[str, str] | None = None,
    strict: bool = False,
    sitelinks: bool = False,
) -> Graph:
    """Return the graph of a file in `ntriples`, `nquads`, `turtle`, `trig`, `rdfxml` or `jsonld`.

    `time_predicates` gives other predicates for begin, end or time than the usual ones. With
    `sitelinks`, pages of wikis about Wikidata's entities are kept.
    """
    path = existing_file(path)
    times = TimePredicates.given(time_predicates)
    problems = Problems(strict=strict)
    collected = Collector(times)
    with open_bytes(path) as stream:
        for batch in _batches(path, stream, _actual_format(stream, form), problems):
            collected.add(batch)
    problems.check()
    if not sitelinks:
        leave_out_pages(collected)
    return _graph(path, collected, problems)


def _actual_format(stream: Any, form: str) -> str:
    """Return the format, or Turtle or TriG for line formats that begin with prefixes."""
    if form in LINE_FORMATS and _PREFIX.match(stream.peek(1)):
        return "turtle" if form == "ntriples" else "trig"
    return form


def _batches(path: Path, stream: Readable, form: str, problems: Problems) -> Iterator[Batch]:
    if form in LINE_FORMATS:
        return _prefetch(read_line_batches(path, stream, form, problems))
    return read_document_batches(path, stream, form)


def _prefetch(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the batches; a thread makes each one while the one before it is used."""
    with ThreadPoolExecutor(1) as maker:
        pending = maker.submit(next, batches, None)
        while (batch := pending.result()) is not None:
            pending = maker.submit(next, batches, None)
            yield batch


def _graph(path: Path, collected: Collector, problems: Problems) -> Graph:
    resolved = Resolver(collected).resolve()
    if problems.strict and (odd := [*collected.odd_dates, *resolved.times.bad]):
        expected = f"{path}: expected a date as XML Schema writes it, found"
        raise InputError.of_many([f"{expected} {text!r}" for text in odd])
    counts = collected.counts
    labels = collected.labels()
    literals = _of_entities(collected, resolved)
    if not counts["facts"] and not len(literals):
        if problems.total:
            raise problems.error()
        raise InputError(
            f"{path}: no facts; found {counts['triples']:,} triples; expected triples that link "
            "entities, date them or say something of them"
        )
    return assemble(
        collected.nodes,
        collected.predicates,
        resolved.facts,
        resolved.times.instants,
        names=labels,
        predicate_names=_predicate_names(collected, labels),
        source=str(path),
        digest=file_digest(path),
        notes=(*problems.notes(), *_notes(counts, collected), *resolved.times.notes),
        literals=Literals(literals, *collected.distinct_literals()),
    )


def _of_entities(collected: Collector, resolved: Resolved) -> Facts:
    """Return the literals of entities: those of predicates say what a predicate is called."""
    facts, literals = resolved.facts, resolved.literals
    nodes = pl.Series(list(collected.nodes), dtype=pl.String)
    numbers = {number for name in collected.predicates if (number := property_number(name))}
    in_property_form = nodes.str.extract(PROPERTY_NUMBER).is_in(list(numbers))
    by_name = nodes.is_in(pl.Series(list(collected.predicates), dtype=pl.String).implode())
    is_predicate = (by_name | in_property_form.fill_null(value=False)).to_numpy().copy()
    is_predicate[facts.head] = False
    is_predicate[facts.tail] = False
    kept = ~is_predicate[literals.head]
    collected.counts["of predicates"] = int((~kept).sum())
    return literals.take(np.flatnonzero(kept))


def _predicate_names(collected: Collector, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the label of each predicate, its own or that of its property."""
    of_property = {
        number: text for name, text in labels.items() if (number := property_number(name))
    }
    named = {}
    for predicate in collected.predicates:
        text = labels.get(predicate) or of_property.get(property_number(predicate) or "")
        if text:
            named[predicate] = text
    return named


def _notes(counts: Counter[str], collected: Collector) -> list[str]:
    notes = [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    if sources := counts["graphs"] - counts["graphs with time"]:
        notes.append(f"{sources:,} named graphs are sources, not times; they are only counted")
    if counts["graphs with time"]:
        notes.append(f"{counts['graphs with time']:,} named graphs give their facts a time")
    if counts["odd dates"]:
        shown = ", ".join(repr(text) for text in list(collected.odd_dates)[:3])
        notes.append(f"{counts['odd dates']:,} dates are not understood and count as text: {shown}")
    return notes
