"""SPARQL queries: a page of a given one, and those for the facts of given predicates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pyoxigraph import NamedNode, QuerySolutions, Store

from lighttea.errors import InputError
from lighttea.io.rdf.vocabulary import (
    DEPRECATED,
    LABELS,
    TIME_PRECISION,
    TIME_VALUE,
    WIKIBASE,
    is_wikibase_relation,
)

TRIPLE = ("subject", "predicate", "object")
PREFIXES = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "wikibase": WIKIBASE,
    "bd": "http://www.bigdata.com/rdf#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_PROLOGUE = re.compile(
    r"(?:\s+|#[^\n]*(?:\n|$)|BASE\s*<[^>]*>|PREFIX\s+[^\s:]*:\s*<[^>]*>)*", re.IGNORECASE
)
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_QUALIFIERS = ("P580", "P582", "P585")  # start, end and point in time
ALL_LANGUAGES = "*"


def page_of(query: str, variables: Sequence[str], limit: int, offset: int) -> str:
    """Return a query for some of the rows of another one, in an order that does not change."""
    prologue, body = split_prologue(query)
    order = " ".join(f"?{name}" for name in variables)
    return (
        f"{prologue}SELECT DISTINCT * WHERE {{\n{{ {body}\n}}\n}}\n"
        f"ORDER BY {order}\nLIMIT {limit}\nOFFSET {offset}"
    )


def first_row_of(query: str) -> str:
    """Return a query whose answer tells the variables of another one."""
    prologue, body = split_prologue(query)
    return f"{prologue}SELECT * WHERE {{\n{{ {body}\n}}\n}}\nLIMIT 1"


def split_prologue(query: str) -> tuple[str, str]:
    """Return the prefixes at the begin of a query, and the rest."""
    match = _PROLOGUE.match(query)
    end = match.end() if match else 0
    return query[:end], query[end:].rstrip()


def find_variables(query: str) -> tuple[tuple[str, ...], str]:
    """Return the variables of a SELECT query, and why they are not known where there are none.

    Endpoints know prefixes and functions of their own, so that a query that is not understood here
    may be right there.
    """
    try:
        names = _parse(query)
    except (SyntaxError, ValueError) as error:
        place = str(error).partition(": expected one of")[0]  # the list fills a screen
        return (), place.splitlines()[0][:200]
    if names is None:
        raise InputError("query: expected SELECT; CONSTRUCT, DESCRIBE and ASK give no rows")
    try:
        _parse(page_of(query, names, 1, 0))
    except SyntaxError:
        raise InputError(
            "query: cannot be asked in pages, because it says FROM, or something else that a query "
            "within a query cannot say; write GRAPH <...> { ... } instead of FROM"
        ) from None
    return names, ""


def _parse(query: str) -> tuple[str, ...] | None:
    """Return the variables of a query; None where it is no SELECT."""
    answer = Store().query(query, prefixes=PREFIXES)  # nothing is in the store
    if not isinstance(answer, QuerySolutions):
        return None
    return tuple(variable.value for variable in answer.variables)


@cache
def full_iri(name: str) -> str:
    """Return the IRI of a predicate, which may begin with a usual prefix or stand in brackets."""
    prefix, _, local = name.partition(":")
    iri = name.strip().removeprefix("<").removesuffix(">")
    if prefix in PREFIXES and not local.startswith("//"):
        iri = PREFIXES[prefix] + local
    try:
        NamedNode(iri)
    except ValueError:
        raise InputError(
            f"predicates: {name!r} is no IRI; write it in full, or with one of the prefixes "
            f"{', '.join(PREFIXES)}"
        ) from None
    return iri


def queries_for(predicate: str, languages: Sequence[str]) -> dict[str, str]:
    """Return the queries for all triples that tell the facts of a predicate, by what they ask for.

    For the direct form of a property of Wikibase, its statements, their times and how exactly these
    are known are asked for too. Labels are those without a language and in the given ones.
    """
    heads, tails = f"?subject <{predicate}> ?other", f"?other <{predicate}> ?subject"
    queries = {"facts": _triples(f"VALUES ?predicate {{ <{predicate}> }}")}
    subjects = [predicate]
    if is_wikibase_relation(predicate):
        base, _, number = predicate.rpartition("direct/")
        claim, value = f"<{base}{number}>", f"<{base}statement/{number}>"
        queries |= _statement_queries(base, number)
        heads, tails = f"?subject {claim} ?other", f"?other {value} ?subject"
        subjects.append(f"{base.removesuffix('prop/')}entity/{number}")
    named = " ".join(f"<{subject}>" for subject in subjects)
    everyone = f"{{ {heads} }} UNION {{ {tails} }} UNION {{ VALUES ?subject {{ {named} }} }}"
    values = f"VALUES ?predicate {{ {' '.join(f'<{label}>' for label in LABELS)} }}"
    queries["labels"] = _triples(f"{everyone}\n{values}", _of_languages(languages))
    return queries


def _statement_queries(base: str, number: str) -> dict[str, str]:
    """Return the queries for the statements of a Wikibase property and for their times."""
    claim = f"<{base}{number}>"
    values = " ".join(f"<{base}qualifier/value/{own}>" for own in _QUALIFIERS)
    values += f" <{base}statement/value/{number}>"
    parts = " ".join(f"<{base}qualifier/{own}>" for own in _QUALIFIERS)
    parts += f" <{base}statement/{number}> <{WIKIBASE}rank> {values}"
    only_deprecated = f"FILTER(?predicate != <{WIKIBASE}rank> || ?object = <{DEPRECATED}>)"
    return {
        "statements": _triples(f"VALUES ?predicate {{ {claim} }}"),
        "times": _triples(
            f"?head {claim} ?subject .\nVALUES ?predicate {{ {parts} }}", only_deprecated
        ),
        "precisions": _triples(
            f"?head {claim} ?statement .\nVALUES ?part {{ {values} }}\n"
            f"?statement ?part ?subject .\n"
            f"VALUES ?predicate {{ <{TIME_VALUE}> <{TIME_PRECISION}> }}"
        ),
    }


def _triples(pattern: str, condition: str = "") -> str:
    variables = " ".join(f"?{name}" for name in TRIPLE)
    return f"SELECT DISTINCT {variables} WHERE {{\n{pattern}\n{variables} .\n{condition}\n}}"


def _of_languages(languages: Sequence[str]) -> str:
    """Return the condition that a label is in one of the languages, or in none."""
    if ALL_LANGUAGES in languages:
        return ""
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise InputError(f"languages: {language!r} is no tag of a language, such as en or fr")
    tags = ", ".join(f'"{tag}"' for tag in ("", *(language.lower() for language in languages)))
    return f"FILTER(LCASE(LANG(?object)) IN ({tags}))"
