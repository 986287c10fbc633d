"""All models of time, one after the other: what each finds, the later ones no longer see."""

from __future__ import annotations

from collections import Counter

import polars as pl

from lighttea.io.rdf.models.dates import add_literal_times, find_untyped_dates
from lighttea.io.rdf.models.nary import find_nary
from lighttea.io.rdf.models.periods import find_periods
from lighttea.io.rdf.models.qualified import find_memberships, find_provenance, find_roles
from lighttea.io.rdf.models.reification import find_reified, find_singletons
from lighttea.io.rdf.tables import Tables
from lighttea.io.rdf.time_predicates import local_name
from lighttea.io.rdf.vocabulary import OF_SEVERAL, SKOSXL_LITERAL_FORM, SKOSXL_PREF_LABEL

_SKOSXL = SKOSXL_PREF_LABEL.removesuffix("prefLabel")
_SHOWN = 3


def recognise_models(tables: Tables, *, nary: bool) -> list[str]:
    """Tell statements and times from entities; return notes on what was found.

    Without `nary`, nodes count as statements only where a vocabulary says so.
    """
    _keep_fused_sides(tables)
    _read_label_nodes(tables)
    counts: Counter[str] = tables.recognised
    notes: list[str] = []
    counts["rdf:Statement"] = find_reified(tables)
    counts["singleton properties"] = find_singletons(tables)
    if tables.collected.fused_base is None:
        notes += _note_untyped_dates(tables, find_untyped_dates(tables))
    counts["periods"] = find_periods(tables, nary=nary)
    counts["schema:Role"] = find_roles(tables)
    counts["org:Membership"] = find_memberships(tables)
    counts["PROV qualified"] = find_provenance(tables)
    if nary:
        notes += find_nary(tables)
    add_literal_times(tables, tables.statement_nodes())
    return [*_note_known_models(tables), *notes]


def _keep_fused_sides(tables: Tables) -> None:
    """Keep the sides of a fused graph; its links, names and conflicts are no facts."""
    base = tables.collected.fused_base
    if base is None:
        return
    graphs = pl.concat([tables.facts["graph"], tables.literals["graph"]]).unique().to_list()
    places = tuple(f"{base}graph/{place}" for place in ("left", "right", OF_SEVERAL))
    sides = [graph for graph in graphs if graph >= 0 and _is_side(tables.names[graph], places)]
    kept = pl.col("graph").is_in(sides)
    for name in ("facts", "literals"):
        rows = getattr(tables, name)
        setattr(tables, name, rows.filter(kept))
        tables.counts["beside the sides"] += len(rows) - len(getattr(tables, name))
    tables.counts["fused sides"] = len(sides)


def _is_side(graph: str, places: tuple[str, ...]) -> bool:
    """Return whether a graph has the facts of a side: left, right, or one of several."""
    return graph in places[:2] or graph.startswith(places[2])


def _read_label_nodes(tables: Tables) -> None:
    """Give nodes the texts of their SKOS-XL label nodes, as literals and names."""
    forms = tables.literals.filter(pl.col("relation") == tables.number_of(SKOSXL_LITERAL_FORM))
    if forms.is_empty():
        return
    kinds = tables.numbers_of(f"{_SKOSXL}{kind}Label" for kind in ("pref", "alt", "hidden"))
    links = tables.facts.filter(pl.col("relation").is_in(kinds))
    texts = forms.select("tail", label="head")
    named = links.rename({"tail": "label"}).join(texts, on="label", maintain_order="left")
    preferred = named.filter(pl.col("relation") == tables.number_of(SKOSXL_PREF_LABEL))
    subjects = pl.Series([tables.names[node] for node in preferred["head"]], dtype=pl.String)
    tables.collected.add_labels(
        preferred.select("tail", subject=subjects, predicate=pl.lit(SKOSXL_PREF_LABEL))
    )
    tables.literals = pl.concat([tables.literals, named.select(tables.literals.columns)])
    nodes = named["label"].unique(maintain_order=True)
    used = tables.mark(nodes)
    facts, literals = tables.facts, tables.literals
    tables.facts = facts.filter(~(used[facts["head"].to_numpy()] | used[facts["tail"].to_numpy()]))
    tables.literals = literals.filter(~used[literals["head"].to_numpy()])
    tables.hide(nodes)


def _note_known_models(tables: Tables) -> list[str]:
    """Return a note on the statements and times that vocabularies define."""
    known = ("rdf:Statement", "singleton properties", "schema:Role", "org:Membership")
    counts = tables.recognised
    shown = [f"{name} {counts[name]:,}" for name in (*known, "PROV qualified") if counts[name]]
    notes = [f"nodes read as statements: {', '.join(shown)}"] * bool(shown)
    if counts["periods"]:
        notes.append(
            f"{counts['periods']:,} nodes read as times: what points at them happened then"
        )
    return notes


def _note_untyped_dates(tables: Tables, predicates: list[str]) -> list[str]:
    if not predicates:
        return []
    shown = ", ".join(local_name(name) for name in predicates[:_SHOWN])
    shown += ", ..." * (len(predicates) > _SHOWN)
    count = tables.recognised["untyped dates"]
    return [f"{count:,} dates in plain text read as dates: {shown}"]
