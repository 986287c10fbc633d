"""How far an alignment is, by the lines that it writes about its stages."""

from __future__ import annotations

import re

_ROUND = re.compile(r"round (\d+) of (\d+)")
_STEPS = (  # parts of a round, by a word of their line, and how much of the round lies before them
    ("propagat", 0.0),
    ("search", 0.2),
    ("consensus", 0.4),
    ("times", 0.6),
    ("contradiction", 0.7),
    ("assign", 0.8),
    ("promot", 0.95),
)
_BEFORE, _AFTER = 10.0, 90.0  # percent at the begin of the first round and the end of the last
_LAST = (("alarm", 92.0), ("writing", 95.0))


def estimate_percent(line: str, before: float) -> float:
    """Return the percentage done when this line is written; never less than `before`.

    Later rounds may be left out where nothing changes, so the percentage may jump at the end.
    """
    text = line.lower()
    for word, percent in _LAST:
        if word in text:
            return max(before, percent)
    match = _ROUND.search(text)
    if match is None:
        return max(before, min(before + 1, _BEFORE))
    number, rounds = int(match[1]), max(int(match[2]), 1)
    share = max((share for word, share in _STEPS if word in text), default=0.0)
    done = min((number - 1 + share) / rounds, 1.0)
    return max(before, _BEFORE + done * (_AFTER - _BEFORE))
