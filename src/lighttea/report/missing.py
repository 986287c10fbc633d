"""Where links are missing: by why, by type or relation, and by period."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from lighttea.display import Named
from lighttea.graph.typing import tells_types
from lighttea.results.names import RELATION, name_ids
from lighttea.results.run import Run

SHOWN_KINDS = 8  # of each side
_PERIODS = 12
_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000)
_YEAR = pl.coalesce("begin", "end").str.extract(r"^([+-]?\d+)").cast(pl.Int64, strict=False)


@dataclass(frozen=True)
class Kind:
    """Entities of a type, or with a relation, and how many of them have a link."""

    named: Named
    arrow: str  # the direction of the relation; empty for a type
    n_entities: int
    n_linked: int

    @property
    def n_unlinked(self) -> int:
        """The number without a link."""
        return self.n_entities - self.n_linked

    @property
    def share(self) -> float:
        """The share with a link."""
        return self.n_linked / self.n_entities


@dataclass(frozen=True)
class Period:
    """Entities whose facts are of a period, and how many of them have a link."""

    first_year: int
    width: int
    n_entities: int
    n_linked: int

    @property
    def name(self) -> str:
        """The years of the period."""
        last = self.first_year + self.width - 1
        return str(self.first_year) if self.width == 1 else f"{self.first_year} to {last}"

    @property
    def n_unlinked(self) -> int:
        """The number without a link."""
        return self.n_entities - self.n_linked


@dataclass(frozen=True)
class Periods:
    """The entities of one side by period, and those without a dated fact."""

    periods: list[Period]
    n_undated: int
    n_undated_linked: int


def entities_by_kind(run: Run, side: str) -> tuple[str, list[Kind]]:
    """Return what the entities of a side are grouped by, and the groups that miss most links.

    They are grouped by type where facts tell it, else by relation and direction.
    """
    facts, linked = _facts(run, side), linked_entities(run, side)
    types = facts.filter(pl.col("relation").is_in(_type_relations(run, side, facts)))
    if len(types):
        rows = types.select(entity="head", kind="tail", arrow=pl.lit(""))
    else:
        rows = pl.concat(
            facts.select(entity=end, kind="relation", arrow=pl.lit(arrow))
            for end, arrow in (("head", "→"), ("tail", "←"))
        )
    counts = _count_linked(rows.unique(), ["kind", "arrow"], linked)
    counts = counts.with_columns(missing=pl.col("entities") - pl.col("linked"))
    order = ["missing", "entities", "kind", "arrow"]
    counts = counts.sort(order, descending=[True, True, False, False]).head(SHOWN_KINDS)
    names = name_ids(run, side, counts["kind"], *([] if len(types) else [RELATION]))
    columns = counts["arrow"], counts["entities"], counts["linked"]
    kinds = [Kind(*row) for row in zip(names, *columns, strict=True)]
    return "type" if len(types) else "relation", kinds


def _facts(run: Run, side: str) -> pl.DataFrame:
    return run.facts_left if side == "left" else run.facts_right


def linked_entities(run: Run, side: str) -> pl.Series:
    """Return the entities of a side that have a link or a seed."""
    return pl.concat([run.seeds[side], run.links[side]]).unique()


def _type_relations(run: Run, side: str, facts: pl.DataFrame) -> list[str]:
    """Return the relations that tell the type of an entity, by what they are called."""
    relations = facts["relation"].unique().to_list()
    named = name_ids(run, side, relations, RELATION)
    return [own.id for own in named if tells_types(own)]


def _count_linked(rows: pl.DataFrame, by: list[str], linked: pl.Series) -> pl.DataFrame:
    is_linked = pl.col("entity").is_in(linked.implode())
    return rows.group_by(by).agg(entities=pl.len(), linked=is_linked.sum())


def entities_by_period(run: Run, side: str) -> Periods:
    """Return the entities of a side by the middle year of their facts."""
    facts = _facts(run, side).with_columns(year=_YEAR)
    ends = pl.concat(facts.select("year", entity=end) for end in ("head", "tail"))
    years = ends.group_by("entity").agg(pl.col("year").median().floor().cast(pl.Int64))
    linked = linked_entities(run, side)
    is_linked = pl.col("entity").is_in(linked.implode())
    undated = years.filter(pl.col("year").is_null())
    dated = years.drop_nulls("year")
    width = _period_width(dated["year"])
    first = (pl.col("year") // width * width).alias("first")
    counts = _count_linked(dated.with_columns(first), ["first"], linked).sort("first")
    periods = [Period(begin, width, n, own) for begin, n, own in counts.rows()]
    return Periods(periods, len(undated), len(undated.filter(is_linked)))


def _period_width(years: pl.Series) -> int:
    """Return how many years a period has, so that there are about a dozen.

    Where a few years lie far from all others, there are more periods than that, not wider ones.
    """
    if years.is_empty():
        return 1
    low, high = (int(years.quantile(share, "nearest") or 0) for share in (0.02, 0.98))
    fitting = (width for width in _WIDTHS if (high - low) / width < _PERIODS)
    return next(fitting, _WIDTHS[-1])
