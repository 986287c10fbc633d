"""The registry is well-formed, and a folder is a published dataset only by its bytes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lighttea.datasets import registry
from lighttea.datasets.registry import FILES, REGISTRY, PublishedDataset, hash_file, identify
from tests.conftest import CANNOT
from tests.datasets.folders import MADE, make_folder, published_as


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PublishedDataset:
    """A registry of one dataset that has digests and one that has none."""
    one = published_as("MADE", make_folder(tmp_path / "published"))
    other = replace(one, name="OTHER", sha256={})
    monkeypatch.setattr(registry, "REGISTRY", {"OTHER": other, "MADE": one})
    return one


@pytest.mark.parametrize("one", REGISTRY.values(), ids=REGISTRY.keys())
def test_an_entry_is_whole(one: PublishedDataset) -> None:
    assert one.name in REGISTRY
    assert one.title
    assert one.licence
    assert one.how_to_get.endswith(".")
    assert "\n" not in one.how_to_get
    for url in (one.source, one.archive):
        assert url is None or url.startswith("https://github.com/")
    assert (one.source is None) == (one.archive is None)
    assert one.statistics.facts
    assert one.statistics.pairs
    assert one.sha256.keys() <= FILES
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in one.sha256.values())
    assert (one.size_bytes is None) == (not one.sha256)


def test_table_1_of_the_paper() -> None:
    events, years = REGISTRY["DICEWS"].statistics, REGISTRY["YAGO-WIKI50K"].statistics
    assert (events.entities, events.relations) == ((9_517, 9_537), (247, 246))
    assert (events.facts, events.ticks) == ((307_552, 307_553), 4_017)
    assert events.pairs == 1_000 + 7_566 == 200 + 8_366
    assert (years.entities, years.relations) == ((49_629, 49_222), (11, 30))
    assert (years.facts, years.ticks) == ((221_050, 317_814), 245)
    assert years.pairs == 5_000 + 44_172 == 1_000 + 48_172


def test_what_was_regenerated_has_no_published_name() -> None:
    assert not REGISTRY["DICEWS"].sha256
    regenerated = REGISTRY["DICEWS (regenerated)"]
    assert regenerated.sha256
    assert regenerated.source is None


def test_no_two_entries_share_their_facts() -> None:
    facts = [one.sha256["triples_1"] for one in REGISTRY.values() if one.sha256]
    assert len(set(facts)) == len(facts)


def test_a_copy_is_the_dataset_whatever_its_name(known: PublishedDataset, tmp_path: Path) -> None:
    assert identify(make_folder(tmp_path / "renamed")) is known


def test_other_bytes_are_not_the_dataset(known: PublishedDataset, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "MADE")
    with (folder / "ref_pairs").open("a") as file:
        file.write("\n")
    assert identify(folder) is None


def test_a_missing_file_is_not_the_dataset(known: PublishedDataset, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "MADE")
    (folder / "time_id").unlink()
    assert identify(folder) is None
    assert identify(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("name", "is_same"), [("rel_ids_1", False), ("ref_ent_ids", True), ("notes.txt", True)]
)
def test_one_file_more_counts_when_it_is_read(
    known: PublishedDataset, tmp_path: Path, name: str, is_same: bool
) -> None:
    folder = make_folder(tmp_path / "MADE")
    (folder / name).write_text("7\tx\n", encoding="utf-8")
    assert (identify(folder) is known) == is_same


def test_without_digests_nothing_is_identified(
    known: PublishedDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "REGISTRY", {"MADE": replace(known, sha256={})})
    assert identify(make_folder(tmp_path / "MADE")) is None


def test_the_digest_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert str(hash_file(tmp_path / "empty")).startswith("e3b0c44298fc1c14")
    assert hash_file(tmp_path / "absent") is None
    assert hash_file(tmp_path) is None


@pytest.mark.data
def test_the_folders_at_hand_are_what_they_are(data_folder: Path) -> None:
    found = {path.name: identify(path) for path in data_folder.iterdir() if path.is_dir()}
    if not any(found.values()):
        pytest.skip(f"{CANNOT}LIGHTTEA_DATA has no dataset whose digests are known")
    assert "DICEWS" not in {one.name for one in found.values() if one}


def test_the_made_folder_is_one_that_is_read(tmp_path: Path) -> None:
    from lighttea.io.benchmark import read_dataset

    dataset = read_dataset(make_folder(tmp_path / "MADE"))
    assert len(dataset.pairs) == MADE.pairs
    assert (len(dataset.left.facts), len(dataset.right.facts)) == MADE.facts
