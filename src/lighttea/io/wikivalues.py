"""Literals of Wikidata's JSON: values of statements, and the terms that name an entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lighttea.graph.attributes import STRING
from lighttea.io.literals import WKT, XSD
from lighttea.io.rdf.vocabulary import LANG_STRING

_EARTH = "Q2"
_TERMS = {"labels": "label", "aliases": "alias", "descriptions": "description", "lemmas": "lemma"}


class WikiLiteral(NamedTuple):
    """A text, its datatype and its language, empty for none."""

    text: str
    datatype: str
    language: str = ""


def read_literal(snak: Mapping[str, Any]) -> WikiLiteral | None:
    """Return the literal of a snak with a value; None for a kind of value that is not known.

    The unit of an amount is its datatype, as an IRI; an amount without unit is a decimal.
    """
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if kind == "string":
        is_address = snak.get("datatype") == "url"
        return WikiLiteral(_clean(value), f"{XSD}anyURI" if is_address else STRING)
    if kind == "monolingualtext":
        return WikiLiteral(_clean(value["text"]), LANG_STRING, _clean(value["language"]))
    if kind == "quantity":
        unit = value.get("unit", "1")
        return WikiLiteral(
            _clean(value["amount"]).removeprefix("+"),
            f"{XSD}decimal" if unit == "1" else _clean(unit),
        )
    if kind == "globecoordinate":
        return WikiLiteral(_point(value), WKT)
    return None


def read_terms(entity: Mapping[str, Any]) -> Iterator[tuple[str, WikiLiteral]]:
    """Yield attribute and literal of all labels, aliases, descriptions and lemmas."""
    for key, attribute in _TERMS.items():
        terms_of_language = entity.get(key) or {}  # empty maps are written []
        for language, terms in terms_of_language.items():
            for term in terms if isinstance(terms, list) else [terms]:
                own = _clean(term.get("language", language))  # another one where it stands in
                yield attribute, WikiLiteral(_clean(term["value"]), LANG_STRING, own)


def _point(value: Mapping[str, Any]) -> str:
    """Return a coordinate as well-known text, longitude first; a globe that is not the Earth first.

    This is how Wikidata's RDF writes it.
    """
    globe = _clean(value.get("globe") or "")
    elsewhere = globe and not globe.endswith(f"/{_EARTH}")
    longitude, latitude = (_number(value[name]) for name in ("longitude", "latitude"))
    return f"<{globe}> " * bool(elsewhere) + f"Point({longitude} {latitude})"


def _number(value: Any) -> str:
    """Return a coordinate as text; raise an error where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the coordinate {value!r}")
    return str(int(value)) if float(value).is_integer() else repr(value)


def _clean(text: Any) -> str:
    """Return a text that can be written as UTF-8: JSON can hold halves of characters."""
    if not isinstance(text, str):
        raise ValueError(f"the text {text!r}")
    return text.encode("utf-8", "replace").decode()
