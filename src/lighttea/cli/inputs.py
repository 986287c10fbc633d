"""What `lighttea align` takes beside the settings of the method: files, and where the work runs.

Declared as the method's settings are, so that options, settings files and their documentation are
made from one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lighttea.config import DEFAULT_ENGINE, DEFAULT_PRESET, EngineName, Preset, option


@dataclass(frozen=True, kw_only=True)
class AlignInputs:
    """Inputs and outputs of an alignment; None where one is not given."""

    left: Path | None = option(
        None,
        "Facts of the left graph: TSV, CSV, Parquet, RDF, GraphML or JSON (Wikidata, "
        "FollowTheMoney, Neo4j and others), plain or compressed, or a description of where they "
        "lie (.toml).",
        example="left.tsv",
    )
    right: Path | None = option(None, "Facts of the right graph.", example="right.csv")
    out: Path | None = option(None, "Run folder to write.", example="runs/first")
    seeds: Path | None = option(
        None,
        "Known links: a table with columns left and right, or two columns. Without any, pairs to "
        "begin with are found by time and structure.",
        example="seeds.tsv",
    )
    truth: Path | None = option(
        None,
        "True links, read after the links are written, to evaluate them.",
        example="truth.tsv",
    )
    must_link: Path | None = option(
        None,
        "Links that must be: they act as seeds and stand among them.",
        example="must.tsv",
    )
    cannot_link: Path | None = option(None, "Links that must not be.", example="cannot.tsv")
    types: Path | None = option(
        None,
        "Types of entities of both graphs (entity, type): entities without a common type are not "
        "linked, those without any type with anybody.",
        example="types.tsv",
    )
    left_types: Path | None = option(
        None, "Types of the left graph alone.", example="left-types.tsv"
    )
    right_types: Path | None = option(
        None, "Types of the right graph alone.", example="right-types.tsv"
    )
    preset: Preset = option(
        DEFAULT_PRESET,
        "Settings to start from: paper has those of the paper, best goes beyond its method.",
    )
    columns: str | None = option(
        None,
        "Columns of both graphs, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a "
        "publisher's layout: gdelt, icews, neo4j, polecat. A text in quotes is a constant: "
        "relation='played for'. missing=NA|- names cells without value, date_format=%d/%m/%Y the "
        "form of dates. For RDF, the predicates that say begin, end or time.",
        example="head=subj,relation=pred,tail=obj,begin=4,end=5",
    )
    left_columns: str | None = option(
        None, "Columns of the left graph alone.", example="head=1,relation=2,tail=3"
    )
    right_columns: str | None = option(
        None, "Columns of the right graph alone.", example="head=1,relation=2,tail=3"
    )
    format: str | None = option(
        None,
        "What both files are where their names and first bytes do not say it: table, ntriples, "
        "nquads, turtle, trig, n3, rdfxml, jsonld, wikidata, followthemoney, neo4j, graphiti, "
        "popolo, node-link, json, graphml or description.",
        example="table",
    )
    left_format: str | None = option(None, "What the left file is.", example="table")
    right_format: str | None = option(None, "What the right file is.", example="table")
    strict: bool = option(
        False,
        "Stop at malformed lines of dumps (N-Triples, N-Quads, JSON, event tables, Neo4j), which "
        "are otherwise left out and counted. Other formats always stop at them.",
    )
    sitelinks: bool = option(
        False,
        "Keep the links from Wikidata's entities to pages of wikis, which are otherwise left out "
        "and counted.",
    )
    nary: bool = option(
        True,
        "Take nodes of RDF that have a begin or an end and two entities for facts between these.",
    )
    overwrite: bool = option(False, "Replace an existing run.")
    resume: bool = option(
        False, "Go on after the last finished round of the same command that was killed."
    )
    report: bool = option(
        True, "Write report.html into the run folder where the extra `report` is installed."
    )


@dataclass(frozen=True, kw_only=True)
class EngineInputs:
    """Where the work runs."""

    engine: EngineName = option(
        DEFAULT_ENGINE,
        "Where the work runs: cpu; gpu, on one NVIDIA GPU; or dask, on many machines.",
    )
    scheduler: str | None = option(
        None,
        "Address of the Dask scheduler that the engine dask uses, such as tcp://10.0.0.1:8786; "
        "without it workers are started on this machine.",
        example="tcp://10.0.0.1:8786",
    )
