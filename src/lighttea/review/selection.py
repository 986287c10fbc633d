"""The part of the queue that a page shows, as the query of a URL says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlencode

STATES = {
    "open": "undecided",
    "accepted": "accepted",
    "rejected": "rejected",
    "skipped": "skipped",
    "all": "any",
}
KINDS = {
    "all": "all entities",
    "links": "links",
    "unlinked": "entities without a link",
    "unsure": "margin below .9",
    "sure": "margin .9 and more",
}
ANY_ALARM, NO_ALARM = "any", "none"
REVERSE = "-"
ORDERS = {  # what comes first; a minus turns an order round
    "": "most doubtful first",
    "confidence": "lowest confidence first",
    "-confidence": "highest confidence first",
    "margin": "smallest margin first",
    "-margin": "largest margin first",
    "fdr": "most expected wrong first",
    "-fdr": "fewest expected wrong first",
    "name": "by name, A to Z",
    "-name": "by name, Z to A",
    "-alarms": "most alarms first",
    "-facts": "most facts first",
}
PAGE = 50
SIZES = (PAGE, 200)
_LONGEST = 200  # characters of a search


@dataclass(frozen=True)
class Selection:
    """What to show of the queue: search text, filters, order and page."""

    search: str = ""
    state: str = "open"
    kind: str = "all"
    alarm: str = ""  # any, none or a kind of alarm
    relation: str = ""  # left: or right: and the id of a relation
    type: str = ""  # left: or right: and the id of a type
    low: float | None = None  # confidence
    high: float | None = None
    order: str = ""  # one of ORDERS
    size: int = PAGE
    page: int = 0

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Selection:
        """Return the selection of a URL query; invalid values are replaced by defaults."""
        state, kind, order, page, size = (
            query.get(name, "") for name in ("state", "kind", "order", "page", "size")
        )
        return cls(
            search=query.get("search", "")[:_LONGEST],
            state=state if state in STATES else "open",
            kind=kind if kind in KINDS else "all",
            **{name: query.get(name, "") for name in ("alarm", "relation", "type")},
            low=_share(query.get("low", "")),
            high=_share(query.get("high", "")),
            order=order if order in ORDERS else "",
            size=int(size) if size in map(str, SIZES) else PAGE,
            page=int(page) if page.isdecimal() and len(page) < 7 else 0,
        )

    def query(self, **changes: Any) -> str:
        """Return the URL query of this selection with some changes."""
        return urlencode(self.values(**changes))

    def values(self, **changes: Any) -> dict[str, Any]:
        """Return names and values of the query, as hidden fields of a form."""
        values = {**vars(self), **changes}
        if values["size"] == PAGE:
            del values["size"]
        return {name: value for name, value in values.items() if value not in ("", None, 0)} | {
            name: f"{values[name]:g}" for name in ("low", "high") if values[name] is not None
        }

    @property
    def n_filters(self) -> int:
        """The number of filters beside search and state."""
        default = Selection()
        names = ("kind", "alarm", "relation", "type", "low", "high")
        return sum(getattr(self, name) != getattr(default, name) for name in names)

    @property
    def is_narrow(self) -> bool:
        """Whether a search or a filter leaves something out, the state aside."""
        return bool(self.search or self.n_filters)


FIELDS = tuple(field.name for field in fields(Selection))


def _share(text: str) -> float | None:
    """Return a number from 0 to 1 as somebody wrote it; None for anything else."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return None if math.isnan(value) else min(max(value, 0.0), 1.0)
