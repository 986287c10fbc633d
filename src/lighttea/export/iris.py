"""IRIs and CURIEs of ids, one-to-one: two ids never get the same IRI."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

OWL_SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
SKOS_CLOSE_MATCH = "http://www.w3.org/2004/02/skos/core#closeMatch"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

PREFIXES = {
    "http://www.wikidata.org/entity/": "wd",
    "http://dbpedia.org/resource/": "dbr",
    "http://yago-knowledge.org/resource/": "yago",
    "https://schema.org/": "schema",
    "http://www.w3.org/2002/07/owl#": "owl",
    "http://www.w3.org/2004/02/skos/core#": "skos",
    "https://w3id.org/semapv/vocab/": "semapv",
}
# a name with a colon, such as Category:Rivers, is no IRI; these schemes do without //
_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?:urn|tag|mailto|doi|did|info|geo):).", re.I)
_SPLIT = re.compile(r"(.*[/#:])(.+)", re.S)


def is_iri(text: str) -> bool:
    """Whether an id is an absolute IRI as it stands."""
    from pyoxigraph import NamedNode

    if not _SCHEME.match(text):
        return False
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True


class IriSource(Protocol):
    """What gives the entities and relations of a side their IRIs."""

    def entity(self, side: str, name: str) -> str:
        """Return the IRI of an entity."""

    def relation(self, side: str, name: str) -> str:
        """Return the IRI of a relation."""


@dataclass(frozen=True)
class Namespaces:
    """The namespaces of ids that are no IRIs, blank nodes included, one for each side."""

    left: str
    right: str

    def entity(self, side: str, name: str) -> str:
        """Return the IRI of an entity: its id, or the side's namespace and the encoded id."""
        return name if is_iri(name) else getattr(self, side) + quote(name, safe="")

    def relation(self, side: str, name: str) -> str:
        """Return the IRI of a relation, which differs from that of an entity with the same id."""
        return name if is_iri(name) else f"{getattr(self, side)}relation/{quote(name, safe='')}"


class Curies:
    """CURIEs of IRIs and their prefixes: the usual ones, left, right, or ns1, ns2, ..."""

    def __init__(self, namespaces: Namespaces) -> None:
        self._known = {namespaces.left: "left", namespaces.right: "right", **PREFIXES}
        self._usual = len(self._known)
        self.used: dict[str, str] = {}

    def of(self, iris: Iterable[str]) -> list[str]:
        """Return the CURIE of each IRI."""
        return [self._curie(iri) for iri in iris]

    def _curie(self, iri: str) -> str:
        namespace, local = _split(iri)
        prefix = self._known.setdefault(namespace, f"ns{len(self._known) - self._usual + 1}")
        self.used[prefix] = namespace
        return f"{prefix}:{local}"


def _split(iri: str) -> tuple[str, str]:
    """Return an IRI split at the last slash, hash or colon that is not its end."""
    match = _SPLIT.fullmatch(iri)
    assert match is not None  # an absolute IRI has a colon and something behind it
    return match[1], match[2]
