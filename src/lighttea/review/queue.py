"""What is most worth a decision, in order; searched and filtered page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import polars as pl

from lighttea.explain.explainer import Explainer
from lighttea.review.decisions import ACCEPT, REJECT, SKIP, Standing

PAGE = 50
STATES = ("open", "accepted", "rejected", "skipped", "all")
KINDS = ("all", "links", "unlinked", "alarms", "unsure", "sure")
_STATE_OF = {ACCEPT: "accepted", REJECT: "rejected", SKIP: "skipped"}
_SURE = 0.9


@dataclass(frozen=True)
class View:
    """What the person wants to see."""

    search: str = ""
    state: str = "open"
    kind: str = "all"
    page: int = 0

    @classmethod
    def of(cls, query: Mapping[str, str]) -> View:
        """From the words of an address; what is not understood is left as usual."""
        state, kind, page = (query.get(name, "") for name in ("state", "kind", "page"))
        return cls(
            search=query.get("search", "")[:200],
            state=state if state in STATES else "open",
            kind=kind if kind in KINDS else "all",
            page=int(page) if page.isdecimal() and len(page) < 7 else 0,
        )

    def query(self, **changes: Any) -> str:
        """The words of an address that shows this view, with some changes."""
        values = {**vars(self), **changes}
        return urlencode({name: value for name, value in values.items() if value not in ("", 0)})


@dataclass(frozen=True)
class Page:
    """Some items of the queue, and how many there are."""

    items: list[dict[str, Any]]
    total: int
    n_pages: int


class Queue:
    """Every left entity that has candidates, once: its link or its surest candidate.

    Worth a decision is what is unsure and matters: (1 - margin) times the logarithm of the facts
    that a decision speaks of, more where the times raise an alarm.
    """

    def __init__(self, explainer: Explainer) -> None:
        run = explainer.run
        links = run.best_links.select("left", linked="right", link_margin="margin")
        alarms = run.alarms.drop_nulls("left").group_by("left", "right").agg(alarms=pl.len())
        frame = (
            explainer.best_candidates()
            .join(links, on="left", how="left", maintain_order="left")
            .with_columns(right=pl.coalesce("linked", "right"))
            .join(alarms, on=["left", "right"], how="left", maintain_order="left")
            .with_columns(
                is_link=pl.col("linked").is_not_null(),
                margin=pl.coalesce("link_margin", pl.col("confidence") - pl.col("second")),
                alarms=pl.col("alarms").fill_null(0),
            )
        )
        weight = _weights(explainer, frame)
        unsure = (1 - frame["margin"].to_numpy()).clip(0, 1)
        alarmed = frame["alarms"].to_numpy() > 0
        frame = frame.with_columns(priority=pl.Series((unsure + 0.5 * alarmed) * weight))
        self.frame = (
            frame.select(
                "left", "right", "is_link", "score", "confidence", "margin", "alarms", "priority"
            )
            .sort("priority", "left", descending=[True, False], maintain_order=True)
            .with_row_index("number")
        )
        self._numbers = dict(self.frame.select("left", "number").rows())
        self._text = self.frame.select(
            (pl.col("left") + "\n" + pl.col("right")).str.to_lowercase().alias("text")
        )["text"]

    def __len__(self) -> int:
        return len(self.frame)

    def item(self, number: int) -> dict[str, Any] | None:
        """One item by its number."""
        if not 0 <= number < len(self.frame):
            return None
        return self.frame.row(number, named=True)

    def number_of(self, left: str) -> int | None:
        """The number of a left entity's item."""
        return self._numbers.get(left)

    def page(self, view: View, standing: Mapping[str, Standing]) -> Page:
        """The items of one page of a view."""
        found = self._found(view, standing)
        n_pages = max(1, -(-len(found) // PAGE))
        begin = min(view.page, n_pages - 1) * PAGE
        items = found.slice(begin, PAGE).rows(named=True)
        for item in items:
            item["state"] = state_of(standing.get(item["left"]))
        return Page(items, len(found), n_pages)

    def following(
        self, number: int, view: View, standing: Mapping[str, Standing], step: int = 1
    ) -> int | None:
        """The next item of a view, or the one before; after the last open one comes the first."""
        numbers = self._found(view, standing)["number"].to_numpy()
        if step > 0:
            later = numbers[numbers > number]
            if len(later):
                return int(later[0])
            rest = numbers[numbers != number] if view.state == "open" else numbers[:0]
            return int(rest[0]) if len(rest) else None
        earlier = numbers[numbers < number]
        return int(earlier[-1]) if len(earlier) else None

    def counts(self, standing: Mapping[str, Standing]) -> dict[str, int]:
        """Items by state."""
        found = dict.fromkeys(("accepted", "rejected", "skipped"), 0)
        for one in standing.values():
            if (state := state_of(one)) in found:
                found[state] += 1
        return {"open": len(self) - sum(found.values()), **found, "all": len(self)}

    def _found(self, view: View, standing: Mapping[str, Standing]) -> pl.DataFrame:
        found = self.frame
        if view.search:
            found = found.filter(self._text.str.contains(view.search.lower(), literal=True))
        if view.kind in _KIND_TESTS:
            found = found.filter(_KIND_TESTS[view.kind])
        if view.state == "all":
            return found
        decided = [name for name, one in standing.items() if state_of(one) != "open"]
        if view.state == "open":
            return found.filter(~pl.col("left").is_in(decided))
        wanted = [name for name in decided if state_of(standing[name]) == view.state]
        return found.filter(pl.col("left").is_in(wanted))


_KIND_TESTS = {
    "links": pl.col("is_link"),
    "unlinked": ~pl.col("is_link"),
    "alarms": pl.col("alarms") > 0,
    "unsure": pl.col("margin") < _SURE,
    "sure": pl.col("margin") >= _SURE,
}


def state_of(standing: Standing | None) -> str:
    """open, accepted, rejected or skipped, by the last decision."""
    if standing is None or standing.last is None:
        return "open"
    return _STATE_OF[standing.last.verdict]


def _weights(explainer: Explainer, frame: pl.DataFrame) -> Any:
    """1 + log2 of the facts of both entities."""
    source = explainer.source
    total = np.zeros(len(frame))
    for column, side in (("left", source.left), ("right", source.right)):
        degree = np.diff(side.start)
        numbers = [side.graph.entity_ids.get(name, 0) for name in frame[column]]
        total += degree[numbers]
    return 1 + np.log2(1 + total)
