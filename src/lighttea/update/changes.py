"""What became of every link of a run, and which facts did it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.update.graphs import SideChanges, Statements
from lighttea.update.last import PAIR

KEPT, NEW, CHANGED, WITHDRAWN = "kept", "new", "changed", "withdrawn"
_SHOWN = 3  # facts of a side in a reason
_CONTROL = str.maketrans("\t\r\n", "   ")


def compare_links(before: Run, after: Run, left: SideChanges, right: SideChanges) -> pl.DataFrame:
    """Return left, right, change and why of each link of either run.

    A changed link stands once, with its new right entity. A pair that has become a seed, by a
    reviewer's decision or a must-link, counts as a link.
    """
    seeds = after.seeds.join(before.seeds, on=PAIR, how="anti", maintain_order="left")
    now = pl.concat([seeds.select(PAIR), after.links.select(PAIR)])
    then = before.links.select(PAIR)
    kept = now.join(then, on=PAIR, how="semi", maintain_order="left")
    come = now.join(then, on=PAIR, how="anti", maintain_order="left")
    gone = then.join(now, on=PAIR, how="anti", maintain_order="left")
    reasons = Reasons(before, after, left, right)
    rows = [
        *reasons.of_kept(kept),
        *reasons.of_come(come, gone),
        *reasons.of_gone(gone, come),
    ]
    return pl.DataFrame(rows, schema=empty_table("changes").schema, orient="row")


@dataclass(frozen=True)
class Tidings:
    """What is new of each entity of one side: facts that came and went, in words."""

    of_entity: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, changes: SideChanges, side: str) -> Tidings:
        """Return the changed facts of a side by the entities that they name."""
        of_entity: dict[str, list[str]] = defaultdict(list)
        for sign, statements in (("+", changes.gained), ("-", changes.lost)):
            for names, words in _in_words(statements):
                for name in dict.fromkeys(names):
                    of_entity[name].append(f"{sign} {side}: {words}")
        return cls(of_entity)

    def about(self, entity: str) -> list[str]:
        """Return what is new of an entity: the first few facts, and how many more."""
        own = self.of_entity.get(entity, ())
        more = len(own) - _SHOWN
        return [*own[:_SHOWN], *([f"and {more:,} more"] if more > 0 else [])]


def _in_words(statements: Statements) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each fact and literal in words, after the entities that it names."""
    for head, relation, tail, begin, end in statements.facts.iter_rows():
        yield (head, tail), " ".join([head, relation, tail, *_times(begin, end)])
    for entity, attribute, value, _, _, begin, end in statements.literals.iter_rows():
        yield (entity,), " ".join([entity, attribute, f'"{value}"', *_times(begin, end)])


def _times(begin: str | None, end: str | None) -> list[str]:
    if begin is None and end is None:
        return []
    return [f"[{begin}]"] if begin == end else [f"[{begin or '~'} to {end or '~'}]"]


class Reasons:
    """Why links stay, come and go."""

    def __init__(self, before: Run, after: Run, left: SideChanges, right: SideChanges) -> None:
        self._tidings = Tidings.of(left, "left"), Tidings.of(right, "right")
        self._demanded = set(after.seeds.select(PAIR).iter_rows())
        self._forbidden = set(after.cannot_links.select(PAIR).iter_rows())
        self._entities = [
            set(changes.graph.entities) for changes in (left, right)
        ]  # that are still there
        self._holder = {right: left for left, right in after.links.select(PAIR).iter_rows()}
        self._graphs = after.facts_left, after.facts_right

    def of_kept(self, kept: pl.DataFrame) -> Iterator[tuple[str, str, str, str]]:
        """Yield kept links; what is new of their entities was not enough to change them."""
        for left, right in kept.iter_rows():
            why = "demanded" if (left, right) in self._demanded else self._news(left, right)
            yield left, right, KEPT, why

    def of_come(
        self, come: pl.DataFrame, gone: pl.DataFrame
    ) -> Iterator[tuple[str, str, str, str]]:
        """Yield new links, and changed ones, whose left entity had another."""
        was = dict(gone.iter_rows())
        moved = {*come["left"], *gone["left"]}
        for left, right in come.iter_rows():
            why = "demanded" if (left, right) in self._demanded else self._why(left, right, moved)
            if left not in was:
                yield left, right, NEW, why
                continue
            yield left, right, CHANGED, _joined([f"was {was[left]}", why])

    def of_gone(
        self, gone: pl.DataFrame, come: pl.DataFrame
    ) -> Iterator[tuple[str, str, str, str]]:
        """Yield withdrawn links: those whose left entity has no other now."""
        has_other = set(come["left"])
        moved = {*come["left"], *gone["left"]}
        for left, right in gone.iter_rows():
            if left not in has_other:
                yield left, right, WITHDRAWN, self._why_gone(left, right, moved)

    def _why_gone(self, left: str, right: str, moved: set[str]) -> str:
        missing = [
            name
            for name, there in zip((left, right), self._entities, strict=True)
            if name not in there
        ]
        if (left, right) in self._forbidden:
            return "forbidden"
        parts = [f"{name} is gone" for name in missing]
        if right in self._holder:
            parts.append(f"{right} is linked to {self._holder[right]} now")
        return _joined([*parts, self._why(left, right, moved)])

    def _why(self, left: str, right: str, moved: set[str]) -> str:
        """Return the facts that did it: the entities' own, or those of neighbours that moved."""
        return self._news(left, right) or self._news_of_neighbours(left, moved)

    def _news(self, left: str, right: str) -> str:
        own, other = self._tidings
        return _joined([*own.about(left), *other.about(right)])

    def _news_of_neighbours(self, left: str, moved: set[str]) -> str:
        facts = self._graphs[0].filter((pl.col("head") == left) | (pl.col("tail") == left))
        near = dict.fromkeys(pl.concat([facts["head"], facts["tail"]]).to_list())
        near.pop(left, None)
        for name in near:
            news = self._tidings[0].about(name)
            if name in moved:
                return _joined([f"the link of its neighbour {name} changed", *news])
        return "confidence was told anew among its surroundings"


def _joined(parts: Iterable[str]) -> str:
    """Return the parts of a reason on one line."""
    return "; ".join(part for part in parts if part).translate(_CONTROL)
