"""Literals of Wikidata's JSON: values of statements, and the terms that name an entity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lighttea.graph.attributes import STRING
from lighttea.io.literals import WKT, XSD
from lighttea.io.rdf.vocabulary import LANG_STRING

WikiLiteral = tuple[str, str, str]  # text, datatype, language, empty for none
TERMS = {"labels": "label", "aliases": "alias", "descriptions": "description", "lemmas": "lemma"}
_EARTH = "Q2"
_URL, _DECIMAL = f"{XSD}anyURI", f"{XSD}decimal"


class LiteralNumbering(dict[WikiLiteral, int]):
    """Distinct literals and their numbers; -1 for those without a visible character."""

    def __init__(self) -> None:
        self.distinct: list[WikiLiteral] = []

    def __missing__(self, literal: WikiLiteral) -> int:
        for text in literal:
            if not isinstance(text, str):
                raise ValueError(f"the text {text!r}")
        plain = literal[0], literal[1].strip(), literal[2].strip()  # as tables have them
        number = -1
        if plain != literal:
            number = self[plain]
        elif literal[0].strip():
            number = len(self.distinct)
            self.distinct.append(literal)
        self[literal] = number
        return number


def read_literal(snak: Mapping[str, Any]) -> WikiLiteral | None:
    """Return the literal of a snak with a value; None for a kind of value that is not known.

    The unit of an amount is its datatype, as an IRI; an amount without unit is a decimal.
    """
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if kind == "string":
        return value, _URL if snak.get("datatype") == "url" else STRING, ""
    if kind == "monolingualtext":
        return value["text"], LANG_STRING, value["language"]
    if kind == "quantity":
        unit = value.get("unit", "1")
        return value["amount"].removeprefix("+"), _DECIMAL if unit == "1" else unit, ""
    if kind == "globecoordinate":
        return _point(value), WKT, ""
    return None


def _point(value: Mapping[str, Any]) -> str:
    """Return a coordinate as well-known text, longitude first; a globe that is not the Earth first.

    This is how Wikidata's RDF writes it.
    """
    globe = value.get("globe") or ""
    elsewhere = globe and not globe.endswith(f"/{_EARTH}")
    longitude, latitude = (_number(value[name]) for name in ("longitude", "latitude"))
    return f"<{globe}> " * bool(elsewhere) + f"Point({longitude} {latitude})"


def _number(value: Any) -> str:
    """Return a coordinate as text; raise an error where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the coordinate {value!r}")
    return str(int(value)) if float(value).is_integer() else repr(value)
