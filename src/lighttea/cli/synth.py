"""`lighttea synth`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.options import given, options_class
from lighttea.synth.config import SynthConfig

if TYPE_CHECKING:

    class SynthOptions:
        """Every field of SynthConfig, None where it was not given."""

else:
    SynthOptions = options_class(SynthConfig, "Sizes and rates")


def synth(
    *,
    out: Path,
    json: JsonTarget = None,
    options: Annotated[SynthOptions | None, Parameter(name="*")] = None,
) -> None:
    """Make up a pair of graphs with known truth and write it as a dataset folder.

    Parameters
    ----------
    out
        Dataset folder to write; it must not exist yet or be empty.
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
    print_table(stdout(), str(out), ("what", "count"), rows)
    stdout().print(
        f"try: lighttea bench run {out} --seeds {config.n_seeds} --runs 1",
        soft_wrap=True,
        markup=False,
    )
