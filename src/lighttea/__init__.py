"""lighttea aligns the entities of two temporal knowledge graphs, without training, in seconds.

    import lighttea
    left, right = lighttea.read_graph("left.parquet"), lighttea.read_graph("right.csv")
    run = lighttea.align(left, right, seeds=lighttea.read_links("seeds.tsv"))
    run.save("runs/first")

Names load what they need when they are first used, so that `import lighttea` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lighttea.version import __version__

if TYPE_CHECKING:
    from lighttea.api import align
    from lighttea.clusters.ids import carry_cluster_ids
    from lighttea.config import Config, Settings, make_config
    from lighttea.errors import (
        ConfigError,
        EngineUnavailable,
        FetchError,
        InputError,
        LightteaError,
        LightteaWarning,
        OutputError,
        SeedError,
        StartError,
    )
    from lighttea.evaluate.clusters import ClusterEvaluation
    from lighttea.evaluate.ranking import LinkFigures, Ranking
    from lighttea.evaluate.run import Evaluation
    from lighttea.explain.clusters import ClusterExplanation, ClusterLink, ClusterMember
    from lighttea.explain.explainer import Explainer
    from lighttea.explain.explanation import (
        Alarm,
        AssignmentEffect,
        Explanation,
        Rival,
        RunnerUp,
        ScorePart,
    )
    from lighttea.explain.statements import Fact, Literal, MatchedFact, MatchedLiteral
    from lighttea.graph.attributes import Attributes
    from lighttea.graph.facts import Facts, Graph
    from lighttea.graph.timeline import Grain, Instants, TimeKind
    from lighttea.io.benchmark import Dataset, read_dataset
    from lighttea.io.descriptions.sources import Source, graph_from_sources
    from lighttea.io.graphs import read_graph
    from lighttea.io.objects import graph_from
    from lighttea.io.sparql.read import read_sparql
    from lighttea.io.tables import read_clusters, read_links, read_types
    from lighttea.many import align_many
    from lighttea.results.cluster_store import load_clusters
    from lighttea.results.clusters import ClusterRun
    from lighttea.results.run import Run
    from lighttea.results.store import load_run
    from lighttea.single import dedupe

__all__ = [
    "Alarm",
    "AssignmentEffect",
    "Attributes",
    "ClusterEvaluation",
    "ClusterExplanation",
    "ClusterLink",
    "ClusterMember",
    "ClusterRun",
    "Config",
    "ConfigError",
    "Dataset",
    "EngineUnavailable",
    "Evaluation",
    "Explainer",
    "Explanation",
    "Fact",
    "Facts",
    "FetchError",
    "Grain",
    "Graph",
    "InputError",
    "Instants",
    "LightteaError",
    "LightteaWarning",
    "LinkFigures",
    "Literal",
    "MatchedFact",
    "MatchedLiteral",
    "OutputError",
    "Ranking",
    "Rival",
    "Run",
    "RunnerUp",
    "ScorePart",
    "SeedError",
    "Settings",
    "Source",
    "StartError",
    "TimeKind",
    "__version__",
    "align",
    "align_many",
    "carry_cluster_ids",
    "dedupe",
    "graph_from",
    "graph_from_sources",
    "load_clusters",
    "load_run",
    "make_config",
    "read_clusters",
    "read_dataset",
    "read_graph",
    "read_links",
    "read_sparql",
    "read_types",
]

_HOMES = {
    "Alarm": "explain.explanation",
    "AssignmentEffect": "explain.explanation",
    "Attributes": "graph.attributes",
    "ClusterEvaluation": "evaluate.clusters",
    "ClusterExplanation": "explain.clusters",
    "ClusterLink": "explain.clusters",
    "ClusterMember": "explain.clusters",
    "ClusterRun": "results.clusters",
    "Config": "config",
    "ConfigError": "errors",
    "Dataset": "io.benchmark",
    "EngineUnavailable": "errors",
    "Evaluation": "evaluate.run",
    "Explainer": "explain.explainer",
    "Explanation": "explain.explanation",
    "Fact": "explain.statements",
    "Facts": "graph.facts",
    "FetchError": "errors",
    "Grain": "graph.timeline",
    "Graph": "graph.facts",
    "InputError": "errors",
    "Instants": "graph.timeline",
    "LightteaError": "errors",
    "LightteaWarning": "errors",
    "LinkFigures": "evaluate.ranking",
    "Literal": "explain.statements",
    "MatchedFact": "explain.statements",
    "MatchedLiteral": "explain.statements",
    "OutputError": "errors",
    "Ranking": "evaluate.ranking",
    "Rival": "explain.explanation",
    "Run": "results.run",
    "RunnerUp": "explain.explanation",
    "ScorePart": "explain.explanation",
    "SeedError": "errors",
    "Settings": "config",
    "Source": "io.descriptions.sources",
    "StartError": "errors",
    "TimeKind": "graph.timeline",
    "align": "api",
    "dedupe": "single",
    "align_many": "many",
    "carry_cluster_ids": "clusters.ids",
    "graph_from": "io.objects",
    "graph_from_sources": "io.descriptions.sources",
    "load_clusters": "results.cluster_store",
    "load_run": "results.store",
    "make_config": "config",
    "read_clusters": "io.tables",
    "read_dataset": "io.benchmark",
    "read_graph": "io.graphs",
    "read_links": "io.tables",
    "read_sparql": "io.sparql.read",
    "read_types": "io.tables",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lighttea' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lighttea.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
