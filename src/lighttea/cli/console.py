"""Output for people: results on stdout, progress and warnings on stderr."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lighttea.cli.output import current_output
from lighttea.display import Named, escape_message, escape_value, isolate, visible

_CELL_WIDTH = 400  # characters; the middle of longer values is left out
_WIDE = 110  # columns
_NUMBER = re.compile(r"[\d.,%-]*")


class ResultConsole(Console):
    """A console whose closed pipe is an error for the command, not the end of the process."""

    def on_broken_pipe(self) -> None:
        """Raise what happened; the command decides how to end."""
        raise  # noqa: PLE0704 - called while the error is handled


class PlainConsole(ResultConsole):
    """A console that shows what it is given: a string holds no markup, emoji or escape sequence."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print strings escaped, and anything else as rich shows it."""
        shown = (Text(escape_message(o)) if isinstance(o, str) else o for o in objects)
        super().print(*shown, **options)


def stdout() -> Console:
    """Return the console for results; wide where stdout is no terminal, so that nothing is cut."""
    console = PlainConsole()
    return console if console.is_terminal else PlainConsole(width=_WIDE)


def summary_console() -> Console:
    """Return the console for lines about files that were written; silent with `--quiet`."""
    if current_output().quiet:
        return PlainConsole(quiet=True)
    return stdout()


def stderr() -> Console:
    """Return the console for progress and warnings."""
    return PlainConsole(stderr=True)


def print_sentence(console: Console, text: str | Text, style: str | None = None) -> None:
    """Print a sentence: wrapped at words on a terminal, whole on one line elsewhere."""
    plain = text if isinstance(text, Text) else Text(text)
    console.print(plain, style=style, soft_wrap=not console.is_terminal)


def say(text: str) -> None:
    """Print a line about files that were written; nothing with `--quiet`."""
    summary_console().print(text, soft_wrap=True, markup=False)


def shown(named: Named, *, with_id: bool = False) -> str:
    """Return the name to show for an id, followed by the whole id if `with_id`."""
    text, shown_id = (
        isolate(escape_value(part, _CELL_WIDTH)) for part in (named.text, named.shown_id)
    )
    return f"{text} ({shown_id})" if with_id and shown_id else text


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]
) -> None:
    """Print a titled table and a blank line; columns of numbers are right-aligned.

    Nothing in a cell that is a string is markup, an emoji or an escape sequence.
    """
    table = Table(box=None, pad_edge=False)
    cells = [tuple(map(_as_text, row)) for row in rows]
    for number, column in enumerate(columns):
        is_number = bool(cells) and all(_NUMBER.fullmatch(row[number].plain) for row in cells)
        table.add_column(
            _as_text(column), justify="right" if is_number else "left", overflow="fold"
        )
    for row in cells:
        table.add_row(*row)
    console.print(_as_text(title), style="bold", soft_wrap=True)
    console.print(table)
    console.print()


def print_named_table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    named: Sequence[Named],
) -> None:
    """Print a table whose rows begin with names, and whose last column has ids that differ."""
    ids = [
        "" if str(row[0]) == visible(each.id) else visible(each.id)
        for row, each in zip(rows, named, strict=True)
    ]
    if any(ids):
        columns = (*columns, "id")
        rows = [(*row, own_id) for row, own_id in zip(rows, ids, strict=True)]
    print_table(console, title, columns, rows)


def _as_text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(isolate(escape_value(cell, _CELL_WIDTH)))
