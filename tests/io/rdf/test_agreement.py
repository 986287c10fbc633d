"""The same triples in every format are the same graph, and a slow reading agrees with the fast."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse, serialize

from lighttea import InputError, read_graph
from lighttea.graph.facts import Graph
from lighttea.io.graphs import detect_format
from lighttea.io.literals import frame_of_attributes
from lighttea.io.rdf.dates import time_of_graph_name, time_text
from lighttea.io.spans import combine_times
from tests.fuzzing import examples
from tests.io.rdf.conftest import facts_of

START, END = "http://schema.org/startDate", "http://schema.org/endDate"
XSD = "http://www.w3.org/2001/XMLSchema#"
names = st.sampled_from("abcdef")
years = st.integers(1990, 1994)
links = st.tuples(names, st.sampled_from("rq"), names)
dates = st.tuples(names, st.sampled_from(["born", "died"]), years)
notes = st.tuples(links, st.sampled_from([START, END]), years)
worlds = st.tuples(
    st.lists(links, max_size=8), st.lists(dates, max_size=4), st.lists(notes, max_size=8)
)
World = tuple[
    list[tuple[str, str, str]],
    list[tuple[str, str, int]],
    list[tuple[tuple[str, str, str], str, int]],
]


def triple(*parts: str) -> str:
    return " ".join(f"<http://ex/{part}>" for part in parts)


def as_lines(world: World) -> str:
    """N-Triples with the older RDF-star, which is Turtle as well."""
    facts, births, said = world
    lines = [f"{triple(*fact)} ." for fact in facts]
    lines += [f'{triple(a, r)} "{year}"^^<{XSD}gYear> .' for a, r, year in births]
    lines += [f'<< {triple(*of)} >> <{p}> "{year}"^^<{XSD}gYear> .' for of, p, year in said]
    return "\n".join(lines) + "\n"


def expected(world: World) -> set[tuple[str, str, str, str | None, str | None]]:
    """The facts, by dictionaries."""
    facts, births, said = world
    times: dict[tuple[str, str, str], tuple[set[int], set[int]]] = defaultdict(
        lambda: (set(), set())
    )
    for of, predicate, year in said:
        times[of][predicate == END].add(year)
    found: set[tuple[str, str, str, str | None, str | None]]
    found = {(*fact, None, None) for fact in facts if fact not in times}
    found |= {(a, r, a, str(year), str(year)) for a, r, year in births}
    calendar = list(range(3000))
    for fact, (begins, ends) in times.items():
        for begin, end in combine_times(sorted(begins), sorted(ends), [], calendar):
            sides = (str(side) if side >= 0 else None for side in (begin, end))
            found.add((*fact, *sides))  # type: ignore[arg-type]
    return found


def read_text(folder: Path, text: str, name: str) -> Graph:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_graph(path)


@examples(50)
@given(world=worlds)
def test_all_formats_agree(tmp_path_factory: pytest.TempPathFactory, world: World) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    text = as_lines(world)
    wanted = expected(world)
    if not wanted:
        with pytest.raises(InputError, match="no facts"):
            read_text(folder, text, "g.nt")
        return
    by_lines = read_text(folder, text, "g.nt")
    assert set(facts_of(by_lines)) == wanted
    for name in ("g.ttl", "g.trig"):
        assert facts_of(read_text(folder, text, name)) == facts_of(by_lines)
    rdf12 = serialize(parse(text, RdfFormat.TURTLE), format=RdfFormat.N_TRIPLES)
    assert rdf12 is not None
    assert facts_of(read_text(folder, rdf12.decode(), "h.nt")) == facts_of(by_lines)
    assert facts_of(read_text(folder, rdf12.decode(), "h.nq")) == facts_of(by_lines)


@given(
    st.lists(st.integers(0, 20), max_size=5, unique=True),
    st.lists(st.integers(0, 20), max_size=5, unique=True),
)
def test_every_begin_and_every_end_is_used_once(begins: list[int], ends: list[int]) -> None:
    found = combine_times(begins, ends, [99], list(range(100)))
    if not begins and not ends:
        assert found == [(99, 99)]
        return
    assert sorted(begin for begin, _ in found if begin >= 0) == sorted(begins)
    assert sorted(end for _, end in found if end >= 0) == sorted(ends)
    if (len(begins), len(ends)) != (1, 1):
        assert all(begin <= end for begin, end in found if min(begin, end) >= 0)


@given(st.text(max_size=30))
def test_no_text_brings_the_date_readers_down(text: str) -> None:
    for time in (time_text(text), time_of_graph_name(text)):
        assert time is None or time[0] in "+-"


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("http://ex/2014", "+2014"),
        ("http://ex/2014/", "+2014"),
        ("http://ex/g-2014-05", "+2014-05"),
        ("http://ex/g_20140506", "+2014-05-06"),
        ("http://ex/2014-05-06", "+2014-05-06"),
        ("_:y2014", "+2014"),
        ("http://ex/12014", None),
        ("http://ex/0014", None),
        ("http://ex/2014-13", None),
        ("http://ex/2014-05-32", None),
        ("http://ex/2014/facts", None),
        ("http://ex/v3", None),
    ],
)
def test_times_at_the_end_of_graph_names(name: str, time: str | None) -> None:
    assert time_of_graph_name(name) == time


def test_the_example_of_the_documents(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "formats.md"
    example = page.read_text(encoding="utf-8").partition("```turtle\n")[2].partition("```")[0]
    graph = read_text(tmp_path, example, "g.ttl")
    base = "http://example.org/"
    assert facts_of(graph) == [
        (f"{base}Curie", f"{base}spouse", f"{base}PierreCurie", None, None),
        (f"{base}Curie", f"{base}worksFor", f"{base}Sorbonne", "1906", "1934"),
        (f"{base}Curie", "http://schema.org/birthDate", f"{base}Curie") + ("1867-11-07",) * 2,
    ]
    assert graph.entity_names == {f"{base}Curie": "Marie Curie"}
    assert frame_of_attributes(graph).select("attribute", "value").rows() == [
        ("http://schema.org/name", "Marie Curie"),
        ("http://schema.org/height", "1.60"),
    ]


def test_every_extension_of_the_documents_is_known() -> None:
    import re

    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\..*?) \|", page, flags=re.M)
    assert len(rows) == 6
    for suffix in re.findall(r"`(\.\w+)`", " ".join(rows)):
        assert detect_format(f"graph{suffix}") != "table"
