"""A fetched dataset is there whole and right, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lighttea.datasets import registry
from lighttea.datasets.download import FetchProgress, Limits
from lighttea.datasets.fetch import NOTE, Fetched, fetch
from lighttea.datasets.registry import PublishedDataset, identify
from lighttea.datasets.statistics import Statistics
from lighttea.errors import ConfigError, FetchError, InputError
from lighttea.io.benchmark import read_dataset
from tests.datasets.folders import CONTENTS, make_folder, published_as, tar_of, zip_of, zipped
from tests.datasets.site import Site, serving

QUICK = Limits(timeout_s=5, attempts=2)
ARCHIVE = zipped(CONTENTS)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(ARCHIVE)) as site:
        yield site


@pytest.fixture
def dataset(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> PublishedDataset:
    """The only entry of the registry, which the site serves."""
    one = published_as("MADE", make_folder(tmp_path / "published"))
    one = replace(one, archive=site.url, how_to_get="Ask for it.")
    monkeypatch.setattr(registry, "REGISTRY", {"MADE": one})
    return one


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "MADE"


def get(dataset: PublishedDataset, target: Path, **options: Any) -> Fetched:
    return fetch(dataset, target, limits=QUICK, **options)


def left_in(target: Path) -> list[str]:
    """Everything beside the dataset folder."""
    return sorted(path.name for path in target.parent.iterdir())


def test_a_dataset_is_fetched_and_identified(dataset: PublishedDataset, target: Path) -> None:
    fetched = get(dataset, target)
    assert identify(target) is dataset
    assert len(read_dataset(target).pairs) == 3
    assert {path.name for path in target.iterdir()} == {*CONTENTS, NOTE}
    note = json.loads((target / NOTE).read_text(encoding="utf-8"))
    assert note["url"] == dataset.archive
    assert note["sha256"] == fetched.sha256 == dict(dataset.sha256)
    assert note["folder_in_archive"] == "repo-HEAD/data/made"
    assert left_in(target) == ["MADE"]


def test_a_tar_is_as_good(dataset: PublishedDataset, target: Path, site: Site) -> None:
    site.content = tar_of({f"x/{name}": text.encode() for name, text in CONTENTS.items()})
    get(dataset, target)
    assert identify(target) is dataset


def test_new_parents_are_made(dataset: PublishedDataset, tmp_path: Path) -> None:
    get(dataset, tmp_path / "new" / "deep" / "MADE")
    assert identify(tmp_path / "new" / "deep" / "MADE") is dataset


def test_steps_are_reported(dataset: PublishedDataset, target: Path) -> None:
    class Recorder(FetchProgress):
        def __init__(self) -> None:
            self.steps: list[str] = []

        def begin_step(self, step: str) -> None:
            self.steps.append(step)

    recorder = Recorder()
    fetch(dataset, target, progress=recorder)
    assert recorder.steps == ["downloading", "unpacking", "checking"]


def test_an_existing_dataset_is_kept(dataset: PublishedDataset, target: Path) -> None:
    get(dataset, target)
    (target / "mine").touch()
    with pytest.raises(InputError, match="a dataset exists there; use `overwrite=True`"):
        get(dataset, target)
    assert (target / "mine").exists()
    fetch(dataset, target, overwrite=True)
    assert not (target / "mine").exists()
    assert left_in(target) == ["MADE"]


def test_what_is_no_dataset_is_never_replaced(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    target.mkdir()
    (target / "thesis.txt").touch()
    with pytest.raises(InputError, match="not empty and is not a dataset"):
        fetch(dataset, target, overwrite=True)
    assert not site.requests


def test_a_failed_overwrite_keeps_the_old_one(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    get(dataset, target)
    site.content = zipped({**CONTENTS, "time_id": "0\t-inf\n1\t2001\n2\t2003\n"})
    with pytest.raises(InputError, match="time_id: its sha256 is"):
        fetch(dataset, target, overwrite=True)
    assert identify(target) is dataset
    assert left_in(target) == ["MADE"]


def test_a_broken_fetch_is_tried_again(dataset: PublishedDataset, target: Path, site: Site) -> None:
    site.cuts = [100_000]
    get(dataset, target)
    assert identify(target) is dataset
    assert left_in(target) == ["MADE"]
    assert site.requests == 2


def test_a_broken_fetch_leaves_nothing(dataset: PublishedDataset, target: Path, site: Site) -> None:
    site.cuts = [100_000, 50_000]
    with pytest.raises(FetchError, match="by hand: Ask for it"):
        get(dataset, target)
    assert left_in(target) == []
    get(dataset, target)
    assert identify(target) is dataset


@pytest.mark.parametrize("step", ["downloading", "unpacking", "checking"])
def test_an_interrupt_leaves_nothing(dataset: PublishedDataset, target: Path, step: str) -> None:
    class Interrupts(FetchProgress):
        def begin_step(self, begun: str) -> None:
            if begun == step != "downloading":
                raise KeyboardInterrupt

        def report_bytes(self, done: int, total: int | None) -> None:
            if step == "downloading" and done > 100_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(dataset, target, progress=Interrupts())
    assert left_in(target) == []


def test_offline_says_what_to_do(dataset: PublishedDataset, target: Path) -> None:
    with pytest.raises(FetchError) as caught:
        get(dataset, target, url="http://127.0.0.1:9/data.zip")
    message = str(caught.value)
    assert "http://127.0.0.1:9/data.zip: the download failed: Connection refused" in message
    assert f"by hand: Ask for it. Put its files into {target}" in message
    assert 'url="file:///' in message
    assert left_in(target) == []


def test_not_found_leaves_nothing(dataset: PublishedDataset, tmp_path: Path, site: Site) -> None:
    site.statuses = [404]
    with pytest.raises(FetchError, match="404 Not Found"):
        get(dataset, tmp_path / "new" / "MADE")
    assert not (tmp_path / "new").exists()


def test_the_archives_digest_is_compared(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    import hashlib

    right = hashlib.sha256(ARCHIVE).hexdigest()
    site.content = ARCHIVE[:-1] + b"x"
    with pytest.raises(InputError, match=f"the sha256 is [0-9a-f]{{64}}, expected {right}"):
        get(dataset, target, sha256=right)
    assert left_in(target) == []
    site.content = ARCHIVE
    assert get(dataset, target, sha256=right.upper()).archive_sha256 == right


def test_a_corrupted_file_is_refused(dataset: PublishedDataset, target: Path, site: Site) -> None:
    place = ARCHIVE.index(b"repo-HEAD/data/made/ent_ids_1") + 32
    site.content = ARCHIVE[:place] + bytes(4) + ARCHIVE[place + 4 :]
    with pytest.raises(InputError, match=r"data.zip: .*damaged"):
        get(dataset, target)
    assert left_in(target) == []


def test_other_files_are_not_the_published_ones(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    other = {**CONTENTS, "triples_1": CONTENTS["triples_1"] + "0\t1\t2\t0\t0\n"}
    del other["sup_pairs"]
    site.content = zipped(other)
    with pytest.raises(InputError) as caught:
        get(dataset, target)
    assert "triples_1: its sha256 is" in str(caught.value)
    assert "sup_pairs: it is missing" in str(caught.value)
    assert "this is not MADE as published" in str(caught.value)
    assert left_in(target) == []


def test_without_digests_the_sizes_decide(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    unknown = replace(dataset, sha256={})
    fetched = get(unknown, target)
    assert not fetched.has_known_digests
    sizes = Statistics(entities=(3, 4), relations=(2, 2), facts=(30, 3), ticks=5, pairs=3)
    with pytest.raises(InputError) as caught:
        fetch(replace(unknown, statistics=sizes), target, overwrite=True)
    message = str(caught.value)
    assert "entities: found 3 and 3, published 3 and 4" in message
    assert "facts: found 3 and 3, published 30 and 3" in message
    assert "ticks: found 3, published 5" in message
    assert "relations" not in message
    assert "pairs" not in message
    assert left_in(target) == ["MADE"]


def test_what_was_not_published_is_not_compared(dataset: PublishedDataset, target: Path) -> None:
    get(replace(dataset, sha256={}, statistics=Statistics(pairs=3)), target)
    assert target.is_dir()


def test_a_regenerated_dataset_does_not_pass_for_the_published_one(
    dataset: PublishedDataset, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = replace(dataset, name="ORIGINAL", sha256={})
    again = replace(dataset, name="ORIGINAL (regenerated)")
    monkeypatch.setattr(registry, "REGISTRY", {one.name: one for one in (original, again)})
    with pytest.raises(InputError, match=r"files of ORIGINAL \(regenerated\), not of ORIGINAL"):
        get(original, target)
    assert left_in(target) == []


def test_a_folder_that_cannot_be_read_is_refused(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    site.content = zipped({**CONTENTS, "triples_2": "version https://git-lfs.example\n"})
    with pytest.raises(InputError, match=r"data.zip: triples_2:1: ") as caught:
        get(replace(dataset, sha256={}), target)
    assert "unfinished" not in str(caught.value)
    assert left_in(target) == []


def test_an_archive_without_a_dataset(dataset: PublishedDataset, target: Path, site: Site) -> None:
    site.content = zip_of({"repo/triples_1": b"", "repo/x/triples_2": b""})
    with pytest.raises(InputError, match="the archive contains no dataset"):
        get(dataset, target)
    assert left_in(target) == []


@pytest.mark.parametrize("name", ["../x", "/x"])
def test_a_dangerous_archive_leaves_nothing(
    dataset: PublishedDataset, target: Path, site: Site, name: str
) -> None:
    site.content = zip_of({f"a/{n}": t.encode() for n, t in CONTENTS.items()} | {name: b""})
    with pytest.raises(InputError, match="leads out of its folder"):
        get(dataset, target)
    assert left_in(target) == []


def test_a_bomb_leaves_nothing(dataset: PublishedDataset, target: Path) -> None:
    with pytest.raises(InputError, match="more than 50,000 files or 1,000 bytes unpacked"):
        fetch(dataset, target, limits=Limits(unpacked_bytes=1_000))
    assert left_in(target) == []


def two_datasets(*, second: dict[str, str] | None = None) -> bytes:
    files: dict[str, bytes] = {}
    for folder, contents in (("r/data/a", CONTENTS), ("r/data/b", second or CONTENTS)):
        files |= {f"{folder}/{name}": text.encode() for name, text in contents.items()}
    return zip_of(files)


def test_the_folder_with_the_known_facts_is_taken(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    site.content = two_datasets(second={**CONTENTS, "triples_1": "0\t0\t1\t0\t0\n"})
    assert get(dataset, target).folder_in_archive == "r/data/a"


def test_the_folder_that_the_registry_names_is_taken(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    site.content = two_datasets()
    named = replace(dataset, folder="data/b")
    assert get(named, target).folder_in_archive == "r/data/b"


def test_the_folder_that_the_user_names_is_taken(
    dataset: PublishedDataset, target: Path, site: Site
) -> None:
    site.content = two_datasets()
    with pytest.raises(InputError, match="'r/data/a', 'r/data/b'; choose one with `folder`"):
        get(dataset, target)
    with pytest.raises(InputError, match="choose one with `folder`"):
        get(replace(dataset, folder="data/a"), target, folder="data/c")
    assert get(dataset, target, folder="b").folder_in_archive == "r/data/b"


def test_a_file_on_this_machine(dataset: PublishedDataset, tmp_path: Path, target: Path) -> None:
    archive = tmp_path / "by hand.zip"
    archive.write_bytes(ARCHIVE)
    get(dataset, target, url=archive.as_uri())
    assert identify(target) is dataset
    archive.write_bytes(b"other")
    with pytest.raises(InputError, match="neither a zip nor a tar"):
        fetch(dataset, target, url=archive.as_uri(), overwrite=True)
    assert archive.exists()  # a user's file is not removed, whatever is in it
    with pytest.raises(InputError, match=r"absent.zip: no such file; check `url`"):
        get(dataset, tmp_path / "other", url=(tmp_path / "absent.zip").as_uri())
    with pytest.raises(InputError, match="no such file"):
        get(dataset, tmp_path / "other", url=tmp_path.as_uri())


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x.zip",
        "x.zip",
        "https:///x.zip",
        "file://server/x.zip",
        "http://user:secret@example.org/x.zip",
        "http://example.org:port/x.zip",
        "http://[::1/x.zip",
        "http://example.org/a b.zip",
        "http://exämple.org/x.zip",
        "data:text/plain,x",
    ],
)
def test_other_urls_are_refused(dataset: PublishedDataset, target: Path, url: str) -> None:
    with pytest.raises(InputError, match="not a URL that can be fetched"):
        get(dataset, target, url=url)


@pytest.mark.parametrize(
    "url", ["http://[::1]:9/x.zip?y=1", "http://127.0.0.1:9", "http://localhost:9/a@b%20c.zip"]
)
def test_urls_of_every_form_are_tried(dataset: PublishedDataset, target: Path, url: str) -> None:
    with pytest.raises(FetchError, match="the download failed"):
        get(dataset, target, url=url)


def test_a_request_is_checked_first(dataset: PublishedDataset, target: Path, site: Site) -> None:
    with pytest.raises(ConfigError, match="sha256 must be 64 hexadecimal digits"):
        get(dataset, target, sha256="abc")
    with pytest.raises(InputError, match=r"MADE cannot be downloaded. Ask for it\."):
        get(replace(dataset, archive=None), target)
    assert not site.requests


def test_which_folders_are_datasets(dataset: PublishedDataset, target: Path, site: Site) -> None:
    """Those with facts of both sides and pairs, at the top of the archive too."""
    site.content = zip_of(
        {
            "a/triples_1": b"",
            "a/triples_2": b"",
            "a/ref_ent_ids": b"",
            "b/triples_1": b"",
            "b/triples_2": b"",
            "c/triples_1": b"",
            "c/ref_pairs": b"",
            **dict.fromkeys(("triples_1", "triples_2", "ref_pairs"), b""),
        }
    )
    with pytest.raises(InputError, match=r"has these dataset folders: '\.', 'a'; choose one"):
        get(dataset, target)
