"""Known links, checked: who is unknown, repeated or contradicted is said before any work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from lighttea.errors import InputError, SeedError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links, Pair
from lighttea.progress import Progress
from lighttea.types import LeftIds, RightIds

if TYPE_CHECKING:
    import polars as pl

LinkTable: TypeAlias = "pl.DataFrame | Iterable[tuple[str, str]]"


def link_rows(links: LinkTable) -> list[tuple[str, str]]:
    """Links as couples of names, from a frame with columns left and right or from couples."""
    columns = getattr(links, "columns", None)
    if columns is not None:
        frame = cast("pl.DataFrame", links)
        if not {"left", "right"} <= set(columns):
            raise InputError(f"links need columns left and right; found: {', '.join(columns)}")
        return [(str(left), str(right)) for left, right in frame.select("left", "right").rows()]
    rows = [tuple(map(str, link)) for link in links]
    if any(len(row) != 2 for row in rows):
        raise InputError("a link is a couple (left, right)")
    return [(row[0], row[1]) for row in rows]


def resolve_seeds(
    links: LinkTable, left: Graph, right: Graph, progress: Progress, *, many_to_one: bool = False
) -> Links:
    """Seeds as ids. An unknown entity or two partners for one entity is an error.

    With `many_to_one` a right entity may have several partners.
    """
    rows = link_rows(links)
    if not rows:
        raise SeedError("there are no seeds; give at least one known link")
    lines = _lines(links, len(rows))
    distinct = dict.fromkeys(rows)
    if len(distinct) < len(rows):
        progress.warn(f"{len(rows) - len(distinct):,} seeds stand there twice and count once")
    problems = _unknown(rows, lines, left, right) + _conflicts(
        list(distinct), many_to_one=many_to_one
    )
    if problems:
        raise SeedError(str(SeedError.of_many(problems)))
    return Links(
        LeftIds(np.array([left.entity_ids[name] for name, _ in distinct], np.int32)),
        RightIds(np.array([right.entity_ids[name] for _, name in distinct], np.int32)),
    )


def _lines(links: LinkTable, n: int) -> Sequence[int]:
    """Where each link stood, if the table says so, else its number."""
    if "line" in getattr(links, "columns", ()):
        return cast("pl.DataFrame", links)["line"].to_list()
    return range(1, n + 1)


def refuse_unconnected(seeds: Links, pair: Pair) -> None:
    """Labels start at the seeds and travel along facts: without a fact there they go nowhere."""
    heads = np.unique(pair.head)
    for side, nodes in (
        ("left", pair.left_nodes(seeds.left)),
        ("right", pair.right_nodes(seeds.right)),
    ):
        if not np.isin(nodes, heads).any():
            raise InputError(
                f"none of the {len(seeds):,} seeds occurs in a {side} fact, so nothing can be "
                "learnt from them; give seeds whose entities have facts on both sides"
            )


def _unknown(
    rows: Sequence[tuple[str, str]], lines: Sequence[int], left: Graph, right: Graph
) -> list[str]:
    """Seeds that name an entity nobody has, or one sentence where all of them are off."""
    problems = [
        f"seed at line {line}: {name!r} is not an entity of the {side} graph"
        + (f" ({graph.source})" if graph.source else "")
        for line, (a, b) in zip(lines, rows, strict=True)
        for name, side, graph in ((a, "left", left), (b, "right", right))
        if name not in graph.entity_ids
    ]
    if problems and all(a in right.entity_ids and b in left.entity_ids for a, b in rows):
        return ["every seed fits the other way round; are the left and the right graph swapped?"]
    if len(rows) > 1 and len(problems) == 2 * len(rows):
        return [f"no seed names an entity of these graphs (the first is {rows[0]})"]
    return problems


def _conflicts(rows: Sequence[tuple[str, str]], *, many_to_one: bool) -> list[str]:
    problems = []
    sides = (("left", 0, 1), ("right", 1, 0))
    for side, key, other in sides[:1] if many_to_one else sides:
        partners: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            partners[row[key]].append(row[other])
        problems += [
            f"seeds contradict each other: {side} entity {name!r} is linked to "
            f"{' and to '.join(map(repr, who))}"
            for name, who in partners.items()
            if len(who) > 1
        ]
    return problems
