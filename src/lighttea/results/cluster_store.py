"""Run folders of several graphs: tables of clusters, and a folder for each pair of graphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lighttea.config import with_current_names
from lighttea.errors import InputError
from lighttea.io.outputs import writing
from lighttea.results.check import refuse_other_folders
from lighttea.results.clusters import ClusterRun
from lighttea.results.manifest import Manifest, WrittenFile, describe_damage, describe_file
from lighttea.results.place import bring_back
from lighttea.results.read import read_tables
from lighttea.results.record import check_entries, parse_record
from lighttea.results.schema import (
    CLUSTER_ENTRIES,
    CLUSTER_TABLES,
    CLUSTERS,
    NO_CHANGES,
    PAIRS,
    RECORD,
)
from lighttea.results.store import (
    damaged,
    load_run,
    open_record,
    write_frame,
    write_frame_tsv,
    write_json,
    write_run,
)

_UNSAFE = re.compile(r"[^\w.-]+")


def write_clusters(run: ClusterRun, folder: Path) -> None:
    """Write all files of a run of several graphs, and the list of them last."""
    names = _folder_names(list(run.pairs))
    for pair, own in run.pairs.items():
        target = folder / PAIRS / names[pair]
        with writing(target):
            target.mkdir(parents=True)
        write_run(own, target)
    files: dict[str, WrittenFile] = {}
    frames = [run.clusters, run.links, run.conflicts]
    frames += [run.changes] if "update" in run.info else []
    for table, frame in zip(CLUSTER_TABLES, frames, strict=False):
        files[table.file] = write_frame(frame, table, folder / table.file)
        name = f"{table.name}.tsv"
        files[name] = write_frame_tsv(frame, folder / name)
    pairs = [{**pair, "folder": names[pair["left"], pair["right"]]} for pair in run.info["pairs"]]
    with writing(folder / RECORD):
        write_json(folder / RECORD, {**run.info, "pairs": pairs})
        files[RECORD] = describe_file(folder / RECORD)
        Manifest(files).write(folder)


def _folder_names(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a name for the folder of each pair: of the graphs, or numbers where these clash."""
    plain = {pair: "-".join(_UNSAFE.sub("_", name)[:40] for name in pair) for pair in pairs}
    counts = Counter(name.casefold() for name in plain.values())
    return {
        pair: f"pair-{number}" if counts[name.casefold()] > 1 or name[0] == "." else name
        for number, (pair, name) in enumerate(plain.items(), 1)
    }


def is_cluster_run(folder: str | Path) -> bool:
    """Return whether a folder holds a run of several graphs."""
    folder = Path(folder)
    bring_back(folder)
    if not (folder / RECORD).is_file():
        return False
    try:
        return parse_record(folder).get("kind") == CLUSTERS
    except InputError:
        return False  # whoever loads it says what is wrong


def load_clusters(folder: str | Path) -> ClusterRun:
    """Return the run of several graphs that a folder holds; its files are checked as `load_run`."""
    folder = Path(folder)
    bring_back(folder)
    refuse_other_folders(folder)
    info, manifest = open_record(folder)
    if info.get("kind") != CLUSTERS:
        raise InputError(f"{folder}: a run of two graphs; load it with `lighttea.load_run`")
    info = check_cluster_record(info, folder)
    tables, problems = read_tables(folder, manifest, CLUSTER_TABLES)
    if problems:
        raise damaged(folder, problems)
    pairs = {
        (own["left"], own["right"]): load_run(path) for own, path in pair_folders(folder, info)
    }
    changes = tables.get("changes", NO_CHANGES())
    own = tables["clusters"], tables["cluster_links"], tables["conflicts"]
    return ClusterRun(*own, pairs, info, changes)


def check_cluster_record(info: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what a run says of itself; raise an error where that cannot be."""
    path = folder / RECORD
    check_entries(info, path, CLUSTER_ENTRIES)
    for pair in info["pairs"]:
        name = pair["folder"]
        if _UNSAFE.search(name) or name.startswith("."):
            raise InputError(describe_damage(path, f"{name!r} is no name of a pair's folder"))
    return {**info, "config": with_current_names(info["config"])}


def pair_folders(folder: Path, info: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Path]]:
    """Yield each pair of graphs as the record has it, and its folder."""
    for pair in info["pairs"]:
        yield pair, folder / PAIRS / pair["folder"]
