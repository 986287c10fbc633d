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
SIDES = ("left", "right")
NEARBY = "compared again beside entities that changed"
ANEW = "everything was aligned anew"
STILL = "compared again, although no fact changed"
Change: TypeAlias = tuple[str, str, str, str]  # left, right, change, why
_SHOWN = 3  # facts of a side in a reason
_CONTROL = str.maketrans("\t\r\n", "   ")


def compare_links(
    before: Run,
    after: Run,
    left: SideChanges,
    right: SideChanges,
    called: tuple[str, str] = SIDES,
    *,
    is_anew: bool,
) -> pl.DataFrame:
    """Return left, right, change and why of each link of either run.

    A changed link stands once, with its new right entity. A pair that has become a seed, by a
    reviewer's decision or a must-link, counts as a link. `called` is what reasons call the graphs.
    """
    seeds = after.seeds.join(before.seeds, on=PAIR, how="anti", maintain_order="left")
    now = pl.concat([seeds.select(PAIR), after.links.select(PAIR)])
    then = before.links.select(PAIR)
    kept = now.join(then, on=PAIR, how="semi", maintain_order="left")
    come = now.join(then, on=PAIR, how="anti", maintain_order="left")
    gone = then.join(now, on=PAIR, how="anti", maintain_order="left")
    moved = pl.concat([come, gone])
    reasons = Reasons(before, after, (left, right), called, moved, is_anew=is_anew)
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
    """Why links stay, come and go: what changed nearest to each of them."""

    def __init__(
        self,
        before: Run,
        after: Run,
        sides: tuple[SideChanges, SideChanges],
        called: tuple[str, str],
        moved: pl.DataFrame,
        *,
        is_anew: bool,
    ) -> None:
        self._tidings = Tidings.of(sides[0], called[0]), Tidings.of(sides[1], called[1])
        self._demanded = set(after.seeds.select(PAIR).iter_rows())
        self._forbidden = set(after.cannot_links.select(PAIR).iter_rows())
        self._there = [set(changes.graph.entities) for changes in sides]
        self._held = {right: left for left, right in before.links.select(PAIR).iter_rows()}
        self._holder = {right: left for left, right in after.links.select(PAIR).iter_rows()}
        self._holder |= {right: left for left, right in self._demanded}
        self._chances = [chances_of(run, moved) for run in (before, after)]
        self._neighbours = [
            neighbours_among(
                moved[side], [getattr(run, f"facts_{side}") for run in (after, before)]
            )
            for side in PAIR
        ]
        self._compared = ANEW if is_anew else NEARBY if any(map(len, sides)) else STILL

    def of_kept(self, kept: pl.DataFrame) -> Iterator[Change]:
        """Yield kept links; what is new of their entities was not enough to change them."""
        for left, right in kept.iter_rows():
            yield left, right, KEPT, self._stated(left, right) or self._news(left, right)

    def of_others(self, come: pl.DataFrame, gone: pl.DataFrame) -> Iterator[Change]:
        """Yield links that came, those of entities that had another, then those that went."""
        n_come, n_gone = Counter(come["left"]), Counter(gone["left"])
        was = {a: b for a, b in gone.iter_rows() if n_come[a] == n_gone[a] == 1}
        for left, right in come.iter_rows():
            why = self._stated(left, right) or self._why_come(left, right)
            if left in was:
                yield left, right, CHANGED, _joined([f"was {was[left]}", why])
            else:
                yield left, right, NEW, why
        for left, right in gone.iter_rows():
            if left not in was:
                yield left, right, WITHDRAWN, self._why_gone(left, right)

    def _stated(self, left: str, right: str) -> str:
        """Return that a user said so, where that is the reason."""
        return "demanded" if (left, right) in self._demanded else ""

    def _why_come(self, left: str, right: str) -> str:
        """Return the entities' own facts, that another lost the link, or what else did it."""
        parts = []
        if (loser := self._held.get(right, left)) != left:
            parts = [f"{right} was linked to {loser}", *self._tidings[0].about(loser)]
        return self._news(left, right) or _joined(parts) or self._else(left, right)

    def _why_gone(self, left: str, right: str) -> str:
        """Return that an entity is gone, who has the link now, their facts, or what else did it."""
        if (left, right) in self._forbidden:
            return "forbidden"
        there = zip((left, right), self._there, strict=True)
        parts = [f"{name} is gone" for name, names in there if name not in names]
        if right in self._holder:
            holder = self._holder[right]
            parts += [f"{right} is linked to {holder} now", *self._tidings[0].about(holder)]
        return _joined([*parts, self._news(left, right)]) or self._else(left, right)

    def _else(self, left: str, right: str) -> str:
        """Return what changed of a neighbour, and how far the chance of the pair moved."""
        return _joined([*self._near(left, right), self._moved(left, right)])

    def _near(self, left: str, right: str) -> list[str]:
        """Return the first neighbour of either entity that has news."""
        for name, tidings, near in zip((left, right), self._tidings, self._neighbours, strict=True):
            for other in near.get(name, ()):
                if news := tidings.about(other):
                    return [f"its neighbour {other} changed", *news]
        return []

    def _moved(self, left: str, right: str) -> str:
        """Return that the chance of a pair was told anew: no fact did it, or not alone."""
        then, now = (
            "no candidate" if chance is None else f"confidence {chance:.2f}"
            for chance in (chances.get((left, right)) for chances in self._chances)
        )
        return f"{self._compared}: {then} before, {now} now"

    def _news(self, left: str, right: str) -> str:
        own, other = self._tidings
        return _joined([*own.about(left), *other.about(right)])


def chances_of(run: Run, pairs: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Return the confidence that a run gives to some of the pairs: those that were candidates."""
    own = run.candidates.join(pairs, on=PAIR, how="semi").select(*PAIR, "confidence")
    return {(left, right): chance for left, right, chance in own.rows()}


def neighbours_among(moved: pl.Series, facts: Sequence[pl.DataFrame]) -> dict[str, list[str]]:
    """Return the neighbours of entities by facts, those first whose own links changed too."""
    names = moved.unique().to_frame("name")
    ends = pl.concat([table.select("head", "tail") for table in facts])
    ends = pl.concat([ends, ends.select(head="tail", tail="head")]).unique()
    own = ends.join(names, left_on="head", right_on="name", how="semi")
    is_still = ~pl.col("tail").is_in(moved.implode())
    near: dict[str, list[str]] = defaultdict(list)
    for name, other in own.sort("head", is_still, "tail").rows():
        near[name].append(other)
    return near


def _joined(parts: Iterable[str]) -> str:
    """Return the parts of a reason on one line."""
    return "; ".join(part for part in parts if part).translate(_CONTROL)
