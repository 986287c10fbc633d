"""Explanations of a run's links and candidates, from what the run wrote."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lighttea.display import Displayed
from lighttea.errors import InputError
from lighttea.explain.explanation import (
    Alarm,
    AssignmentEffect,
    Explanation,
    Fact,
    MatchedFact,
    Rival,
    RunnerUp,
    renumber_matches,
)
from lighttea.explain.matching import Match, match_facts
from lighttea.explain.parts import Couple, split_terms
from lighttea.explain.source import Neighbourhood, Source
from lighttea.results.run import Run

SHOWN_RIVALS = 3
SHOWN_MISSING = 5


class Explainer(Displayed):
    """Explains any candidate pair of a run; the run's tables are prepared once, when it is made."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.source = Source.of(run)
        columns = run.candidates.columns  # the terms of a score stand before it
        self.terms = columns[columns.index("rank") + 1 : columns.index("score")]
        self._rows = _row_ranges(run.candidates["left"])
        self._links = dict(run.best_links.select("left", "right").rows())
        pairs = run.links.select("left", "right").rows()
        self._margins = dict(zip(pairs, run.links["margin"].to_list(), strict=True))

    def _summary(self) -> str:
        return f"{len(self.run.candidates):,} candidates of {len(self._rows):,} left entities"

    def candidates_of(self, left: str) -> pl.DataFrame:
        """The kept candidates of a left entity, the surest first; `rank` says which one it is.

        A run ranks them by their values after assignment. Confidence is made of more than that, and
        it is what margins and people go by.
        """
        if left not in self._rows:
            raise InputError(self._why_none(left))
        begin, count = self._rows[left]
        own = self.run.candidates.slice(begin, count)
        own = own.sort("confidence", descending=True, maintain_order=True)
        return own.with_columns(rank=pl.int_range(1, count + 1, dtype=pl.Int32, eager=True))

    def surest(self) -> pl.DataFrame:
        """Of each left entity the surest candidate, and `second`, the confidence of the next."""
        begin = np.array([first for first, _ in self._rows.values()], np.int64)
        if not len(begin):
            return self.run.candidates.with_columns(second=pl.lit(0.0, pl.Float32))
        value = self.run.candidates["confidence"].to_numpy()
        n = np.diff([*begin, len(value)])
        top = np.maximum.reduceat(value, begin)
        places = np.flatnonzero(value == np.repeat(top, n))
        owner = np.searchsorted(begin, places, side="right") - 1
        best = places[np.unique(owner, return_index=True)[1]]  # the first of equals
        others = value.copy()
        others[best] = 0
        second = pl.Series("second", np.maximum.reduceat(others, begin))
        return self.run.candidates.select(pl.all().gather(best)).with_columns(second)

    def explain(self, left: str, right: str | None = None) -> Explanation:
        """Explain a pair; without a right entity the link, or else the best candidate."""
        candidates = self.candidates_of(left)
        if right is None:
            right = self._links.get(left, candidates["right"][0])
        row = self._row(candidates, left, right)
        terms = {name: float(row[name]) for name in self.terms}
        couple = self._couple(left, right)
        parts = split_terms(self.source, couple, terms)
        facts, order = self._matched(couple, parts)
        margin = self._margins.get((left, right))
        return Explanation(
            left=left,
            right=right,
            is_link=margin is not None,
            score=float(row["score"]),
            confidence=float(row["confidence"]),
            margin=margin,
            rank=int(row["rank"]),
            aspects=terms,
            terms=renumber_matches(parts, order),
            facts=facts,
            only_left=self._unmatched(couple.left, {one.left for one in couple.matches}),
            only_right=self._unmatched(couple.right, {one.right for one in couple.matches}),
            runner_up=self._runner_up(candidates, row, couple),
            assignment=self._assignment(candidates, row),
            alarms=tuple(self._alarms.get((left, right), ())),
        )

    def prepare(self) -> None:
        """Make now what would otherwise be made for the first explanation."""
        _ = self._alarms, self._by_right
        for time in {kind.time for kind, _ in self.source.tokens} - {"name"}:
            self.source.rows(time)

    @cached_property
    def _alarms(self) -> dict[tuple[str, str], list[Alarm]]:
        """The temporal alarms by link."""
        found: defaultdict[tuple[str, str], list[Alarm]] = defaultdict(list)
        for row in self.run.alarms.drop_nulls("left").rows(named=True):
            alarm = Alarm(row["kind"], row["severity"], row["message"])
            found[row["left"], row["right"]].append(alarm)
        return dict(found)

    @cached_property
    def _by_right(self) -> tuple[pl.Series, dict[str, tuple[int, int]]]:
        """The candidates in the order of their right entities, and where each one's begin."""
        order = self.run.candidates["right"].cast(pl.Categorical).to_physical().arg_sort()
        return order, _row_ranges(self.run.candidates["right"].gather(order))

    def _row(self, candidates: pl.DataFrame, left: str, right: str) -> dict[str, Any]:
        found = candidates.filter(pl.col("right") == right)
        if found.is_empty():
            self.source.right.number_of(right, "right")
            best = ", ".join(repr(name) for name in candidates["right"].head(3))
            raise InputError(
                f"{right!r} is not among the {len(candidates)} kept candidates of {left!r}, so it "
                f"has no score; the best ones are {best}"
            )
        return found.row(0, named=True)

    def _why_none(self, left: str) -> str:
        self.source.left.number_of(left, "left")
        seeds = self.run.seeds.filter(pl.col("left") == left)
        if len(seeds):
            return f"{left!r} was given as a seed (with {seeds['right'][0]!r}): it has no score"
        return f"{left!r} has no candidates: no fact connects it to a seed"

    def _couple(self, left: str, right: str) -> Couple:
        source = self.source
        one = source.left.number_of(left, "left")
        other = source.right.number_of(right, "right")
        facts = source.left.facts_of(one), source.right.facts_of(other)
        matches = match_facts(*facts, source)
        return Couple(*facts, matches, one, other + source.pair.n_left)

    def _matched(
        self, couple: Couple, parts: list[Any]
    ) -> tuple[tuple[MatchedFact, ...], list[int]]:
        """Matched facts, most telling first, and the order that puts them so."""
        value: defaultdict[int, float] = defaultdict(float)
        for part in parts:
            if part.match is not None:
                value[part.match] += part.value
        order = sorted(range(len(couple.matches)), key=lambda number: -value[number])
        facts = [self._fact_pair(couple, couple.matches[number], value[number]) for number in order]
        return tuple(facts), order

    def _fact_pair(self, couple: Couple, match: Match, value: float) -> MatchedFact:
        return MatchedFact(
            left=self._fact(couple.left, match.left),
            right=self._fact(couple.right, match.right),
            same_neighbour=match.same_neighbour,
            same_relation=match.same_relation,
            time=match.time,
            contradicts=match.contradicts,
            value=value,
        )

    def _fact(self, facts: Neighbourhood, place: int) -> Fact:
        source = self.source
        relation, is_inverse = source.relation_name(int(facts.relation[place]))
        return Fact(
            relation=relation,
            inverse=is_inverse,
            neighbour=source.entity_name(int(facts.neighbour[place])),
            begin=source.tick_name(int(facts.begin[place])),
            end=source.tick_name(int(facts.end[place])),
        )

    def _unmatched(self, facts: Neighbourhood, matched: set[int]) -> tuple[Fact, ...]:
        rest = (place for place in range(len(facts)) if place not in matched)
        return tuple(self._fact(facts, place) for place in rest)

    def _runner_up(
        self, candidates: pl.DataFrame, row: dict[str, Any], couple: Couple
    ) -> RunnerUp | None:
        others = candidates.filter(pl.col("right") != row["right"]).head(1)
        if others.is_empty():
            return None
        other = others.row(0, named=True)
        there = {
            one.left for one in self._couple(row["left"], other["right"]).matches if one.agrees
        }
        here = [one.left for one in couple.matches if one.agrees and one.left not in there]
        return RunnerUp(
            right=other["right"],
            score=float(other["score"]),
            confidence=float(other["confidence"]),
            differences={name: float(row[name] - other[name]) for name in self.terms},
            missing=tuple(self._fact(couple.left, place) for place in here[:SHOWN_MISSING]),
        )

    def _assignment(self, candidates: pl.DataFrame, row: dict[str, Any]) -> AssignmentEffect | None:
        config = self.source.config
        if not config.sinkhorn:
            return None
        score = candidates["score"].to_numpy().astype(np.float64)
        weight = np.exp((score - score.max()) / config.temperature)
        own = np.exp((row["score"] - score.max()) / config.temperature)
        wanting = self._wanting(row["right"])
        rivals = wanting.filter(pl.col("left") != row["left"]).head(SHOWN_RIVALS)
        return AssignmentEffect(
            alone=float(own / weight.sum()),
            after=float(row["confidence"]),
            calibrated=config.calibrated,
            rivals=tuple(
                Rival(*one) for one in rivals.select("left", "score", "confidence").rows()
            ),
        )

    def _wanting(self, right: str) -> pl.DataFrame:
        """Who has this right entity among its candidates, the highest score first."""
        order, ranges = self._by_right
        begin, count = ranges.get(right, (0, 0))
        places = order.slice(begin, count)
        return self.run.candidates.select(pl.all().gather(places)).sort("score", descending=True)


def _row_ranges(names: pl.Series) -> dict[str, tuple[int, int]]:
    """First row and number of rows of each name; equal names stand together."""
    if names.is_empty():
        return {}
    runs = names.rle()
    lengths = runs.struct.field("len").to_numpy()
    begin = np.cumsum(lengths) - lengths
    values = runs.struct.field("value").to_list()
    return {
        name: (int(first), int(n)) for name, first, n in zip(values, begin, lengths, strict=True)
    }
