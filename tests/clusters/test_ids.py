"""Ids of clusters: made of content, kept over runs."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from lighttea.clusters.ids import carry_cluster_ids, make_cluster_id


def clusters(**members: str) -> pl.DataFrame:
    """Clusters of entities that are single letters, of one graph."""
    rows = [(cluster, "G", entity) for cluster, own in members.items() for entity in own]
    schema = dict.fromkeys(("cluster", "graph", "entity"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def sets(table: pl.DataFrame) -> dict[str, str]:
    return {
        cluster: "".join(sorted(own))
        for cluster, own in table.group_by("cluster").agg("entity").iter_rows()
    }


def test_an_id_is_made_of_graph_and_entity() -> None:
    assert make_cluster_id("A", "1") == make_cluster_id("A", "1")
    different = {make_cluster_id(*names) for names in (("A", "1"), ("A", "2"), ("B", "1"))}
    assert len(different) == 3
    assert make_cluster_id("a", "bc") != make_cluster_id("ab", "c")


def test_a_cluster_keeps_its_id_where_it_grows_or_loses_its_first_member() -> None:
    carried = carry_cluster_ids(clusters(x="abc", y="de"), clusters(m="bcf", n="deg"))
    assert sets(carried) == {"x": "bcf", "y": "deg"}


def test_the_larger_part_of_a_divided_cluster_keeps_the_id() -> None:
    carried = carry_cluster_ids(clusters(x="abcd"), clusters(m="a", n="bcd"))
    assert sets(carried) == {"x": "bcd", "m": "a"}


def test_of_two_joined_clusters_the_one_with_more_members_gives_the_id() -> None:
    carried = carry_cluster_ids(clusters(x="ab", y="cde"), clusters(m="abcde"))
    assert sets(carried) == {"y": "abcde"}


def test_a_new_cluster_does_not_take_an_id_that_was_another_one() -> None:
    carried = carry_cluster_ids(clusters(x="ab"), clusters(m="ab", x="cd"))
    found = {own: cluster for cluster, own in sets(carried).items()}
    assert found["ab"] == "x"
    assert found["cd"] not in ("x", "m")


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("rstu"), max_size=8),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("rsvw"), max_size=8),
)
def test_clusters_stay_apart_and_whole(old: dict[str, str], new: dict[str, str]) -> None:
    tables = [
        clusters(**{c: "".join(e for e in own if own[e] == c) for c in sorted(set(own.values()))})
        for own in (old, new)
    ]
    carried = carry_cluster_ids(*tables)
    assert sorted(sets(carried).values()) == sorted(sets(tables[1]).values())
    again = carry_cluster_ids(carried, tables[1])
    assert again.equals(carried)
