"""`lighttea synth`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lighttea.cli.console import print_table, say, summary_console
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import given, options_class
from lighttea.cli.output import command
from lighttea.synth.config import SynthConfig

if TYPE_CHECKING:

    class SynthOptions:
        """Every field of SynthConfig, None where it was not given."""

else:
    SynthOptions = options_class(SynthConfig, "Sizes and rates")


@command
def synth(
    *,
    out: Path,
    json: JsonTarget = None,
    options: Annotated[SynthOptions | None, Parameter(name="*")] = None,
) -> None:
    """Generate two or more graphs with known truth and write them as a dataset folder.

    Parameters
    ----------
    out
        Dataset folder to write; it must be new or empty.
    json
        Write the sizes to this file, or to stdout with -.
    """
    config = SynthConfig(**given(options))
    from lighttea.synth.write import write_synth

    refuse_unwritable(json)
    sizes = asdict(write_synth(out, config))
    write_json_result(json, sizes)
    if json == "-":
        return
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in sizes.items()]
    print_table(summary_console(), str(out), ("what", "count"), rows)
    if config.graphs > 2:
        graphs = " ".join(f"{out}/triples_{number}" for number in range(1, config.graphs + 1))
        say(f"Try: lighttea align {graphs} --truth {out}/clusters.tsv --out RUN")
        return
    say(f"Try: lighttea bench run {out} --seeds {config.n_seeds} --runs 1")
