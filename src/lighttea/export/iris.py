"""Ids to IRIs and CURIEs, one to one: two ids never become one name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
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
# a name with a colon, such as Category:Rivers, is no IRI; these schemes have no // behind them
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


@dataclass(frozen=True)
class Namespaces:
    """Where ids that are no IRIs go: one namespace for each side, blank nodes included."""

    left: str
    right: str

    def entity(self, side: str, name: str) -> str:
        """The IRI of an entity: its id, or the id percent-encoded behind the side's namespace."""
        return name if is_iri(name) else getattr(self, side) + quote(name, safe="")

    def relation(self, side: str, name: str) -> str:
        """The IRI of a relation; an entity of the same id has another one."""
        return name if is_iri(name) else f"{getattr(self, side)}relation/{quote(name, safe='')}"


class Curies:
    """CURIEs of IRIs and the prefixes they need: usual ones, the sides', or ns1, ns2, ..."""

    def __init__(self, namespaces: Namespaces) -> None:
        self._known = {namespaces.left: "left", namespaces.right: "right", **PREFIXES}
        self._usual = len(self._known)
        self.used: dict[str, str] = {}

    def of(self, iris: Iterable[str]) -> list[str]:
        """The CURIE of each."""
        return [self._curie(iri) for iri in iris]

    def _curie(self, iri: str) -> str:
        namespace, local = _split(iri)
        prefix = self._known.setdefault(namespace, f"ns{len(self._known) - self._usual + 1}")
        self.used[prefix] = namespace
        return f"{prefix}:{local}"


def _split(iri: str) -> tuple[str, str]:
    """Behind the last slash, hash or colon that has something behind it."""
    match = _SPLIT.fullmatch(iri)
    assert match is not None  # an absolute IRI has a colon and something behind it
    return match[1], match[2]
