"""The messages of pyoxigraph, as a part of ours."""

from __future__ import annotations

import re

from lighttea.display import visible

_SHOWN_CHARACTERS = 200  # the parser repeats the wrong line, however long


def parser_message(error: SyntaxError) -> str:
    """Return the parser's message on one line, without the line number, shortened."""
    message = visible(error.msg[: 2 * _SHOWN_CHARACTERS])
    message = re.sub(r"^Parser error at line \d+ ", "", message)
    message = re.sub(r"^column ", "at column ", message)
    return message if len(message) <= _SHOWN_CHARACTERS else message[:_SHOWN_CHARACTERS] + "..."
