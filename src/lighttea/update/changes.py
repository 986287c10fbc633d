"""What became of every link of a run, and which facts did it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import polars as pl

from lighttea.results.run import Run
from lighttea.results.schema import empty_table
from lighttea.update.graphs import SideChanges, Statements
from lighttea.update.last import PAIR

KEPT, NEW, CHANGED, WITHDRAWN = "kept", "new", "changed", "withdrawn"
NEARBY = "compared again beside entities that changed"
Change: TypeAlias = tuple[str, str, str, str]  # left, right, change, why
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
    rows = [*reasons.of_kept(kept), *reasons.of_others(come, gone)]
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
        self._before, self._after = before, after
        self._tidings = Tidings.of(left, "left"), Tidings.of(right, "right")
        self._demanded = set(after.seeds.select(PAIR).iter_rows())
        self._forbidden = set(after.cannot_links.select(PAIR).iter_rows())
        self._there = [set(changes.graph.entities) for changes in (left, right)]
        self._holder = {right: left for left, right in after.links.select(PAIR).iter_rows()}
        self._holder |= {right: left for left, right in self._demanded}

    def of_kept(self, kept: pl.DataFrame) -> Iterator[Change]:
        """Yield kept links; what is new of their entities was not enough to change them."""
        for left, right in kept.iter_rows():
            yield left, right, KEPT, self._stated(left, right) or self._news(left, right)

    def of_others(self, come: pl.DataFrame, gone: pl.DataFrame) -> Iterator[Change]:
        """Yield links that came, those of entities that had another, then those that went."""
        n_come, n_gone = Counter(come["left"]), Counter(gone["left"])
        was = {a: b for a, b in gone.iter_rows() if n_come[a] == n_gone[a] == 1}
        nearby = self._neighbours({*come["left"], *gone["left"]})
        for left, right in come.iter_rows():
            why = self._stated(left, right) or self._why(left, right, nearby)
            if left in was:
                yield left, right, CHANGED, _joined([f"was {was[left]}", why])
            else:
                yield left, right, NEW, why
        for left, right in gone.iter_rows():
            if left not in was:
                yield left, right, WITHDRAWN, self._why_gone(left, right, nearby)

    def _stated(self, left: str, right: str) -> str:
        """Return that a user said so, where that is the reason."""
        return "demanded" if (left, right) in self._demanded else ""

    def _why_gone(self, left: str, right: str, nearby: Mapping[str, Sequence[str]]) -> str:
        if (left, right) in self._forbidden:
            return "forbidden"
        there = zip((left, right), self._there, strict=True)
        parts = [f"{name} is gone" for name, names in there if name not in names]
        if right in self._holder:
            parts.append(f"{right} is linked to {self._holder[right]} now")
        return _joined([*parts, self._news(left, right)]) or self._why(left, right, nearby)

    def _why(self, left: str, right: str, nearby: Mapping[str, Sequence[str]]) -> str:
        """Return the facts that did it: the entities' own, or those of a neighbour."""
        if own := self._news(left, right):
            return own
        for name in nearby.get(left, ()):
            if news := self._tidings[0].about(name):
                return _joined([f"its neighbour {name} changed", *news])
        return NEARBY

    def _news(self, left: str, right: str) -> str:
        own, other = self._tidings
        return _joined([*own.about(left), *other.about(right)])

    def _neighbours(self, moved: set[str]) -> Mapping[str, Sequence[str]]:
        """Return the neighbours of entities, those first whose own links changed too."""
        names = pl.DataFrame({"name": sorted(moved)}, schema={"name": pl.String})
        facts = pl.concat([run.facts_left.select("head", "tail") for run in self._runs])
        ends = pl.concat([facts, facts.select(head="tail", tail="head")])
        near: dict[str, dict[str, None]] = defaultdict(dict)
        for name, other in ends.join(names, left_on="head", right_on="name", how="semi").rows():
            near[name][other] = None
        return {
            name: sorted(others, key=lambda other: other not in moved)
            for name, others in near.items()
        }

    @property
    def _runs(self) -> tuple[Run, Run]:
        return self._after, self._before


def _joined(parts: Iterable[str]) -> str:
    """Return the parts of a reason on one line."""
    return "; ".join(part for part in parts if part).translate(_CONTROL)
