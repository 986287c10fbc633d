"""`--quiet`, `--verbose` and `--log`, which every command has."""

from __future__ import annotations

import inspect
import logging
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec

from cyclopts import Group, Parameter

from lighttea.cli.wording import as_options
from lighttea.display import visible
from lighttea.errors import ConfigError, InputError, LightteaError
from lighttea.version import __version__

P = ParamSpec("P")
_GROUP = Group("Output", sort_key=20)
_FORM = "%(asctime)s %(levelname)s %(message)s"
_LIBRARY = logging.getLogger("lighttea")
LOGGER = logging.getLogger("lighttea.command")
LOGGER.addHandler(logging.NullHandler())


@dataclass(frozen=True, kw_only=True)
class Output:
    """How much a command prints, and where."""

    quiet: Annotated[
        bool,
        Parameter(
            alias="-q",
            negative="",
            group=_GROUP,
            show_default=False,
            help="Print errors and results only: no progress, notes or summary.",
        ),
    ] = False
    verbose: Annotated[
        bool,
        Parameter(
            alias="-v",
            negative="",
            group=_GROUP,
            show_default=False,
            help="Print every stage, note and figure.",
        ),
    ] = False
    log: Annotated[
        Path | None,
        Parameter(
            group=_GROUP,
            help="Append stages, notes, warnings and errors to this file, with date and time.",
        ),
    ] = None


_current: ContextVar[Output | None] = ContextVar("output", default=None)
_tokens: ContextVar[Sequence[str]] = ContextVar("tokens", default=())


def remember_tokens(tokens: Sequence[str]) -> None:
    """Keep the words of the command line, for the log."""
    _tokens.set(tuple(tokens))


def current_output() -> Output:
    """Return the output options of the running command."""
    return _current.get() or Output()


def command(function: Callable[P, None]) -> Callable[P, None]:
    """Return a command with the options of `Output`, which hold while it runs."""

    @wraps(function)
    def run(*arguments: P.args, **keywords: P.kwargs) -> None:
        chosen = keywords.pop("output", None)
        assert chosen is None or isinstance(chosen, Output)
        with using(chosen or Output()):
            function(*arguments, **keywords)

    hint = Annotated[Output | None, Parameter(name="*")]
    added = inspect.Parameter(
        "output", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint
    )
    own = inspect.signature(function)
    described: Any = run
    described.__signature__ = own.replace(parameters=[*own.parameters.values(), added])
    described.__annotations__ = {**function.__annotations__, "output": hint}
    return run


@contextmanager
def using(output: Output) -> Iterator[None]:
    """Use these output options inside the block, and write the log."""
    if output.quiet and output.verbose:
        raise ConfigError("choose one of --quiet and --verbose")
    token = _current.set(output)
    try:
        with ExitStack() as stack:
            if output.log is not None:
                stack.enter_context(_logging(output.log))
            yield
    finally:
        _current.reset(token)


@contextmanager
def _logging(path: Path) -> Iterator[None]:
    """Write what happens inside to a file: the command, its stages and notes, and how it ended."""
    try:
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot write the log: {error.strerror}") from None
    handler.setFormatter(_OneLine(_FORM))
    level = _LIBRARY.level
    _LIBRARY.addHandler(handler)
    _LIBRARY.setLevel(logging.INFO)
    try:
        LOGGER.info("lighttea %s: lighttea %s", __version__, shlex.join(_tokens.get()))
        yield
        LOGGER.info("done")
    except BaseException as error:
        _log_error(error)
        raise
    finally:
        _LIBRARY.removeHandler(handler)
        _LIBRARY.setLevel(level)
        handler.close()


def _log_error(error: BaseException) -> None:
    if isinstance(error, KeyboardInterrupt):
        LOGGER.error("interrupted")
    elif isinstance(error, LightteaError):
        for line in as_options(str(error)).splitlines():
            LOGGER.error("%s", line)
    else:
        LOGGER.error("%s: %s", type(error).__name__, error)


class _OneLine(logging.Formatter):
    """Writes each message on one line; nothing in it is a control character."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
