"""What an explanation says, as plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lighttea.explain.parts import Part

TERM_WORDS = {
    "consensus": "linked neighbours, relations and times in common",
    "relational": "similar neighbourhood by relations (relational aspect)",
    "temporal": "similar neighbourhood by times (temporal aspect)",
    "time": "times in common (time similarity)",
    "names": "similar names",
}


@dataclass(frozen=True)
class Fact:
    """A fact as its entity sees it."""

    relation: str
    inverse: bool  # the entity is the tail
    neighbour: str
    begin: str | None
    end: str | None

    @property
    def time(self) -> str:
        """The time in words; empty for unknown."""
        if self.begin == self.end:
            return self.begin or ""
        if self.begin is None:
            return f"until {self.end}"
        return f"since {self.begin}" if self.end is None else f"{self.begin} to {self.end}"

    @property
    def words(self) -> str:
        """Relation and neighbour, an arrow for the direction."""
        return f"{'←' if self.inverse else '→'} {self.relation}: {self.neighbour}"


@dataclass(frozen=True)
class MatchedFact:
    """Two facts that seem to say the same, and what they add to the score."""

    left: Fact
    right: Fact
    same_neighbour: bool
    same_relation: bool
    time: str  # same, overlaps, differs or unknown
    contradicts: bool
    value: float

    @property
    def verdict(self) -> str:
        """What agrees and what does not, in words."""
        if not self.same_neighbour:
            return "neighbours not linked"
        relation = "" if self.same_relation else ", other relation"
        words = {"same": "same time", "overlaps": "times overlap", "differs": "times differ"}
        return words.get(self.time, "time not told on both sides") + relation


@dataclass(frozen=True)
class RunnerUp:
    """The best other candidate, and what speaks for the explained one instead, term by term."""

    right: str
    score: float
    confidence: float
    differences: dict[str, float]  # term of the explained candidate less that of the other
    missing: tuple[Fact, ...]  # facts of the left entity that match here, not there


@dataclass(frozen=True)
class Rival:
    """Another left entity that wants the same right one."""

    left: str
    score: float
    confidence: float


@dataclass(frozen=True)
class Assignment:
    """What the Sinkhorn operator made of the scores."""

    alone: float  # value by this entity's own candidates alone
    after: float  # the confidence, when nobody is taken twice
    calibrated: bool  # whether it was made a chance to be right after that
    rivals: tuple[Rival, ...]

    @property
    def by(self) -> str:
        """What lies between the two, in words."""
        return "Sinkhorn and calibration" if self.calibrated else "Sinkhorn"


@dataclass(frozen=True)
class Alarm:
    """Something in the times of a link that should not be."""

    kind: str
    severity: float  # 0 to 1
    message: str


@dataclass(frozen=True)
class Explanation:
    """Why two entities are, or are not, linked. The values of `terms` add up to `score`."""

    left: str
    right: str
    is_link: bool
    score: float
    confidence: float
    margin: float | None  # of a link
    rank: int  # among the left entity's candidates, by confidence
    aspects: dict[str, float]  # the terms of the score, whole
    terms: tuple[Part, ...]
    facts: tuple[MatchedFact, ...]  # most telling first
    only_left: tuple[Fact, ...]
    only_right: tuple[Fact, ...]
    runner_up: RunnerUp | None
    assignment: Assignment | None  # None where Sinkhorn is off
    alarms: tuple[Alarm, ...]

    @property
    def contradictions(self) -> tuple[MatchedFact, ...]:
        """Matched facts whose times exclude each other."""
        return tuple(fact for fact in self.facts if fact.contradicts)

    def other_parts(self) -> list[tuple[str, float, bool]]:
        """Words, value and exactness of what belongs to no match of facts, largest first."""
        sums: defaultdict[str, float] = defaultdict(float)
        exact: dict[str, bool] = {}
        for part in self.terms:
            if part.match is None:
                sums[part.words] += part.value
                exact[part.words] = part.exact and exact.get(part.words, True)
        found = [(words, value, exact[words]) for words, value in sums.items()]
        return sorted(found, key=lambda one: -one[1])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        content = asdict(self)
        for part in content["terms"]:
            part["words"] = part["words"] or _words_of(self.facts[part["match"]])
        return {**content, "contradictions": [asdict(fact) for fact in self.contradictions]}

    def __str__(self) -> str:
        word = "link" if self.is_link else "candidate"
        return f"{word} {self.left} = {self.right}, score {self.score:.4f}"

    def _repr_html_(self) -> str:
        from lighttea.explain.html import explanation_html

        return explanation_html(self)


def _words_of(fact: MatchedFact) -> str:
    left, right = fact.left, fact.right
    return f"{left.words} ({left.time}) = {right.words} ({right.time})"


def ordered(parts: Sequence[Part], order: Sequence[int]) -> tuple[Part, ...]:
    """Parts with the matches renumbered: the i-th of `order` becomes number i."""
    place = {number: i for i, number in enumerate(order)}
    return tuple(
        Part(part.term, part.words, part.value, part.exact, place[part.match])
        if part.match is not None
        else part
        for part in parts
    )
