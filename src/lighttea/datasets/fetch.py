"""Fetch a public dataset: download, check, unpack, check again, and only then put it in place."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import lighttea
from lighttea.datasets.download import FetchProgress, Limits, download
from lighttea.datasets.registry import FILES, PublishedDataset, hash_file, identify
from lighttea.datasets.statistics import count_statistics
from lighttea.datasets.unpack import unpack
from lighttea.errors import ConfigError, FetchError, InputError
from lighttea.io.benchmark import read_dataset
from lighttea.results.place import DATASET, run_folder

NOTE = "fetched.json"  # beside the files: where they come from
# plain ASCII, and no password: it would end up in messages and notes
_URL = re.compile(
    r"https?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d+)?([/?][!-~]*)?|file:///[!-~]+", re.ASCII
)


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """Where the files of a dataset folder come from; written beside them."""

    dataset: str
    url: str
    archive_sha256: str
    folder_in_archive: str
    sha256: dict[str, str]
    has_known_digests: bool  # else only the published sizes were compared
    version: str = lighttea.__version__


def fetch(
    dataset: PublishedDataset,
    target: Path,
    *,
    url: str | None = None,
    sha256: str | None = None,
    folder: str | None = None,
    overwrite: bool = False,
    limits: Limits | None = None,
    progress: FetchProgress | None = None,
) -> Fetched:
    """Fetch a dataset into a folder, which is there whole or not at all.

    `url` replaces the archive of the dataset's source, `sha256` is the digest that the archive must
    have, `folder` names the dataset folder in an archive of several.
    """
    url = _check_request(dataset, url, sha256)
    limits = limits or Limits()
    limits = replace(limits, file_bytes=min(limits.file_bytes, dataset.most_bytes))
    with run_folder(target, overwrite=overwrite, kind=DATASET) as unfinished:
        work = unfinished / "unpacked"
        with _name_source(dataset, url, target):
            progress = progress or FetchProgress()
            progress.begin_step("downloading")
            archive = _get_archive(url, work, limits, progress)
            progress.begin_step("unpacking")
            archive_sha256 = _check_archive(archive, sha256)
            unpack(archive, work, FILES, limits)
            inside = _move_dataset(work, unfinished, dataset, folder)
            progress.begin_step("checking")
            _check_digests(unfinished, dataset)
            _check_sizes(unfinished, dataset)
        return _write_note(unfinished, dataset, url, archive_sha256, inside)


def _check_request(dataset: PublishedDataset, url: str | None, sha256: str | None) -> str:
    """Return the URL to fetch from; a wrong request is an error before anything is downloaded."""
    url = url or dataset.archive
    if url is None:
        raise InputError(f"{dataset.name} cannot be downloaded. {dataset.how_to_get}")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise ConfigError(f"sha256 must be 64 hexadecimal digits; got {sha256!r}")
    if not _URL.fullmatch(url):
        raise InputError(
            f"{url!r}: not a URL that can be fetched; give http://..., https://... or "
            "file:///..., in ASCII and without spaces or a password"
        )
    return url


@contextmanager
def _name_source(dataset: PublishedDataset, url: str, target: Path) -> Iterator[None]:
    """Add to an error inside where the files come from, or how to get them by hand."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{url}: {error}\nnothing was kept") from None
    except FetchError as error:
        raise FetchError(
            f"{error}\nTo get it by hand: {dataset.how_to_get} Put its files into {target}\nTo "
            'use a mirror: `url="https://..."`; to use an archive on this machine: '
            '`url="file:///..."`'
        ) from None


def _get_archive(url: str, work: Path, limits: Limits, progress: FetchProgress) -> Path:
    """Return the path of the archive: a file of the user, or one downloaded into the folder."""
    if not url.startswith("file:"):
        download(url, work / "archive", limits=limits, progress=progress)
        return work / "archive"
    path = Path(url2pathname(urlsplit(url).path))
    if not path.is_file():
        raise InputError("no such file; check `url`")
    return path


def _check_archive(path: Path, expected: str | None) -> str:
    """Return the sha256 of the archive, which must be the expected one if one is given."""
    digest = hash_file(path)
    if digest is None:
        raise InputError("the file cannot be read")
    if expected is not None and expected.lower() != digest:
        raise InputError(
            f"the sha256 is {digest}, expected {expected}; the file is damaged or a different one"
        )
    return digest


def _choose_folder(work: Path, dataset: PublishedDataset, folder: str | None) -> Path:
    """Return the unpacked folder of the dataset: the one named, or by its facts, or by its path."""
    folders = sorted(path.parent for path in work.rglob("triples_1") if _is_dataset(path.parent))
    if not folders:
        raise InputError(
            "the archive contains no dataset (triples_1, triples_2, and ref_pairs or ref_ent_ids)"
        )
    if folder:
        chosen = _ending_in(folders, folder)
    else:
        facts = dataset.sha256.get("triples_1")
        chosen = [path for path in folders if hash_file(path / "triples_1") == facts] or folders
        if len(chosen) > 1 and dataset.folder:
            chosen = _ending_in(chosen, dataset.folder) or chosen
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(repr(path.relative_to(work).as_posix()) for path in folders)
    raise InputError(f"the archive has these dataset folders: {names}; choose one with `folder`")


def _move_dataset(work: Path, target: Path, dataset: PublishedDataset, folder: str | None) -> str:
    """Move the files of the dataset from where they were unpacked, and remove the rest.

    Returns the path of their folder in the archive.
    """
    chosen = _choose_folder(work, dataset, folder)
    for name in dataset.sha256 or FILES:
        if (chosen / name).is_file():
            (chosen / name).rename(target / name)
    shutil.rmtree(work)
    return chosen.relative_to(work).as_posix()


def _is_dataset(folder: Path) -> bool:
    pairs = any((folder / name).is_file() for name in ("ref_pairs", "ref_ent_ids"))
    return pairs and all((folder / f"triples_{side}").is_file() for side in (1, 2))


def _ending_in(folders: list[Path], path: str) -> list[Path]:
    """Return the folders whose path ends so: a repository's archive has one folder on top."""
    end = Path(path).parts
    return [folder for folder in folders if folder.parts[-len(end) :] == end]


def _check_digests(folder: Path, dataset: PublishedDataset) -> None:
    problems = []
    for name, expected in dataset.sha256.items():
        digest = hash_file(folder / name)
        if digest != expected:
            state = f"its sha256 is {digest}" if digest else "it is missing"
            problems.append(f"{name}: {state}, expected sha256 {expected}")
    _refuse(problems, dataset)
    same = identify(folder)  # sizes alone do not tell a regenerated dataset from the published one
    if same is not None and same.name != dataset.name:
        raise InputError(f"these are the files of {same.name}, not of {dataset.name}")


def _check_sizes(folder: Path, dataset: PublishedDataset) -> None:
    """Read the folder and compare its sizes with the published ones, where those are known."""
    try:
        sizes = count_statistics(folder, read_dataset(folder))
    except InputError as error:  # name the files alone: the folder is about to go
        raise InputError(str(error).replace(f"{folder}/", "")) from None
    published = asdict(dataset.statistics)
    problems = [
        f"{name}: found {_show(size)}, published {_show(published[name])}"
        for name, size in asdict(sizes).items()
        if None not in (size, published[name]) and size != published[name]
    ]
    _refuse(problems, dataset)


def _refuse(problems: list[str], dataset: PublishedDataset) -> None:
    if problems:
        raise InputError.of_many([*problems, f"this is not {dataset.name} as published"])


def _show(size: object) -> str:
    return " and ".join(f"{n:,}" for n in (size if isinstance(size, tuple) else (size,)))


def _write_note(
    folder: Path, dataset: PublishedDataset, url: str, archive_sha256: str, inside: str
) -> Fetched:
    """Write beside the files where they come from, and return it."""
    fetched = Fetched(
        dataset=dataset.name,
        url=url,
        archive_sha256=archive_sha256,
        folder_in_archive=inside,
        sha256={path.name: str(hash_file(path)) for path in sorted(folder.iterdir())},
        has_known_digests=bool(dataset.sha256),
    )
    note = json.dumps(asdict(fetched), indent=2) + "\n"
    (folder / NOTE).write_text(note, encoding="utf-8")
    return fetched
