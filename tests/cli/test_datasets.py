"""`lighttea datasets`: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lighttea.datasets import registry
from lighttea.datasets.registry import REGISTRY, PublishedDataset, identify
from tests.cli.conftest import Command
from tests.datasets.folders import CONTENTS, make_folder, published_as, zipped
from tests.datasets.site import Site, serving


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("LIGHTTEA_DATA", raising=False)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(zipped(CONTENTS))) as site:
        yield site


@pytest.fixture
def made(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> PublishedDataset:
    """A registry of two datasets, one of them recognisable; LIGHTTEA_DATA holds that one."""
    one = published_as("MADE", make_folder(tmp_path / "data" / "copy"))
    one = replace(one, archive=site.url)
    other = replace(one, name="OTHER", sha256={}, size_bytes=None, source=None, archive=None)
    monkeypatch.setattr(registry, "REGISTRY", {"MADE": one, "OTHER": other})
    monkeypatch.setenv("LIGHTTEA_DATA", str(tmp_path / "data"))
    return one


def test_the_list_names_every_dataset_and_its_source(command: Command) -> None:
    done = command("datasets", "list")
    assert done.code == 0
    assert done.err == ""
    for name in REGISTRY:
        assert name in done.out
    assert "set LIGHTTEA_DATA" in done.out


def test_the_list_says_what_is_here(command: Command, made: PublishedDataset) -> None:
    done = command("datasets", "list")
    rows = {line.split()[0]: line.split()[1] for line in done.out.splitlines() if line}
    assert rows["MADE"] == "copy"
    assert rows["OTHER"] == "?"
    (Path("data") / "copy" / "ref_pairs").write_text("1\t4\n", encoding="utf-8")
    done = command("datasets", "list")
    rows = {line.split()[0]: line.split()[1] for line in done.out.splitlines() if line}
    assert rows["MADE"] == "no"


def test_the_list_as_json(command: Command, made: PublishedDataset) -> None:
    content = command("datasets", "list", "--json", "-").json()
    first, second = content["datasets"]
    assert first["name"] == "MADE"
    assert first["found"] == [str(Path("data").resolve() / "copy")]
    assert first["sha256"] == dict(made.sha256)
    assert first["statistics"]["facts"] == [3, 3]
    assert second["found"] == []
    assert second["source"] is None


def test_the_real_registry_as_json(command: Command) -> None:
    done = command("datasets", "list", "--json", "all.json")
    assert "Public datasets" in done.out
    written = json.loads(Path("all.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in written["datasets"]] == list(REGISTRY)


def test_fetch_writes_into_lighttea_data(command: Command, made: PublishedDataset) -> None:
    done = command("datasets", "fetch", "made")
    assert done.code == 0
    assert done.err == ""
    assert "byte for byte" in done.out
    assert identify(Path("data") / "MADE") is made


def test_fetch_writes_here_without_lighttea_data(
    command: Command, made: PublishedDataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIGHTTEA_DATA")
    assert command("datasets", "fetch", "MADE").code == 0
    assert identify(Path("MADE")) is made


def test_fetch_as_json(command: Command, made: PublishedDataset) -> None:
    content = command("datasets", "fetch", "MADE", "--out", "new/one", "--json", "-").json()
    assert content["folder"] == "new/one"
    assert content["sha256"] == dict(made.sha256)
    assert content["has_known_digests"]


def test_fetch_without_digests_says_so(
    command: Command, made: PublishedDataset, site: Site
) -> None:
    site.content = zipped({**CONTENTS, "time_id": "0\t-inf\n1\t2001\n2\t2003\n"})
    done = command("datasets", "fetch", "OTHER", "--url", site.url)
    assert done.code == 0
    assert "there is no digest" in done.out


def test_exit_codes(command: Command, made: PublishedDataset, site: Site) -> None:
    unknown = command("datasets", "fetch", "NONE")
    assert unknown.code == 2
    assert "there is no dataset 'NONE'; choose from MADE, OTHER" in unknown.err
    assert command("datasets", "fetch", "OTHER").code == 2
    assert command("datasets", "fetch", "MADE", "--sha256", "0" * 64).code == 2
    assert command("datasets", "fetch", "MADE", "--url", "nowhere").code == 2
    site.statuses = [404]
    missing = command("datasets", "fetch", "MADE")
    assert missing.code == 1
    assert "404" in missing.err
    assert "by hand" in missing.err
    assert command("datasets", "fetch", "MADE").code == 0
    again = command("datasets", "fetch", "MADE")
    assert again.code == 2
    assert "--overwrite" in again.err
    assert command("datasets", "fetch", "MADE", "--overwrite").code == 0
    misspelt = command("datasets", "fetch", "MADE", "--ouput", "x")
    assert misspelt.code == 2
    assert "lighttea datasets fetch --help" in misspelt.err


def test_ctrl_c_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A real signal, while the server holds the rest back."""
    with serving(Site(zipped(CONTENTS), holds_after=100_000)) as site:
        words = ("datasets", "fetch", next(iter(REGISTRY)), "--url", site.url, "--out", "x")
        process = subprocess.Popen(
            [sys.executable, "-m", "lighttea", *words],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            env={**os.environ, "no_proxy": "*"},
        )
        for _ in range(600):
            if any(path.is_file() and path.stat().st_size for path in tmp_path.rglob("*")):
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        site.released.set()
    assert process.returncode == 130
    assert b"interrupted" in err
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []
