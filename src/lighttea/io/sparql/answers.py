"""Answers of SPARQL endpoints as frames: a column of texts for each variable, and its kind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from lighttea.errors import InputError
from lighttea.graph.attributes import STRING
from lighttea.io.rdf.dates import time_text
from lighttea.io.rdf.vocabulary import DATE_TYPES, LANG_STRING
from lighttea.io.sparql.client import PassingError

_BLANK = "_:"
_SHOWN = 200  # bytes of an answer in a message
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

    def triples(self, variables: Sequence[str]) -> tuple[list[Triple], list[str]]:
        """Return the rows as triples of these variables, and the texts that keep some from it.

        Servers send IRIs that are none. A variable without a value makes no triple either.
        """
        triples, wrong = [], []
        columns = [name + part for name in variables for part in ("", DATATYPE, LANGUAGE)]
        for row in self.frame.select(columns).iter_rows():
            (subject, *_), (predicate, *_), value = row[:3], row[3:6], row[6:]
            if None in (subject, predicate, value[0]):
                continue
            try:
                triples.append(Triple(_node(subject), NamedNode(predicate), _term(*value)))
            except ValueError:
                wrong.append(" ".join((subject, predicate, value[0])))
        return triples, wrong


def schema_of(variables: Sequence[str]) -> dict[str, type[pl.DataType]]:
    """Return the columns of a frame of answers."""
    return {name + part: pl.String for name in variables for part in ("", DATATYPE, LANGUAGE)}


def parse_answers(body: bytes, media_type: str) -> Answers:
    """Return the answers in a body of SPARQL JSON; one that is cut short is tried again.

    The values are taken as they are: real servers send IRIs with blanks, tags such as `en_US` and
    labels of blank nodes with slashes.
    """
    try:
        content = json.loads(body)
        if "boolean" in content:
            raise InputError("query: expected SELECT, found ASK, whose answer is yes or no")
        variables = tuple(map(_exact, content["head"]["vars"]))
        if len(set(variables)) < len(variables):
            raise ValueError("a variable twice")
        rows = [
            [part for name in variables for part in _parts(binding.get(name))]
            for binding in content["results"]["bindings"]
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        lines = body[:_SHOWN].decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        start = "".join(filter(str.isprintable, lines[0]))
        raise PassingError(
            f"expected SPARQL results in JSON, found {media_type or 'something'} that is cut short "
            f"or another format ({start}): {type(error).__name__}"
        ) from None
    return Answers(variables, pl.DataFrame(rows, schema=schema_of(variables), orient="row"))


def _parts(cell: Mapping[str, Any] | None) -> tuple[str | None, str | None, str | None]:
    """Return value, datatype and language of a cell."""
    if cell is None:
        return None, None, None
    kind, value = cell["type"], cell["value"]
    if kind == "triple":
        raise InputError(f"query: expected IRIs and literals, found {value}; ask for its parts")
    text = _exact(value)
    if kind == "uri":
        return text, None, None
    if kind == "bnode":
        return f"{_BLANK}{text}", None, None
    if language := cell.get("xml:lang"):
        return text, LANG_STRING, _exact(language).lower()
    return text, _exact(cell.get("datatype") or STRING), None


def _exact(value: str) -> str:
    """Return a text; half of a pair of surrogates, which is no character, becomes a mark."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _node(text: str) -> NamedNode | BlankNode:
    """Return an IRI or a blank node; a label that RDF does not allow becomes another one."""
    if not text.startswith(_BLANK):
        return NamedNode(text)
    label = text.removeprefix(_BLANK)
    try:
        return BlankNode(label)
    except ValueError:
        return BlankNode(hashlib.md5(label.encode(), usedforsecurity=False).hexdigest())


def _term(text: str, datatype: str | None, language: str | None) -> NamedNode | BlankNode | Literal:
    """Return a node or a literal; a tag or a datatype that RDF does not know is left out."""
    if datatype is None:
        return _node(text)
    try:
        if language:
            return Literal(text, language=language.replace("_", "-"))
        return Literal(text, datatype=NamedNode(datatype))
    except ValueError:
        return Literal(text)
