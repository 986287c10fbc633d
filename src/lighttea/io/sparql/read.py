"""`read_sparql`: a graph from a SPARQL endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import FACT_ROLES, ColumnChoice, find_layout, parse_columns
from lighttea.io.frames import LINE, graph_of_frame
from lighttea.io.rdf.objects import graph_of_pyoxigraph
from lighttea.io.sparql.answers import DATATYPE, LANGUAGE, Answers
from lighttea.io.sparql.client import LOG, Endpoint, check_address, shown_address
from lighttea.io.sparql.limits import FetchLimits
from lighttea.io.sparql.pages import Fetched, fetch_answers
from lighttea.io.sparql.queries import TRIPLE, full_iri, queries_for

DEFAULT_LANGUAGES = ("en",)
_SHOWN = 3
_FACT = ("head", "relation", "tail")
_OF_LITERALS = ("tail", "value", "datatype", "language")
_LITERAL_COLUMNS = (
    *_OF_LITERALS,
    *(role + kind for role in ("tail", "value") for kind in (DATATYPE, LANGUAGE)),
)


def read_sparql(
    url: str,
    *,
    query: str | None = None,
    predicates: Sequence[str] | None = None,
    columns: Mapping[str, str] | str | None = None,
    languages: Sequence[str] = DEFAULT_LANGUAGES,
    page_size: int = FetchLimits.page_size,
    max_rows: int = FetchLimits.max_rows,
    timeout_s: float = FetchLimits.timeout_s,
    max_age_hours: float = FetchLimits.max_age_hours,
    cache: str | Path | None = None,
) -> Graph:
    """Return a graph from a SPARQL endpoint: by a SELECT query, or all facts of some predicates.

    The variables of a `query` are called as the columns of a table: head, relation, tail, begin,
    end, time, value, datatype, language; `columns` says otherwise. `predicates` are IRIs, or names
    with a usual prefix, `wdt:P26`; what they say is read as RDF, with labels in `languages` (`*`
    for all) and, for Wikidata, with the times of the statements.

    The endpoint is asked for `page_size` rows at a time and for `max_rows` in all, with patience
    where it is busy. Pages are kept in the folder `cache`: a fetch that broke off goes on where it
    stopped, and what was fetched less than `max_age_hours` ago is not asked for again.
    """
    limits = FetchLimits(
        page_size=page_size,
        max_rows=max_rows,
        timeout_s=timeout_s,
        max_age_hours=max_age_hours,
        cache=None if cache is None else Path(cache),
    )
    if isinstance(predicates, str) or isinstance(languages, str):
        raise InputError("predicates and languages are lists of texts; found a text")
    if (query is None) == (not predicates):
        raise InputError(f"{shown_address(url)}: give either a query or predicates")
    if query is not None:
        given = parse_columns(columns) if isinstance(columns, str) else dict(columns or {})
        return read_query(url, query, given, limits)
    if columns:
        raise InputError("columns: predicates have none; name the variables of a query")
    return read_predicates(url, predicates or (), languages, limits)


@dataclass(frozen=True)
class AnswerTable:
    """The rows of a query as texts, a column for each variable, and where they come from."""

    where: str
    frame: pl.DataFrame
    digest: str
    notes: tuple[str, ...]


def read_answers(url: str, query: str, limits: FetchLimits) -> AnswerTable:
    """Return all rows of a SELECT query."""
    where, (fetched,) = _fetch(url, {"answers": query}, limits)
    answers = fetched.answers
    return AnswerTable(where, answers.plain(), _digest([answers]), _notes(where, [fetched]))


def _fetch(
    url: str, queries: Mapping[str, str], limits: FetchLimits
) -> tuple[str, Sequence[Fetched]]:
    """Return what messages call the endpoint, and the answers of each query."""
    check_address(url)
    parts = []
    with closing(Endpoint(url, limits)) as endpoint:
        for subject, query in queries.items():
            LOG.info("%s: asking for %s", endpoint.name, subject)
            parts.append(fetch_answers(endpoint, query, limits))
    return endpoint.name, parts


def read_query(url: str, query: str, columns: Mapping[str, str], limits: FetchLimits) -> Graph:
    """Return the graph of a SELECT query whose variables are called as the columns of a table.

    Triples and nothing beside them are read as RDF.
    """
    where, (fetched,) = _fetch(url, {"answers": query}, limits)
    answers, notes = fetched.answers, _notes(where, [fetched])
    choice = ColumnChoice.of(columns)
    layout = find_layout(where, answers.variables, choice.columns, FACT_ROLES)
    if layout is None:
        raise InputError(
            f"{where}: variables not understood; found: {', '.join(answers.variables)}; call them "
            "head, relation, tail, begin, end, time or value, or name them with columns"
        )
    if not len(answers):
        raise InputError(f"{where}: the query has no results")
    variables = {role: answers.variables[place] for role, place in layout.columns.items()}
    if not choice.constants and _are_triples(answers, variables):
        return _graph_of_triples(where, [fetched], [variables[role] for role in _FACT])
    rows = _fact_frame(answers, variables).with_row_index(LINE, offset=1)
    frame, more_notes = choice.apply(rows, where)
    notes = (*notes, *more_notes)
    return graph_of_frame(frame, source=where, digest=_digest([answers]), notes=notes)


def _are_triples(answers: Answers, variables: Mapping[str, str]) -> bool:
    """Whether the answers are triples of RDF and nothing beside them, to be read as a file is."""
    if set(variables) != set(_FACT):
        return False
    if any(answers.is_literal(variables[role]).any() for role in ("head", "relation")):
        return False
    return not answers.frame[variables["relation"]].str.starts_with("_:").any()


def _fact_frame(answers: Answers, variables: Mapping[str, str]) -> pl.DataFrame:
    """Return the answers by role; a tail that is a literal becomes a value."""
    columns = [answers.text(name).alias(role) for role, name in variables.items()]
    for role in ("tail", "value"):
        if role in variables:
            kinds = (DATATYPE, LANGUAGE)
            columns += [answers.frame[variables[role] + kind].alias(role + kind) for kind in kinds]
    frame = pl.DataFrame(columns)
    is_node = pl.col("tail" + DATATYPE).is_null()
    missing = [name for name in _LITERAL_COLUMNS if name not in frame.columns]
    return (
        frame.with_columns(pl.lit(None, pl.String).alias(name) for name in missing)
        .with_columns(
            tail=pl.when(is_node).then("tail"),
            value=pl.coalesce("value", pl.when(~is_node).then("tail")),
            datatype=pl.coalesce("datatype", "value" + DATATYPE, "tail" + DATATYPE),
            language=pl.coalesce("language", "value" + LANGUAGE, "tail" + LANGUAGE),
        )
        .select(role for role in FACT_ROLES if role in (*variables, *_OF_LITERALS))
    )


def read_predicates(
    url: str, predicates: Sequence[str], languages: Sequence[str], limits: FetchLimits
) -> Graph:
    """Return the graph of all facts of some predicates, read as RDF, with the names of entities."""
    queries = {
        f"{subject} of {predicate}": query
        for predicate in map(full_iri, predicates)
        for subject, query in queries_for(predicate, languages).items()
    }
    where, parts = _fetch(url, queries, limits)
    if not any(len(part.answers) for part in parts):
        raise InputError(f"{where}: there is no fact of {', '.join(predicates)}")
    return _graph_of_triples(where, parts, TRIPLE)


def _graph_of_triples(where: str, parts: Sequence[Fetched], variables: Sequence[str]) -> Graph:
    """Return the graph of answers that are triples, read as RDF."""
    answers = [part.answers for part in parts]
    read = [answer.triples(variables) for answer in answers]
    wrong = [text for _, texts in read for text in texts]
    notes = _notes(where, parts)
    if wrong:
        shown = "; ".join(wrong[:_SHOWN])
        notes = (*notes, f"{len(wrong):,} rows with invalid IRIs left out: {shown}")
    triples = (triple for good, _ in read for triple in good)
    return graph_of_pyoxigraph(triples, where, notes=notes, digest=_digest(answers))


def _notes(where: str, parts: Sequence[Fetched]) -> tuple[str, ...]:
    """Return when the endpoint was asked, whether that is kept from then, and what is odd."""
    n_rows = sum(len(part.answers) for part in parts)
    first = min(part.begun for part in parts).strftime("%Y-%m-%d %H:%M UTC")
    kept = "; kept from then: max_age_hours = 0 asks again" * any(part.was_kept for part in parts)
    odd = dict.fromkeys(note for part in parts for note in part.notes)
    blanks = _note_blanks([part.answers for part in parts])
    return (f"{n_rows:,} rows from {where}, asked on {first}{kept}", *odd, *blanks)


def _note_blanks(answers: Sequence[Answers]) -> tuple[str, ...]:
    """Return a note on blank nodes, whose labels need not hold on more than one page."""
    n_rows = sum(
        int(answer.frame[name].str.starts_with("_:").sum())
        for answer in answers
        for name in answer.variables
    )
    if not n_rows:
        return ()
    return (
        f"{n_rows:,} results are blank nodes; equal labels on different pages are taken as the "
        "same node, which not every endpoint guarantees",
    )


def _digest(answers: Sequence[Answers]) -> str:
    """Return the sha256 of all answers."""
    digest = hashlib.sha256()
    for answer in answers:
        digest.update(answer.frame.write_csv().encode())
    return "sha256:" + digest.hexdigest()
