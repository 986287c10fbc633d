"""Sources that are SPARQL endpoints: the rows of a query, or the facts of some predicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from lighttea.errors import ConfigError, InputError
from lighttea.graph.facts import Graph
from lighttea.io.descriptions.model import SourceDescription
from lighttea.io.descriptions.rows import Rows
from lighttea.io.sparql.limits import FetchLimits
from lighttea.io.sparql.read import DEFAULT_LANGUAGES, read_answers, read_predicates, read_query

_WHOLE_NUMBERS = ("page_size", "max_rows")
_NUMBERS = (*_WHOLE_NUMBERS, "timeout_s", "max_age_hours")


def read_endpoint(source: SourceDescription) -> Iterator[Rows | Graph]:
    """Yield the rows of a query whose columns have roles, or else a whole graph."""
    options, limits = source.options, _limits(source)
    url = str(options["sparql"])
    if ("query" in options) == ("predicates" in options):
        raise InputError(f"{source.place('sparql')}: give either a query or predicates with it")
    if "predicates" in options:
        if source.roles is not None:
            raise InputError(
                f"{source.place('predicates')}: facts of predicates have no columns, so they "
                "take no roles; write a query, or leave the roles out"
            )
        languages = options.get("languages", DEFAULT_LANGUAGES)
        yield read_predicates(url, options["predicates"], languages, limits)
    elif "languages" in options:
        raise InputError(
            f"{source.place('languages')}: needs predicates; with a query, filter in the query"
        )
    elif source.roles is None:
        yield read_query(url, options["query"], {}, limits)
    else:
        yield _rows(url, options["query"], limits)


def _rows(url: str, query: str, limits: FetchLimits) -> Rows:
    table = read_answers(url, query, limits)
    return Rows.of_frame(table.frame, table.where, digest=table.digest, notes=table.notes)


def _limits(source: SourceDescription) -> FetchLimits:
    """Return the limits that a source sets; the others are as usual."""
    known = {field.name for field in fields(FetchLimits)}
    given: dict[str, Any] = {key: value for key, value in source.options.items() if key in known}
    problems = []
    for key in given.keys() & set(_NUMBERS):
        expected = int if key in _WHOLE_NUMBERS else int | float
        if isinstance(given[key], bool) or not isinstance(given[key], expected):
            problems.append(f"{source.place(key)}: expected a number, found {given[key]!r:.80}")
    if problems:
        raise InputError.of_many(sorted(problems))
    if "cache" in given:
        given["cache"] = source.folder / given["cache"]
    try:
        return FetchLimits(**given)
    except ConfigError as error:
        raise InputError(f"{source.place('sparql')}: {error}") from None
