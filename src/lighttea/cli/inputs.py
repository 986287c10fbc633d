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
        "are (.toml). - reads stdin.",
        example="left.tsv",
    )
    right: Path | None = option(
        None, "Facts of the right graph; - reads stdin.", example="right.csv"
    )
    out: Path | None = option(None, "Run folder to write.", example="runs/first")
    seeds: Path | None = option(
        None,
        "Known links: a table with columns left and right, or two columns. Without seeds, the "
        "first pairs are found by time, structure and literals.",
        example="seeds.tsv",
    )
    previous: Path | None = option(
        None,
        "With three or more graphs: an earlier run of them; clusters keep the ids they have there.",
        example="runs/first",
    )
    several_per_graph: bool = option(
        False,
        "With three or more graphs: let a cluster have several entities of one graph.",
    )
    truth: Path | None = option(
        None,
        "True links to evaluate the result with; read after the links are written. With three or "
        "more graphs, a table of cluster, graph and entity will do as well, as for --seeds, "
        "--must-link and --cannot-link.",
        example="truth.tsv",
    )
    must_link: Path | None = option(
        None,
        "Links that must be in the result; they also serve as seeds.",
        example="must.tsv",
    )
    cannot_link: Path | None = option(
        None, "Links that must not be in the result.", example="cannot.tsv"
    )
    types: Path | None = option(
        None,
        "Types of the entities of both graphs (entity, type). Entities with types are linked "
        "only if they share one; untyped entities may match anything.",
        example="types.tsv",
    )
    left_types: Path | None = option(
        None, "Types of the left graph only.", example="left-types.tsv"
    )
    right_types: Path | None = option(
        None, "Types of the right graph only.", example="right-types.tsv"
    )
    preset: Preset = option(
        DEFAULT_PRESET,
        "Settings to start from: paper follows the paper, best goes beyond it.",
    )
    columns: str | None = option(
        None,
        "Columns of both graphs, such as head=subj,relation=pred,tail=obj,begin=4,end=5, or a "
        "publisher's layout: gdelt, icews, neo4j, polecat. A text in quotes is a constant: "
        "relation='played for'. missing=NA|- lists cells that mean no value, "
        "date_format=%d/%m/%Y the form of dates. For RDF: the predicates for begin, end or time.",
        example="head=subj,relation=pred,tail=obj,begin=4,end=5",
    )
    left_columns: str | None = option(
        None, "Columns of the left graph only.", example="head=1,relation=2,tail=3"
    )
    right_columns: str | None = option(
        None, "Columns of the right graph only.", example="head=1,relation=2,tail=3"
    )
    format: str | None = option(
        None,
        "Format of both files, if their names and first bytes do not tell: table, ntriples, "
        "nquads, turtle, trig, n3, rdfxml, jsonld, wikidata, followthemoney, neo4j, graphiti, "
        "popolo, node-link, json, graphml or description.",
        example="table",
    )
    left_format: str | None = option(None, "Format of the left file.", example="table")
    right_format: str | None = option(None, "Format of the right file.", example="table")
    strict: bool = option(
        False,
        "Stop at malformed lines of dumps (N-Triples, N-Quads, JSON, event tables, Neo4j); by "
        "default these lines are skipped and counted. Other formats always stop.",
    )
    sitelinks: bool = option(
        False,
        "Keep the links from Wikidata's entities to wiki pages; by default they are skipped and "
        "counted.",
    )
    nary: bool = option(
        True,
        "Read an RDF node with a begin or an end and two entities as a fact between the two.",
    )
    overwrite: bool = option(False, "Replace an existing run.")
    resume: bool = option(
        False, "Continue after the last finished round of the same command, if it was killed."
    )
    report: bool = option(
        True, "Write report.html into the run folder, if the extra `report` is installed."
    )


@dataclass(frozen=True, kw_only=True)
class EngineInputs:
    """Where the work runs."""

    engine: EngineName = option(
        DEFAULT_ENGINE,
        "Where the work runs: cpu; gpu (one NVIDIA GPU); or dask (many machines).",
    )
    scheduler: str | None = option(
        None,
        "Address of the Dask scheduler for the engine dask, such as tcp://10.0.0.1:8786; by "
        "default it starts workers on this machine.",
        example="tcp://10.0.0.1:8786",
    )
