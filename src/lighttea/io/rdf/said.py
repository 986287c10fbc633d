"""What pyoxigraph says of a syntax error, as a part of our messages."""

from __future__ import annotations

import re

from lighttea.io.lines import escaped

_SHOWN_CHARACTERS = 200  # the parser repeats what it found, a line of ten megabytes too


def parser_said(error: SyntaxError) -> str:
    """The parser's words on one line, without its number, which the caller knows; cut when long."""
    said = escaped(error.msg[: 2 * _SHOWN_CHARACTERS])
    said = re.sub(r"^Parser error at line \d+ ", "", said)
    said = re.sub(r"^column ", "at column ", said)
    return said if len(said) <= _SHOWN_CHARACTERS else said[:_SHOWN_CHARACTERS] + "..."
