"""`read_graph`: a graph from a file of any supported format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import PRESET, parse_columns
from lighttea.io.fused import is_fused_folder, read_fused
from lighttea.io.streams import COMPRESSED_SUFFIXES

RDF_FORMATS = ("ntriples", "nquads", "turtle", "trig", "n3", "rdfxml", "jsonld")
FORMATS = ("table", *RDF_FORMATS, "wikidata")
_BY_SUFFIX = {
    ".nt": "ntriples",
    ".ntx": "ntriples",
    ".nts": "ntriples",
    ".nq": "nquads",
    ".nqx": "nquads",
    ".ttl": "turtle",
    ".ttlx": "turtle",
    ".ttls": "turtle",
    ".turtle": "turtle",
    ".trig": "trig",
    ".trigs": "trig",
    ".n3": "n3",
    ".jsonld": "jsonld",
    ".rdf": "rdfxml",
    ".owl": "rdfxml",
    ".json": "wikidata",
    ".toml": "description",
}
_ADDRESS = re.compile(r"(?:https?|ftp|s3):/", re.IGNORECASE)


def read_graph(
    path: str | Path,
    *,
    columns: Mapping[str, str] | str | None = None,
    format: str | None = None,  # noqa: A002 - the word that users know
    strict: bool = False,
    nary: bool = True,
) -> Graph:
    """Read a graph from a table of facts, from RDF, a Wikidata JSON dump or a description (.toml).

    `format` is table, ntriples, nquads, turtle, trig, n3, rdfxml, jsonld or wikidata; by default
    the extension decides.
    For tables, `columns` maps head, relation, tail, time, begin, end, value, datatype and language
    to column names, to positions from 1 or to constants in quotes, or is a text such as
    `head=subj,relation='knows',tail=3` or the name of a publisher's layout, `icews`; `missing` and
    `date_format` may stand beside the roles. For RDF it maps begin, end and time to their
    predicates. A description names its columns itself.
    Malformed lines of dumps (N-Triples, N-Quads, Wikidata, event tables, Neo4j) are left out and
    counted in the notes; `strict` stops at them. Other tables, Turtle, TriG and RDF/XML always
    stop.
    In RDF, a node with a begin or an end and two entities is a fact between these, found by its
    shape; with `nary=False` only known vocabularies make facts of nodes.
    """
    _refuse_address(path)
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if columns is None and format is None and is_fused_folder(Path(path)):
        return read_fused(Path(path))
    form = "table" if columns and PRESET in columns else detect_format(path, format)
    if form == "table":
        from lighttea.io.tables import read_graph as read_table

        return read_table(path, columns=columns, strict=strict)
    if form == "description":
        from lighttea.io.descriptions.read import read_description

        if columns:
            raise InputError(f"{path}: a description names its columns itself; leave --columns out")
        return read_description(path, strict=strict)
    if form == "wikidata":
        from lighttea.io.wikidata import read_wikidata

        if columns:
            raise InputError("columns: a Wikidata dump has none; leave --columns out")
        return read_wikidata(path, strict=strict)
    from lighttea.io.rdf.read import read_rdf

    return read_rdf(path, form, time_predicates=columns, strict=strict, nary=nary)


def detect_format(path: str | Path, given: str | None = None) -> str:
    """Return the format of a file: as given, or by its extension, or else a table."""
    if given is not None:
        if given not in FORMATS:
            raise InputError(f"format: {given!r} is not known; known: {', '.join(FORMATS)}")
        return given
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1], "table") if suffixes else "table"


def _refuse_address(path: str | Path) -> None:
    if _ADDRESS.match(str(path)):
        address = re.sub(r":/+", "://", str(path), count=1)  # a Path has one slash
        raise InputError(f"{address}: a URL is not read; download the file and give its path")
