"""`-` in place of a file: stdin as a file, a file as stdout."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.errors import InputError, LightteaError

if TYPE_CHECKING:
    from lighttea.graph.facts import Graph

STREAM = Path("-")
_PARQUET = b"PAR1"
_PREFIX = "lighttea-stream-"


@dataclass(frozen=True)
class Inputs:
    """Files to read, with stdin as a file where one was given as `-`."""

    stdin: Path | None = None

    def path(self, given: Path) -> Path:
        """Return the file to read for a path that was given."""
        return self.stdin if given == STREAM and self.stdin is not None else given


@contextmanager
def reading_stdin(given: Sequence[tuple[str, Path | None]]) -> Iterator[Inputs]:
    """Yield the inputs by option; stdin is copied to a file where one of them is `-`.

    Messages and sources inside say stdin, not where the copy lies.
    """
    readers = [option for option, path in given if path == STREAM]
    if len(readers) > 1:
        raise InputError(
            f"stdin can be read once; {' and '.join(readers)} are both -: give a file for one"
        )
    if not readers:
        yield Inputs()
        return
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        copy = _copy_of_stdin(Path(folder), readers[0])
        try:
            yield Inputs(copy)
        except LightteaError as error:
            raise _renamed(error, copy) from None


def _copy_of_stdin(folder: Path, reader: str) -> Path:
    """Return stdin as a file; the name says that it is Parquet where it is."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{reader}: stdin is closed; give a file")
    if sys.stdin.isatty():
        sys.stderr.write(f"{reader}: reading from the terminal; end with Ctrl-D\n")
    stream = sys.stdin.buffer
    start = stream.read(len(_PARQUET))
    if not start:
        raise InputError(f"{reader}: stdin is empty")
    path = folder / ("stdin.parquet" if start == _PARQUET else "stdin")
    with path.open("wb") as file:
        file.write(start)
        shutil.copyfileobj(stream, file)
    return path


def _renamed(error: LightteaError, copy: Path) -> LightteaError:
    """Return the error with stdin in place of its copy."""
    renamed = type(error)(str(error).replace(str(copy), "stdin"))
    renamed.__dict__.update(error.__dict__)
    return renamed


def sourced(graph: Graph) -> Graph:
    """Return a graph whose source is stdin where it was read from its copy."""
    path = Path(graph.source)
    is_copy = path.stem == "stdin" and path.parent.name.startswith(_PREFIX)
    return replace(graph, source="stdin") if is_copy else graph


@contextmanager
def writing_stdout(name: str) -> Iterator[Path]:
    """Yield the path of a file; its content goes to stdout when the block succeeds."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        path = Path(folder) / name
        yield path
        sys.stdout.flush()
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.flush()
