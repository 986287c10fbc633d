"""The formats that a graph is read from: names, file names, how content gives them away, readers.

A new format is one entry in `FORMATS_BY_NAME`. Readers are imported when they are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.json.recognise import (
    is_facts,
    is_followthemoney,
    is_graphiti,
    is_json_ld,
    is_neo4j,
    is_node_link,
    is_popolo,
    is_wikidata,
)
from lighttea.io.json.shape import Shape
from lighttea.io.presets import NEO4J, recognise_preset

_TERM = r"(?:<[^<>\s]*>|_:\S+)"
_TRIPLE = rf"\s*(?:#.*\n\s*)*{_TERM}\s+<[^<>\s]*>\s+(?:{_TERM}|\".*?\"\S*)\s*"
_NTRIPLES = re.compile(rf"{_TRIPLE}\.\s")
_NQUADS = re.compile(rf"{_TRIPLE}{_TERM}\s*\.\s")
_TURTLE = re.compile(r"\s*(?:#.*\n\s*)*@?(?:prefix|base)\s+\S*\s*<", re.IGNORECASE)
_ROOT = re.compile(
    r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\])?\s*>\s*)*<([\w.:-]+)", re.DOTALL
)


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, by which its format is recognised."""

    text: str

    @cached_property
    def shape(self) -> Shape | None:
        """What the text is made of where it is JSON, else None."""
        if self.text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
            return None
        shape = Shape.of(self.text)
        return None if shape.is_wrong and not any(shape.objects) else shape

    @cached_property
    def root(self) -> str | None:
        """The name of the first element where the text is XML, else None."""
        match = _ROOT.match(self.text.removeprefix("\ufeff"))
        return match[1].rpartition(":")[2] if match and "://" not in match[1] else None

    @property
    def is_xml(self) -> bool:
        """Whether the text says that it is XML."""
        return self.text.lstrip("\ufeff \t\r\n").startswith(("<?xml", "<!DOCTYPE"))

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first line of a table."""
        first = next((line for line in self.text.splitlines() if line.strip()), "")
        separators = (sign for sign in "\t,;" if sign in first)
        return [cell.strip().strip('"') for cell in first.split(next(separators, ","))]


@dataclass(frozen=True)
class ReadOptions:
    """What a user says of a file beside its format."""

    columns: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    nary: bool = True
    sitelinks: bool = False


Reader = Callable[[Path | str, ReadOptions], Graph]


def _never(_: Sample) -> bool:
    return False


@dataclass(frozen=True)
class Format:
    """A format: what it is called, which file names say it, how it is recognised, its reader.

    A suffix in `suffixes` decides alone. Where no suffix does, the first format whose `recognise`
    accepts the beginning of the file is taken.
    """

    name: str
    title: str
    read: Reader
    suffixes: tuple[str, ...] = ()
    recognise: Callable[[Sample], bool] = _never


def _of_json(recognise: Callable[[Shape], bool]) -> Callable[[Sample], bool]:
    """Return a check of samples from a check of what JSON is made of."""
    return lambda sample: sample.shape is not None and recognise(sample.shape)


# ---------------------------------------------------------------- readers


def _read_table(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.tables import read_graph

    return read_graph(path, columns=options.columns or None, strict=options.strict)


def _rdf(form: str) -> Reader:
    def read(path: Path | str, options: ReadOptions) -> Graph:
        from lighttea.io.rdf.read import read_rdf

        return read_rdf(
            path,
            form,
            time_predicates=options.columns,
            strict=options.strict,
            nary=options.nary,
            sitelinks=options.sitelinks,
        )

    return read


def _read_description(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.descriptions.read import read_description

    if options.columns:
        raise InputError(f"{path}: a description names its columns itself; leave `columns` out")
    return read_description(path, strict=options.strict)


def _read_wikidata(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.wikidata import read_wikidata

    _refuse_columns(options, "a Wikidata dump")
    return read_wikidata(path, strict=options.strict, sitelinks=options.sitelinks)


def _read_neo4j(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.neo4j.read import read_neo4j

    return read_neo4j(path, options.columns, strict=options.strict)


def _read_followthemoney(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.json.followthemoney import read_followthemoney

    _refuse_columns(options, "FollowTheMoney")
    return read_followthemoney(path, strict=options.strict)


def _read_graphiti(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.json.graphiti import read_graphiti

    _refuse_columns(options, "Graphiti")
    return read_graphiti(path, strict=options.strict)


def _read_popolo(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.json.popolo import read_popolo

    _refuse_columns(options, "Popolo")
    return read_popolo(path, strict=options.strict)


def _read_node_link(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.json.nodelink import read_node_link

    return read_node_link(path, options.columns, strict=options.strict)


def _read_facts(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.json.facts import read_facts

    return read_facts(path, options.columns, strict=options.strict)


def _read_graphml(path: Path | str, options: ReadOptions) -> Graph:
    from lighttea.io.graphml import read_graphml

    return read_graphml(path, options.columns, strict=options.strict)


def _refuse_columns(options: ReadOptions, title: str) -> None:
    if options.columns:
        raise InputError(f"columns: {title} has none; leave `columns` out")


# ---------------------------------------------------------------- the formats

TABLE, FACTS = "table", "json"
RDF_FORMATS = ("ntriples", "nquads", "turtle", "trig", "n3", "rdfxml", "jsonld")
_KNOWN = (
    Format(
        TABLE,
        "a table of facts",
        _read_table,
        (".tsv", ".csv", ".tab", ".txt", ".parquet", ".pq"),
    ),
    Format(
        "ntriples",
        "N-Triples",
        _rdf("ntriples"),
        (".nt", ".ntx", ".nts"),
        lambda sample: _NTRIPLES.match(sample.text) is not None,
    ),
    Format(
        "nquads",
        "N-Quads",
        _rdf("nquads"),
        (".nq", ".nqx"),
        lambda sample: _NQUADS.match(sample.text) is not None,
    ),
    Format(
        "turtle",
        "Turtle",
        _rdf("turtle"),
        (".ttl", ".ttlx", ".ttls", ".turtle"),
        lambda sample: _TURTLE.match(sample.text) is not None,
    ),
    Format("trig", "TriG", _rdf("trig"), (".trig", ".trigs")),
    Format("n3", "N3", _rdf("n3"), (".n3",)),
    Format(
        "rdfxml",
        "RDF/XML",
        _rdf("rdfxml"),
        (".rdf", ".owl"),
        lambda sample: sample.root == "RDF",
    ),
    Format("jsonld", "JSON-LD", _rdf("jsonld"), (".jsonld",), _of_json(is_json_ld)),
    Format("wikidata", "Wikidata JSON", _read_wikidata, recognise=_of_json(is_wikidata)),
    Format(
        "followthemoney",
        "FollowTheMoney entities",
        _read_followthemoney,
        (".ftm",),
        _of_json(is_followthemoney),
    ),
    Format(
        NEO4J,
        "an export of Neo4j",
        _read_neo4j,
        recognise=lambda sample: (
            recognise_preset(sample.header) == NEO4J
            or (sample.shape is not None and is_neo4j(sample.shape))
        ),
    ),
    Format(
        "graphiti", "nodes and edges of Graphiti", _read_graphiti, recognise=_of_json(is_graphiti)
    ),
    Format("popolo", "Popolo", _read_popolo, recognise=_of_json(is_popolo)),
    Format("node-link", "node-link JSON", _read_node_link, recognise=_of_json(is_node_link)),
    Format(FACTS, "JSON objects of facts", _read_facts, recognise=_of_json(is_facts)),
    Format(
        "graphml",
        "GraphML",
        _read_graphml,
        (".graphml",),
        lambda sample: sample.root == "graphml",
    ),
    Format("description", "a description of a graph", _read_description, (".toml",)),
)
FORMATS_BY_NAME: Mapping[str, Format] = {known.name: known for known in _KNOWN}
FORMATS = tuple(FORMATS_BY_NAME)
