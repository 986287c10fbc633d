"""`lighttea datasets`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from lighttea.cli.console import print_table, say, stderr, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import LOGGER, command, current_output
from lighttea.datasets.download import FetchProgress

if TYPE_CHECKING:
    from lighttea.datasets.registry import PublishedDataset

_MB = 1_000_000


@command
def list_datasets(*, json: JsonTarget = None) -> None:
    """List the public datasets: licence, size, source, and whether LIGHTTEA_DATA has them.

    A folder counts only if its files match the published ones byte for byte.

    Parameters
    ----------
    json
        Write all details to this file, or to stdout with -.
    """
    from lighttea.datasets.registry import REGISTRY, find_published

    refuse_unwritable(json)
    data = _data_folder()
    folders = find_published(data) if data else {}
    entries = [_entry(dataset, folders.get(name, [])) for name, dataset in REGISTRY.items()]
    write_json_result(json, {"data": str(data) if data else None, "datasets": entries})
    if json == "-":
        return
    rows = [_row(dataset, folders.get(name, [])) for name, dataset in REGISTRY.items()]
    columns = ("name", "found", "facts", "MB", "licence", "source on GitHub")
    console = stdout()
    print_table(console, "Public datasets", columns, rows)
    where = data or "nowhere; set LIGHTTEA_DATA to a folder of dataset folders"
    console.print(
        f"Looked in: {where}\n'?': the digest of this dataset is not known, so no folder can be "
        "checked\nTo get one: lighttea datasets fetch NAME",
        soft_wrap=True,
        markup=False,
    )


@command
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

    The folder appears only when it is complete and checked; a failed download leaves nothing.

    Parameters
    ----------
    name
        Name of the dataset, as in `lighttea datasets list`.
    out
        Dataset folder to write [default: NAME in LIGHTTEA_DATA, or here].
    url
        Zip or tar to fetch in place of the source: http, https, or file:/// on this machine.
    sha256
        Digest that the archive must have.
    folder
        Folder of the dataset in the archive, if it has several.
    overwrite
        Replace an existing dataset folder.
    json
        Write the source and the digests of the files to this file, or to stdout with -.
    """
    from lighttea.datasets.fetch import fetch as fetch_dataset
    from lighttea.datasets.registry import find_dataset

    refuse_unwritable(json)
    dataset = find_dataset(name)
    target = out or (_data_folder() or Path()) / dataset.name
    with _show_progress() as progress:
        fetched = fetch_dataset(
            dataset,
            target,
            url=url,
            sha256=sha256,
            folder=folder,
            overwrite=overwrite,
            progress=progress,
        )
    write_json_result(json, {**asdict(fetched), "folder": str(target)})
    if json != "-":
        _print_fetched(dataset, target, has_known_digests=fetched.has_known_digests)


def _data_folder() -> Path | None:
    where = os.environ.get("LIGHTTEA_DATA")
    return Path(where) if where and Path(where).is_dir() else None


def _entry(dataset: PublishedDataset, folders: list[Path]) -> dict[str, Any]:
    known = {name: getattr(dataset, name) for name in dataset.__dataclass_fields__}
    known |= {"sha256": dict(dataset.sha256), "statistics": asdict(dataset.statistics)}
    return {**known, "found": [str(folder) for folder in folders]}


def _row(dataset: PublishedDataset, folders: list[Path]) -> tuple[str, ...]:
    facts = dataset.statistics.facts
    return (
        dataset.name,
        ", ".join(folder.name for folder in folders) or ("no" if dataset.sha256 else "?"),
        f"{sum(facts):,}" if facts else "",
        f"{dataset.size_bytes / _MB:.1f}" if dataset.size_bytes else "",
        dataset.licence,
        (dataset.source or "none").removeprefix("https://").removeprefix("github.com/"),
    )


def _print_fetched(dataset: PublishedDataset, target: Path, *, has_known_digests: bool) -> None:
    checked = (
        "its files match the published ones byte for byte"
        if has_known_digests
        else "its sizes match the published ones; there is no digest to check its files against"
    )
    say(
        f"{dataset.name} is in {target}: {checked}\nlicence: {dataset.licence}\n"
        f"Try: lighttea bench run {target} --seeds 1000 --runs 1"
    )


class _Logged(FetchProgress):
    """Writes the steps of a fetch to the log."""

    def begin_step(self, step: str) -> None:
        """Log the step that begins."""
        LOGGER.info("%s", step)


class _ProgressBar(_Logged):
    """Shows a fetch as a bar on a terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None)

    def begin_step(self, step: str) -> None:
        """Show the step that begins."""
        super().begin_step(step)
        self._progress.update(self._task, description=step)

    def report_bytes(self, done: int, total: int | None) -> None:
        """Show how far the download is."""
        self._progress.update(self._task, completed=done, total=total)


@contextmanager
def _show_progress() -> Iterator[FetchProgress]:
    """Yield a bar on stderr where stderr is a terminal; one that shows nothing elsewhere."""
    console = stderr()
    if not console.is_terminal or current_output().quiet:
        yield _Logged()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    speed = (TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, *speed, console=console, transient=True) as progress:
        yield _ProgressBar(progress)
