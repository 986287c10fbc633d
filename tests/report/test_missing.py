"""Where links are missing: every entity is counted once, by type or relation and by period."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from lighttea.io.rdf.vocabulary import RDF_TYPE
from lighttea.report.missing import (
    Period,
    entities_by_kind,
    entities_by_period,
    linked_entities,
)
from lighttea.results.run import Run
from tests.worlds import align_example


@pytest.fixture(scope="module")
def run() -> Run:
    """The bundled example."""
    return align_example(preset="best", dim=128)


def with_left_facts(run: Run, *rows: tuple[str, str, str, str | None, str | None]) -> Run:
    facts = pl.DataFrame(rows, schema=run.facts_left.schema, orient="row")
    links = run.links.head(1).with_columns(left=pl.lit("a"))
    return replace(run, facts_left=facts, links=links, seeds=run.seeds.head(0))


def test_relations_count_entities_by_direction(run: Run) -> None:
    grouped_by, kinds = entities_by_kind(run, "left")
    assert grouped_by == "relation"
    linked, facts = set(linked_entities(run, "left")), run.facts_left
    for kind in kinds:
        end = "head" if kind.arrow == "→" else "tail"
        own = set(facts.filter(relation=kind.named.id)[end])
        assert kind.n_entities == len(own)
        assert kind.n_linked == len(own & linked)
    assert [kind.n_unlinked for kind in kinds] == sorted(
        (kind.n_unlinked for kind in kinds), reverse=True
    )


def test_types_are_used_where_facts_tell_them(run: Run) -> None:
    told = with_left_facts(
        run,
        ("a", RDF_TYPE, "Person", None, None),
        ("b", RDF_TYPE, "Person", None, None),
        ("c", RDF_TYPE, "Town", None, None),
        ("a", "lives in", "c", None, None),
    )
    grouped_by, kinds = entities_by_kind(told, "left")
    assert grouped_by == "type"
    counts = [(kind.named.text, kind.n_entities, kind.n_linked, kind.arrow) for kind in kinds]
    assert counts == [("Person", 2, 1, ""), ("Town", 1, 0, "")]
    assert kinds[0].share == 0.5


def test_each_entity_is_in_one_period_or_undated(run: Run) -> None:
    for side, facts in (("left", run.facts_left), ("right", run.facts_right)):
        own = entities_by_period(run, side)
        entities = {*facts["head"], *facts["tail"]}
        assert sum(period.n_entities for period in own.periods) + own.n_undated == len(entities)
        linked = sum(period.n_linked for period in own.periods) + own.n_undated_linked
        assert linked == len(entities & set(linked_entities(run, side)))
        assert len(own.periods) < 25


def test_a_period_is_that_of_the_middle_year(run: Run) -> None:
    dated = with_left_facts(
        run,
        ("a", "r", "x", "-0044", None),
        ("b", "r", "y", None, "0019-05-01"),
        ("c", "r", "z", None, None),
    )
    own = entities_by_period(dated, "left")
    assert own.n_undated == 2
    assert sum(period.n_linked for period in own.periods) == 1
    years = [range(period.first_year, period.first_year + period.width) for period in own.periods]
    assert -44 in years[0]
    assert 19 in years[-1]


def test_graphs_without_time_have_no_periods(run: Run) -> None:
    own = entities_by_period(with_left_facts(run, ("a", "r", "b", None, None)), "left")
    assert own.periods == []
    assert (own.n_undated, own.n_undated_linked) == (2, 1)


def test_a_period_is_named_by_its_years() -> None:
    assert Period(1990, 10, 5, 2).name == "1990 to 1999"
    assert Period(1990, 1, 5, 2).name == "1990"
