"""What can go wrong, as a tree.

LightteaError
├── InputError          a file, a line, a link or an output folder is not as it must be (exit 2)
│   ├── SeedError       a known link names an unknown entity or contradicts another one
│   └── StartError      no seeds, and nothing in the graphs is sure enough to begin with
├── ConfigError         an option is unknown or out of its bounds                       (exit 2)
├── FetchError          a download did not come through; the message says what to do    (exit 1)
├── OutputError         an output could not be written: full disk, quota, size limit    (exit 1)
└── EngineUnavailable   a library or device is missing; the message carries the cure    (exit 1)
"""

from __future__ import annotations

from collections.abc import Sequence

from lighttea.display import escape_message

SHOWN_PROBLEMS = 20


class LightteaError(Exception):
    """Base of every error that lighttea raises on purpose.

    Control characters in a message are escaped, so that a file cannot control a terminal.
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(escape_message(message))


class InputError(LightteaError):
    """The input is wrong: where, what was found, what was expected, what to do."""

    exit_code = 2
    n_not_shown = 0  # problems that the last line of the message counts

    @classmethod
    def of_many(cls, problems: Sequence[str], *, total: int | None = None) -> InputError:
        """Join the problems of a file into one error: the first 20, then a count."""
        shown = list(problems[:SHOWN_PROBLEMS])
        rest = (total if total is not None else len(problems)) - len(shown)
        if rest > 0:
            shown.append(f"... and {rest:,} more")
        error = cls("\n".join(shown))
        error.n_not_shown = max(rest, 0)
        return error


class SeedError(InputError):
    """A known link names an unknown entity or contradicts another one."""


class StartError(InputError):
    """No seeds were given, and too few pairs are sure enough to begin with."""


class LightteaWarning(UserWarning):
    """Something a user should know although the work goes on."""


class ConfigError(LightteaError):
    """An option is unknown or outside its bounds."""

    exit_code = 2


class FetchError(LightteaError):
    """A download failed: the server or the network did not deliver."""


class OutputError(LightteaError, OSError):
    """An output could not be written: what, why, what to do."""


class EngineUnavailable(LightteaError):  # noqa: N818 - reads as a state, as users meet it
    """An engine or an extra needs something that is not installed or not available."""
