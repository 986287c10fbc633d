"""Constraints on the links: seeds and must-links, forbidden pairs, types that have to agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lighttea.config import LinkRules
from lighttea.display import GraphNames
from lighttea.engines.cpu.ops import PLAIN
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.inputs.links import (
    LinkTable,
    NamedPairs,
    find_rival_partners,
    find_unknown_entities,
    resolve_seeds,
)
from lighttea.io.columns import TYPE_ROLES
from lighttea.io.objects import TableSource, pairs_from
from lighttea.progress import Progress
from lighttea.similarity.allowed import UNKNOWN_TYPES, AllowedPairs, EntityTypes, refused_pairs
from lighttea.types import Ints, LeftIds, RightIds

if TYPE_CHECKING:
    import polars as pl

TypeTable: TypeAlias = TableSource
TypeRows: TypeAlias = Sequence[tuple[str, str]]  # entity and type
TypeSets: TypeAlias = Sequence[frozenset[str] | None]  # of each entity; None where none is known


def resolve_constraints(
    left: Graph,
    right: Graph,
    seeds: LinkTable | None,
    must_link: LinkTable | None,
    cannot_link: LinkTable | None,
    left_types: TypeTable | None,
    right_types: TypeTable | None,
    rules: LinkRules,
    progress: Progress,
) -> tuple[Links, AllowedPairs | None]:
    """Return the known links, must-links among them, and which other pairs may be linked.

    The latter is None where every pair may be.
    """
    many_to_one = rules.many_to_one
    seed_pairs, must, cannot = (
        NamedPairs.of(table, noun)
        for table, noun in ((seeds, "seed"), (must_link, "must-link"), (cannot_link, "cannot-link"))
    )
    known = Links.none()
    if seeds is not None:
        known = resolve_seeds(seed_pairs, left, right, progress, many_to_one=many_to_one)
    refuse_unknown_entities(must, left, right)
    refuse_unknown_entities(cannot, left, right)
    refuse_contradictions(seed_pairs + must, cannot, many_to_one=many_to_one)
    known = add_must_links(known, must.to_ids(left, right))
    forbidden = cannot.to_ids(left, right)
    allowed = make_allowed(left, right, forbidden, left_types, right_types, progress)
    if allowed is not None:
        n_refused = int(refused_pairs(PLAIN, allowed, known.left, known.right).sum())
        if n_refused:
            progress.warn(f"{n_refused:,} seeds link entities of different types; they are kept")
    return known, allowed


def refuse_unknown_entities(pairs: NamedPairs, left: Graph, right: Graph) -> None:
    """Raise an error where pairs name entities that the graphs do not have."""
    if problems := find_unknown_entities(pairs, left, right):
        raise InputError.of_many(problems)


def refuse_contradictions(
    demanded: NamedPairs, forbidden: NamedPairs, *, many_to_one: bool
) -> None:
    """Raise an error where demanded pairs give an entity several partners or are forbidden."""
    problems = find_rival_partners(demanded, many_to_one=many_to_one)
    demands = dict(zip(demanded.rows, demanded.places, strict=True))
    problems += [
        f"{place} forbids what {demands[row]} demands: {row[0]!r} and {row[1]!r}; remove one of "
        "them"
        for row, place in zip(forbidden.rows, forbidden.places, strict=True)
        if row in demands
    ]
    if problems:
        raise InputError.of_many(problems)


def add_must_links(seeds: Links, must: Links) -> Links:
    """Return the seeds, and behind them the must-links that are not among them."""
    known = set(zip(seeds.left.tolist(), seeds.right.tolist(), strict=True))
    pairs = dict.fromkeys(zip(must.left.tolist(), must.right.tolist(), strict=True))
    new = np.array([pair for pair in pairs if pair not in known], np.int32).reshape(-1, 2)
    return seeds.extended(Links(LeftIds(new[:, 0]), RightIds(new[:, 1])))


def keep_first_partners(seeds: Links) -> Links:
    """Return the first link of each right entity: labels start at one-to-one links alone."""
    _, first = np.unique(seeds.right, return_index=True)
    first.sort()
    return Links(LeftIds(seeds.left[first]), RightIds(seeds.right[first]))


def forbidden_pairs(allowed: AllowedPairs | None) -> Links:
    """Return the cannot-links as ids."""
    if allowed is None:
        return Links.none()
    left, right = (ids.astype(np.int32) for ids in np.divmod(allowed.forbidden, allowed.n_right))
    return Links(LeftIds(left), RightIds(right))


def make_allowed(
    left: Graph,
    right: Graph,
    cannot: Links,
    left_types: TypeTable | None,
    right_types: TypeTable | None,
    progress: Progress,
) -> AllowedPairs | None:
    """Return which pairs cannot-links and types leave; None where there are neither."""
    types, names = None, GraphNames.of_graphs(left, right)
    if left_types is not None and right_types is not None:
        left_rows = _type_rows(left_types)
        right_rows = left_rows if right_types is left_types else _type_rows(right_types)
        types = _number_types(
            _types_of(left, right, names.graph("left"), left_rows, progress),
            _types_of(right, left, names.graph("right"), right_rows, progress),
        )
    elif left_types is not None or right_types is not None:
        side = "right" if right_types is None else "left"
        raise InputError(f"{names.graph(side)} has no types; give types of both graphs")
    if types is None and not len(cannot):
        return None
    n_right = len(right.entities)
    forbidden = np.unique(cannot.left.astype(np.int64) * n_right + cannot.right)
    return AllowedPairs(n_right, forbidden, types)


def _type_rows(table: TypeTable) -> TypeRows:
    return type_frame(table).rows()


def type_frame(table: TypeTable) -> pl.DataFrame:
    """Return the entities and types of a table, which may be one that is read only once."""
    return pairs_from(table, TYPE_ROLES, noun="type").select("entity", "type")


def _types_of(
    graph: Graph, other: Graph, called: str, rows: TypeRows, progress: Progress
) -> TypeSets:
    """Return the types of each entity of a graph; entities that neither graph has are counted."""
    types: dict[int, set[str]] = defaultdict(set)
    n_unknown = 0
    for name, type_name in rows:
        number = graph.entity_ids.get(name)
        if number is None:
            n_unknown += name not in other.entity_ids
        else:
            types[number].add(type_name)
    if not types:
        raise InputError(
            f"no entity of the types is in {called}; expected the columns entity, type: "
            "are the files or the columns swapped?"
        )
    if n_unknown:
        progress.warn(f"{n_unknown:,} types of {called} skipped: neither graph has their entities")
    known = {number: frozenset(own) for number, own in types.items()}
    return [known.get(number) for number in range(len(graph.entities))]


def _number_types(left: TypeSets, right: TypeSets) -> EntityTypes:
    """Number the distinct sets of types of each side and find the sets that share a type."""
    left_sets, right_sets = (
        {types: number for number, types in enumerate(dict.fromkeys(filter(None, side)))}
        for side in (left, right)
    )
    with_type: dict[str, list[int]] = defaultdict(list)  # the right sets that hold a type
    for types, number in right_sets.items():
        for type_name in types:
            with_type[type_name].append(number)
    n_right = max(1, len(right_sets))
    agreeing = {
        left_number * n_right + right_number
        for types, left_number in left_sets.items()
        for type_name in types
        for right_number in with_type[type_name]
    }
    return EntityTypes(
        _set_numbers(left, left_sets),
        _set_numbers(right, right_sets),
        n_right,
        np.array(sorted(agreeing), np.int64),
    )


def _set_numbers(side: TypeSets, numbers: Mapping[frozenset[str], int]) -> Ints:
    """(n_entities,) the number of each entity's set of types, or that of unknown types."""
    return np.array([numbers[types] if types else UNKNOWN_TYPES for types in side], np.int32)
