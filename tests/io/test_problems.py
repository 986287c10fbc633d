"""Wrong lines of a file: what notes and errors say of one, of a few, of many."""

from __future__ import annotations

import pytest

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.io.problems import Problems


def problems_with(count: int, *, strict: bool = False, advice: str = "") -> Problems:
    problems = Problems(strict=strict, advice=advice)
    for number in range(count):
        problems.add(f"line {number}")
    return problems


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1, "line 0"),
        (3, "line 0; line 1; line 2"),
        (4, "line 0; line 1; line 2; ..."),
    ],
)
def test_a_note_shows_the_first_and_says_when_there_are_more(count: int, shown: str) -> None:
    (note,) = problems_with(count).notes()
    start = f"{count} malformed lines left out (`strict=True` stops at them): "
    assert note == start + shown
    together = Problems(strict=False)
    together.add_many([f"line {number}" for number in range(min(count, 3))], total=count)
    assert together.notes() == (note,)


def test_nothing_wrong_is_neither_noted_nor_refused() -> None:
    problems = problems_with(0, strict=True)
    problems.check()
    assert problems.notes() == ()


def test_the_first_wrong_line_is_an_error_where_that_is_asked_for() -> None:
    problems_with(2).check()
    with pytest.raises(InputError, match="line 0\nline 1"):
        problems_with(2, strict=True).check()


def test_reading_stops_when_more_is_wrong_than_is_shown() -> None:
    assert len(problems_with(SHOWN_PROBLEMS, strict=True).first) == SHOWN_PROBLEMS
    with pytest.raises(InputError, match="and more; reading stopped there"):
        problems_with(SHOWN_PROBLEMS + 1, strict=True)
    lenient = problems_with(SHOWN_PROBLEMS + 1)
    assert (len(lenient.first), lenient.total) == (SHOWN_PROBLEMS, SHOWN_PROBLEMS + 1)


def test_a_file_without_a_right_line_is_given_up_after_a_thousand() -> None:
    problems_with(999, advice="look again").give_up(found_any=False)
    problems_with(1000, advice="look again").give_up(found_any=True)
    said = "^line 0; 999 others are wrong in the same way; look again$"
    with pytest.raises(InputError, match=said):
        problems_with(1000, advice="look again").give_up(found_any=False)


def test_a_refusal_counts_others_where_there_are_any() -> None:
    assert str(problems_with(1, advice="look again").refusal()) == "line 0; look again"
    several = str(problems_with(2, advice="look again").refusal())
    assert several == "line 0; 1 others are wrong in the same way; look again"
    assert str(problems_with(2).refusal()) == "line 0\nline 1"
