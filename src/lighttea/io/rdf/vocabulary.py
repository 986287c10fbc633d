"""The meaning of predicates: times, names, and Wikibase's statement layout."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"
WIKIBASE = "http://wikiba.se/ontology#"
LANG_STRING = f"{RDF}langString"  # the datatype of literals with a language
RDF_REIFIES = f"{RDF}reifies"
RDF_TYPE = f"{RDF}type"
TIME_VALUE = f"{WIKIBASE}timeValue"
TIME_PRECISION = f"{WIKIBASE}timePrecision"
DEPRECATED = f"{WIKIBASE}DeprecatedRank"
DATE_TYPES = (
    *(XSD + name for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")),
    *(f"{s}://schema.org/{name}" for s in ("http", "https") for name in ("Date", "DateTime")),
    "http://purl.org/dc/terms/W3CDTF",
)
CONFORMS_TO = "http://purl.org/dc/terms/conformsTo"
FUSED_GRAPH = "urn:lighttea:fused-graph"  # the layout that `export --format fused` writes
OF_SEVERAL = "of/"  # before the name of a graph, where several are fused
SKOSXL_PREF_LABEL = "http://www.w3.org/2008/05/skos-xl#prefLabel"
SKOSXL_LITERAL_FORM = "http://www.w3.org/2008/05/skos-xl#literalForm"
LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/2006/vcard/ns#fn",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    SKOSXL_PREF_LABEL,  # of a literal: what its label node says
)
# Wikibase: <base>/prop/<form>/P<number>; p: itself has no form, direct is the truthy one
_PROPERTY = re.compile(
    r"(?P<base>.*/prop/)(?P<form>(?:[a-z]+(?:-normalized)?/(?:value(?:-normalized)?/)?)?)(?P<id>P\d+)"
)
PROPERTY_NUMBER = r"[/#](P[0-9]+)$"  # at the end of an IRI
_PROPERTY_NUMBER = re.compile(PROPERTY_NUMBER)
_TECHNICAL_NODE = re.compile(r"/wiki/Special:EntityData/|/\.well-known/genid/")


class Role(IntEnum):
    """What a triple with this predicate is for."""

    FACT = 0
    LABEL = 1  # of a literal; of a node it is a fact
    CLAIM = 2  # p: an entity and its statement node
    STATEMENT = 3  # ps: a statement node and its value
    FULL_VALUE = 4  # psv:, pqv: a statement node and a node that says the value with its precision
    RANK = 5
    PRECISION = 6
    TECHNICAL = 7  # other parts of the layout: references, normalised values, qualifiers


@dataclass(frozen=True)
class Meaning:
    """A predicate's role, and the predicate that replaces it in facts or dates."""

    role: Role
    stands_for: str


def meaning_of(predicate: str) -> Meaning:
    """Return the role of triples with this predicate."""
    if predicate in LABELS:
        return Meaning(Role.LABEL, predicate)
    if predicate.startswith(WIKIBASE):
        return Meaning(_WIKIBASE_ROLES.get(predicate, Role.TECHNICAL), predicate)
    match = _PROPERTY.fullmatch(predicate)
    if match is None:
        return Meaning(Role.FACT, predicate)
    base, form, number = match["base"], match["form"], match["id"]
    if form == "qualifier/value/":
        return Meaning(Role.FULL_VALUE, f"{base}qualifier/{number}")
    role = _FORM_ROLES.get(form, Role.TECHNICAL)
    return Meaning(role, predicate if role == Role.TECHNICAL else f"{base}direct/{number}")


_WIKIBASE_ROLES = {f"{WIKIBASE}rank": Role.RANK, TIME_PRECISION: Role.PRECISION}
_FORM_ROLES = {
    "": Role.CLAIM,
    "statement/": Role.STATEMENT,
    "statement/value/": Role.FULL_VALUE,
    "direct/": Role.FACT,
}


def is_technical(node: str) -> bool:
    """Whether a node belongs to the layout of a Wikibase dump, not to its content."""
    return node.startswith(WIKIBASE) or _TECHNICAL_NODE.search(node) is not None


def is_wikibase_relation(predicate: str) -> bool:
    """Whether this is the truthy form of a Wikibase property; its blank values are unknown ones."""
    match = _PROPERTY.fullmatch(predicate)
    return match is not None and match["form"] == "direct/"


def label_rank(predicate: str, language: str) -> int:
    """Return the rank of a label, smallest first: untagged or English, its variants, others."""
    language = language.lower()
    language_rank = 0 if language in ("", "en") else 1 if language.startswith("en-") else 2
    return language_rank * len(LABELS) + LABELS.index(predicate)


def property_number(name: str) -> str | None:
    """Return the property number at the end of an IRI, such as P26; None where there is none."""
    match = _PROPERTY_NUMBER.search(name)
    return match[1] if match else None
