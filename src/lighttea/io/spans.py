"""Begins, ends and points in time of one statement, combined into intervals."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.graph.timeline import UNKNOWN

Span = tuple[int, int]  # codes of begin and end, -1 for unknown


def combine_times(
    begins: Sequence[int], ends: Sequence[int], points: Sequence[int], order: Sequence[int]
) -> list[Span]:
    """Return the intervals of a statement; `order` gives the place in time of each code.

    One begin and one end form an interval. Of several, each begin takes the first end that is not
    before it and not after the next begin; the rest are open at one side. Points count only where
    there is neither a begin nor an end.
    """
    if not begins and not ends:
        return [(point, point) for point in points]
    if len(begins) == len(ends) == 1:
        return [(begins[0], ends[0])]
    starts = sorted(begins, key=order.__getitem__)
    free_ends = sorted(ends, key=order.__getitem__)
    intervals: list[Span] = []
    for place, begin in enumerate(starts):
        last = place + 1 == len(starts)
        limit = float("inf") if last else order[starts[place + 1]]
        fitting = (end for end in free_ends if order[begin] <= order[end] <= limit)
        end = next(fitting, UNKNOWN)
        if end != UNKNOWN:
            free_ends.remove(end)
        intervals.append((begin, end))
    return [*intervals, *((UNKNOWN, end) for end in free_ends)]
