"""`lighttea export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lighttea.cli.console import stdout
from lighttea.cli.options import given, options_class
from lighttea.export.options import ExportFormat, ExportOptions

if TYPE_CHECKING:

    class ExportChoices:
        """Every field of ExportOptions, None where it was not given."""

else:
    ExportChoices = options_class(ExportOptions, "Content")


def export(
    run: Path,
    *,
    format: ExportFormat,  # noqa: A002 - the option is called --format
    out: Path,
    overwrite: Annotated[bool, Parameter(negative="")] = False,
    options: Annotated[ExportChoices | None, Parameter(name="*")] = None,
) -> None:
    """Write the links of a run, or both graphs fused along them, in a format of other tools.

    Parameters
    ----------
    run
        Run folder.
    format
        tsv, parquet, jsonl: the links as a table; sameas: owl:sameAs and skos:closeMatch as
        N-Triples; sssom: SSSOM TSV; fused: one graph out of two, a folder of Parquet files, or
        N-Quads where --out ends in .nq.
    out
        File or folder to write.
    overwrite
        Replace what is there.
    """
    from lighttea.export.write import export_run, refuse_existing_output
    from lighttea.results.store import load_run

    checked = ExportOptions(**given(options))
    refuse_existing_output(out, format, overwrite=overwrite)
    n_links = export_run(load_run(run), out, form=format, options=checked, overwrite=overwrite)
    stdout().print(f"{n_links:,} links: {out}", soft_wrap=True, markup=False)
