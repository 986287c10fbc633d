"""What a user lays down about the links: who must, who cannot, which types agree, how many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from lighttea.config import LinkRules
from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.inputs.links import LinkTable, link_rows, resolve_seeds
from lighttea.progress import Progress
from lighttea.similarity.allowed import UNKNOWN_KIND, Allowed, Kinds
from lighttea.types import LeftIds, RightIds

if TYPE_CHECKING:
    import polars as pl

TypeTable: TypeAlias = "pl.DataFrame | Iterable[tuple[str, str]]"


def lay_down(
    left: Graph,
    right: Graph,
    seeds: LinkTable | None,
    must_link: LinkTable | None,
    cannot_link: LinkTable | None,
    left_types: TypeTable | None,
    right_types: TypeTable | None,
    rules: LinkRules,
    progress: Progress,
) -> tuple[Links, Allowed | None]:
    """The known links, must-links among them, and which other pairs are allowed."""
    many = rules.many_to_one
    seeds = seeds if seeds is None or hasattr(seeds, "columns") else list(seeds)  # read twice
    known = Links.none()
    if seeds is not None:
        known = resolve_seeds(seeds, left, right, progress, many_to_one=many)
    must, cannot = Pairs.of(must_link, "must-link"), Pairs.of(cannot_link, "cannot-link")
    demanded, forbidden = must.ids(left, right), cannot.ids(left, right)
    refuse_contradictions(Pairs.of(seeds, "seed") + must, cannot, many_to_one=many)
    known = with_must_links(known, demanded)
    allowed = make_allowed(left, right, forbidden, left_types, right_types, progress)
    if allowed is not None and (odd := int(allowed.refuses(known.left, known.right).sum())):
        progress.warn(f"{odd:,} seeds link entities of different types; seeds come first")
    return known, allowed


@dataclass(frozen=True)
class Pairs:
    """Pairs of names and where each was said."""

    rows: Sequence[tuple[str, str]]
    places: Sequence[str]

    @classmethod
    def of(cls, links: LinkTable | None, what: str) -> Pairs:
        """From couples or a frame; its columns source and line, where there are, say the place."""
        if links is None:
            return cls([], [])
        columns = getattr(links, "columns", ())
        rows = link_rows(links)
        frame = cast("pl.DataFrame", links)
        numbers = frame["line"].to_list() if "line" in columns else range(1, len(rows) + 1)
        if "source" in columns:
            places = [f"{s}:{n}" for s, n in zip(frame["source"], numbers, strict=True)]
        else:
            places = [f"{what} {number}" for number in numbers]
        return cls(rows, places)

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs([*self.rows, *other.rows], [*self.places, *other.places])

    def ids(self, left: Graph, right: Graph) -> Links:
        """The pairs as ids; who is unknown is an error."""
        problems = [
            f"{place}: {name!r} is not an entity of the {side} graph"
            + (f" ({graph.source})" if graph.source else "")
            for place, (one, other) in zip(self.places, self.rows, strict=True)
            for name, side, graph in ((one, "left", left), (other, "right", right))
            if name not in graph.entity_ids
        ]
        if problems:
            raise InputError.of_many(problems)
        return Links(
            LeftIds(np.array([left.entity_ids[one] for one, _ in self.rows], np.int32)),
            RightIds(np.array([right.entity_ids[other] for _, other in self.rows], np.int32)),
        )


def refuse_contradictions(demanded: Pairs, forbidden: Pairs, *, many_to_one: bool) -> None:
    """Seeds and must-links that give an entity two partners, or that a cannot-link forbids."""
    problems = _rivals(demanded, "left")
    if not many_to_one:
        problems += _rivals(demanded, "right")
    said = dict(zip(demanded.rows, demanded.places, strict=True))
    problems += [
        f"{place} forbids what {said[row]} demands: {row[0]!r} and {row[1]!r}; remove one of them"
        for row, place in zip(forbidden.rows, forbidden.places, strict=True)
        if row in said
    ]
    if problems:
        raise InputError.of_many(problems)


def _rivals(demanded: Pairs, side: str) -> list[str]:
    """Entities of one side that are linked to two of the other."""
    own = 0 if side == "left" else 1
    partners: dict[str, dict[str, str]] = defaultdict(dict)
    for row, place in zip(demanded.rows, demanded.places, strict=True):
        partners[row[own]].setdefault(row[1 - own], place)
    return [
        f"{side} entity {name!r} has two partners: "
        + " and ".join(f"{partner!r} ({place})" for partner, place in who.items())
        + "; remove one of the rows"
        for name, who in partners.items()
        if len(who) > 1
    ]


def with_must_links(seeds: Links, must: Links) -> Links:
    """The seeds and the must-links that are not among them."""
    known = set(zip(seeds.left.tolist(), seeds.right.tolist(), strict=True))
    pairs = dict.fromkeys(zip(must.left.tolist(), must.right.tolist(), strict=True))
    new = np.array([pair for pair in pairs if pair not in known], np.int32).reshape(-1, 2)
    return seeds.and_also(LeftIds(new[:, 0]), RightIds(new[:, 1]))


def one_for_each_right(seeds: Links) -> Links:
    """Of several left partners of a right entity the first: labels know one-to-one links alone."""
    _, first = np.unique(seeds.right, return_index=True)
    first.sort()
    return Links(LeftIds(seeds.left[first]), RightIds(seeds.right[first]))


def forbidden_pairs(allowed: Allowed | None) -> Links:
    """The cannot-links as ids."""
    if allowed is None:
        return Links.none()
    left, right = (ids.astype(np.int32) for ids in np.divmod(allowed.banned, allowed.n_right))
    return Links(LeftIds(left), RightIds(right))


def make_allowed(
    left: Graph,
    right: Graph,
    cannot: Links,
    left_types: TypeTable | None,
    right_types: TypeTable | None,
    progress: Progress,
) -> Allowed | None:
    """What cannot-links and types leave; None where nothing was laid down."""
    kinds = None
    if left_types is not None and right_types is not None:
        kinds = _kinds(
            _types_of(left, right, "left", left_types, progress),
            _types_of(right, left, "right", right_types, progress),
        )
    elif left_types is not None or right_types is not None:
        side = "right" if right_types is None else "left"
        raise InputError(f"types of the {side} graph are missing: types are compared between both")
    if kinds is None and not len(cannot):
        return None
    n_right = len(right.entities)
    banned = np.unique(cannot.left.astype(np.int64) * n_right + cannot.right)
    return Allowed(n_right, banned, kinds)


def _types_of(
    graph: Graph, other: Graph, side: str, table: TypeTable, progress: Progress
) -> list[frozenset[str] | None]:
    """The types of each entity, None where nothing is said; names nobody has are counted."""
    found: dict[int, set[str]] = defaultdict(set)
    strangers = 0
    for name, kind in type_rows(table):
        number = graph.entity_ids.get(name)
        if number is None:
            strangers += name not in other.entity_ids
        else:
            found[number].add(kind)
    if not found:
        raise InputError(
            f"no entity of the types is one of the {side} graph; are the files swapped, or the "
            "columns? expected entity, type"
        )
    if strangers:
        progress.warn(f"{strangers:,} {side} types are of entities that neither graph has")
    return [
        frozenset(found[number]) if number in found else None
        for number in range(len(graph.entities))
    ]


def type_rows(table: TypeTable) -> list[tuple[str, str]]:
    """Couples of entity and type, from a frame with these columns or from couples."""
    columns = getattr(table, "columns", None)
    if columns is None:
        rows = [tuple(map(str, row)) for row in table]
        if any(len(row) != 2 for row in rows):
            raise InputError("a type is a couple (entity, type)")
        return [(row[0], row[1]) for row in rows]
    if not {"entity", "type"} <= set(columns):
        raise InputError(f"types need columns entity and type; found: {', '.join(columns)}")
    frame = cast("pl.DataFrame", table)
    return [(str(entity), str(kind)) for entity, kind in frame.select("entity", "type").rows()]


def _kinds(left: list[frozenset[str] | None], right: list[frozenset[str] | None]) -> Kinds:
    """Number the sets of types and find those that share one."""
    sets = [
        {kinds: n for n, kinds in enumerate(dict.fromkeys(k for k in side if k))}
        for side in (left, right)
    ]
    holders: dict[str, list[int]] = defaultdict(list)
    for kinds, number in sets[1].items():
        for kind in kinds:
            holders[kind].append(number)
    n_right = max(1, len(sets[1]))
    agreeing = {
        number * n_right + other
        for kinds, number in sets[0].items()
        for kind in kinds
        for other in holders[kind]
    }
    numbers = [
        np.array([known[kinds] if kinds else UNKNOWN_KIND for kinds in side], np.int32)
        for side, known in zip((left, right), sets, strict=True)
    ]
    return Kinds(numbers[0], numbers[1], n_right, np.array(sorted(agreeing), np.int64))
