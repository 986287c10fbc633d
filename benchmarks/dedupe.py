"""Print how well `dedupe` finds duplicates, and how many it makes up where there are none.

    python benchmarks/dedupe.py [--entities N] [--data DIR] [--only NAME]

Made-up graphs (`lighttea synth --duplicates 0.1`), with literals and without, and the same without
duplicates. With --data (a folder of datasets), also each side of them as it is, where next to no
duplicates are expected, and with entities that are divided in two by this script.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import lighttea
from lighttea.graph.attributes import Attributes
from lighttea.graph.facts import Graph
from lighttea.io.benchmark import read_dataset
from lighttea.results.clusters import ClusterRun
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

Pairs = set[frozenset[str]]
_DIVIDED, _TOLD_TWICE = 0.1, 0.3  # entities there twice; facts that both of their ids have
_BINS = np.linspace(0, 1, 11)


def main() -> None:
    """Measure all graphs, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--entities", type=int, default=3000)
    parser.add_argument("--data", type=Path, help="folder of dataset folders")
    parser.add_argument("--only", default="", help="graphs whose names contain this")
    options = parser.parse_args()
    warnings.simplefilter("ignore", lighttea.LightteaWarning)
    print("graph | entities | true pairs | precision | recall | F1 | at .9: pairs, wrong | ECE | s")
    for name, make in graphs(options.entities, options.data):
        if options.only in name:
            graph, truth = make()
            report(name, graph, truth)


def graphs(
    n_entities: int, data: Path | None
) -> Iterator[tuple[str, Callable[[], tuple[Graph, Pairs]]]]:
    """Yield the name of each graph and a function that makes it, with its true pairs."""
    for literals in (True, False):
        for rate in (_DIVIDED, 0.0):
            words = f"synth, literals {'yes' if literals else 'no'}, duplicates {rate}"
            yield words, partial(made_up, n_entities, literals, rate)
    for folder in sorted(data.iterdir()) if data else ():
        for side in ("left", "right") if folder.is_dir() else ():
            yield f"{folder.name} {side}", partial(side_of, folder, side)
            yield f"{folder.name} {side}, divided", partial(divided_side_of, folder, side)


def made_up(n_entities: int, literals: bool, rate: float) -> tuple[Graph, Pairs]:
    """Return a made-up graph and the pairs that are one."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "data"
        write_synth(folder, SynthConfig(entities=n_entities, duplicates=rate, literals=literals))
        graph = read_dataset(folder).left
        if not literals:
            graph = replace(graph, attributes=Attributes())
        if not rate:
            return graph, set()
        columns = [pl.String] * 2
        twice = pl.read_csv(
            folder / "duplicates_1", separator="\t", has_header=False, schema_overrides=columns
        )
    return graph, {frozenset(row) for row in twice.rows()}


def side_of(folder: Path, side: str) -> tuple[Graph, Pairs]:
    """Return one graph of a dataset, without true pairs; names in place of ids do not count."""
    files = list(folder.glob(f"{side}.*"))
    if files:
        return lighttea.read_graph(files[0]), set()
    graph: Graph = getattr(read_dataset(folder), side)
    return replace(graph, attributes=Attributes()), set()


def divided_side_of(folder: Path, side: str) -> tuple[Graph, Pairs]:
    """Return one graph of a dataset with some entities under two ids."""
    return divide(side_of(folder, side)[0])


def divide(graph: Graph) -> tuple[Graph, Pairs]:
    """Return the graph with some entities under two ids, and these pairs of ids.

    A fact goes to either id, and some go to both; so do literals.
    """
    rng = np.random.default_rng(0)
    frame = graph.to_polars()
    named = sorted({*frame["head"], *frame["tail"].drop_nulls()})
    twice = rng.choice(named, round(_DIVIDED * len(named)), replace=False).tolist()
    second = {name: f"{name} (again)" for name in twice}
    for role in ("head", "tail"):
        frame = _divided(frame, role, second, rng)
    return lighttea.graph_from(frame), {frozenset(pair) for pair in second.items()}


def _divided(
    frame: pl.DataFrame, role: str, second: dict[str, str], rng: np.random.Generator
) -> pl.DataFrame:
    """Return the facts with half of those of some entities under their second id, or under both."""
    is_twice = pl.col(role).is_in(list(second)) & pl.lit(pl.Series(rng.random(len(frame)) < 0.5))
    to_both = pl.Series(rng.random(len(frame)) < _TOLD_TWICE)
    renamed = pl.col(role).replace(second)
    moved = frame.with_columns(pl.when(is_twice).then(renamed).otherwise(pl.col(role)).alias(role))
    again = frame.filter(to_both & frame[role].is_in(list(second)))
    return pl.concat([moved, again, again.with_columns(renamed)]).unique(maintain_order=True)


def report(name: str, graph: Graph, truth: Pairs) -> None:
    """Print the figures of one graph."""
    begin = time.process_time()
    run = lighttea.dedupe(graph, threads=1)
    seconds = time.process_time() - begin
    pairs = [frozenset(row) for row in run.links.select("left", "right").rows()]
    confidence = run.links["confidence"].to_numpy()
    right = np.array([pair in truth for pair in pairs], bool)
    n_right = int(right.sum())
    precision, recall = n_right / max(1, len(pairs)), n_right / max(1, len(truth))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    sure = confidence >= 0.9
    figures = [f"{value:.3f}" if truth else "" for value in (precision, recall, f1)]
    error = calibration_error(run, truth)
    print(
        f"{name} | {len(graph.entities):,} | {len(truth):,} | {' | '.join(figures)} | "
        f"{int(sure.sum())}, {int((sure & ~right).sum())} | {error:.3f} | {seconds:.1f}",
        flush=True,
    )


def calibration_error(run: ClusterRun, truth: Pairs) -> float:
    """Return how far confidence is from the share of right pairs, over all candidates from .1."""
    (own,) = run.pairs.values()
    kept = own.candidates.filter((pl.col("left") < pl.col("right")) & (pl.col("confidence") >= 0.1))
    confidence = kept["confidence"].to_numpy()
    rows = kept.select("left", "right").rows()
    right = np.array([frozenset(row) in truth for row in rows], float)
    place = np.clip(np.digitize(confidence, _BINS) - 1, 0, 9)
    return sum(
        abs(float((right - confidence)[place == number].sum())) for number in range(10)
    ) / max(1, len(rows))


if __name__ == "__main__":
    main()
