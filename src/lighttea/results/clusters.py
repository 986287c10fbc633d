"""A run of several graphs: clusters of entities, and the run of each pair of graphs behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lighttea.config import DEFAULT_ENGINE, EngineName
from lighttea.display import Displayed, html_table
from lighttea.errors import InputError
from lighttea.results.schema import NO_CHANGES

if TYPE_CHECKING:
    import polars as pl

    from lighttea.evaluate.clusters import ClusterEvaluation
    from lighttea.explain.clusters import ClusterExplanation
    from lighttea.export.keywords import ExportSettings
    from lighttea.export.objects import PandasFrame
    from lighttea.export.options import ExportFormat
    from lighttea.inputs.clusters import ClusterTable
    from lighttea.io.objects import GraphSource
    from lighttea.progress import Progress
    from lighttea.results.run import Run

_SHOWN_MEMBERS = 12  # in a notebook


@dataclass(frozen=True, repr=False)
class ClusterRun(Displayed):
    """Clusters of the entities of several graphs, and where they come from.

    `clusters` has cluster, graph, entity and confidence: the chance that the entity is the same as
    most of its cluster. An entity that is in no cluster has no counterpart. `links` has all pairs
    within the clusters, with the chance of each and how it was `found`: `link` where the two graphs
    link it themselves, `candidate` where they considered it, else `through` and the graphs that
    join it. `conflicts` has the links of two graphs that no cluster keeps, and which graph would
    have had two entities in one cluster. `pairs` are the runs of two graphs each, by the names of
    both. `info` is the content of `run.json`. `changes` of an updated run has cluster, graph,
    entity, change (kept, new, changed or withdrawn) and why of each member of either run.
    """

    clusters: pl.DataFrame
    links: pl.DataFrame
    conflicts: pl.DataFrame
    pairs: Mapping[tuple[str, str], Run]
    info: dict[str, Any]
    changes: pl.DataFrame = field(default_factory=NO_CHANGES)

    @property
    def graphs(self) -> list[str]:
        """The names of the graphs, in the order in which they were given."""
        return [str(graph["name"]) for graph in self.info["graphs"]]

    def pair(self, first: str, second: str) -> tuple[Run, bool]:
        """Return the run of two graphs, and whether the first of them is its right one."""
        if (first, second) in self.pairs:
            return self.pairs[first, second], False
        if (second, first) in self.pairs:
            return self.pairs[second, first], True
        known = ", ".join("-".join(names) for names in self.pairs)
        raise InputError(f"there is no run of {first} and {second}; there are {known or 'none'}")

    def evaluate(self, truth: ClusterTable) -> ClusterEvaluation:
        """Compare the clusters with the truth: clusters with graphs and entities, or pairs."""
        from lighttea.evaluate.clusters import evaluate_clusters

        return evaluate_clusters(self, truth)

    def explain(self, entity: str, graph: str | None = None) -> ClusterExplanation:
        """Explain the cluster of an entity: its members, and what each pair of graphs says.

        The entity is given by its id; `graph` says of which graph where several have that id.
        """
        from lighttea.explain.clusters import explain_cluster

        return explain_cluster(self, entity, graph)

    def update(
        self,
        *,
        added: Mapping[str, GraphSource] | None = None,
        removed: Mapping[str, GraphSource] | None = None,
        replaced: Mapping[str, GraphSource] | None = None,
        must_link: ClusterTable | None = None,
        cannot_link: ClusterTable | None = None,
        engine: EngineName = DEFAULT_ENGINE,
        scheduler: str | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
        max_memory: str | None = None,
    ) -> ClusterRun:
        """Return the run of graphs that have changed since; this one stays as it is.

        By the name of a graph: facts that came in, that were `removed`, or a whole new version.
        The runs of the pairs that these graphs are in are updated, as `Run.update` does; then
        clusters are made again and keep their ids. Seeds and constraints hold as they did, beside
        those of `must_link` and `cannot_link`. `changes` of the new run says what became of each
        member.
        """
        from lighttea.update.clusters import ClusterChanges, update_clusters

        given = ClusterChanges.of(
            self, added or {}, removed or {}, replaced or {}, must_link, cannot_link
        )
        values = {"threads": threads, "max_memory": max_memory}
        settings = {name: value for name, value in values.items() if value is not None}
        return update_clusters(self, given, engine, scheduler, progress, settings)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run folder under a temporary name and rename it when it is complete."""
        from lighttea.results.cluster_store import write_clusters
        from lighttea.results.place import run_folder

        with run_folder(folder, overwrite=overwrite) as unfinished:
            write_clusters(self, unfinished)
        return Path(folder)

    def export(
        self,
        out: str | Path,
        *,
        format: ExportFormat,  # noqa: A002 - as the command has it
        overwrite: bool = False,
        **options: Unpack[ExportSettings],
    ) -> Path:
        """Write the clusters, or all graphs fused along them, to a file or a folder.

        `format` is tsv, parquet, jsonl, sameas, sssom or fused (docs/outputs.md). The other options
        are the fields of `ExportOptions`; None keeps the default.
        """
        from lighttea.export.clusters import export_clusters
        from lighttea.export.options import make_export_options

        checked = make_export_options(**options)
        export_clusters(self, out, form=format, options=checked, overwrite=overwrite)
        return Path(out)

    def to_pandas(self) -> PandasFrame:
        """Return the clusters as a frame of pandas."""
        from lighttea.export.objects import to_pandas

        return to_pandas(self.clusters)

    def _summary(self) -> str:
        n_graphs = len(self.info["graphs"])
        return (
            f"{self.clusters['cluster'].n_unique():,} clusters of {len(self.clusters):,} entities; "
            f"{n_graphs} {'graph' if n_graphs == 1 else 'graphs'}; "
            f"{len(self.conflicts):,} links given up"
        )

    def _tables(self) -> Iterable[str]:
        sizes = ("entities", "facts")
        rows = [
            (str(graph["name"]), *(f"{graph[size]:,}" for size in sizes))
            for graph in self.info["graphs"]
        ]
        yield html_table(("graph", *sizes), rows)
        members = self.clusters.head(_SHOWN_MEMBERS).rows()
        shown = [(*texts, f"{confidence:.3f}") for *texts, confidence in members]
        yield html_table(("cluster", "graph", "entity", "confidence"), shown)
