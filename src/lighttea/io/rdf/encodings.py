"""XML in the encoding that it declares, handed on as UTF-8."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from lighttea.errors import InputError
from lighttea.io.streams import Readable

_START = 1024  # bytes, enough for a declaration
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_DECLARATION = re.compile(r"""(\s*<\?xml[^>]*?\sencoding\s*=\s*["'])[A-Za-z0-9._-]+""")
_WIDE = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"<\x00?\x00": "utf-16-le",
    b"\x00<\x00?": "utf-16-be",
}
_NO_CHARSETS = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")


class Utf8Xml:
    """An XML file as UTF-8, whatever it declares; files in UTF-8 pass as they are."""

    def __init__(self, path: Path, stream: Readable) -> None:
        self._path = path
        self._stream = stream
        self._start = stream.read(_START)
        self._name, self._is_wide = _encoding_of(self._start)
        self._decoder = self._find_decoder()

    def read(self, size: int) -> bytes:
        """Return the next bytes, more than `size` where UTF-8 is longer; none at the end."""
        if self._decoder is None:
            chunk, self._start = self._start or self._stream.read(size), b""
            return chunk
        is_first, chunk = bool(self._start), self._start or self._stream.read(size)
        self._start = b""
        text = self._decode(chunk)
        while chunk and not text:  # half a character
            chunk = self._stream.read(size)
            text = self._decode(chunk)
        if is_first:
            text = _DECLARATION.sub(r"\g<1>UTF-8", text.removeprefix("\ufeff"), count=1)
        return text.encode()

    def _decode(self, chunk: bytes) -> str:
        assert self._decoder is not None
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self._path}: expected {self._name} text, as the file declares, found the "
                f"bytes {ascii(error.object[error.start : error.end])[1:]}; fix the declaration or "
                "convert the file to UTF-8"
            ) from None

    def _find_decoder(self) -> codecs.IncrementalDecoder | None:
        """Return the decoder of the file's encoding; None for UTF-8, and where the parser errs."""
        try:
            codec = codecs.lookup(self._name)
        except LookupError:
            codec = None
        if (
            codec is None
            or codec.name.replace("_", "-") in _NO_CHARSETS
            or not codec._is_text_encoding
        ):
            raise InputError(
                f"{self._path}:1: the file declares the unknown encoding {self._name!r}; convert "
                "it to UTF-8: iconv -f NAME -t UTF-8 FILE > NEW"
            )
        unlike_its_name = codec.name.startswith(("utf-16", "utf-32")) and not self._is_wide
        if codec.name == "utf-8" or unlike_its_name:
            return None
        return codec.incrementaldecoder()


def _encoding_of(start: bytes) -> tuple[str, bool]:
    """Return the encoding that the first bytes show or declare, and whether they are wide."""
    for mark, name in _WIDE.items():
        if start.startswith(mark):
            return name, True
    match = _DECLARED.match(start)
    return (match[1].decode() if match else "utf-8"), False
