"""What a folder is: by its bytes, its sizes, its name, in this order."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import pytest

from lighttea.bench.leaks import join_names, score_sorted_ids
from lighttea.bench.paper import subjects
from lighttea.bench.paper.subjects import find_folders, find_missing, survey
from lighttea.datasets import registry
from lighttea.errors import InputError
from lighttea.io.benchmark import read_dataset
from tests.datasets.folders import CONTENTS, make_folder, published_as


@pytest.fixture
def as_dicews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the registry knows, byte for byte, as DICEWS."""
    folder = make_folder(tmp_path / "data" / "events")
    known = {"DICEWS": published_as("DICEWS", folder)}
    entries = MappingProxyType({**registry.REGISTRY, **known})
    for module in (registry, subjects):
        monkeypatch.setattr(module, "REGISTRY", entries)
    return folder


def test_digests_decide_the_name(as_dicews: Path) -> None:
    subject = survey(as_dicews)
    assert (subject.title, subject.is_published, subject.reference) == ("DICEWS", True, "DICEWS")


def test_the_same_sizes_are_compared_but_keep_their_own_name(as_dicews: Path) -> None:
    other = {**CONTENTS, "triples_1": CONTENTS["triples_1"].replace("0\t0\t1\t1", "0\t1\t1\t1")}
    subject = survey(make_folder(as_dicews.parent / "DICEWS", other))
    assert not subject.is_published
    assert subject.reference == "DICEWS"
    assert subject.title == "folder DICEWS (3 + 3 entities, 6 facts)"


def test_a_name_alone_proves_nothing(tmp_path: Path) -> None:
    subject = survey(make_folder(tmp_path / "DICEWS"))
    assert subject.reference is None
    assert not subject.is_published
    assert subject.title.startswith("folder DICEWS (3 + 3")
    assert subject.seeds == (1,)  # the folder's own split: the published one is too large for it


def test_without_a_split_three_tenths_are_seeds(tmp_path: Path) -> None:
    contents = {name: text for name, text in CONTENTS.items() if name != "sup_pairs"}
    contents["ref_pairs"] = CONTENTS["sup_pairs"] + CONTENTS["ref_pairs"]
    assert survey(make_folder(tmp_path / "x", contents)).seeds == (1,)


def test_statistics_are_counted(tmp_path: Path) -> None:
    subject = survey(make_folder(tmp_path / "x"))
    sizes = subject.statistics
    assert (sizes.entities, sizes.relations, sizes.facts) == ((3, 3), (2, 2), (3, 3))
    assert (sizes.ticks, subject.ticks_used, sizes.pairs) == (3, 2, 3)
    assert list(subject.undated) == pytest.approx([1 / 3, 1 / 3])
    assert subject.dangling() == (0, 0)
    assert subject.methods == ("lighttea", "lightea")


def test_any_other_byte_is_another_digest(tmp_path: Path) -> None:
    one = survey(make_folder(tmp_path / "a")).digest
    assert survey(make_folder(tmp_path / "b")).digest == one
    other = {**CONTENTS, "time_id": CONTENTS["time_id"] + "3\t2003\n"}
    assert survey(make_folder(tmp_path / "c", other)).digest != one


def test_what_is_not_there_is_listed_with_how_to_get_it(as_dicews: Path) -> None:
    absent = find_missing([survey(as_dicews)])
    names = [one.name for one in absent]
    assert "DICEWS" not in names
    assert "YAGO-WIKI50K" in names
    assert "DICEWS (regenerated)" not in names  # there is nothing to get
    assert all(one.how_to_get.endswith(".") for one in absent)


def test_a_stand_in_does_not_make_the_published_files_be_there(as_dicews: Path) -> None:
    other = {**CONTENTS, "ent_ids_1": "0\tz\n1\tb\n2\tc\n"}
    folder = make_folder(as_dicews.parent / "again", other)
    (found,) = [one for one in find_missing([survey(folder)]) if one.name == "DICEWS"]
    assert found.stand_in == survey(folder).title


def test_folders_are_found_and_chosen(tmp_path: Path) -> None:
    for name in ("b", "a"):
        make_folder(tmp_path / name)
    (tmp_path / "notes").mkdir()
    assert [path.name for path in find_folders(tmp_path)] == ["a", "b"]
    assert [path.name for path in find_folders(tmp_path, ["b"])] == ["b"]
    assert find_folders(tmp_path / "a") == [tmp_path / "a"]
    with pytest.raises(InputError, match="no dataset folder c; found: a, b"):
        find_folders(tmp_path, ["c"])
    with pytest.raises(InputError, match="no such folder"):
        find_folders(tmp_path / "nowhere")


def test_ids_in_order_give_everything_away(tmp_path: Path) -> None:
    assert score_sorted_ids(read_dataset(make_folder(tmp_path / "x"))) == 1
    crossed = {**CONTENTS, "sup_pairs": "0\t4\n", "ref_pairs": "1\t3\n2\t5\n"}
    dataset = read_dataset(make_folder(tmp_path / "y", crossed))
    assert score_sorted_ids(dataset) == pytest.approx(1 / 3)


def test_equal_names_are_joined(tmp_path: Path) -> None:
    joined = join_names(read_dataset(make_folder(tmp_path / "x")))
    assert joined is not None
    assert (joined.hits_at_1, joined.open_links.f1) == (1, 1)


def test_a_name_that_two_bear_is_half_an_answer(tmp_path: Path) -> None:
    """And none at all among open candidates; IRIs are read by their last part."""
    contents = {
        **CONTENTS,
        "ent_ids_1": "0\t<http://left.example/a>\n1\tb\n2\tc\n",
        "ent_ids_2": "3\thttp://right.example/x/a\n4\tb\n5\tb\n",
    }
    joined = join_names(read_dataset(make_folder(tmp_path / "x", contents)))
    assert joined is not None
    assert joined.hits_at_1 == pytest.approx((1 + 1 / 2 + 0) / 3)
    links = joined.open_links
    assert [links.precision, links.recall] == pytest.approx([1, 1 / 3])


def test_without_names_there_is_nothing_to_join(tmp_path: Path) -> None:
    contents = {n: text for n, text in CONTENTS.items() if not n.startswith("ent_ids")}
    assert join_names(read_dataset(make_folder(tmp_path / "x", contents))) is None
