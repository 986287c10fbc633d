"""`lighttea export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lighttea.cli.cluster_runs import export_cluster_run
from lighttea.cli.console import say
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import given, options_class
from lighttea.cli.output import command
from lighttea.cli.streams import STREAM, writing_stdout
from lighttea.errors import InputError
from lighttea.export.options import ExportFormat, ExportOptions

if TYPE_CHECKING:

    class ExportChoices:
        """Every field of ExportOptions, None where it was not given."""

else:
    ExportChoices = options_class(ExportOptions, "Content")


@command
def export(
    run: Path,
    *,
    format: ExportFormat,  # noqa: A002 - the option is called --format
    out: Path,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
    options: Annotated[ExportChoices | None, Parameter(name="*")] = None,
) -> None:
    """Write the links of a run, or both graphs fused by them, in the format of another tool.

    Of a run of several graphs: the clusters, or all graphs fused by them.

    Parameters
    ----------
    run
        Run folder.
    format
        tsv, parquet, jsonl: the links as a table; sameas: owl:sameAs and skos:closeMatch as
        N-Triples; sssom: SSSOM TSV; fused: both graphs as one, a folder of Parquet files, or
        N-Quads where --out ends in .nq or is -.
    out
        File or folder to write; - writes to stdout.
    overwrite
        Replace an existing file or folder.
    json
        Write the number of links and the path to this file, or to stdout with -.
    """
    from lighttea.export.write import export_run, refuse_existing_output
    from lighttea.results.cluster_store import is_cluster_run
    from lighttea.results.store import load_run
    from lighttea.review.decisions import read_reviews

    checked = ExportOptions(**given(options))
    refuse_unwritable(json)
    if is_cluster_run(run):
        export_cluster_run(run, out, format, checked, json, overwrite=overwrite)
        return
    reviews = read_reviews(run) if format == "sssom" else None
    if out == STREAM:
        if json == "-":
            raise InputError("--out and --json are both -; give a file for one")
        with writing_stdout("fused.nq" if format == "fused" else "links") as path:
            n_links = export_run(load_run(run), path, form=format, options=checked, reviews=reviews)
    else:
        refuse_existing_output(out, format, overwrite=overwrite)
        n_links = export_run(
            load_run(run), out, form=format, options=checked, overwrite=overwrite, reviews=reviews
        )
    write_json_result(json, {"links": n_links, "format": format, "out": str(out)})
    if out != STREAM and json != "-":
        say(f"{n_links:,} links: {out}")
