"""Exports of a run in any format, written under a temporary name and renamed when complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from lighttea.errors import InputError
from lighttea.export.links import links_to_export
from lighttea.export.options import ExportFormat, ExportOptions, refuse_unknown_format
from lighttea.io.files import whole_file
from lighttea.io.outputs import writing
from lighttea.io.tsv import write_tsv
from lighttea.results.run import Run

if TYPE_CHECKING:
    from lighttea.export.fused import FusedGraph

_FUSED = ("fused graph", "fused.json")  # kind of the folder, and a file of it
NQUADS = ".nq"


def export_run(
    run: Run,
    out: str | Path,
    *,
    form: ExportFormat,
    options: ExportOptions | None = None,
    overwrite: bool = False,
    reviews: pl.DataFrame | None = None,
) -> int:
    """Write the run's links, or both graphs fused along them; return the number of links.

    `reviews` (left, right, verdict, at, reviewer) go into SSSOM: who accepted or rejected what, and
    when.
    """
    refuse_unknown_format(form)
    options, out = options or ExportOptions(), Path(out)
    options.check_format(form)
    links = links_to_export(run, options, form)
    if form == "fused":
        _write_fused(run, links, out, options, overwrite=overwrite)
        return len(links)
    with new_file(out, overwrite=overwrite) as path:
        if form in ("tsv", "parquet", "jsonl"):
            write_table(links, path, form, options)
        elif form == "sameas":
            from lighttea.export.sameas import write_sameas

            write_sameas(links, path, options)
        else:
            from lighttea.export.reviews import with_reviews
            from lighttea.export.sssom import write_sssom

            links, n_replaced = with_reviews(links, run, reviews)
            write_sssom(links, path, options, run.info, n_replaced=n_replaced)
    return len(links)


def write_table(
    table: pl.DataFrame, path: Path, form: ExportFormat, options: ExportOptions
) -> None:
    """Write a table as TSV, Parquet or lines of JSON."""
    if form == "tsv":
        write_tsv(table, path, for_spreadsheets=options.spreadsheet_safe)
    elif form == "parquet":
        table.write_parquet(path)
    else:
        table.write_ndjson(path)


def refuse_existing_output(out: Path, form: str, *, overwrite: bool) -> None:
    """Raise an error, before the work, where the output cannot be written."""
    from lighttea.results.place import refuse_existing

    if form == "fused" and out.suffix != NQUADS:
        refuse_existing(out, overwrite=overwrite, kind=_FUSED)
        return
    if out.is_dir():
        raise InputError(f"{out}: a folder of that name exists; choose another path")
    if out.exists() and not overwrite:
        raise InputError(f"{out}: the file exists; use `overwrite=True` to replace it")


@contextmanager
def new_file(out: Path, *, overwrite: bool) -> Iterator[Path]:
    """Yield a temporary file to write; it gets its name when the block succeeds."""
    refuse_existing_output(out, "", overwrite=overwrite)
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(out) as unfinished:
            yield unfinished


def _write_fused(
    run: Run, links: pl.DataFrame, out: Path, options: ExportOptions, *, overwrite: bool
) -> None:
    """Write N-Quads where the name ends in .nq, else a folder of Parquet files."""
    from lighttea.export.fused import fuse
    from lighttea.export.iris import Namespaces

    refuse_existing_output(out, "fused", overwrite=overwrite)
    namespaces = Namespaces(options.left_namespace, options.right_namespace)
    fused = fuse(run, links, namespaces)
    if out.suffix == NQUADS:
        from lighttea.export.quads import write_quads

        with new_file(out, overwrite=overwrite) as path:
            write_quads(fused, path, options, run.info["input"], namespaces)
        return
    about = {"links": len(links), "max_fdr": options.max_fdr, "input": run.info["input"]}
    about["versions"] = run.info["versions"]
    write_fused_folder(fused, out, options, about, overwrite=overwrite)


def write_fused_folder(
    fused: FusedGraph,
    out: Path,
    options: ExportOptions,
    about: dict[str, Any],
    *,
    overwrite: bool,
) -> None:
    """Write a fused graph as a folder of Parquet files; `about` goes into fused.json."""
    from lighttea.results.place import run_folder
    from lighttea.results.store import write_json

    tables = {
        "entities": fused.entities,
        "relations": fused.relations,
        "facts": fused.facts,
        "attributes": fused.attributes,
        "conflicts": fused.conflicts(),
    }
    with run_folder(out, overwrite=overwrite, kind=_FUSED) as folder:
        for name, table in tables.items():
            with writing(folder / f"{name}.parquet"):
                table.write_parquet(folder / f"{name}.parquet")
        sizes = {name: len(table) for name, table in tables.items()}
        lowest = {"min_confidence": options.lowest_confidence("fused")}
        with writing(folder / "fused.json"):
            write_json(folder / "fused.json", {**about, **lowest, **sizes})
