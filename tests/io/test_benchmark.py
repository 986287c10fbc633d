"""Dataset folders in all the variants of the field's format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lighttea.errors import InputError
from lighttea.graph.timeline import TimeKind
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.io.frames import frame_of_graph
from lighttea.io.literals import frame_of_attributes
from lighttea.io.tables import read_graph

FILES: dict[str, str | None] = {
    "triples_1": "0\t0\t1\t1\t2\n1\t1\t2\t2\t2\n",
    "triples_2": "10\t5\t11\t1\t2\n11\t6\t12\t2\t2\n",
    "ent_ids_1": "0\ta\n1\tb\n2\tc\n",
    "ent_ids_2": "10\tA\n11\tB\n12\tC\n",
    "rel_ids_1": "0\tr\n1\ts\n",
    "rel_ids_2": "5\tR\n6\tS\n",
    "sup_pairs": "2\t12\n",
    "ref_pairs": "1\t11\n0\t10\n",
}
Times = list[tuple[str | None, str | None]]
Maker = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Maker:
    """Write a dataset folder, some of its files changed or (None) left out."""

    def write(**changed: str | None) -> Path:
        where = tmp_path / "TINY"
        where.mkdir()
        for name, text in {**FILES, **changed}.items():
            if text is not None:
                (where / name).write_bytes(text.encode())
        return where

    return write


def left_times(dataset: Dataset) -> Times:
    return frame_of_graph(dataset.left).select("begin", "end").rows()


def complaint(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_dataset(folder)
    return str(caught.value).replace(f"{folder}/", "").replace(str(folder), "TINY")


def test_a_folder_with_a_fixed_split(folder: Maker) -> None:
    dataset = read_dataset(folder())
    assert dataset.name == "TINY"
    assert frame_of_graph(dataset.left).rows() == [
        ("0", "0", "1", "0001", "0002"),
        ("1", "1", "2", "0002", "0002"),
    ]
    assert list(dataset.right.entities) == ["10", "11", "12"]
    assert dataset.right.entity_names == {"10": "A", "11": "B", "12": "C"}
    assert dataset.right.relation_names == {"5": "R", "6": "S"}
    assert dataset.pairs.columns == ["left", "right"]
    assert dataset.pairs.rows() == [("2", "12"), ("1", "11"), ("0", "10")]
    assert dataset.fixed_split


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ("0\t0\t1\n1\t1\t2\n", [(None, None), (None, None)]),
        ("0\t0\t1\t3\n1\t1\t2\t4\n", [("0003", "0003"), ("0004", "0004")]),
        ("0\t0\t1\t0\n1\t1\t2\t4\n", [("0000", "0000"), ("0004", "0004")]),
        ("0\t0\t1\t~\n1\t1\t2\t\n", [(None, None), (None, None)]),
        ("0\t0\t1\t2011-01-02\n1\t1\t2\t~\n", [("2011-01-02", "2011-01-02"), (None, None)]),
        ("0\t0\t1\t3\t4\n1\t1\t2\t5\t5\n", [("0003", "0004"), ("0005", "0005")]),
        ("0\t0\t1\t0\t4\n1\t1\t2\t5\t0\n", [(None, "0004"), ("0005", None)]),
        ("0\t0\t1\t~\t4\n1\t1\t2\t\t~\n", [(None, "0004"), (None, None)]),
        ("0\t0\t1\t1971.0000\t2011-01-02\n1\t1\t2\t0\t0\n", [("1971", "2011-01-02"), (None, None)]),
        ("0 0 1 3 4\n1 1 2 5 5\n", [("0003", "0004"), ("0005", "0005")]),
    ],
)
def test_3_4_or_5_columns_of_ids_or_dates(folder: Maker, triples: str, expected: Times) -> None:
    assert left_times(read_dataset(folder(triples_1=triples))) == expected


@pytest.mark.parametrize(
    "triples",
    [
        "0\t0\t1\t3\t4\n1\t1\t2\t5\t5",
        "0\t0\t1\t3\t4\r\n1\t1\t2\t5\t5\r\n",
        "0\t0\t1\t3\t4\t\n1\t1\t2\t5\t5\t\n",
        "\n0\t0\t1\t3\t4\n\n1\t1\t2\t5\t5\n\n",
    ],
)
def test_line_ends_and_one_tab_too_many(folder: Maker, triples: str) -> None:
    dataset = read_dataset(folder(triples_1=triples))
    assert left_times(dataset) == [("0003", "0004"), ("0005", "0005")]


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ("0\t0\t1\t\n1\t1\t2\t\n", [(None, None), (None, None)]),
        ("0\t0\t1\t3\t\n1\t1\t2\t0\t\n", [("0003", "0003"), ("0000", "0000")]),
    ],
)
def test_a_tab_at_every_end_is_no_further_column(
    folder: Maker, triples: str, expected: Times
) -> None:
    assert left_times(read_dataset(folder(triples_1=triples))) == expected


def test_a_tab_at_some_ends_is_an_empty_field(folder: Maker) -> None:
    dataset = read_dataset(folder(triples_1="0\t0\t1\t3\t\n1\t1\t2\t4\t5\n"))
    assert dataset.left.facts.kinds().tolist() == [TimeKind.OPEN_END, TimeKind.INTERVAL]


def test_time_ids_become_dates(folder: Maker) -> None:
    dataset = read_dataset(folder(time_id="1\t2001-02-03\n2\t2005\n"))
    assert left_times(dataset) == [("2001-02-03", "2005"), ("2005", "2005")]


@pytest.mark.parametrize(
    ("zero", "expected"), [("-inf", None), ("~", None), ("", None), ("1999", "1999")]
)
@pytest.mark.parametrize("width", [4, 5])
def test_time_id_is_believed_about_zero(
    folder: Maker, zero: str, expected: str | None, width: int
) -> None:
    row = "\t".join(["0", "0", "1", "0", "0"][:width])
    other = "\t".join(["1", "1", "2", "1", "1"][:width])
    dataset = read_dataset(
        folder(
            triples_1=f"{row}\n{other}\n",
            triples_2="10\t5\t11\t1\n11\t6\t12\t1\n",
            time_id=f"0\t{zero}\n1\t2001\n",
        )
    )
    assert left_times(dataset) == [(expected, expected), ("2001", "2001")]


def test_zero_in_5_columns_is_unknown_where_time_id_does_not_say(folder: Maker) -> None:
    dataset = read_dataset(
        folder(triples_1="0\t0\t1\t0\t2\n1\t1\t2\t1\t0\n", time_id="1\t2001\n2\t2002\n")
    )
    assert left_times(dataset) == [(None, "2002"), ("2001", None)]


def test_unknown_times_need_not_stand_in_time_id(folder: Maker) -> None:
    dataset = read_dataset(
        folder(triples_1="0\t0\t1\t~\t2\n1\t1\t2\t\t1\n", time_id="1\t2001\n2\t2002\n")
    )
    assert left_times(dataset) == [(None, "2002"), (None, "2001")]


def test_a_time_id_that_time_id_lacks_is_refused_with_its_line(folder: Maker) -> None:
    message = complaint(
        folder(triples_1="0\t0\t1\t1\t2\n1\t1\t2\t7\t2\n", time_id="1\t2001\n2\t2\n")
    )
    assert message.startswith("triples_1:2: ")
    assert "time_id" in message


def test_a_time_id_that_is_no_time_is_refused_with_its_line(folder: Maker) -> None:
    message = complaint(folder(time_id="1\t2001\n2\tsoon\n"))
    assert message.startswith("time_id:2: ")
    assert "'soon'" in message


def test_a_time_id_with_two_meanings_is_refused(folder: Maker) -> None:
    assert "1" in complaint(folder(time_id="1\t2001\n1\t2002\n2\t2005\n"))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("0\tr\n1\ts", {"0": "r", "1": "s"}),
        ("r\t0\ns\t1\n", {"0": "r", "1": "s"}),
        ("0 plays for\n1 s\n", {"0": "plays for", "1": "s"}),
        ("0\t1\n1\t0\n", {"0": "1", "1": "0"}),
        ("7\t0\n8\t1\n", {"0": "7", "1": "8"}),
    ],
)
def test_relation_names_in_either_column_order(
    folder: Maker, names: str, expected: dict[str, str]
) -> None:
    dataset = read_dataset(folder(rel_ids_1=names))
    assert dataset.left.relation_names == expected
    assert list(dataset.left.relations) == ["0", "1"]


def test_entities_without_facts_are_kept(folder: Maker) -> None:
    dataset = read_dataset(
        folder(ent_ids_1="9\tlonely\n0\ta\n1\tb\n2\tc\n", ref_pairs="9\t10\n1\t11\n")
    )
    assert list(dataset.left.entities) == ["9", "0", "1", "2"]
    assert dataset.left.entity_names["9"] == "lonely"
    assert ("9", "10") in dataset.pairs.rows()


def test_name_files_may_be_missing(folder: Maker) -> None:
    left = read_dataset(folder(ent_ids_1=None, rel_ids_1=None)).left
    assert list(left.entities) == ["0", "1", "2"]
    assert left.entity_names == left.relation_names == {}


@pytest.mark.parametrize(
    ("changed", "pairs", "fixed"),
    [
        ({"sup_pairs": None, "ref_pairs": None, "ref_ent_ids": "0\t10\n1\t11"}, 2, False),
        (
            {
                "sup_pairs": None,
                "ref_pairs": None,
                "sup_ent_ids": "0\t10\n",
                "ref_ent_ids": "1\t11\n2\t12\n",
            },
            3,
            True,
        ),
        ({"ref_pairs": "0 10\n1 11\n"}, 3, True),
        ({"ref_pairs": "0\t10\t\n1\t11\t\n"}, 3, True),
    ],
)
def test_pairs(folder: Maker, changed: dict[str, str | None], pairs: int, fixed: bool) -> None:
    dataset = read_dataset(folder(**changed))
    assert len(dataset.pairs) == pairs
    assert ("0", "10") in dataset.pairs.rows()
    assert dataset.fixed_split is fixed


def test_seeds_come_first_also_from_entity_id_files(folder: Maker) -> None:
    dataset = read_dataset(
        folder(sup_pairs=None, ref_pairs=None, sup_ent_ids="2\t12\n", ref_ent_ids="1\t11\n0\t10\n")
    )
    assert dataset.pairs.rows() == [("2", "12"), ("1", "11"), ("0", "10")]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"triples_1": "0\t0\t1\nx\t0\t1\n"},
            "triples_1:2: head must be a whole number; found 'x'",
        ),
        ({"triples_2": "10\t5.0\t11\n"}, "triples_2:1: relation must be a whole number"),
        ({"triples_1": "0\t0\t-1\n"}, "triples_1:1: tail must be a whole number; found '-1'"),
        ({"triples_1": "0\t0\t\t1\t2\n"}, "triples_1:1: tail must be a whole number; found ''"),
        ({"ref_pairs": "0\tx\n"}, "ref_pairs:1: right must be a whole number; found 'x'"),
        ({"ref_pairs": "0\t99\n"}, "ref_pairs:1: pair (0, 99) names an entity"),
        ({"sup_pairs": "77\t12\n"}, "sup_pairs:1: pair (77, 12) names an entity"),
        ({"ref_pairs": "0\t10\n0\t11\n"}, "left entity 0 is in several pairs"),
        ({"ref_pairs": "0\t10\n1\t10\n"}, "right entity 10 is in several pairs"),
        ({"sup_pairs": "0\t10\n"}, "left entity 0 is in several pairs"),
        ({"ref_pairs": "0\t10\t1\n"}, "ref_pairs:1: expected 2"),
        ({"triples_1": "0\t0\t1\t1\t2\n1\t1\t2\n"}, "triples_1:2: expected 5"),
        ({"triples_1": "0\t0\n"}, "triples_1:1: expected 3 or 4 or 5"),
        ({"triples_1": "0\t0\t1\tsoon\n"}, "triples_1:1: time 'soon' is not understood"),
        ({"triples_1": ""}, "triples_1: the file is empty"),
        ({"triples_2": None}, "triples_2: no such file"),
        ({"ref_pairs": None}, "neither ref_pairs nor ref_ent_ids"),
        ({"ent_ids_1": "0\ta\n1\tb\n"}, "ent_ids_1: lacks ids that the facts use: 2"),
        ({"ent_ids_1": "0\ta\nx\tb\n2\tc\n"}, "ent_ids_1:2: expected a whole number and a name"),
        ({"ent_ids_1": "0\ta\n1\tb\n1\tb\n2\tc\n"}, "ent_ids_1: id 1 is on several lines"),
        ({"rel_ids_2": "5\tR\n"}, "rel_ids_2: lacks ids that the facts use: 6"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(
    folder: Maker, changed: dict[str, str | None], said: str
) -> None:
    assert said in complaint(folder(**changed))


def test_twenty_wrong_ids_then_a_count(folder: Maker) -> None:
    lines = complaint(folder(triples_1="x\t0\t1\n" * 24)).splitlines()
    assert len(lines) == 21
    assert lines[19].startswith("triples_1:20:")
    assert lines[20] == "... and 4 more"


def test_a_missing_folder_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "no", tmp_path / "file"):
        with pytest.raises(InputError, match="no such folder"):
            read_dataset(path)


def test_literals_beside_the_facts(folder: Maker) -> None:
    attributes = "2\tname\tc\td\n0\tname\tx y\n0\tborn\t1900\n2\tborn\t1900\n"
    graph = read_dataset(folder(attr_triples_1=attributes)).left
    own = graph.attributes
    rows = zip(own.entity.tolist(), own.attribute.tolist(), own.value.tolist(), strict=True)
    assert [(graph.entities[e], own.names[a], own.texts[v]) for e, a, v in rows] == [
        ("0", "name", "a"),
        ("0", "name", "x y"),
        ("0", "born", "1900"),
        ("1", "name", "b"),
        ("2", "name", "c"),
        ("2", "name", "c\td"),
        ("2", "born", "1900"),
    ]
    assert (len(own.texts), set(own.begin.tolist())) == (6, {-1})


@pytest.mark.parametrize("line", ["9\tname\tx", "0\tname", "0"])
def test_a_wrong_literal_is_refused(folder: Maker, line: str) -> None:
    said = complaint(folder(attr_triples_1=f"0\tname\tx\n{line}\n"))
    assert said.startswith("attr_triples_1:2: expected the id of an entity, an attribute and")


GRAPHS: dict[str, str | None] = {
    **dict.fromkeys(FILES),
    "left.nt": '<u:a> <u:r> <u:b> .\n<u:a> <u:name> "Ann" .\n<u:c> <u:name> "Cy" .\n',
    "right.csv": "subject,predicate,object\nA,R,B\nB,R,C\n",
    "truth.tsv": "left\tright\nu:a\tA\nu:c\tC\n",
}


def test_a_folder_of_two_graphs_and_their_truth(folder: Maker) -> None:
    dataset = read_dataset(folder(**GRAPHS))
    assert (dataset.name, dataset.fixed_split, dataset.own_ids) == ("TINY", False, True)
    assert sorted(dataset.left.entities) == ["u:a", "u:b", "u:c"]
    assert sorted(dataset.left.attributes.texts) == ["Ann", "Cy"]
    assert sorted(dataset.right.entities) == ["A", "B", "C"]
    assert dataset.pairs.columns == ["left", "right"]
    assert dataset.pairs.rows() == [("u:a", "A"), ("u:c", "C")]


def test_the_format_of_the_field_comes_first(folder: Maker) -> None:
    dataset = read_dataset(folder(**{**FILES, "left.nt": "<u:a> <u:r> <u:b> .\n"}))
    assert not dataset.own_ids
    assert list(dataset.left.entities) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"left.nt": None, "right.csv": None}, "not a dataset"),
        (
            {"left.nt": None},
            "no file left.*; a dataset folder has one file each of left.*, right.* and",
        ),
        ({"truth.tsv": None}, "no file truth.*"),
        ({"left.ttl": "x"}, "several files could be the left one: left.nt, left.ttl"),
        ({"truth.tsv": "u:a\tA\nu:x\tB\n"}, "truth.tsv:2: pair (u:x, B) names an entity"),
        ({"truth.tsv": "u:a\tA\nu:a\tB\n"}, "left entity u:a is in several pairs"),
        ({"truth.tsv": "u:a\t\n"}, "truth.tsv:1: a link needs a left and a right entity"),
        ({"right.csv": "subject,predicate\nA,R\n"}, "right.csv:1"),
    ],
)
def test_a_wrong_folder_of_graphs_is_refused(
    folder: Maker, changed: dict[str, str | None], said: str
) -> None:
    assert said in complaint(folder(**{**GRAPHS, **changed}))


def test_both_forms_are_named_where_neither_is_there(folder: Maker) -> None:
    found = complaint(folder(**dict.fromkeys(FILES)))
    assert "triples_1, triples_2 and ref_pairs or ref_ent_ids" in found
    assert "left.*, right.* and truth.tsv" in found


def test_read_graph_reads_one_side_of_a_folder(folder: Maker) -> None:
    where = folder(time_id="1\t2001\n2\t2002\n", ent_ids_1="0\ta\n1\tb\n2\tc\n3\td\n")
    graph = read_graph(where / "triples_1")
    assert list(graph.entities) == ["0", "1", "2", "3"]
    assert frame_of_graph(graph)["begin"].to_list() == ["2001", "2002"]


def test_names_of_entities_are_attributes(folder: Maker) -> None:
    left = read_dataset(folder()).left
    literals = frame_of_attributes(left)
    assert literals["attribute"].unique().to_list() == ["name"]
    assert dict(literals.select("entity", "value").rows()) == left.entity_names
