"""`lighttea datasets`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.datasets.download import Listener

if TYPE_CHECKING:
    from lighttea.datasets.registry import Published

_MB = 1_000_000


def list_datasets(*, json: JsonTarget = None) -> None:
    """List the public datasets: terms, sizes, sources, and which of them LIGHTTEA_DATA holds.

    A folder there counts only when its files are the published ones, byte for byte.

    Parameters
    ----------
    json
        Write all that is known of them to this file, or to stdout with -.
    """
    from lighttea.datasets.registry import REGISTRY, identified_in

    refuse_unwritable(json)
    data = _data_folder()
    folders_by_name = identified_in(data) if data else {}
    entries = [
        _entry(dataset, folders_by_name.get(dataset.name, [])) for dataset in REGISTRY.values()
    ]
    write_json_result(json, {"data": str(data) if data else None, "datasets": entries})
    if json == "-":
        return
    rows = [_row(dataset, folders_by_name.get(dataset.name, [])) for dataset in REGISTRY.values()]
    columns = ("name", "found", "facts", "MB", "licence", "source")
    console = stdout()
    print_table(console, "Public datasets", columns, rows)
    where = f"in {data}" if data else "nowhere: set LIGHTTEA_DATA to a folder of dataset folders"
    console.print(
        f"found: {where}; '?' where no digest is known, so that no folder can be told to be it\n"
        "get one with: lighttea datasets fetch NAME",
        soft_wrap=True,
        markup=False,
    )


def fetch(
    name: str,
    *,
    out: Path | None = None,
    url: str | None = None,
    sha256: str | None = None,
    folder: str | None = None,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
) -> None:
    """Download a public dataset, check it and write it as a dataset folder.

    A download that breaks off stays as OUT.part, and the same command goes on from there.

    Parameters
    ----------
    name
        Name of the dataset, as in `lighttea datasets list`.
    out
        Dataset folder to write [default: NAME in LIGHTTEA_DATA, or here].
    url
        Zip or tar to fetch instead of the source's: http, https, or file:/// on this machine.
    sha256
        Digest that the archive must have.
    folder
        Folder of the archive that is the dataset, where there are several.
    overwrite
        Replace an existing dataset folder.
    json
        Write where the files come from, and their digests, to this file, or to stdout with -.
    """
    from lighttea.datasets.fetch import fetch as fetch_dataset
    from lighttea.datasets.fetch import part_of, wanted
    from lighttea.datasets.registry import dataset_named

    refuse_unwritable(json)
    dataset = dataset_named(name)
    request = wanted(dataset, url=url, sha256=sha256, folder=folder)
    target = out or (_data_folder() or Path()) / dataset.name
    try:
        with _shown_fetch() as listener:
            fetched = fetch_dataset(request, target, overwrite=overwrite, listener=listener)
    except KeyboardInterrupt:
        part = part_of(target)
        if part.size:
            sys.stderr.write(
                f"{part.size:,} bytes stay in {part.path}; the same command goes on from there\n"
            )
        raise
    write_json_result(json, {**asdict(fetched), "folder": str(target)})
    if json != "-":
        _print_fetched(dataset, target, has_known_digests=fetched.has_known_digests)


def _data_folder() -> Path | None:
    where = os.environ.get("LIGHTTEA_DATA")
    return Path(where) if where and Path(where).is_dir() else None


def _entry(dataset: Published, folders: list[Path]) -> dict[str, Any]:
    known = {name: getattr(dataset, name) for name in dataset.__dataclass_fields__}
    known |= {"sha256": dict(dataset.sha256), "statistics": asdict(dataset.statistics)}
    return {**known, "found": [str(folder) for folder in folders]}


def _row(dataset: Published, folders: list[Path]) -> tuple[str, ...]:
    facts = dataset.statistics.facts
    return (
        dataset.name,
        ", ".join(folder.name for folder in folders) or ("no" if dataset.sha256 else "?"),
        f"{sum(facts):,}" if facts else "",
        f"{dataset.size_bytes / _MB:.1f}" if dataset.size_bytes else "",
        dataset.licence,
        (dataset.source or "none").removeprefix("https://"),
    )


def _print_fetched(dataset: Published, target: Path, *, has_known_digests: bool) -> None:
    checked = (
        "its files are the published ones, byte for byte"
        if has_known_digests
        else "its sizes are the published ones; no digest is known to compare its files with"
    )
    stdout().print(
        f"{dataset.name} is in {target}: {checked}\nlicence: {dataset.licence}\n"
        f"try: lighttea bench run {target} --seeds 1000 --runs 1",
        soft_wrap=True,
        markup=False,
    )


class _ShownFetch(Listener):
    """Shows a download as a bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None)

    def entered(self, step: str) -> None:
        """Show the step that begins."""
        self._progress.update(self._task, description=step)

    def downloaded(self, done: int, total: int | None) -> None:
        """Show how far the download is."""
        self._progress.update(self._task, completed=done, total=total)


@contextmanager
def _shown_fetch() -> Iterator[Listener]:
    """Yield a listener with a bar where stderr is a terminal; a silent one elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Listener()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    speed = (TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, *speed, console=console, transient=True) as progress:
        yield _ShownFetch(progress)
