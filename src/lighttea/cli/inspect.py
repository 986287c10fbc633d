"""`lighttea inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from lighttea.cli.console import (
    JsonTarget,
    print_table,
    refuse_unwritable,
    stdout,
    write_json_result,
)


def inspect(
    graph: Path,
    *,
    columns: str | None = None,
    format: str | None = None,  # noqa: A002
    strict: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
) -> None:
    """Show what is in a graph: sizes, time coverage, granularity, range, warnings.

    Parameters
    ----------
    graph
        Facts: TSV, CSV, Parquet, RDF or Wikidata JSON, plain or compressed.
    columns
        Columns, such as head=subj,relation=pred,tail=obj,begin=4,end=5. For RDF, the predicates
        that say begin, end or time.
    format
        What the file is where its name does not say it: table, ntriples, nquads, turtle, trig,
        rdfxml or wikidata.
    strict
        Stop at malformed lines of RDF and JSON, which are otherwise left out and counted.
    json
        Write the findings to this file, or to stdout with -.
    """
    from lighttea.graph.profile import profile
    from lighttea.io.columns import parse_columns
    from lighttea.io.graphs import read_graph
    from lighttea.io.times import format_instant

    refuse_unwritable(json)
    wanted = parse_columns(columns) if columns else None
    read = read_graph(graph, columns=wanted, format=format, strict=strict)
    found = profile(read)
    span = [format_instant(*end) for end in found.span] if found.span else None
    if json is not None:
        write_json_result(json, {**found.to_dict(), "span": span})
    if json == "-":
        return
    console = stdout()
    sizes = ("entities", "entities_without_facts", "relations", "facts", "duplicate_facts")
    rows = [(name.replace("_", " "), f"{getattr(found, name):,}") for name in sizes]
    print_table(console, str(graph), ("what", "count"), rows)
    kinds = [
        (kind.replace("_", " "), f"{count:,}", f"{count / max(found.facts, 1):.1%}")
        for kind, count in found.kinds.items()
    ]
    print_table(console, "Time of the facts", ("kind", "facts", "share"), kinds)
    if span:
        grains = ", ".join(f"{name} {count:,}" for name, count in found.grains.items() if count)
        console.print(f"{span[0]} to {span[1]}; distinct times by granularity: {grains}\n")
    common = [(read.relation_names.get(n, n), f"{count:,}") for n, count in found.top_relations]
    print_table(console, "Most frequent relations", ("relation", "facts"), common)
    for warning in found.warnings:
        console.print(f"warning: {warning}", markup=False, soft_wrap=True)
