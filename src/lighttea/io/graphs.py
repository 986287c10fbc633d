"""`read_graph`: a graph from a file of any supported format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lighttea.errors import InputError, LightteaError
from lighttea.graph.facts import Graph
from lighttea.io.columns import PRESET, parse_columns
from lighttea.io.encodings import encoding_error
from lighttea.io.formats import FACTS, FORMATS, FORMATS_BY_NAME, TABLE, ReadOptions, Sample
from lighttea.io.fused import is_fused_folder, read_fused
from lighttea.io.json.items import SAMPLE_BYTES
from lighttea.io.lines import existing_file
from lighttea.io.packed import COMPRESSED_SUFFIXES
from lighttea.io.parts import find_parts
from lighttea.io.presets import NEO4J, recognise_preset
from lighttea.io.streams import read_start

_SUFFIXES = {
    suffix: known_format.name
    for known_format in FORMATS_BY_NAME.values()
    for suffix in known_format.suffixes
}
_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".geojson")
_TEXT_TABLES = (".tsv", ".csv", ".tab", ".txt")
_SHOWN_TEXT = 40
_ADDRESS = re.compile(r"(?:https?|ftp|s3):/", re.IGNORECASE)


def read_graph(
    path: str | Path,
    *,
    columns: Mapping[str, str] | str | None = None,
    format: str | None = None,  # noqa: A002 - the word that users know
    strict: bool = False,
    nary: bool = True,
    sitelinks: bool = False,
) -> Graph:
    """Read a graph from a table, RDF, JSON in a known layout, GraphML or a description (.toml).

    `format` is one of `table`, `ntriples`, `nquads`, `turtle`, `trig`, `n3`, `rdfxml`, `jsonld`,
    `wikidata`, `followthemoney`, `neo4j`, `graphiti`, `popolo`, `node-link`, `json`, `graphml` and
    `description`; by default the extension and the first bytes of the file decide.
    For tables and JSON objects of facts, `columns` maps head, relation, tail, time, begin, end,
    value, datatype and language to column names, to positions from 1 or to constants in quotes, or
    is a text such as `head=subj,relation='knows',tail=3` or the name of a publisher's layout,
    `icews`; `missing` and `date_format` may stand beside the roles. For RDF it maps begin, end and
    time to their predicates, for property graphs to properties of edges. A description names its
    columns itself.
    Malformed lines of dumps (N-Triples, N-Quads, JSON, event tables, Neo4j) are left out and
    counted in the notes; `strict` stops at them. Other tables, Turtle, TriG and XML always stop.
    In RDF, a node with a begin or an end and two entities is a fact between these, found by its
    shape; with `nary=False` only known vocabularies make facts of nodes. Links from Wikidata's
    entities to pages of wikis are left out and counted unless `sitelinks` is set.
    """
    _refuse_address(path)
    if isinstance(columns, str):
        columns = parse_columns(columns)
    if columns is None and format is None and is_fused_folder(Path(path)):
        return read_fused(Path(path))
    has_preset = columns is not None and PRESET in columns
    form = TABLE if has_preset else detect_format(path, format, columns)
    options = ReadOptions(columns or {}, strict=strict, nary=nary, sitelinks=sitelinks)
    return FORMATS_BY_NAME[form].read(path, options)


def detect_format(
    path: str | Path, given: str | None = None, columns: Mapping[str, str] | None = None
) -> str:
    """Return the format of a file: as given, or by its extension, or by its first bytes.

    What is nothing else is a table. JSON whose head `columns` names is one of facts; JSON and XML
    of an unknown structure are an error that says what was seen.
    """
    if given is not None:
        if given not in FORMATS_BY_NAME:
            raise InputError(f"format: {given!r} is unknown; choose from {', '.join(FORMATS)}")
        return given
    recognised = recognise_format(path)
    if recognised is not None:
        return recognised
    sample = _sample(Path(path))
    if "head" in (columns or {}) and sample.shape is not None:
        return FACTS
    raise _unknown_structure(Path(path), sample)


def recognise_format(path: str | Path) -> str | None:
    """Return the format of a file by its extension or its first bytes.

    None is for JSON and XML of an unknown structure; what is nothing else is a table.
    """
    suffix = _suffix(path)
    by_suffix = _SUFFIXES.get(suffix)
    if by_suffix is not None and suffix not in _TEXT_TABLES:
        return by_suffix
    if by_suffix == TABLE:
        return _format_of_table(path)
    if find_parts(Path(path)):
        return TABLE
    sample = _sample(existing_file(path))
    for known_format in FORMATS_BY_NAME.values():
        if known_format.recognise(sample):
            return known_format.name
    is_json = sample.shape is not None or suffix in _JSON_SUFFIXES
    return None if is_json or sample.is_xml or suffix == ".xml" else TABLE


def _unknown_structure(path: Path, sample: Sample) -> InputError:
    """Return the error for JSON or XML of an unknown structure: what was seen, what to do."""
    begin = sample.text.strip("\ufeff \t\r\n")
    if not begin:
        return InputError(f"{path}: the file is empty; expected facts or entities")
    if "\ufffd" in begin[:2]:
        return encoding_error(path, "it starts with bytes that are not text")
    if sample.shape is not None:
        return InputError(
            f"{path}: JSON of an unknown structure, {sample.shape}; name one of these with "
            f"`format`: {', '.join(FORMATS)}; or describe it: lighttea describe {path} "
            "(docs/descriptions.md)"
        )
    if _suffix(path) in _JSON_SUFFIXES:
        return InputError(
            f"{path}: not JSON; it starts with {begin[:_SHOWN_TEXT]!r}; fix the file, or name "
            f"its format with `format` ({', '.join(FORMATS)})"
        )
    seen = "no XML" if sample.root is None else f"XML that begins with <{sample.root}>"
    return InputError(f"{path}: {seen}; expected GraphML or RDF/XML; name any other with `format`")


def _suffix(path: str | Path) -> str:
    """Return the last suffix that is not one of packers, in lower case."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _format_of_table(path: str | Path) -> str:
    """Return whether a text table is one of facts or an export of Neo4j, by its header."""
    try:
        sample = _sample(existing_file(path))
    except LightteaError:  # the reader of tables words it
        return TABLE
    return NEO4J if recognise_preset(sample.header) == NEO4J else TABLE


def _sample(path: Path) -> Sample:
    return Sample(read_start(path, SAMPLE_BYTES).decode("utf-8", "replace"))


def _refuse_address(path: str | Path) -> None:
    if not str(path) or path == Path():
        raise InputError("the name of a file is empty; give its path")
    if _ADDRESS.match(str(path)):
        address = re.sub(r":/+", "://", str(path), count=1)  # a Path has one slash
        raise InputError(f"{address}: cannot read a URL; download the file and give its path")
