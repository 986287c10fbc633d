"""Decisions on pairs, and the state of an entity that follows from them, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lighttea.errors import LightteaError

ACCEPT, REJECT, SKIP = "accept", "reject", "skip"
VERDICTS = (ACCEPT, REJECT, SKIP)
PAST = {ACCEPT: "accepted", REJECT: "rejected", SKIP: "skipped"}


class Conflict(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """A decision that contradicts another one made meanwhile."""


class Locked(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """Another program holds the file of the decisions."""


@dataclass(frozen=True)
class Decision:
    """One decision of the log."""

    id: int
    left: str
    right: str
    verdict: str
    at: str
    reviewer: str = ""  # empty where nobody gave a name
    batch: int = 0  # number of the first decision of the batch; 0 for one made alone

    @property
    def day(self) -> str:
        """The date, without the time of day."""
        return self.at[:10]


@dataclass(frozen=True)
class Batch:
    """What became of decisions made at once; what was left out stays as it was."""

    number: int  # by which it is undone; 0 where nothing was decided
    n_decided: int
    n_before: int  # left out: decided already
    n_taken: int  # left out: the right entity is accepted for another left one


@dataclass(frozen=True)
class Standing:
    """The state of a left entity after all decisions: accepted and rejected right entities."""

    last: Decision | None = None
    must: str | None = None
    cannot: frozenset[str] = frozenset()

    def after(self, decision: Decision) -> Standing:
        """Return the state after one more decision, which overrides earlier ones."""
        if decision.verdict == ACCEPT:
            return Standing(decision, decision.right, self.cannot - {decision.right})
        if decision.verdict == REJECT:
            must = None if self.must == decision.right else self.must
            return Standing(decision, must, self.cannot | {decision.right})
        return replace(self, last=decision)

    @property
    def is_undecided(self) -> bool:
        """Whether there is no decision, or none but to skip it."""
        return self.last is None or self.last.verdict == SKIP

    def holds(self, decision: Decision) -> bool:
        """Whether an acceptance or rejection is still what the log comes to."""
        if decision.verdict == ACCEPT:
            return self.must == decision.right
        return decision.verdict == REJECT and decision.right in self.cannot


def state_of(standing: Standing | None) -> str:
    """Return open, accepted, rejected or skipped, by the last decision."""
    if standing is None or standing.last is None:
        return "open"
    return PAST[standing.last.verdict]
