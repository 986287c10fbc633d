"""Whether a run folder is whole: every file compared with what was written, on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.results.manifest import CURE, Manifest, WrittenFile, describe_damage, read_manifest
from lighttea.results.place import bring_back
from lighttea.results.read import find_difference, read_tables
from lighttea.results.record import check_record, parse_record
from lighttea.results.schema import CLUSTER_TABLES, CLUSTERS, FILES, RECORD, TABLES, Table

WHOLE, DAMAGED, MISSING = "whole", "damaged", "missing"
READABLE, OTHER = "readable", "not checked"  # nothing was written to compare these with
_HARMFUL = (DAMAGED, MISSING)
NO_LIST = f"an earlier lighttea wrote it, without {FILES}: some kinds of damage may go unseen"


@dataclass(frozen=True)
class CheckedFile:
    """A file of a run folder, and whether it is as it was written."""

    name: str
    state: str
    bytes: int | None = None
    rows: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class RunCheck:
    """The state of every file of a run folder."""

    folder: Path
    files: tuple[CheckedFile, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is damaged or missing."""
        return not self.problems

    @property
    def problems(self) -> list[str]:
        """A sentence for each file that is damaged or missing."""
        return [
            describe_damage(self.folder / file.name, file.problem or file.state)
            for file in self.files
            if file.state in _HARMFUL
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON has it."""
        return {
            "run": str(self.folder),
            "whole": self.is_whole,
            "files": [asdict(file) for file in self.files],
            "notes": list(self.notes),
        }


def refuse_other_folders(folder: Path) -> None:
    """Raise an error where a folder is not of a run at all."""
    if not (folder / RECORD).exists() and not (folder / FILES).exists():
        raise InputError(f"{folder}: not a run folder (there is no {RECORD})")


def check_run(folder: str | Path) -> RunCheck:
    """Return the state of every file of a run folder; digests of large files are computed too.

    Of a run of several graphs, the runs of each two of them are checked as well.
    """
    folder = Path(folder)
    bring_back(folder)
    refuse_other_folders(folder)
    problems: dict[str, str] = {}
    manifest, info = None, None
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        problems[FILES] = _reason(error)
    pairs: list[RunCheck] = []
    declared: Sequence[Table] = TABLES
    try:
        info = parse_record(folder)
        if info.get("kind") == CLUSTERS:
            declared = CLUSTER_TABLES
            pairs = _check_pairs(folder, info)
        else:
            check_record(info, folder)
    except InputError as error:
        problems[RECORD] = _reason(error)
    if manifest is None and info is not None and info.get("files") and not problems:
        problems[FILES] = "the file is missing"
    problems |= {
        name: problem
        for name, problem in _differences(folder, manifest, declared)
        if name not in problems
    }
    problems = {**read_tables(folder, manifest, declared)[1], **problems}
    notes = (NO_LIST,) if manifest is None and FILES not in problems else ()
    files = [
        file
        for file in _checked_files(folder, manifest, problems)
        if not any((folder / file.name).is_relative_to(pair.folder) for pair in pairs)
    ]
    for pair in pairs:
        inside = pair.folder.relative_to(folder).as_posix()
        files += [replace(file, name=f"{inside}/{file.name}") for file in pair.files]
    return RunCheck(folder, tuple(files), notes)


def _check_pairs(folder: Path, info: dict[str, Any]) -> list[RunCheck]:
    """Return the state of the runs of each two graphs, those of them that are there."""
    from lighttea.results.cluster_store import check_cluster_record, pair_folders

    checked = []
    for pair, path in pair_folders(folder, check_cluster_record(info, folder)):
        if not (path / RECORD).exists():
            name = f"{path.relative_to(folder).as_posix()}/{RECORD}"
            raise InputError(
                f"{folder}: the run of {pair['left']} and {pair['right']} is missing ({name})"
            )
        checked.append(check_run(path))
    return checked


def _reason(error: InputError) -> str:
    """Return what is wrong, without the path and the cure that the sentence gets anyway."""
    first = str(error).splitlines()[0]
    return first.partition(": ")[2].removesuffix(f"; {CURE}").removeprefix("damaged: ")


def _differences(
    folder: Path, manifest: Manifest | None, declared: Sequence[Table]
) -> Iterator[tuple[str, str]]:
    """Yield the files that are not as they were written."""
    needed = {RECORD, *(table.file for table in declared if not table.later)}
    listed = set(manifest.files) if manifest else set()
    for name in sorted(needed | listed):
        problem = find_difference(folder, name, manifest, needed=name in needed, digest=True)
        if problem is not None:
            yield name, problem


def _checked_files(
    folder: Path, manifest: Manifest | None, problems: dict[str, str]
) -> Iterator[CheckedFile]:
    """Yield every file that is there or should be."""
    written = dict(manifest.files) if manifest else {}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    for name in sorted({*there, *written, *problems}):
        size = (folder / name).stat().st_size if name in there else None
        state = _state(name, written.get(name), is_there=size is not None, problems=problems)
        rows = written[name].rows if name in written else None
        yield CheckedFile(name, state, size, rows, problems.get(name))


def _state(
    name: str, written: WrittenFile | None, *, is_there: bool, problems: dict[str, str]
) -> str:
    if name in problems:
        return DAMAGED if is_there else MISSING
    if written is not None or name == FILES:
        return WHOLE
    return READABLE if name in {RECORD, *(table.file for table in TABLES)} else OTHER
