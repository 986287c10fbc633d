"""JSON that does not keep to lines, read value by value in bounded memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from lighttea.errors import InputError
from lighttea.io.json.values import replace_halves
from lighttea.io.lines import quote_line
from lighttea.io.streams import LONGEST_LINE, Readable

_BLANKS = re.compile(r"[ \t\r\n]*")
_BLOCK = 1 << 20  # bytes that are read at once
_LONGEST_TOKEN = 16  # characters of an escape or a word such as false, which may be cut off


class Scanner:
    """The values of a JSON text, one after another; what is wrong in it stops the reader."""

    def __init__(self, path: Path, stream: Readable, longest: int = LONGEST_LINE) -> None:
        self.line = 1  # of the next character
        self._longest = longest  # characters of a value
        self._path = path
        self._stream = stream
        self._text = codecs.getincrementaldecoder("utf-8")()
        self._buffer, self._place = "", 0
        self._ended = False
        self._constant = ""  # NaN or Infinity in the last value
        self._decoder = json.JSONDecoder(parse_constant=self._note_constant)
        if self._more() and self._buffer.startswith("\ufeff"):
            self._place = 1

    def peek(self) -> str:
        """Return the next character that is not blank; none at the end."""
        while True:
            match = _BLANKS.match(self._buffer, self._place)
            if match is not None:
                self._advance(match.end())
            if self._place < len(self._buffer):
                return self._buffer[self._place]
            if not self._more():
                return ""

    def take(self, signs: str, expected: str) -> str:
        """Return the next character, which has to be one of these; pass over it."""
        sign = self.peek()
        if not sign or sign not in signs:
            self.refuse(f"not JSON: expected {expected}, found {self._seen()}")
        self._place += 1
        return sign

    def value(self) -> Any:
        """Return the next value; a ValueError where it holds NaN or Infinity, which are no JSON."""
        self.peek()
        self._constant = ""
        size = _BLOCK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._place)
            except json.JSONDecodeError as error:
                offset = error.pos - self._place  # reading on moves the place
                if not self._is_cut_off(error) or not self._more(size):
                    seen = self._seen(self._place + offset)
                    self.refuse(f"not JSON: {error.msg}, found {seen}")
                size = min(2 * size, self._longest)
                continue
            except RecursionError:
                self.refuse("not JSON: nested too deep")
            except ValueError as error:  # a number of too many digits
                self.refuse(f"not JSON: {error}")
            if end < len(self._buffer) or not self._more():  # a number may go on
                break
        return self._checked(value, end)

    def members(self, end: str) -> Iterator[None]:
        """Pass over commas to the end of an array or an object; yield where a member begins."""
        if self.peek() == end:
            self.take(end, end)
            return
        while True:
            self.peek()
            yield
            if self.take(f",{end}", f"a comma or {end}") == end:
                return

    def key(self) -> str:
        """Return the next key of an object; pass over it and its colon."""
        if self.peek() != '"':
            self.take('"', "a key in quotes")
        key = str(self.value())
        self.take(":", "a colon after a key")
        return key

    def refuse(self, problem: str) -> NoReturn:
        """Raise an error: nothing after it can be trusted."""
        raise InputError(
            f"{self._path}:{self.line}: {problem}; nothing after it can be trusted: fix the file"
        )

    def _checked(self, value: Any, end: int) -> Any:
        text_has_halves = "\\ud" in (text := self._buffer[self._place : end]) or "\\uD" in text
        self._advance(end)
        if self._constant:
            raise ValueError(f"{self._constant} is not JSON")
        return replace_halves(value) if text_has_halves else value

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        """Whether a value may be wrong only because its end has not been read yet."""
        near_end = error.pos + _LONGEST_TOKEN >= len(self._buffer)
        return near_end or error.msg.startswith("Unterminated string")

    def _advance(self, place: int) -> None:
        self.line += self._buffer.count("\n", self._place, place)
        self._place = place

    def _more(self, size: int = 0) -> bool:
        """Read on; return whether there was more."""
        if self._ended:
            return False
        chunk = self._stream.read(size or _BLOCK)
        self._ended = not chunk
        if len(self._buffer) - self._place > self._longest:
            self.refuse(f"a value of more than {self._longest >> 20} MiB")
        try:
            text = self._text.decode(chunk, self._ended)
        except UnicodeDecodeError:
            self.refuse("not UTF-8 text")
        self._buffer, self._place = self._buffer[self._place :] + text, 0
        return not self._ended

    def _seen(self, place: int | None = None) -> str:
        """Return what stands at a place, for a message."""
        begin = self._place if place is None else place
        text = self._buffer[begin : begin + 100]
        return quote_line(text) if text else "the end of the file"

    def _note_constant(self, name: str) -> None:
        self._constant = name
