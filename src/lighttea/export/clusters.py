"""Exports of clusters: as a table, as links to the first member, or all graphs fused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import polars as pl

from lighttea.errors import ConfigError
from lighttea.export.fused import FusedGraph, fuse_attributes, fuse_facts, mutual_relations
from lighttea.export.iris import is_iri
from lighttea.export.links import LINK, SEED, names_of_kind
from lighttea.export.options import ExportFormat, ExportOptions, refuse_unknown_format
from lighttea.export.reviews import REVIEW_COLUMNS
from lighttea.export.write import NQUADS, new_file, write_fused_folder, write_table
from lighttea.results.clusters import ClusterRun
from lighttea.results.run import Run


@dataclass(frozen=True)
class GraphNamespaces:
    """The namespaces of ids that are no IRIs: a common one, and the graph's name."""

    base: str

    def entity(self, side: str, name: str) -> str:
        """Return the IRI of an entity of a graph."""
        return name if is_iri(name) else f"{self._of(side)}{quote(name, safe='')}"

    def relation(self, side: str, name: str) -> str:
        """Return the IRI of a relation, which differs from that of an entity with the same id."""
        return name if is_iri(name) else f"{self._of(side)}relation/{quote(name, safe='')}"

    def _of(self, graph: str) -> str:
        return f"{self.base}{quote(graph, safe='')}/"


def export_clusters(
    run: ClusterRun,
    out: str | Path,
    *,
    form: ExportFormat,
    options: ExportOptions | None = None,
    overwrite: bool = False,
) -> int:
    """Write the clusters, or all graphs fused along them; return the number of clusters."""
    refuse_unknown_format(form)
    options, out = options or ExportOptions(), Path(out)
    options.check_format(form)
    if options.max_fdr < 1:
        raise ConfigError("`max_fdr` goes with runs of two graphs; use `min_confidence`")
    members = members_to_export(run, options, form)
    namespaces = GraphNamespaces(options.namespace)
    if form == "fused":
        fused = fuse_clusters(run, members, namespaces)
        if out.suffix == NQUADS:
            from lighttea.export.quads import write_quads

            sources = {str(graph["name"]): graph for graph in run.info["graphs"]}
            with new_file(out, overwrite=overwrite) as path:
                write_quads(fused, path, options, sources, namespaces)
            return int(members["cluster"].n_unique())
        about = {name: run.info[name] for name in ("graphs", "versions")}
        about["clusters"] = members["cluster"].n_unique()
        write_fused_folder(fused, out, options, about, overwrite=overwrite)
    else:
        with new_file(out, overwrite=overwrite) as path:
            if form in ("tsv", "parquet", "jsonl"):
                write_table(members.drop("first"), path, form, options)
            else:
                _write_links(run, members, path, form, options, namespaces)
    return int(members["cluster"].n_unique())


def members_to_export(run: ClusterRun, options: ExportOptions, form: ExportFormat) -> pl.DataFrame:
    """Return cluster, graph, entity, confidence, name and first, whether it is the first member.

    Members below the lowest confidence are left out, and clusters that have only one left.
    """
    place = {graph: number for number, graph in enumerate(run.graphs)}
    names = pl.concat(
        names_of_kind(getattr(own, f"names_{side}")).select(
            pl.lit(graph).alias("graph"), entity="id", name="name"
        )
        for graph, own, side in sides_of(run)
    )
    lowest = options.lowest_confidence(form)
    return (
        run.clusters.filter(pl.col("confidence") >= lowest)
        .filter(pl.len().over("cluster") > 1)
        .join(names, on=["graph", "entity"], how="left")
        .sort("cluster", pl.col("graph").replace_strict(place), "entity")
        .with_columns(first=pl.int_range(pl.len()).over("cluster") == 0)
    )


def sides_of(run: ClusterRun) -> list[tuple[str, Run, str]]:
    """Return each graph with one of its runs, and its side there."""
    sides: dict[str, tuple[str, Run, str]] = {}
    for pair, own in run.pairs.items():
        for graph, side in zip(pair, ("left", "right"), strict=True):
            sides.setdefault(graph, (graph, own, side))
    return [sides[graph] for graph in run.graphs if graph in sides]


def _write_links(
    run: ClusterRun,
    members: pl.DataFrame,
    path: Path,
    form: ExportFormat,
    options: ExportOptions,
    namespaces: GraphNamespaces,
) -> None:
    """Write a link from each further member to the first one of its cluster."""
    links = _links_to_first(run, members, namespaces)
    if form == "sameas":
        from lighttea.export.sameas import write_sameas

        write_sameas(links, path, options)
        return
    from lighttea.export.sssom import write_sssom

    nobody = [pl.lit(None, dtype).alias(name) for name, dtype in REVIEW_COLUMNS.items()]
    write_sssom(links.with_columns(nobody), path, options, run.info)


def _links_to_first(
    run: ClusterRun, members: pl.DataFrame, namespaces: GraphNamespaces
) -> pl.DataFrame:
    """Return the links as the exports of two graphs have them, with IRIs as ids.

    The further member is on the left: it has one link, so that a sure one is an identity.
    """
    iris = [namespaces.entity(*row) for row in members.select("graph", "entity").iter_rows()]
    own = members.with_columns(iri=pl.Series(iris, dtype=pl.String))
    first = own.filter("first").select("cluster", "graph", "entity", "iri", "name")
    further = own.filter(~pl.col("first"))
    pairs = further.join(first, on="cluster", suffix="_first", maintain_order="left").join(
        run.links.drop("cluster").rename({"confidence": "chance"}),
        left_on=["graph_first", "entity_first", "graph", "entity"],
        right_on=["graph_left", "left", "graph_right", "right"],
        how="left",
        maintain_order="left",
    )
    return pairs.select(
        left="iri",
        right="iri_first",
        confidence=pl.col("chance").fill_null(pl.col("confidence")),
        fdr=pl.lit(None, pl.Float32),
        origin=pl.when(pl.col("chance") == 1).then(pl.lit(SEED)).otherwise(pl.lit(LINK)),
        left_name="name",
        right_name="name_first",
    )


# ---------------------------------------------------------------------------------- one graph


def fuse_clusters(
    run: ClusterRun, members: pl.DataFrame, namespaces: GraphNamespaces
) -> FusedGraph:
    """Return all graphs as one: the members of a cluster have the id of the first of them."""
    entities = _fused_entities(run, members, namespaces)
    relations = _fused_relations(run, namespaces)
    sides = sides_of(run)
    facts = pl.concat(
        fuse_facts(getattr(own, f"facts_{side}"), graph, entities, relations)
        for graph, own, side in sides
    )
    attributes = fuse_attributes(
        [
            (graph, getattr(own, f"attributes_{side}"), getattr(own, f"names_{side}"))
            for graph, own, side in sides
        ],
        entities,
        namespaces,
    )
    disputed = facts.clear().select("head", "relation", "tail", "side", "begin", "end")
    return FusedGraph(entities, relations, facts, disputed, attributes)


def _fused_entities(
    run: ClusterRun, members: pl.DataFrame, namespaces: GraphNamespaces
) -> pl.DataFrame:
    """Return entity, side (the graph), id, iri, name, confidence and fdr of every entity."""
    parts = []
    for graph, own, side in sides_of(run):
        facts, literals = getattr(own, f"facts_{side}"), getattr(own, f"attributes_{side}")
        clustered = members.filter(graph=graph)["entity"]
        ids = pl.concat([facts["head"], facts["tail"], literals["entity"], clustered])
        known = names_of_kind(getattr(own, f"names_{side}"))
        stated = pl.DataFrame({"id": ids.unique().sort()}).with_columns(side=pl.lit(graph))
        parts.append(stated.join(known, on="id", how="left", maintain_order="left"))
    table = pl.concat(parts)
    iris = [namespaces.entity(*row) for row in table.select("side", "id").iter_rows()]
    joined = table.with_columns(iri=pl.Series(iris, dtype=pl.String)).join(
        members.select("cluster", "first", "confidence", side="graph", id="entity"),
        on=["side", "id"],
        how="left",
        maintain_order="left",
    )
    of_first = joined.filter("first").select("cluster", entity="iri")
    return (
        joined.join(of_first, on="cluster", how="left", maintain_order="left")
        .with_columns(pl.coalesce("entity", "iri").alias("entity"), fdr=pl.lit(None, pl.Float32))
        .select("entity", "side", "id", "iri", "name", "confidence", "fdr")
        .sort("entity", "side", "id")
    )


def _fused_relations(run: ClusterRun, namespaces: GraphNamespaces) -> pl.DataFrame:
    """Return the relations; one gets the name of an earlier graph's if both match best."""
    known: dict[tuple[str, str], tuple[str, bool]] = {}
    rows = []
    for graph, own, side in sides_of(run):
        partners: dict[str, tuple[str, bool]] = {}
        for earlier in run.graphs[: run.graphs.index(graph)]:
            pair = run.pairs.get((earlier, graph))
            if pair is not None:
                for right, (left, turned) in mutual_relations(pair).items():
                    name, is_turned = known[earlier, left]
                    partners.setdefault(right, (name, is_turned != turned))
        for relation in getattr(own, f"facts_{side}")["relation"].unique().sort():
            default = (namespaces.relation(graph, relation), False)
            known[graph, relation] = partners.get(relation, default)
            rows.append((known[graph, relation][0], graph, relation, known[graph, relation][1]))
    schema = {"relation": pl.String, "side": pl.String, "id": pl.String, "turned": pl.Boolean}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    names = pl.concat(
        names_of_kind(getattr(own, f"names_{side}"), "relation").with_columns(side=pl.lit(graph))
        for graph, own, side in sides_of(run)
    )
    return table.join(names, on=["side", "id"], how="left", maintain_order="left")
