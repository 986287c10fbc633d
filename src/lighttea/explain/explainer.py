"""Explanations of a run's links and candidates, from what the run wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lighttea.display import Displayed, Named, without_isolates
from lighttea.errors import InputError
from lighttea.evidence.literals import LITERAL_KINDS
from lighttea.explain.explanation import (
    Alarm,
    AssignmentEffect,
    Explanation,
    Rival,
    RunnerUp,
    renumber_matches,
)
from lighttea.explain.literals import ComparedLiterals, compare_literals
from lighttea.explain.matched_literals import PairLiterals, missing_literals
from lighttea.explain.matching import Match, match_facts
from lighttea.explain.parts import CandidatePair, split_terms
from lighttea.explain.search import describe_homonyms, describe_nearest, quote_entity
from lighttea.explain.source import Neighbourhood, Source
from lighttea.explain.statements import Fact, MatchedFact
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
        self._fdr = dict(zip(pairs, run.links["fdr"].to_list(), strict=True))

    def _summary(self) -> str:
        return f"{len(self.run.candidates):,} candidates of {len(self._rows):,} left entities"

    def candidates_of(self, left: str) -> pl.DataFrame:
        """Return the kept candidates of a left entity, sorted and ranked by confidence.

        The run's own `rank` is by the value after assignment. Margins compare confidence, which
        takes more into account.
        """
        if left not in self._rows:
            left = self.find(left, "left")
        if left not in self._rows:
            raise InputError(self._explain_absence(left))
        begin, count = self._rows[left]
        own = self.run.candidates.slice(begin, count)
        own = own.sort("confidence", descending=True, maintain_order=True)
        return own.with_columns(rank=pl.int_range(1, count + 1, dtype=pl.Int32, eager=True))

    def best_candidates(self) -> pl.DataFrame:
        """Return the most confident candidate of each left entity, and the `second` confidence."""
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
        """Explain a candidate pair; without `right`, the link or else the best candidate.

        Entities are given by their ids or their names.
        """
        left = self.find(left, "left")
        candidates = self.candidates_of(left)
        if right is None:
            right = self._links.get(left, candidates["right"][0])
        else:
            right = self.find(right, "right", among=candidates["right"])
        row = self._row(candidates, left, right)
        terms = {name: float(row[name]) for name in self.terms}
        candidate = self._candidate_pair(left, right)
        parts = split_terms(self.source, candidate, terms)
        facts, order = self._matched_facts(candidate, parts)
        literals = PairLiterals.of(self.source, candidate, parts)
        margin = self._margins.get((left, right))
        return Explanation(
            left=left,
            right=right,
            is_link=margin is not None,
            score=float(row["score"]),
            confidence=float(row["confidence"]),
            margin=margin,
            fdr=self._fdr.get((left, right)),
            rank=int(row["rank"]),
            aspects=terms,
            terms=renumber_matches(parts, order, literals.order),
            facts=facts,
            only_left=self._unmatched(candidate.left, {match.left for match in candidate.matches}),
            only_right=self._unmatched(
                candidate.right, {match.right for match in candidate.matches}
            ),
            runner_up=self._runner_up(candidates, row, candidate),
            assignment=self._assignment(candidates, row),
            alarms=tuple(self._alarms.get((left, right), ())),
            literals=literals.matched,
            only_left_literals=literals.only_left,
            only_right_literals=literals.only_right,
            left_name=self.names[0].get(left),
            right_name=self.names[1].get(right),
            left_graph=self.source.graph_names.left,
            right_graph=self.source.graph_names.right,
        )

    def find(self, written: str, side: str, among: Collection[str] = ()) -> str:
        """Return the id of an entity of one side, found by its id or its name.

        Where several entities have the name, the only one in `among` is taken. The error for an
        unknown or ambiguous name lists the likely entities.
        """
        source, text = self.source, without_isolates(written)
        own, other = (source.left, source.right)[:: 1 if side == "left" else -1]
        if text and text in own.graph.entity_ids:
            return text
        ids = own.index.find(text)
        preferable = set(among)
        preferred = [entity for entity in ids if entity in preferable]
        ids = preferred if len(preferred) == 1 else ids
        if len(ids) == 1:
            return ids[0]
        graph = source.graph_names.graph(side)
        if ids:
            raise InputError(describe_homonyms(text, graph, ids, own.index))
        advice = describe_nearest(own.index.nearest(text))
        if not advice and (text in other.graph.entity_ids or other.index.find(text)):
            elsewhere = source.graph_names.graph("right" if side == "left" else "left")
            advice = f"; it belongs to {elsewhere}: give the left entity first, then the right one"
        raise InputError(f"{text!r} is not an entity of {graph}{advice}")

    def prepare(self) -> None:
        """Load the tables that explanations need, so that the first one is fast."""
        _ = self._alarms, self._by_right
        _ = self.source.literal_rows
        for kind, _ in self.source.tokens:
            if kind not in LITERAL_KINDS:
                self.source.rows(kind.time)

    @property
    def names(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What the left and the right entities are called, where that is not their id."""
        return self.source.left.graph.entity_names, self.source.right.graph.entity_names

    @cached_property
    def _alarms(self) -> dict[tuple[str, str], list[Alarm]]:
        """The alarms of each link."""
        alarms: defaultdict[tuple[str, str], list[Alarm]] = defaultdict(list)
        for row in self.run.alarms.drop_nulls("left").rows(named=True):
            alarm = Alarm(row["kind"], row["severity"], row["message"])
            alarms[row["left"], row["right"]].append(alarm)
        return dict(alarms)

    @cached_property
    def _by_right(self) -> tuple[pl.Series, dict[str, tuple[int, int]]]:
        """The order of the candidates by right entity, and the range of each entity in it."""
        order = self.run.candidates["right"].cast(pl.Categorical).to_physical().arg_sort()
        return order, _row_ranges(self.run.candidates["right"].gather(order))

    def _row(self, candidates: pl.DataFrame, left: str, right: str) -> dict[str, Any]:
        rows = candidates.filter(pl.col("right") == right)
        if rows.is_empty():
            best = (self._words("right", name) for name in candidates["right"].head(3))
            raise InputError(
                f"{self._words('right', right)} is not among the {len(candidates)} kept "
                f"candidates of {self._words('left', left)}, so it has no score; its best "
                f"candidates are {', '.join(best)}"
            )
        return rows.row(0, named=True)

    def _explain_absence(self, left: str) -> str:
        words = self._words("left", left)
        seeds = self.run.seeds.filter(pl.col("left") == left)
        if len(seeds):
            partner = self._words("right", seeds["right"][0])
            return f"{words} is a seed (with {partner}), so it has no score"
        return f"{words} has no candidates: no fact connects it to a seed"

    def _words(self, side: str, entity: str) -> str:
        """Return an entity for a message: its id in quotes, its name before it."""
        return quote_entity(Named.of(entity, self.names[side == "right"]))

    def _candidate_pair(self, left: str, right: str) -> CandidatePair:
        source = self.source
        left_number, right_number = source.left.number_of(left), source.right.number_of(right)
        facts = source.left.facts_of(left_number), source.right.facts_of(right_number)
        right_node = right_number + source.pair.n_left
        against = source.contradictions.between(left_number, right_node)
        matches = match_facts(*facts, source, against)
        rows = source.literal_rows
        literals = (
            ComparedLiterals() if rows is None else compare_literals(rows, left_number, right_node)
        )
        return CandidatePair(*facts, matches, left_number, right_node, literals)

    def _matched_facts(
        self, candidate: CandidatePair, parts: list[Any]
    ) -> tuple[tuple[MatchedFact, ...], list[int]]:
        """Return the matched facts, largest contribution first, and their order."""
        value: defaultdict[int, float] = defaultdict(float)
        for part in parts:
            if part.match is not None:
                value[part.match] += part.value
        order = sorted(range(len(candidate.matches)), key=lambda number: -value[number])
        facts = [
            self._matched_fact(candidate, candidate.matches[number], value[number])
            for number in order
        ]
        return tuple(facts), order

    def _matched_fact(self, candidate: CandidatePair, match: Match, value: float) -> MatchedFact:
        return MatchedFact(
            left=self._fact(candidate.left, match.left),
            right=self._fact(candidate.right, match.right),
            same_neighbour=match.same_neighbour,
            same_relation=match.same_relation,
            time=match.time,
            contradicts=match.contradicts,
            value=value,
        )

    def _fact(self, facts: Neighbourhood, place: int) -> Fact:
        source = self.source
        relation, is_inverse = source.relation(int(facts.relation[place]))
        neighbour = source.entity(int(facts.neighbour[place]))
        return Fact(
            relation=relation.id,
            inverse=is_inverse,
            neighbour=neighbour.id,
            begin=source.tick_name(int(facts.begin[place])),
            end=source.tick_name(int(facts.end[place])),
            relation_name=relation.name,
            neighbour_name=neighbour.name,
        )

    def _unmatched(self, facts: Neighbourhood, matched: set[int]) -> tuple[Fact, ...]:
        rest = (place for place in range(len(facts)) if place not in matched)
        return tuple(self._fact(facts, place) for place in rest)

    def _runner_up(
        self, candidates: pl.DataFrame, row: dict[str, Any], candidate: CandidatePair
    ) -> RunnerUp | None:
        others = candidates.filter(pl.col("right") != row["right"]).head(1)
        if others.is_empty():
            return None
        other = others.row(0, named=True)
        there = self._candidate_pair(row["left"], other["right"])
        matched_there = {match.left for match in there.matches if match.agrees}
        matched_here = [
            match.left
            for match in candidate.matches
            if match.agrees and match.left not in matched_there
        ]
        return RunnerUp(
            right=other["right"],
            score=float(other["score"]),
            confidence=float(other["confidence"]),
            differences={name: float(row[name] - other[name]) for name in self.terms},
            missing=tuple(
                self._fact(candidate.left, place) for place in matched_here[:SHOWN_MISSING]
            ),
            missing_literals=missing_literals(self.source, candidate, there)[:SHOWN_MISSING],
            right_name=self.names[1].get(other["right"]),
        )

    def _assignment(self, candidates: pl.DataFrame, row: dict[str, Any]) -> AssignmentEffect | None:
        config = self.source.config
        if not config.sinkhorn:
            return None
        score = candidates["score"].to_numpy().astype(np.float64)
        weight = np.exp((score - score.max()) / config.temperature)
        own = np.exp((row["score"] - score.max()) / config.temperature)
        competing = self._candidates_with(row["right"])
        rivals = competing.filter(pl.col("left") != row["left"]).head(SHOWN_RIVALS)
        return AssignmentEffect(
            alone=float(own / weight.sum()),
            after=float(row["confidence"]),
            calibrated=config.calibrated,
            rivals=tuple(
                Rival(left, score, confidence, self.names[0].get(left))
                for left, score, confidence in rivals.select("left", "score", "confidence").rows()
            ),
        )

    def _candidates_with(self, right: str) -> pl.DataFrame:
        """Return the candidate rows with this right entity, highest score first."""
        order, ranges = self._by_right
        begin, count = ranges.get(right, (0, 0))
        places = order.slice(begin, count)
        return self.run.candidates.select(pl.all().gather(places)).sort("score", descending=True)


def _row_ranges(names: pl.Series) -> dict[str, tuple[int, int]]:
    """Return first row and number of rows of each name; equal names are adjacent."""
    if names.is_empty():
        return {}
    runs = names.rle()
    lengths = runs.struct.field("len").to_numpy()
    begin = np.cumsum(lengths) - lengths
    values = runs.struct.field("value").to_list()
    return {
        name: (int(first), int(n)) for name, first, n in zip(values, begin, lengths, strict=True)
    }
