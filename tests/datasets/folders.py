"""A dataset of three facts on each side, and its entry in a registry."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np

from lighttea.datasets.registry import PublishedDataset, hash_file
from lighttea.datasets.statistics import Statistics

CONTENTS = {
    "triples_1": "0\t0\t1\t1\t2\n1\t0\t2\t2\t0\n2\t1\t0\t0\t0\n",
    "triples_2": "3\t2\t4\t1\t2\n4\t2\t5\t2\t0\n5\t3\t3\t0\t0\n",
    "ent_ids_1": "0\ta\n1\tb\n2\tc\n",
    "ent_ids_2": "3\ta\n4\tb\n5\tc\n",
    "sup_pairs": "0\t3\n",
    "ref_pairs": "1\t4\n2\t5\n",
    "time_id": "0\t-inf\n1\t2001\n2\t2002\n",
}
MADE = Statistics(entities=(3, 3), relations=(2, 2), facts=(3, 3), ticks=3, pairs=3)


def make_folder(folder: Path, contents: dict[str, str] | None = None) -> Path:
    """Write the files of a dataset folder."""
    folder.mkdir(parents=True)
    for name, text in (contents or CONTENTS).items():
        (folder / name).write_bytes(text.encode())
    return folder


def published_as(name: str, folder: Path) -> PublishedDataset:
    """The entry of a registry for what is in a folder."""
    return PublishedDataset(
        name=name,
        title="made up",
        source="https://example.org/made",
        licence="none",
        size_bytes=sum(path.stat().st_size for path in folder.iterdir()),
        sha256={path.name: str(hash_file(path)) for path in folder.iterdir()},
        statistics=MADE,
        how_to_get="Make it.",
    )


def zipped(contents: dict[str, str], *, top: str = "repo-HEAD/data/made") -> bytes:
    """A zip as of a repository: a folder on top, other files beside, and too large for one read."""
    return zip_of(
        {
            "repo-HEAD/README.md": b"made up",
            "repo-HEAD/padding": np.random.default_rng(5).bytes(300_000),
            **{f"{top}/{name}": text.encode() for name, text in contents.items()},
        }
    )


def zip_of(files: dict[str, bytes]) -> bytes:
    """A zip with these files, whatever their names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def tar_of(files: dict[str, bytes], *more: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    """A tar with these files and these members."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in more:
            archive.addfile(member)
    return made.getvalue()
