"""What an explanation consists of, as plain values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lighttea.display import Displayed, GraphNames, Named, html_list, html_table, shorten
from lighttea.explain.statements import Fact, Literal, MatchedFact, MatchedLiteral

TERM_WORDS = {
    "consensus": "linked neighbours, relations, times and literals in common",
    "likelihood": "facts in common, and expected ones that are missing, as log-odds",
    "relational": "similar neighbourhood by relations (relational aspect)",
    "temporal": "similar neighbourhood by times (temporal aspect)",
    "time": "times in common (time similarity)",
    "contradiction": "facts and literals that differ although only one can be true",
    "names": "similar names",
}
SHORT_TERM_WORDS = {
    "consensus": "evidence in common",
    "likelihood": "likelihood of the facts",
    "relational": "neighbourhood by relations",
    "temporal": "neighbourhood by times",
    "time": "times in common",
    "contradiction": "contradictions",
    "names": "names",
}
_SHOWN_FACTS = 10
_LEAST_DIFFERENCE = 5e-5  # what four digits show


@dataclass(frozen=True, repr=False)
class ScorePart(Displayed):
    """A part of a score: the term it belongs to, a description, its value, what is behind it."""

    term: str
    words: str  # empty where matched facts or literals describe it
    value: float
    exact: bool  # False for an estimated share of a term
    match: int | None = None  # number of the matched fact it belongs to
    literal: int | None = None  # number of the matched literal it belongs to

    def _summary(self) -> str:
        origin = self.words
        if self.match is not None:
            origin = f"matched fact {self.match}"
        elif self.literal is not None:
            origin = f"matched literal {self.literal}"
        return f"{self.term} {self.value:.4f}, {shorten(origin, 80)}"


@dataclass(frozen=True, repr=False)
class RunnerUp(Displayed):
    """The best other candidate, and what the explained one has over it, term by term."""

    right: str
    score: float
    confidence: float
    differences: dict[str, float]  # term of the explained candidate less that of the other
    missing: tuple[Fact, ...]  # facts of the left entity that match here, not there
    missing_literals: tuple[Literal, ...] = ()
    right_name: str | None = None  # where it differs from the id

    @property
    def named_right(self) -> Named:
        """The candidate as a person reads it, and its id."""
        return Named(self.right, self.right_name)

    def differences_in_words(self) -> str:
        """Return the terms that differ, the largest difference first: `times in common +0.0231`."""
        ordered = sorted(self.differences.items(), key=lambda term: -abs(term[1]))
        return ", ".join(
            f"{SHORT_TERM_WORDS.get(term, term)} {value:+.4f}"
            for term, value in ordered
            if abs(value) >= _LEAST_DIFFERENCE
        )

    def _summary(self) -> str:
        figures = f"score {self.score:.4f}, confidence {self.confidence:.3f}"
        return f"{self.named_right.shortened()}, {figures}"


@dataclass(frozen=True, repr=False)
class Rival(Displayed):
    """Another left entity that has the same right entity among its candidates."""

    left: str
    score: float
    confidence: float
    left_name: str | None = None  # where it differs from the id

    @property
    def named_left(self) -> Named:
        """The entity as a person reads it, and its id."""
        return Named(self.left, self.left_name)

    def _summary(self) -> str:
        figures = f"score {self.score:.4f}, confidence {self.confidence:.3f}"
        return f"{self.named_left.shortened()}, {figures}"


@dataclass(frozen=True, repr=False)
class AssignmentEffect(Displayed):
    """How the confidence changed when all entities were assigned together."""

    alone: float  # by the scores of this entity's own candidates alone
    after: float  # the confidence, after the one-to-one assignment
    calibrated: bool  # whether that was calibrated to a probability
    rivals: tuple[Rival, ...]

    @property
    def by(self) -> str:
        """What changed the confidence: Sinkhorn alone, or calibration too."""
        return "Sinkhorn and calibration" if self.calibrated else "Sinkhorn"

    def _summary(self) -> str:
        return f"{self.alone:.3f} to {self.after:.3f} by {self.by}, {len(self.rivals)} rivals"


@dataclass(frozen=True, repr=False)
class Alarm(Displayed):
    """A contradiction in the times of a link."""

    kind: str
    severity: float  # 0 to 1
    message: str

    def _summary(self) -> str:
        return f"{self.kind}, severity {self.severity:g}: {shorten(self.message, 120)}"


@dataclass(frozen=True, repr=False)
class Explanation(Displayed):
    """Why two entities are, or are not, linked. The values of `terms` add up to `score`."""

    left: str
    right: str
    is_link: bool
    score: float
    confidence: float
    margin: float | None  # of a link
    fdr: float | None  # of a link with calibrated confidence
    rank: int  # among the left entity's candidates, by confidence
    aspects: dict[str, float]  # the terms of the score, whole
    terms: tuple[ScorePart, ...]
    facts: tuple[MatchedFact, ...]  # largest contribution first
    only_left: tuple[Fact, ...]
    only_right: tuple[Fact, ...]
    runner_up: RunnerUp | None
    assignment: AssignmentEffect | None  # None where Sinkhorn is off
    alarms: tuple[Alarm, ...]
    literals: tuple[MatchedLiteral, ...] = ()  # largest contribution first
    only_left_literals: tuple[Literal, ...] = ()
    only_right_literals: tuple[Literal, ...] = ()
    left_name: str | None = None  # where it differs from the id
    right_name: str | None = None
    left_graph: str = "left"  # what the graphs are called
    right_graph: str = "right"

    @property
    def named_left(self) -> Named:
        """The left entity as a person reads it, and its id."""
        return Named(self.left, self.left_name)

    @property
    def named_right(self) -> Named:
        """The right entity as a person reads it, and its id."""
        return Named(self.right, self.right_name)

    @property
    def graphs(self) -> GraphNames:
        """What the two graphs are called."""
        return GraphNames(self.left_graph, self.right_graph)

    @property
    def contradictions(self) -> tuple[MatchedFact, ...]:
        """Matched facts that differ although only one can be true; they count against the pair."""
        return tuple(fact for fact in self.facts if fact.contradicts)

    def other_parts(self) -> list[tuple[str, float, bool]]:
        """Description, value and exactness of the parts without a match, largest first."""
        sums: defaultdict[str, float] = defaultdict(float)
        exact: dict[str, bool] = {}
        for part in self.terms:
            if part.match is None and part.literal is None:
                sums[part.words] += part.value
                exact[part.words] = part.exact and exact.get(part.words, True)
        parts = [(words, value, exact[words]) for words, value in sums.items()]
        return sorted(parts, key=lambda part: -part[1])

    def literals_in_words(self) -> str:
        """Return how many literals are the same, alike and different; empty for none."""
        counts = Counter(literal.how for literal in self.literals)
        words = [f"{counts[how]:,} {how}" for how in ("same", "alike") if counts[how]]
        if n_different := counts["differs"]:
            words.append(f"{n_different:,} {'differs' if n_different == 1 else 'differ'}")
        return f"literals: {', '.join(words)}" * bool(words)

    def terms_in_words(self) -> list[tuple[str, float]]:
        """Description and value of each term of the score, largest first."""
        named = [(TERM_WORDS.get(name, name), value) for name, value in self.aspects.items()]
        return sorted(named, key=lambda term: -term[1])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        content = asdict(self)
        for part in content["terms"]:
            part["words"] = part["words"] or self._words_of(part["match"], part["literal"])
        return {**content, "contradictions": [asdict(fact) for fact in self.contradictions]}

    def _words_of(self, match: int, literal: int | None) -> str:
        """Return the description of a part that belongs to matched facts or literals."""
        return self.facts[match].words if literal is None else self.literals[literal].words

    def __str__(self) -> str:
        word = "link" if self.is_link else "candidate"
        left, right = self.named_left.words, self.named_right.words
        return f"{word} {left} = {right}, score {self.score:.4f}"

    def _summary(self) -> str:
        word = "is linked to" if self.is_link else "is not linked to"
        return (
            f"{self.named_left.shortened()} {word} {self.named_right.shortened()}: "
            f"score {self.score:.4f}, "
            f"confidence {self.confidence:.3f}, {len(self.facts):,} facts match"
            + f", {self.literals_in_words()}"
            * bool(self.literals)
        )

    def _tables(self) -> Iterable[str]:
        left, right = self.left_graph, self.right_graph
        yield html_table((left, right), [(self.named_left, self.named_right)])
        yield html_table(("term", "adds"), [(n, f"{v:.4f}") for n, v in self.terms_in_words()])
        headers = (*("", left, "", "time"), *("", right, "", "time"), "", "adds")
        yield html_table(headers, [_cells(fact) for fact in self.facts[:_SHOWN_FACTS]])
        if self.literals:
            shown = self.literals[:_SHOWN_FACTS]
            columns = ("attribute", left, "", "attribute", right, "", "adds")
            yield html_table(columns, [_literal_cells(literal) for literal in shown])
        if self.runner_up is not None:
            other = self.runner_up
            yield from html_list(
                [f"runner-up: {other.named_right.words}, confidence {other.confidence:.3f}"],
            )
        yield from html_list(f"⚠ {alarm.message}" for alarm in self.alarms)


def _cells(match: MatchedFact) -> tuple[str | Named, ...]:
    sides = [
        (fact.arrow, fact.named_relation, fact.named_neighbour, fact.time)
        for fact in (match.left, match.right)
    ]
    return *sides[0], *sides[1], match.verdict, f"{match.value:.4f}"


def _literal_cells(literal: MatchedLiteral) -> tuple[str | Named, ...]:
    left, right = literal.left, literal.right
    sides = left.named_attribute, left.short_text, literal.sign, right.named_attribute
    return *sides, right.short_text, literal.verdict, f"{literal.value:.4f}"


def renumber_matches(
    parts: Sequence[ScorePart], facts: Sequence[int], literals: Sequence[int]
) -> tuple[ScorePart, ...]:
    """Return the parts with new numbers of matches: the i-th of an order becomes number i."""
    fact_place, literal_place = (
        {None: None, **{number: i for i, number in enumerate(order)}} for order in (facts, literals)
    )
    return tuple(
        replace(part, match=fact_place[part.match], literal=literal_place[part.literal])
        for part in parts
    )
