"""The literals of a pair as rows of a page: those that go together, then those of one side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lighttea.explain.explanation import Explanation
from lighttea.explain.statements import Literal, MatchedLiteral

SHOWN_ROWS = 16
SHOWN_ALONE = 6  # of each side, among them
MOST_ROWS = 200


@dataclass(frozen=True)
class LiteralRow:
    """A literal, or two that go together."""

    left: Literal | None
    right: Literal | None
    sign: str
    verdict: str
    kind: str  # same, alike, differs, contradicts or alone
    value: float | None


@dataclass(frozen=True)
class LiteralRows:
    """The rows that are shown, those behind a click, and how many there are beyond these."""

    shown: list[LiteralRow]
    folded: list[LiteralRow]
    n_hidden: int


def make_literal_rows(explanation: Explanation) -> LiteralRows:
    """Return the literals of a pair: what adds or takes most first, unmatched ones last."""
    matched = [_matched_row(match) for match in explanation.literals]
    sides = [*_rows_alone(explanation)]
    first = [row for rows in sides for row in rows[:SHOWN_ALONE]]
    rest = [row for rows in sides for row in rows[SHOWN_ALONE:]]
    shown = [*matched[:SHOWN_ROWS], *first[: max(0, SHOWN_ROWS - len(matched))]]
    others = [*matched[SHOWN_ROWS:], *first[max(0, SHOWN_ROWS - len(matched)) :], *rest]
    return LiteralRows(shown, others[:MOST_ROWS], max(0, len(others) - MOST_ROWS))


def _matched_row(match: MatchedLiteral) -> LiteralRow:
    kind = "contradicts" if match.contradicts else match.how
    return LiteralRow(match.left, match.right, match.sign, match.verdict, kind, match.value)


def _rows_alone(explanation: Explanation) -> Iterator[list[LiteralRow]]:
    """Yield the literals that the left entity alone has, then those of the right one."""
    yield [
        LiteralRow(literal, None, "", f"only in {explanation.left_graph}", "alone", None)
        for literal in explanation.only_left_literals
    ]
    yield [
        LiteralRow(None, literal, "", f"only in {explanation.right_graph}", "alone", None)
        for literal in explanation.only_right_literals
    ]
