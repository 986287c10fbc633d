"""Given the words of a command line; hands on results on stdout, files and an exit code.

Commands are loaded when they are called, so that help appears at once.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from textwrap import indent
from typing import TYPE_CHECKING, Any

from lighttea.cli.command_line import accept_any_letter, running
from lighttea.cli.interrupts import (
    clear_handled_interrupts,
    drop_stdout,
    repeat_ignored_interrupts,
)
from lighttea.cli.notes import shown_notes
from lighttea.display import escape_message
from lighttea.errors import LightteaError
from lighttea.kernels.process import share_one_heap, wait_asleep
from lighttea.version import __version__

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

INTERRUPTED = 130  # as shells have it: 128 and the number of the signal
_COMMANDS = {
    "demo": ("lighttea.cli.demo:demo", "Align the bundled example, end to end."),
    "align": ("lighttea.cli.align:align", "Align two graphs and write a run folder."),
    "update": ("lighttea.cli.update:update", "Align again after the graphs have changed."),
    "dedupe": ("lighttea.cli.dedupe:dedupe", "Find duplicates inside one graph."),
    "evaluate": ("lighttea.cli.evaluate:evaluate", "Compare a run with the truth."),
    "export": ("lighttea.cli.export:export", "Write the links in the format of another tool."),
    "explain": ("lighttea.cli.explain:explain", "Show why two entities were linked."),
    "report": ("lighttea.cli.report:report", "Write the report of a run as one HTML page."),
    "review": ("lighttea.cli.review:review", "Decide on doubtful links in the browser."),
    "serve": (
        "lighttea.cli.serve:serve",
        "Offer a graph or a run as a reconciliation service.",
    ),
    "check": ("lighttea.cli.check:check", "Check whether a run folder is whole."),
    "inspect": (
        "lighttea.cli.inspect:inspect",
        "Show what is in a graph, or whether two graphs fit together.",
    ),
    "describe": (
        "lighttea.cli.describe:describe",
        "Draft a description of a graph in tables or JSON.",
    ),
    "synth": ("lighttea.cli.synth:synth", "Generate a pair of graphs with known truth."),
    "completion": (
        "lighttea.cli.completion:completion",
        "Print or install the completion script of a shell.",
    ),
}
_BELOW_ERROR = " " * len("error: ")
_EXAMPLES = {  # the arguments of one call of a command, shown below its help page
    "align": "left.tsv right.csv --seeds seeds.tsv --out runs/first",
    "update": "runs/first --left new-facts.tsv --out runs/second",
    "evaluate": "runs/first --truth truth.tsv",
    "export": "runs/first --format sssom --out links.sssom.tsv",
    "explain": "runs/first George_Porter",
    "report": "runs/first --truth truth.tsv",
    "review": "runs/first --reviewer Ada",
    "serve": "graph.nt --port 8000",
    "check": "runs/first",
    "inspect": "left.tsv right.csv",
    "describe": "people.csv offices.csv --out left.toml",
    "synth": "--entities 1000 --out worlds/small",
    "completion": "bash --install",
    "bench run": "worlds/small --seeds 20 --runs 1",
    "bench paper": "--quick --out paper",
    "config show": "--config lighttea.toml",
    "config example": "> lighttea.toml",
}
_GROUPS = {
    "bench": (
        "Measure methods on dataset folders.",
        {
            "run": ("lighttea.cli.bench:run", "Run a method on a dataset, several times."),
            "paper": (
                "lighttea.cli.bench_paper:paper",
                "Run all experiments of the paper and write a report.",
            ),
        },
    ),
    "datasets": (
        "List the public datasets and fetch them.",
        {
            "list": (
                "lighttea.cli.datasets:list_datasets",
                "List the public datasets and which of them you have.",
            ),
            "fetch": ("lighttea.cli.datasets:fetch", "Download a public dataset and check it."),
        },
    ),
    "config": (
        "Show settings, or print a file to start from.",
        {
            "show": ("lighttea.cli.config:show", "Show all settings and where they come from."),
            "example": (
                "lighttea.cli.config:example",
                "Print a commented TOML file with every option of align.",
            ),
        },
    ),
}


def build_app() -> App:
    """Return the app with all commands."""
    from cyclopts import App, Parameter

    from lighttea.cli.console import ResultConsole

    app = App(
        name="lighttea",
        version=__version__,
        help="Align the entities of two temporal knowledge graphs, in seconds, without training.",
        version_flags=["--version"],
        suppress_keyboard_interrupt=False,
        console=ResultConsole(),
        help_epilogue="Start with: lighttea demo",
        default_parameter=Parameter(show_default=_describe_default),
    )
    _add_commands(app, _COMMANDS)
    for name, (text, commands) in _GROUPS.items():
        group = App(name=name, help=text, help_epilogue="")
        _add_commands(group, commands, group=f"{name} ")
        app.command(group)
    return app


def _describe_default(value: Any) -> str | None:
    """Return what help shows as a default; nothing for a switch that is off."""
    if value is None or value is False:
        return None
    return "on" if value is True else str(value)


def _add_commands(app: App, commands: Mapping[str, tuple[str, str]], *, group: str = "") -> None:
    for name, (where, text) in commands.items():
        words = f"{group}{name}"
        example = f"Example: lighttea {words} {_EXAMPLES[words]}" if words in _EXAMPLES else ""
        app.command(where, name=name, help=text, help_epilogue=example)


def main(tokens: Sequence[str] | None = None) -> None:
    """Run a command. Exit 0: done; 2: bad input; 130: interrupted; 1: anything else."""
    repeat_ignored_interrupts()
    share_one_heap()
    wait_asleep()
    accept_any_letter()
    code = run_command(sys.argv[1:] if tokens is None else list(tokens))
    clear_handled_interrupts()
    sys.exit(code)


def run_command(tokens: Sequence[str]) -> int:
    """Run a command and return its exit code; errors are written to stderr."""
    try:
        with running(tokens), shown_notes():
            code = _run(tokens)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _report_error("interrupted; nothing half-written is left", INTERRUPTED)
    except BrokenPipeError:  # nobody reads the rest, as with `| head`
        drop_stdout()
        return 0


def _run(tokens: Sequence[str]) -> int:
    from cyclopts import CycloptsError

    from lighttea.cli.output import remember_tokens

    remember_tokens(tokens)
    try:
        build_app()(
            _with_streams(tokens),
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
    except LightteaError as error:
        return _report_error(str(error), error.exit_code)
    except CycloptsError as error:
        problem = _renamed_option(tokens) or _describe_missing(error) or str(error)
        return _report_error(f"{problem}\nSee: lighttea {_command_of(tokens)}--help", 2)
    except MemoryError:
        return _report_error("out of memory; lower `dim` or `top_k`, or set `max_memory`", 1)
    except BrokenPipeError:
        raise
    except OSError as error:  # of stdout, which has no name, or of something unforeseen
        named = f"{error.filename}: " if error.filename else ""
        return _report_error(f"{named}{error.strerror or error}", 1)
    return 0


def _with_streams(tokens: Sequence[str]) -> list[str]:
    """Return the words with `-` as a path, `./-`, which is not taken for an option."""
    before = ["", *tokens]
    return [
        "./-" if token == "-" and last not in ("--json", "--") else token
        for last, token in zip(before, tokens, strict=False)
    ]


def _describe_missing(error: CycloptsError) -> str | None:
    """Return which argument is missing, by the name that the help page shows."""
    from cyclopts import MissingArgumentError

    if type(error) is not MissingArgumentError or error.argument is None:
        return None
    if error.keyword:
        return f"{error.keyword} needs a value"
    name = error.argument.name
    is_positional = error.argument.field_info.is_positional
    return f"{name.removeprefix('--').upper() if is_positional else name} is missing"


def _renamed_option(tokens: Sequence[str]) -> str | None:
    """Return what an option of an earlier version is called now, where one was given."""
    from lighttea.config import RENAMED, RENAMED_SINCE

    for option in (token.partition("=")[0] for token in tokens if token.startswith("--")):
        name = option.removeprefix("--").removeprefix("no-").replace("-", "_")
        if name in RENAMED:
            new = option.replace(name, RENAMED[name].replace("_", "-"))
            return f"there is no option {option}; it has been called {new} since {RENAMED_SINCE}"
    return None


def _report_error(message: str, code: int) -> int:
    """Write a message to stderr, arguments in backticks as options, and return the code.

    Its first line begins with `error: `; further lines are indented to stand below it.
    """
    from lighttea.cli.wording import as_options

    text = as_options(message) if "`" in message else message
    with suppress(BrokenPipeError):
        sys.stderr.write("error: " + indent(escape_message(text), _BELOW_ERROR).lstrip() + "\n")
        sys.stderr.flush()
    return code


def _command_of(tokens: Sequence[str]) -> str:
    nested = (command for _, commands in _GROUPS.values() for command in commands)
    words = {*_COMMANDS, *_GROUPS, *nested}
    return "".join(f"{token} " for token in tokens[:2] if token in words)
