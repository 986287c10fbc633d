"""What users get back has a name in `lighttea`, a short repr and an escaped notebook view."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, is_typeddict

import polars as pl
import pytest

import lighttea
from lighttea import Config, Instants, graph_from, make_config
from lighttea.io.literals import with_literals
from tests.worlds import random_facts, renamed

LONGEST = 300  # characters
RISKY = "<img src=x onerror=alert(1)> & 'quotes' \"too\""


def public_classes() -> dict[str, type]:
    public = {name: getattr(lighttea, name) for name in lighttea.__all__}
    return {name: value for name, value in public.items() if inspect.isclass(value)}


SHOWN = {
    name: value
    for name, value in public_classes().items()
    if not is_typeddict(value) and not issubclass(value, BaseException | Enum)
}


def objects_of(value: Any) -> Iterator[Any]:
    """An object of ours and all that its fields hold."""
    if type(value).__module__.startswith("lighttea."):
        yield value
        parts = [getattr(value, f.name) for f in fields(value)] if is_dataclass(value) else []
    else:
        parts = list(value) if isinstance(value, tuple) else []
    for part in parts:
        yield from objects_of(part)


def with_phones(graph: lighttea.Graph, name: str, sign: str) -> lighttea.Graph:
    """The graph with a literal for each entity, of which a few have no counterpart."""
    numbers = {entity.removeprefix("x"): i for i, entity in enumerate(sorted(graph.entities))}
    rows = [
        (entity, name, f"{sign} {numbers[entity.removeprefix('x')] * 7919}")
        for entity in graph.entities
    ]
    frame = pl.DataFrame(rows, schema=["entity", "attribute", "value"], orient="row")
    return with_literals(graph, frame)


def results_of(left: lighttea.Graph, right: lighttea.Graph, n: int = 12) -> list[Any]:
    """What a user gets back from two graphs: a run and everything that can be asked of it."""
    links = [(name, f"x{name}") for name in left.entities if f"x{name}" in right.entity_ids]
    left, right = with_phones(left, "phone", RISKY), with_phones(right, RISKY * 5, "tel.")
    options: dict[str, Any] = {"dim": 32, "top_k": 20, "threads": 1}
    run = lighttea.align(left, right, seeds=links[:n], **options)
    dataset = lighttea.Dataset(left.source, left, right, run.seeds, fixed_split=True)
    linked = run.links["left"].head(20).to_list()
    explanations = [run.explain(name) for name in linked]
    alarmed = replace(
        explanations[0], alarms=(lighttea.Alarm("disjoint-times", 0.9, linked[0] * 5),)
    )
    settings = [make_config("best", literals=True), make_config("paper", rounds=1)]
    roots = [left, run, run.explainer, run.evaluate(links), dataset, *settings]
    clusters = cluster_results(left, right, links, n, options)
    roots += [*clusters, *explanations, alarmed]
    return [part for root in roots for part in objects_of(root)]


def cluster_results(
    left: lighttea.Graph,
    right: lighttea.Graph,
    links: list[tuple[str, str]],
    n: int,
    options: dict[str, Any],
) -> list[Any]:
    """What a user gets back from several graphs."""
    run = lighttea.align_many([left, right], seeds=links[:n], **options)
    entity = run.clusters["entity"][0]
    return [run, run.evaluate(links), run.explain(entity)]


@pytest.fixture(scope="module")
def results() -> list[Any]:
    """Objects with ordinary names."""
    facts = random_facts(60, 400, 1)
    return results_of(graph_from(facts, name="left"), graph_from(renamed(facts), name="right"))


@pytest.fixture(scope="module")
def risky_results() -> list[Any]:
    """Objects whose names are very long and full of HTML."""
    facts = random_facts(60, 400, 1, prefix=RISKY * 20)
    return results_of(graph_from(facts, name=RISKY * 20), graph_from(renamed(facts), name=RISKY))


def test_there_is_an_object_of_every_public_class(results: list[Any]) -> None:
    assert {type(part).__name__ for part in results} >= set(SHOWN)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_repr_is_short_and_names_its_class(
    name: str, results: list[Any], risky_results: list[Any]
) -> None:
    own = [part for part in (*results, *risky_results) if type(part).__name__ == name]
    assert own
    for part in own:
        assert repr(part).startswith(f"{name}(")
        assert len(repr(part)) <= LONGEST
        assert "array(" not in repr(part)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_notebook_view_is_escaped(name: str, risky_results: list[Any]) -> None:
    own = [part for part in risky_results if type(part).__name__ == name]
    assert own
    for part in own:
        page = part._repr_html_()
        assert f"<b>{name}</b>" in page
        assert "<img" not in page
        assert RISKY not in page


def test_a_graph_of_20_000_entities_prints_two_lines() -> None:
    graph = graph_from(random_facts(20_000, 60_000, 1), name="left")
    n_entities = len(graph.entities)
    assert n_entities > 18_000
    assert repr(graph).splitlines() == [
        f"Graph({n_entities:,} entities, 8 relations, 60,000 facts from left;",
        "      100% of the facts with time, 1900 to 1962)",
    ]
    assert repr(graph.facts) == "Facts(60,000 facts, 60,000 with time)"
    assert repr(graph.instants) == "Instants(63: 1900 to 1962)"
    page = graph._repr_html_()
    assert page.count("<tr>") == 6  # a header and five facts
    assert graph.entities[0] in page


def test_empty_objects_have_a_repr_too() -> None:
    assert repr(Instants.none()) == "Instants(none)"
    graph = graph_from([("a", "r", "b")])
    assert repr(graph).splitlines()[1].strip() == "no time)"
    assert "no time" in graph._repr_html_()


def test_the_figures_of_an_evaluation_are_in_its_views(results: list[Any]) -> None:
    evaluation = next(part for part in results if isinstance(part, lighttea.Evaluation))
    assert f"Hits@1 {evaluation.ranking.hits_at_1:.4f}" in repr(evaluation)
    page = evaluation._repr_html_()
    for name, value in evaluation.to_dict().items():
        assert name in page
        assert (f"{value:,}" if isinstance(value, int) else f"{value:.4f}") in page


def test_a_configuration_shows_what_was_changed() -> None:
    config = Config(rounds=1, random_seed=7)
    assert repr(config) == "Config(rounds=1, random_seed=7)"
    assert repr(Config()) == "Config()"
    assert "random_seed" in config._repr_html_()


def test_errors_and_warnings_are_public() -> None:
    import lighttea.errors

    defined = {
        name
        for name, value in vars(lighttea.errors).items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    assert defined <= set(lighttea.__all__)
