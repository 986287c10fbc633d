"""`read_rdf`: a graph from one RDF file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from lighttea.io.rdf.models.recognise import recognise_models
from lighttea.io.rdf.pages import leave_out_pages
from lighttea.io.rdf.resolve import Resolved, Resolver
from lighttea.io.rdf.tables import ANY_GRAPH, Tables
from lighttea.io.rdf.time_predicates import TimePredicates
from lighttea.io.rdf.vocabulary import PROPERTY_NUMBER, property_number
from lighttea.io.rdf.wikibase import prepare_wikibase
from lighttea.io.streams import Readable, open_bytes

LINE_FORMATS = ("ntriples", "nquads")
_PREFIX = re.compile(rb"(?:\s|#[^\n]*\n)*@?prefix\s", re.IGNORECASE)

_NOTES = {
    "empty literals": "{:,} empty literals left out",
    "of predicates": "{:,} literals of predicates ignored",
    "entity dates": "{:,} dates of entities read as facts from the entity to itself",
    "coarse times": "{:,} times known only to the decade or coarser taken as unknown",
    "quoted without time": "{:,} quoted triples without a time ignored",
    "unknown values": "{:,} facts with an unknown value (a blank node in Wikidata) left out",
    "deprecated": "{:,} statements of deprecated rank left out",
    "unused dates": "{:,} dates of statements other than begin, end and point in time ignored",
    "incomplete statements": "{:,} incomplete rdf:Statement nodes kept as entities",
    "beside the sides": "{:,} links, names and conflicts of a fused graph ignored",
    "in formulas": "{:,} triples inside or about N3 formulas ignored: they are not asserted",
    "about statements": "{:,} triples about statements and other technical nodes ignored",
    "sitelinks": "{:,} triples about wiki pages left out (`sitelinks=True` keeps them)",
    "technical": "{:,} triples of references, ranks and other technical parts ignored",
}


def read_rdf(
    path: str | Path,
    form: str,
    *,
    time_predicates: Mapping[str, str] | None = None,
    strict: bool = False,
    nary: bool = True,
    sitelinks: bool = False,
) -> Graph:
    """Return the graph of a file in one of RDF's formats.

    `time_predicates` gives other predicates for begin, end or time than the usual ones. With
    `nary`, nodes with the shape of a dated fact are facts, whatever their vocabulary. With
    `sitelinks`, pages of wikis about Wikidata's entities are kept.
    """
    path = existing_file(path)
    times = TimePredicates.given(time_predicates)
    problems = Problems(strict=strict)
    collected = Collector(times)
    with open_bytes(path) as stream:
        form = _actual_format(stream, form)
        for batch in _batches(path, stream, form, problems, collected.counts):
            collected.add(batch)
    problems.check()
    if not sitelinks:
        leave_out_pages(collected)
    return graph_of_triples(
        collected, problems, source=str(path), digest=file_digest(path), nary=nary
    )


def _actual_format(stream: Any, form: str) -> str:
    """Return the format, or Turtle or TriG for line formats that begin with prefixes."""
    if form in LINE_FORMATS and _PREFIX.match(stream.peek(1)):
        return "turtle" if form == "ntriples" else "trig"
    return form


def _batches(
    path: Path, stream: Readable, form: str, problems: Problems, counts: Counter[str]
) -> Iterator[Batch]:
    if form in LINE_FORMATS:
        return _prefetch(read_line_batches(path, stream, form, problems))
    return read_document_batches(path, stream, form, counts)


def _prefetch(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the batches; a thread makes each one while the one before it is used."""
    with ThreadPoolExecutor(1) as maker:
        pending = maker.submit(next, batches, None)
        while (batch := pending.result()) is not None:
            pending = maker.submit(next, batches, None)
            yield batch


def graph_of_triples(
    collected: Collector,
    problems: Problems,
    *,
    source: str,
    digest: str = "",
    notes: Sequence[str] = (),
    nary: bool = True,
) -> Graph:
    """Return the graph of all triples that were collected; `source` is what messages call it."""
    tables = Tables(collected)
    prepare_wikibase(tables)
    models = recognise_models(tables, nary=nary)
    resolved = Resolver(tables).resolve()
    if problems.strict and (odd := [*collected.odd_dates, *resolved.times.bad]):
        expected = f"{source}: expected a date as XML Schema writes it, found"
        raise InputError.of_many([f"{expected} {text!r}" for text in odd])
    counts = collected.counts
    labels = collected.labels()
    literals = _of_entities(collected, resolved)
    if not counts["facts"] and not len(literals):
        if problems.total:
            raise problems.error()
        raise InputError(
            f"{source}: no facts in {counts['triples']:,} triples; expected triples that link "
            "entities, date them or describe them"
        )
    return assemble(
        collected.nodes,
        collected.predicates,
        resolved.facts,
        resolved.times.instants,
        names=labels,
        predicate_names=_predicate_names(collected, labels),
        source=source,
        digest=digest,
        notes=(
            *problems.notes(),
            *notes,
            *models,
            *_notes(counts, collected),
            *resolved.times.notes,
        ),
        recognised=_recognised(tables),
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


def _recognised(tables: Tables) -> dict[str, int]:
    """Return how many statements, times and dates each model of time gave."""
    counts = tables.counts
    others = {
        "annotations": _count_annotations(tables),
        "statement nodes": tables.claims["node"].n_unique(),
        "named graphs with time": counts["graphs with time"],
        "dates of entities": counts["entity dates"],
    }
    return {name: count for name, count in {**tables.recognised, **others}.items() if count > 0}


def _count_annotations(tables: Tables) -> int:
    """Return how many reifiers there are beside the nodes of rdf:Statement."""
    quoted = [tables.reified, tables.reified_literals]
    return pl.concat([t.filter(pl.col("graph") == ANY_GRAPH)["node"] for t in quoted]).n_unique()


def _notes(counts: Counter[str], collected: Collector) -> list[str]:
    notes = [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    if sources := counts["graphs"] - counts["graphs with time"]:
        notes.append(f"{sources:,} named graphs are sources, not times; they are only counted")
    if counts["graphs with time"]:
        notes.append(f"{counts['graphs with time']:,} named graphs date their facts")
    if counts["odd dates"]:
        shown = ", ".join(repr(text) for text in list(collected.odd_dates)[:3])
        notes.append(f"{counts['odd dates']:,} dates not understood, taken as text: {shown}")
    return notes
