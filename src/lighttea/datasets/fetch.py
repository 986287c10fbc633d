"""Fetch a published dataset: download, check, unpack, check again, and only then put in place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit
from urllib.request import url2pathname

import lighttea
from lighttea.datasets.download import Listener, Part, Patience, download
from lighttea.datasets.registry import FILES, Published, file_sha256, identify
from lighttea.datasets.unpack import Archive, Limits, open_archive
from lighttea.errors import ConfigError, FetchError, InputError
from lighttea.io.benchmark import Dataset, read_dataset
from lighttea.results.store import DATASET, run_folder

NOTE = "fetched.json"  # beside the files: where they come from


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to fetch, from where, and what it must be."""

    dataset: Published
    url: str
    sha256: str | None = None  # of the archive
    folder: str | None = None  # in the archive, if the user says so


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """Where the files of a folder come from; written beside them."""

    dataset: str
    url: str
    archive_sha256: str
    folder_in_archive: str
    sha256: dict[str, str]
    has_known_digests: bool  # else only the published sizes were compared
    version: str = lighttea.__version__


def wanted(
    dataset: Published,
    *,
    url: str | None = None,
    sha256: str | None = None,
    folder: str | None = None,
) -> Wanted:
    """The request, checked before anything is downloaded."""
    if url is None and dataset.archive is None:
        raise InputError(f"{dataset.name} cannot be downloaded. {dataset.how_to_get}")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise ConfigError(f"sha256 must be 64 hexadecimal digits; got {sha256!r}")
    where = url or dataset.archive or ""
    if not _is_usable(where):
        raise InputError(
            f"{where!r}: not a URL to fetch from; give http://..., https://... or file:///..., "
            "without spaces, letters beyond ASCII or a password"
        )
    return Wanted(
        dataset=dataset,
        url=where,
        sha256=sha256.lower() if sha256 else None,
        folder=folder,
    )


def _is_usable(url: str) -> bool:
    """Whether a URL is of a kind that is fetched; a password would end up in messages and notes."""
    try:
        parts = urlsplit(url)
        has_host, _ = bool(parts.hostname), parts.port
    except ValueError:
        return False
    is_plain = url.isascii() and url.isprintable() and " " not in url and "@" not in parts.netloc
    is_remote = parts.scheme in ("http", "https") and has_host
    is_local = parts.scheme == "file" and not parts.netloc and bool(parts.path)
    return is_plain and (is_remote or is_local)


def part_of(target: Path) -> Part:
    """Where the download of a dataset stays until it is whole."""
    return Part(target.with_name(f"{target.name}.part"))


def fetch(
    request: Wanted,
    target: Path,
    *,
    overwrite: bool = False,
    patience: Patience | None = None,
    limits: Limits | None = None,
    listener: Listener | None = None,
) -> Fetched:
    """Fetch a dataset into a folder, which is there whole or not at all.

    A download that breaks off stays beside the folder as NAME.part and is gone on with next time;
    one that came through and is wrong is removed.
    """
    listener = listener or Listener()
    with run_folder(target, overwrite=overwrite, kind=DATASET) as unfinished:
        listener.entered("downloading")
        with _archive_file(request, target, patience, listener) as path:
            listener.entered("unpacking")
            archive_sha256 = _checked_archive(path, request)
            with open_archive(path, limits=limits) as archive:
                inside = _dataset_folder(archive, request)
                archive.unpack(inside, unfinished, _names(request.dataset))
            listener.entered("checking")
            _check_digests(unfinished, request.dataset)
            _check_sizes(unfinished, request.dataset)
            fetched = _described(unfinished, request, archive_sha256, inside)
    part_of(target).discard()
    return fetched


@contextmanager
def _archive_file(
    request: Wanted, target: Path, patience: Patience | None, listener: Listener
) -> Iterator[Path]:
    """The archive on this machine. A download that turns out wrong is removed, a user's file never.

    What is wrong inside is said of the URL: the part has a name that nobody will find.
    """
    is_local = request.url.startswith("file:")
    path = _local_file(request) if is_local else _downloaded(request, target, patience, listener)
    try:
        yield path
    except InputError as error:
        if not is_local:
            part_of(target).discard()
        raise InputError(f"{request.url}: {error}\nnothing was kept") from None


def _local_file(request: Wanted) -> Path:
    path = Path(url2pathname(urlsplit(request.url).path))
    if not path.is_file():
        raise InputError(f"{path}: no such file; check the path of --url")
    return path


def _downloaded(
    request: Wanted, target: Path, patience: Patience | None, listener: Listener
) -> Path:
    part = part_of(target)
    try:
        download(request.url, part, patience=patience, listener=listener)
    except FetchError as error:
        raise FetchError(f"{error}\n{_by_hand(request, target, part)}") from None
    return part.path


def _by_hand(request: Wanted, target: Path, part: Part) -> str:
    """What to do when a download does not come through."""
    lines = []
    if part.size:
        lines.append(
            f"{part.size:,} bytes stay in {part.path}; the same command goes on from there"
        )
    lines.append(f"by hand: {request.dataset.how_to_get} Its files belong into {target}")
    lines.append(
        "a mirror: --url https://...; an archive that is on this machine: --url file:///..."
    )
    return "\n".join(lines)


def _checked_archive(path: Path, request: Wanted) -> str:
    found = file_sha256(path)
    if found is None:
        raise InputError(f"{path}: cannot be read")
    if request.sha256 not in (None, found):
        raise InputError(
            f"the sha256 is {found}, expected {request.sha256}; the download is damaged or "
            "another file"
        )
    return found


def _names(dataset: Published) -> frozenset[str]:
    """The files to take: those of the published folder, or all that the reader knows."""
    return frozenset(dataset.sha256) or FILES


def _dataset_folder(archive: Archive, request: Wanted) -> PurePosixPath:
    """Which folder of the archive it is: the one asked for, or with the known facts, or named."""
    folders = archive.dataset_folders()
    if not folders:
        raise InputError(
            "no folder of the archive is a dataset (triples_1, triples_2, and ref_pairs or "
            "ref_ent_ids)"
        )
    if request.folder:
        found = _ending_in(folders, request.folder)
    else:
        found = _with_known_facts(archive, folders, request.dataset)
        if len(found) > 1 and request.dataset.folder:
            found = _ending_in(found, request.dataset.folder) or found
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(str(one)) for one in folders)
    raise InputError(f"the archive has these dataset folders: {names}; say which with --folder")


def _with_known_facts(
    archive: Archive, folders: list[PurePosixPath], dataset: Published
) -> list[PurePosixPath]:
    """The folders whose left facts are the published ones; all of them where none is known."""
    facts = dataset.sha256.get("triples_1")
    if facts is None or len(folders) == 1:
        return folders
    return [one for one in folders if archive.sha256(one / "triples_1") == facts] or folders


def _ending_in(folders: list[PurePosixPath], path: str) -> list[PurePosixPath]:
    """The folders whose path ends so: archives of repositories put a folder of their own on top."""
    end = PurePosixPath(path).parts
    return [one for one in folders if one.parts[-len(end) :] == end]


def _check_digests(folder: Path, dataset: Published) -> None:
    problems = []
    for name, expected in dataset.sha256.items():
        found = file_sha256(folder / name)
        if found != expected:
            was = f"its sha256 is {found}" if found else "it is not there"
            problems.append(f"{name}: {was}, expected sha256 {expected}")
    if problems:
        problems.append(f"this is not {dataset.name} as it was published")
        raise InputError.of_many(problems)
    same = identify(folder)  # sizes alone do not tell a regenerated dataset from the published one
    if same is not None and same.name != dataset.name:
        raise InputError(f"these are the files of {same.name}, not of {dataset.name}")


def _check_sizes(folder: Path, dataset: Published) -> None:
    """Read the folder and compare it with what was published, where that is known."""
    read = _read(folder)
    sides = (read.left, read.right)
    found = {
        "entities": tuple(len(side.entities) for side in sides),
        "relations": tuple(len(side.relations) for side in sides),
        "facts": tuple(len(side.facts) for side in sides),
        "ticks": _time_ids(folder),
        "pairs": len(read.pairs),
    }
    problems = []
    for name, count in found.items():
        expected = getattr(dataset.statistics, name)
        if expected is not None and count is not None and count != expected:
            problems.append(f"{name}: found {_shown(count)}, published {_shown(expected)}")
    if problems:
        problems.append(f"this is not {dataset.name} as it was published")
        raise InputError.of_many(problems)


def _read(folder: Path) -> Dataset:
    """Read the folder; messages call its files by their names, since it is about to go."""
    try:
        return read_dataset(folder)
    except InputError as error:
        raise InputError(str(error).replace(f"{folder}/", "")) from None


def _time_ids(folder: Path) -> int | None:
    """Lines of time_id, which is what papers count as time points."""
    path = folder / "time_id"
    if not path.exists():
        return None
    return sum(1 for line in path.read_bytes().splitlines() if line.strip())


def _shown(count: object) -> str:
    return " and ".join(f"{n:,}" for n in (count if isinstance(count, tuple) else (count,)))


def _described(
    folder: Path, request: Wanted, archive_sha256: str, inside: PurePosixPath
) -> Fetched:
    """Write down where the files come from, beside them."""
    digests = {path.name: str(file_sha256(path)) for path in sorted(folder.iterdir())}
    fetched = Fetched(
        dataset=request.dataset.name,
        url=request.url,
        archive_sha256=archive_sha256,
        folder_in_archive=str(inside),
        sha256=digests,
        has_known_digests=bool(request.dataset.sha256),
    )
    (folder / NOTE).write_text(json.dumps(asdict(fetched), indent=2) + "\n", encoding="utf-8")
    return fetched
