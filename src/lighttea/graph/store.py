"""Two graphs without names as one .npz file: all that the compute core needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import Instants

_COLUMNS = tuple(column.name for column in fields(Facts))


def save_graphs(path: Path, left: Graph, right: Graph, **extra: NDArray[Any]) -> None:
    """Write both graphs, and arrays that belong to them, such as known links."""
    arrays = {name: np.asarray(array) for name, array in extra.items()}
    for side, graph in (("left", left), ("right", right)):
        arrays |= {f"{side}_{name}": getattr(graph.facts, name) for name in _COLUMNS}
        arrays[f"{side}_second"] = graph.instants.second
        arrays[f"{side}_grain"] = graph.instants.grain
        arrays[f"{side}_sizes"] = np.array([len(graph.entities), len(graph.relations)])
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load_graphs(path: Path) -> tuple[Graph, Graph, dict[str, NDArray[Any]]]:
    """Return both graphs, their entities called by number, and the extra arrays of the file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        return _graph(arrays, "left", path), _graph(arrays, "right", path), _extra_arrays(arrays)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (KeyError, ValueError, OSError) as error:
        raise InputError(f"{path}: not a file of two graphs in numbers: {error}") from None


def _graph(arrays: Mapping[str, NDArray[Any]], side: str, path: Path) -> Graph:
    n_entities, n_relations = (int(n) for n in arrays[f"{side}_sizes"])
    facts = Facts(*(arrays[f"{side}_{name}"] for name in _COLUMNS))
    instants = Instants(arrays[f"{side}_second"], arrays[f"{side}_grain"])
    limits = (n_entities, n_relations, n_entities, len(instants), len(instants))
    for name, limit in zip(_COLUMNS, limits, strict=True):
        column, least = getattr(facts, name), -1 if name in ("begin", "end") else 0
        if len(column) and not least <= column.min() <= column.max() < limit:
            raise ValueError(f"{side}_{name} has numbers outside {least} ... {limit - 1}")
    return Graph(
        [str(number) for number in range(n_entities)],
        [str(number) for number in range(n_relations)],
        facts,
        instants,
        source=str(path),
    )


def _extra_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    own = {*_COLUMNS, "second", "grain", "sizes"}
    sides = {f"{side}_{name}" for side in ("left", "right") for name in own}
    return {name: array for name, array in arrays.items() if name not in sides}
