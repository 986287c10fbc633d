"""Begins, ends and points that were said of one statement, brought together."""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.graph.timeline import UNKNOWN

Span = tuple[int, int]  # codes of begin and end, -1 for unknown


def spans(
    begins: Sequence[int], ends: Sequence[int], points: Sequence[int], order: Sequence[int]
) -> list[Span]:
    """The times that these codes say; `order` gives the place in time of each code.

    One begin and one end belong together. Of several, each begin takes the first end that is not
    before it and comes before the next begin; what is left over is open at one side. Points count
    where nothing else is known.
    """
    if not begins and not ends:
        return [(point, point) for point in points]
    if len(begins) == len(ends) == 1:
        return [(begins[0], ends[0])]
    starts = sorted(begins, key=order.__getitem__)
    left = sorted(ends, key=order.__getitem__)
    found: list[Span] = []
    for place, begin in enumerate(starts):
        last = place + 1 == len(starts)
        limit = float("inf") if last else order[starts[place + 1]]
        fitting = (end for end in left if order[begin] <= order[end] <= limit)
        end = next(fitting, UNKNOWN)
        if end != UNKNOWN:
            left.remove(end)
        found.append((begin, end))
    return [*found, *((UNKNOWN, end) for end in left)]
