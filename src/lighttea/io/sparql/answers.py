"""Answers of SPARQL endpoints as frames: a column of texts for each variable, and its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    parse_query_results,
)

from lighttea.errors import InputError
from lighttea.io.rdf.dates import time_text
from lighttea.io.rdf.vocabulary import DATE_TYPES
from lighttea.io.sparql.client import PassingError

DATATYPE, LANGUAGE = ".datatype", ".language"  # behind a variable, which has no dots


@dataclass(frozen=True)
class Answers:
    """The rows of a SELECT query.

    For each variable `frame` has three columns of texts: its value, `x.datatype` and `x.language`.
    IRIs and blank nodes (`_:` and a label) have no datatype; a variable without a value is null.
    """

    variables: tuple[str, ...]
    frame: pl.DataFrame

    def __len__(self) -> int:
        return len(self.frame)

    def is_literal(self, variable: str) -> pl.Series:
        """Mark the rows in which a variable is a literal."""
        return self.frame[variable + DATATYPE].is_not_null()

    def plain(self) -> pl.DataFrame:
        """Return the values alone; a date and time at midnight is a day, as in RDF files."""
        return self.frame.select(self.text(variable) for variable in self.variables)

    def text(self, variable: str) -> pl.Series:
        """Return the values of a variable, dates as exact as they are meant."""
        column = self.frame[variable]
        is_date = self.frame[variable + DATATYPE].is_in(DATE_TYPES).fill_null(value=False)
        dates = column.filter(is_date).unique()
        read = {text: time.removeprefix("+") for text in dates if (time := time_text(text))}
        replaced = column.replace(read) if read else column
        return replaced.zip_with(is_date, column)

    def terms(self, variables: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the values of these variables as terms of pyoxigraph."""
        columns = [name + part for name in variables for part in ("", DATATYPE, LANGUAGE)]
        for row in self.frame.select(columns).iter_rows():
            yield tuple(_term(*row[place : place + 3]) for place in range(0, len(row), 3))


def schema_of(variables: Sequence[str]) -> dict[str, type[pl.DataType]]:
    """Return the columns of a frame of answers."""
    return {name + part: pl.String for name in variables for part in ("", DATATYPE, LANGUAGE)}


def parse_answers(body: bytes, media_type: str) -> Answers:
    """Return the answers in a body of SPARQL JSON or XML; one that is cut short is tried again."""
    form = QueryResultsFormat.from_media_type(media_type) or QueryResultsFormat.JSON
    solutions, rows = None, []
    try:
        solutions = parse_query_results(body, form)
        if isinstance(solutions, QueryBoolean):
            raise InputError("query: expected SELECT, found ASK, whose answer is yes or no")
        variables = tuple(variable.value for variable in solutions.variables)
        for solution in solutions:  # a comprehension would hold `solutions` in a traceback
            rows.append([part for term in solution for part in _parts(term)])  # noqa: PERF401
    except (SyntaxError, ValueError) as error:
        reason = f"the answer is cut short or no SPARQL results ({_first_line(error)})"
        raise PassingError(reason) from None
    finally:
        solutions = None  # it belongs to this thread; no traceback may carry it to another
    return Answers(variables, pl.DataFrame(rows, schema=schema_of(variables), orient="row"))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]


def _parts(term: Any) -> tuple[str | None, str | None, str | None]:
    """Return value, datatype and language of a term."""
    if isinstance(term, NamedNode):
        return term.value, None, None
    if isinstance(term, Literal):
        return term.value, term.datatype.value, term.language
    if isinstance(term, BlankNode):
        return f"_:{term.value}", None, None
    if term is None:
        return None, None, None
    raise InputError(f"query: expected IRIs and literals, found {term}; ask for its parts")


def _term(text: str | None, datatype: str | None, language: str | None) -> Any:
    if text is None:
        return None
    if datatype is None:
        return BlankNode(text[2:]) if text.startswith("_:") else NamedNode(text)
    if language:
        return Literal(text, language=language)
    return Literal(text, datatype=NamedNode(datatype))
