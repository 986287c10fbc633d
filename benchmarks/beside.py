"""Indexes of other packages, each as one search of the same rows: hnswlib, usearch, faiss.

None is a dependency; what is not installed is left out. All are given rows of length one and asked
for the largest inner products.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lighttea.types import Floats, Ints

NEIGHBOURS, BUILD_EFFORT = 16, 100  # of a graph's node, and candidates looked at to find them
EFFORTS = (100, 200, 400)  # candidates that a search of a graph looks at
PROBES = (16, 64, 256)  # lists that a search of an inverted file looks at


@dataclass(frozen=True)
class Rival:
    """One kind of index: how it is built, and how it is asked with each of several efforts."""

    name: str
    efforts: Sequence[int]
    build: Callable[[Floats], Any]
    ask: Callable[[Any, Floats, int, int], Ints]  # index, rows, k, effort


def installed_rivals(n_rows: int) -> Iterator[Rival]:
    """Yield the indexes of the packages that are installed."""
    kinds = {"hnswlib": _hnswlib, "usearch": _usearch, "faiss": _faiss}
    for package, rivals in kinds.items():
        if importlib.util.find_spec(package):
            yield from rivals(n_rows)


def _hnswlib(n_rows: int) -> Iterator[Rival]:
    import hnswlib  # type: ignore[import-not-found,import-untyped,unused-ignore]

    def build(rows: Floats) -> Any:
        index = hnswlib.Index(space="ip", dim=rows.shape[1])
        index.init_index(len(rows), ef_construction=BUILD_EFFORT, M=NEIGHBOURS)
        index.add_items(rows)
        return index

    def ask(index: Any, rows: Floats, k: int, effort: int) -> Ints:
        index.set_ef(effort)
        return np.asarray(index.knn_query(rows, k)[0]).astype(np.int64)

    yield Rival(f"hnswlib HNSW, M {NEIGHBOURS}", EFFORTS, build, ask)


def _usearch(n_rows: int) -> Iterator[Rival]:
    from usearch.index import (  # type: ignore[import-not-found,unused-ignore]
        Index,
    )

    def builder(kind: str) -> Callable[[Floats], Any]:
        def build(rows: Floats) -> Any:
            sizes = {"connectivity": NEIGHBOURS, "expansion_add": BUILD_EFFORT}
            index = Index(ndim=rows.shape[1], metric="ip", dtype=kind, **sizes)
            index.add(np.arange(len(rows), dtype=np.uint64), rows)
            return index

        return build

    def ask(index: Any, rows: Floats, k: int, effort: int) -> Ints:
        index.expansion_search = effort
        return np.asarray(index.search(rows, k).keys).astype(np.int64)

    for kind in ("f16", "i8"):
        yield Rival(f"usearch HNSW, M {NEIGHBOURS}, {kind}", EFFORTS, builder(kind), ask)


def _faiss(n_rows: int) -> Iterator[Rival]:
    import faiss  # type: ignore[import-not-found,unused-ignore]

    n_lists = int(4 * np.sqrt(n_rows))

    def builder(words: str) -> Callable[[Floats], Any]:
        def build(rows: Floats) -> Any:
            index = faiss.index_factory(rows.shape[1], words, faiss.METRIC_INNER_PRODUCT)
            index.train(rows[: 32 * n_lists])
            index.add(rows)
            return index

        return build

    def asker(option: str) -> Callable[[Any, Floats, int, int], Ints]:
        def ask(index: Any, rows: Floats, k: int, effort: int) -> Ints:
            faiss.ParameterSpace().set_index_parameter(index, option, effort)
            return np.asarray(index.search(rows, k)[1])

        return ask

    graph = f"HNSW{NEIGHBOURS}_SQ8"
    yield Rival(f"faiss {graph}", EFFORTS, builder(graph), asker("efSearch"))
    for words in (f"IVF{n_lists},SQ8", f"IVF{n_lists},PQ64x4fs,Refine(SQ8)"):
        yield Rival(f"faiss {words}", PROBES, builder(words), asker("nprobe"))
