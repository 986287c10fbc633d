"""The queue of pairs to review, most doubtful first; searched and filtered page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lighttea.display import short_form
from lighttea.explain.explainer import Explainer
from lighttea.explain.search import fold, fold_text
from lighttea.review.facets import Facets
from lighttea.review.selection import ANY_ALARM, NO_ALARM, ORDERS, REVERSE, Selection
from lighttea.review.standing import Standing, state_of
from lighttea.types import Bools, Floats, Ints

_SURE_MARGIN = 0.9
_CODES = {"open": 0, "accepted": 1, "rejected": 2, "skipped": 3}


@dataclass(frozen=True)
class Page:
    """Items of one page, the number of all selected items, and of pages."""

    items: list[dict[str, Any]]
    total: int
    n_pages: int


class Queue:
    """Every left entity with candidates: its link, or its most confident candidate.

    The priority of an item is its doubt, raised by an alarm, times the logarithm of the number of
    facts of both entities: of pairs in equal doubt those with many facts come first.
    """

    def __init__(self, explainer: Explainer) -> None:
        frame = _paired(explainer)
        entities = _entity_numbers(explainer, frame)
        n_facts = _fact_counts(explainer, entities)
        alarmed = frame["alarms"].to_numpy() > 0
        weight = 1 + np.log2(1 + n_facts)
        frame = frame.with_columns(
            priority=pl.Series((_doubts(frame) + 0.5 * alarmed) * weight), facts=pl.Series(n_facts)
        )
        frame = frame.with_row_index("place")
        frame = frame.sort("priority", "left", descending=[True, False], maintain_order=True)
        place = frame["place"].to_numpy()
        self.frame = frame.drop("place").with_row_index("number")
        left, right = (numbers[place] for numbers in entities)
        self.facets = Facets(explainer.source.left, explainer.source.right, left, right)
        self.is_calibrated = bool(explainer.source.config.calibrated)
        self.alarm_kinds = sorted({kind for kinds in self.frame["kinds"] for kind in kinds.split()})
        self._text = _searchable(self.frame, explainer)
        self._ranks = _ranks(self.frame.with_columns(name=_names(self.frame, explainer)))
        self._numbers = dict(self.frame.select("left", "number").rows())
        self._columns = {
            name: self.frame[name].to_numpy()
            for name in ("confidence", "margin", "is_link", "alarms")
        }
        self._states: tuple[Mapping[str, Standing], Ints] = ({}, np.zeros(len(self), np.int8))

    def __len__(self) -> int:
        return len(self.frame)

    def item(self, number: int) -> dict[str, Any] | None:
        """Return one item by its number; None where there is none."""
        if not 0 <= number < len(self.frame):
            return None
        return self.frame.row(number, named=True)

    def items(self, numbers: Ints) -> pl.DataFrame:
        """Return the items of these numbers, in this order."""
        return self.frame.select(pl.all().gather(numbers))

    def number_of(self, left: str) -> int | None:
        """Return the number of a left entity's item; None where there is none."""
        return self._numbers.get(left)

    def page(self, selection: Selection, standing: Mapping[str, Standing]) -> Page:
        """Return one page of a selection."""
        numbers = self.select(selection, standing)
        n_pages = max(1, -(-len(numbers) // selection.size))
        begin = min(selection.page, n_pages - 1) * selection.size
        items = self.items(numbers[begin : begin + selection.size]).rows(named=True)
        for item in items:
            own = standing.get(item["left"])
            item["state"], item["last"] = state_of(own), own.last if own else None
        return Page(items, len(numbers), n_pages)

    def following(
        self, number: int, selection: Selection, standing: Mapping[str, Standing], step: int = 1
    ) -> int | None:
        """Return the next or previous item of a selection; the first open one follows the last."""
        numbers, ranks = self.select(selection, standing), self._ranks[selection.order]
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
        numbers = np.bincount(self._state_codes(standing), minlength=len(_CODES)).tolist()
        return {**dict(zip(_CODES, numbers, strict=True)), "all": len(self)}

    def select(self, selection: Selection, standing: Mapping[str, Standing]) -> Ints:
        """Return the numbers of the items of a selection, in its order."""
        numbers = np.flatnonzero(self._mask(selection, standing))
        if not selection.order:
            return numbers
        return numbers[np.argsort(self._ranks[selection.order][numbers])]

    def _mask(self, selection: Selection, standing: Mapping[str, Standing]) -> Bools:
        """Mark the items of a selection, (n_items,)."""
        mask = self._kind_mask(selection.kind)
        if selection.state != "all":
            mask &= self._state_codes(standing) == _CODES[selection.state]
        if selection.alarm:
            mask &= self._alarm_mask(selection.alarm)
        for kind in ("relation", "type"):
            if value := getattr(selection, kind):
                mask &= self.facets.items_with(kind, value)
        confidence = self._columns["confidence"]
        if selection.low is not None:
            mask &= confidence >= np.float32(selection.low)
        if selection.high is not None:
            mask &= confidence <= np.float32(selection.high)
        if selection.search:
            text = fold_text(selection.search)
            mask &= self._text.str.contains(text, literal=True).to_numpy()
        return mask

    def _kind_mask(self, kind: str) -> Bools:
        is_link, margin = self._columns["is_link"], self._columns["margin"]
        if kind in ("links", "unlinked"):
            return np.array(is_link == (kind == "links"))
        if kind in ("unsure", "sure"):
            return np.array((margin >= _SURE_MARGIN) == (kind == "sure"))
        return np.ones(len(self), bool)

    def _alarm_mask(self, alarm: str) -> Bools:
        if alarm in (ANY_ALARM, NO_ALARM):
            return np.array((self._columns["alarms"] > 0) == (alarm == ANY_ALARM))
        return self.frame["kinds"].str.split(" ").list.contains(alarm).to_numpy()

    def _state_codes(self, standing: Mapping[str, Standing]) -> Ints:
        """Return the state of each item as a number, (n_items,); kept until a decision is made."""
        known, codes = self._states
        if standing is not known:
            codes = np.zeros(len(self), np.int8)
            for left, state in standing.items():
                if (number := self._numbers.get(left)) is not None:
                    codes[number] = _CODES[state_of(state)]
            self._states = standing, codes
        return codes


def _paired(explainer: Explainer) -> pl.DataFrame:
    """Return each left entity with its link, or its most confident candidate, and the alarms."""
    run = explainer.run
    links = run.best_links.select("left", "fdr", linked="right", link_margin="margin")
    alarms = (
        run.alarms.drop_nulls("left")
        .group_by("left", "right")
        .agg(alarms=pl.len(), kinds=pl.col("kind").unique().sort().str.join(" "))
    )
    return (
        explainer.best_candidates()
        .join(links, on="left", how="left", maintain_order="left")
        .with_columns(right=pl.coalesce("linked", "right"))
        .join(alarms, on=["left", "right"], how="left", maintain_order="left")
        .select(
            *("left", "right", "score", "confidence", "fdr"),
            is_link=pl.col("linked").is_not_null(),
            margin=pl.coalesce("link_margin", pl.col("confidence") - pl.col("second")),
            alarms=pl.col("alarms").fill_null(0),
            kinds=pl.col("kinds").fill_null(""),
        )
    )


def _doubts(frame: pl.DataFrame) -> Floats:
    """Return the chance that what the run says of each item is wrong, (n_items,).

    Of a link: that it is wrong. Of an entity without a link: that its candidate is right after all.
    """
    confidence = frame["confidence"].to_numpy()
    return np.where(frame["is_link"].to_numpy(), 1 - confidence, confidence)


def _names(frame: pl.DataFrame, explainer: Explainer) -> pl.Series:
    """Return what a person reads for each left entity, folded."""
    names = explainer.names[0]
    read = [names.get(own) or short_form(own) for own in frame["left"]]
    return fold(pl.Series(read, dtype=pl.String))


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


def _ranks(frame: pl.DataFrame) -> dict[str, Ints]:
    """Return the rank of each item, (n,), in each order; items without a value are last."""
    ranks: dict[str, Ints] = {"": np.arange(len(frame))}
    for order in filter(None, ORDERS):
        column, is_reversed = order.removeprefix(REVERSE), order.startswith(REVERSE)
        values = frame[column].rank("dense").cast(pl.Float64).to_numpy()  # nan where there is none
        is_descending = is_reversed != (column == "fdr")  # much expected wrong is doubtful
        places = np.argsort(-values if is_descending else values, kind="stable")
        ranks[order] = np.empty(len(frame), np.int64)
        ranks[order][places] = np.arange(len(frame))
    return ranks


def _entity_numbers(explainer: Explainer, frame: pl.DataFrame) -> tuple[Ints, Ints]:
    """Return the numbers of the left and the right entity of each item."""
    sides = explainer.source.left, explainer.source.right
    left, right = (
        np.array([side.graph.entity_ids.get(name, 0) for name in frame[column]], np.int64)
        for column, side in zip(("left", "right"), sides, strict=True)
    )
    return left, right


def _fact_counts(explainer: Explainer, entities: tuple[Ints, Ints]) -> Ints:
    """Return the number of facts of both entities of each item."""
    source = explainer.source
    return np.diff(source.left.start)[entities[0]] + np.diff(source.right.start)[entities[1]]
