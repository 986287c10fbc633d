"""The queue of pairs to review, most useful first; searched and filtered page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import polars as pl

from lighttea.display import short_form
from lighttea.explain.explainer import Explainer
from lighttea.explain.search import fold, fold_text
from lighttea.review.decisions import ACCEPT, REJECT, SKIP, Standing
from lighttea.types import Ints

PAGE = 50
STATES = ("open", "accepted", "rejected", "skipped", "all")
KINDS = ("all", "links", "unlinked", "alarms", "unsure", "sure")
ORDERS = {  # columns to sort by, and the words for them; the doubtful end comes first
    "confidence": "confidence",
    "margin": "margin",
    "fdr": "expected wrong",
}
_STATE_OF_VERDICT = {ACCEPT: "accepted", REJECT: "rejected", SKIP: "skipped"}
_SURE_MARGIN = 0.9


@dataclass(frozen=True)
class Selection:
    """The part of the queue to show: search text, state, kind, order and page."""

    search: str = ""
    state: str = "open"
    kind: str = "all"
    order: str = ""  # one of ORDERS; empty: by priority
    page: int = 0

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Selection:
        """Return the selection of a URL query; invalid values are replaced by defaults."""
        state, kind, order, page = (
            query.get(name, "") for name in ("state", "kind", "order", "page")
        )
        return cls(
            search=query.get("search", "")[:200],
            state=state if state in STATES else "open",
            kind=kind if kind in KINDS else "all",
            order=order if order in ORDERS else "",
            page=int(page) if page.isdecimal() and len(page) < 7 else 0,
        )

    def query(self, **changes: Any) -> str:
        """Return the URL query of this selection with some changes."""
        values = {**vars(self), **changes}
        return urlencode({name: value for name, value in values.items() if value not in ("", 0)})


@dataclass(frozen=True)
class Page:
    """Items of one page, the number of all selected items, and of pages."""

    items: list[dict[str, Any]]
    total: int
    n_pages: int


class Queue:
    """Every left entity with candidates: its link, or its most confident candidate.

    The priority of an item is (1 - margin) times the logarithm of the number of facts of both
    entities, raised by an alarm: uncertain pairs with many facts come first.
    """

    def __init__(self, explainer: Explainer) -> None:
        run = explainer.run
        links = run.best_links.select("left", "fdr", linked="right", link_margin="margin")
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
                *("left", "right", "is_link", "score", "confidence", "margin", "fdr"),
                *("alarms", "priority"),
            )
            .sort("priority", "left", descending=[True, False], maintain_order=True)
            .with_row_index("number")
        )
        self._ranks = {order: _ranks_by(self.frame, order) for order in ORDERS}
        self._numbers = dict(self.frame.select("left", "number").rows())
        self._text = _searchable(self.frame, explainer)

    def __len__(self) -> int:
        return len(self.frame)

    def item(self, number: int) -> dict[str, Any] | None:
        """Return one item by its number; None where there is none."""
        if not 0 <= number < len(self.frame):
            return None
        return self.frame.row(number, named=True)

    def number_of(self, left: str) -> int | None:
        """Return the number of a left entity's item; None where there is none."""
        return self._numbers.get(left)

    def page(self, selection: Selection, standing: Mapping[str, Standing]) -> Page:
        """Return one page of a selection."""
        selected = self._select(selection, standing)
        n_pages = max(1, -(-len(selected) // PAGE))
        begin = min(selection.page, n_pages - 1) * PAGE
        items = selected.slice(begin, PAGE).rows(named=True)
        for item in items:
            item["state"] = state_of(standing.get(item["left"]))
        return Page(items, len(selected), n_pages)

    def following(
        self, number: int, selection: Selection, standing: Mapping[str, Standing], step: int = 1
    ) -> int | None:
        """Return the next or previous item of a selection; the first open one follows the last."""
        numbers = self._select(selection, standing)["number"].to_numpy()
        ranks = self._ranks.get(selection.order, np.arange(len(self)))
        if step > 0:
            later = numbers[ranks[numbers] > ranks[number]]
            if len(later):
                return int(later[0])
            rest = numbers[numbers != number] if selection.state == "open" else numbers[:0]
            return int(rest[0]) if len(rest) else None
        earlier = numbers[ranks[numbers] < ranks[number]]
        return int(earlier[-1]) if len(earlier) else None

    def counts(self, standing: Mapping[str, Standing]) -> dict[str, int]:
        """Return the number of items in each state."""
        counts = dict.fromkeys(("accepted", "rejected", "skipped"), 0)
        for state_now in standing.values():
            if (state := state_of(state_now)) in counts:
                counts[state] += 1
        return {"open": len(self) - sum(counts.values()), **counts, "all": len(self)}

    def _select(self, selection: Selection, standing: Mapping[str, Standing]) -> pl.DataFrame:
        """Return the items of a selection, in its order."""
        selected = self._filter(selection, standing)
        if not selection.order:
            return selected
        ranks = self._ranks[selection.order][selected["number"].to_numpy()]
        return selected.select(pl.all().gather(np.argsort(ranks)))

    def _filter(self, selection: Selection, standing: Mapping[str, Standing]) -> pl.DataFrame:
        """Return the items of a selection, most useful first."""
        selected = self.frame
        if selection.search:
            text = fold_text(selection.search)
            selected = selected.filter(self._text.str.contains(text, literal=True))
        if selection.kind in _KIND_TESTS:
            selected = selected.filter(_KIND_TESTS[selection.kind])
        if selection.state == "all":
            return selected
        decided = [name for name, state in standing.items() if state_of(state) != "open"]
        if selection.state == "open":
            return selected.filter(~pl.col("left").is_in(decided))
        matching = [name for name in decided if state_of(standing[name]) == selection.state]
        return selected.filter(pl.col("left").is_in(matching))


_KIND_TESTS = {
    "links": pl.col("is_link"),
    "unlinked": ~pl.col("is_link"),
    "alarms": pl.col("alarms") > 0,
    "unsure": pl.col("margin") < _SURE_MARGIN,
    "sure": pl.col("margin") >= _SURE_MARGIN,
}


def _searchable(frame: pl.DataFrame, explainer: Explainer) -> pl.Series:
    """Return the ids of each item, and what a person reads instead, folded and line by line."""
    lines = [
        line
        for column, names in zip(("left", "right"), explainer.names, strict=True)
        for line in (
            frame[column],
            pl.Series(
                [names.get(own) or short_form(own) for own in frame[column]], dtype=pl.String
            ),
        )
    ]
    folded = pl.DataFrame([fold(line).alias(str(i)) for i, line in enumerate(lines)])
    return folded.select(text=pl.concat_str(pl.all(), separator="\n"))["text"]


def _ranks_by(frame: pl.DataFrame, column: str) -> Ints:
    """Return the rank of each item, (n,), doubtful ones first; items without a value are last."""
    values = frame[column].cast(pl.Float64).to_numpy()  # nan where there is none
    ranks = np.empty(len(frame), np.int64)
    ranks[np.argsort(-values if column == "fdr" else values, kind="stable")] = np.arange(len(frame))
    return ranks


def state_of(standing: Standing | None) -> str:
    """Return open, accepted, rejected or skipped, by the last decision."""
    if standing is None or standing.last is None:
        return "open"
    return _STATE_OF_VERDICT[standing.last.verdict]


def _weights(explainer: Explainer, frame: pl.DataFrame) -> Any:
    """Return 1 + log2 of the number of facts of both entities."""
    source = explainer.source
    total = np.zeros(len(frame))
    for column, side in (("left", source.left), ("right", source.right)):
        degree = np.diff(side.start)
        numbers = [side.graph.entity_ids.get(name, 0) for name in frame[column]]
        total += degree[numbers]
    return 1 + np.log2(1 + total)
