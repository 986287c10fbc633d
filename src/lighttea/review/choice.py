"""Why this candidate and not another: the pair beside its strongest competitor, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lighttea.display import Named
from lighttea.explain.explanation import TERM_WORDS, Explanation, Rival


@dataclass(frozen=True)
class TermRow:
    """A term of the score of both candidates."""

    words: str
    here: float
    there: float

    @property
    def difference(self) -> float:
        """How much more this candidate has."""
        return self.here - self.there


@dataclass(frozen=True)
class Choice:
    """The candidate that is shown beside another one."""

    other: Named
    heading: str
    rows: tuple[TermRow, ...]
    here: tuple[float, float]  # score, confidence
    there: tuple[float, float]
    reasons: tuple[str, ...]
    rivals: tuple[Rival, ...]  # other left entities with this candidate


def compare_candidates(
    explanation: Explanation, holders: Mapping[str, str], names: Mapping[str, str]
) -> Choice | None:
    """Return a pair beside its runner-up, or beside the surest candidate; None for an only one.

    `holders` are the left entities that right ones are linked to, `names` what they are called.
    """
    other = explanation.runner_up
    if other is None:
        return None
    rows = [
        TermRow(TERM_WORDS.get(term, term), value, value - other.differences[term])
        for term, value in explanation.aspects.items()
    ]
    shown = sorted((row for row in rows if row.here or row.there), key=lambda row: -row.here)
    rivals = explanation.assignment.rivals if explanation.assignment else ()
    return Choice(
        other=other.named_right,
        heading="runner-up" if explanation.rank == 1 else "surest one",
        rows=tuple(shown),
        here=(explanation.score, explanation.confidence),
        there=(other.score, other.confidence),
        reasons=tuple(_reasons(explanation, holders, names)),
        rivals=rivals,
    )


def _reasons(
    explanation: Explanation, holders: Mapping[str, str], names: Mapping[str, str]
) -> list[str]:
    """Return sentences on why the surer candidate has the lower score, where that is so."""
    other = explanation.runner_up
    if other is None:
        return []
    is_here_surer = explanation.confidence > other.confidence
    is_here_higher = explanation.score > other.score
    if is_here_surer == is_here_higher or explanation.score == other.score:
        return []
    here, there = explanation.named_right.text, other.named_right.text
    surer, higher = (here, there) if is_here_surer else (there, here)
    loser = other.right if is_here_surer else explanation.right
    sentences = [f"{higher} has the higher score, but {surer} is the surer candidate."]
    holder = holders.get(loser)
    if holder is not None and holder != explanation.left:
        sentences.append(
            f"{higher} is linked to {Named.of(holder, names).text}, and each entity is linked "
            "at most once."
        )
    else:
        sentences.append(
            "Confidence compares all left entities that compete for the same right one; "
            "the score looks at one pair alone."
        )
    return sentences
