"""RDF/XML in the encoding that it declares."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from lighttea import InputError, read_graph
from lighttea.io.rdf.encodings import Utf8Xml
from tests.io.rdf.conftest import Put, literals_of

BODY = """<?xml version='1.0' encoding="{}" standalone="yes"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://ex/">
<rdf:Description rdf:about="http://ex/a"><e:p>{}</e:p></rdf:Description></rdf:RDF>"""


@pytest.mark.parametrize(
    ("declared", "written", "text"),
    [
        ("windows-1252", "windows-1252", "Zürich – “7 €”"),
        ("WINDOWS-1252", "windows-1252", "Zürich"),
        ("ISO-8859-1", "latin-1", "Zürich"),
        ("iso-8859-2", "iso-8859-2", "Łódź"),
        ("ISO-8859-15", "iso-8859-15", "7 €"),
        ("UTF-16", "utf-16", "Zürich 道"),
        ("UTF-16LE", "utf-16-le", "Zürich 道"),
        ("UTF-16BE", "utf-16-be", "Zürich 道"),
        ("utf-8", "utf-8-sig", "Zürich 道"),
        ("UTF-8", "utf-8", "Zürich 道"),
        ("us-ascii", "ascii", "Zurich"),
        ("Shift_JIS", "shift_jis", "東京"),
        ("GB2312", "gb2312", "北京"),
        ("KOI8-R", "koi8-r", "Москва"),
    ],
)
def test_declared_encodings_are_read(put: Put, declared: str, written: str, text: str) -> None:
    path = put(BODY.format(declared, text).encode(written), "g.rdf")
    assert [row[2] for row in literals_of(read_graph(path))] == [text]
    long = put(BODY.format(declared, text * 50_000).encode(written), "long.owl")
    assert [row[2] for row in literals_of(read_graph(long))] == [text * 50_000]


def test_an_unknown_encoding_is_said(put: Put) -> None:
    for name in ("klingon", "rot13", "unicode_escape", "zlib", "utf-7"):
        path = put(BODY.format(name, "x"), "g.rdf")
        with pytest.raises(
            InputError, match=rf"g\.rdf:1: the file declares the unknown encoding '{name}'"
        ):
            read_graph(path)


def test_bytes_that_the_encoding_does_not_have_are_refused(put: Put) -> None:
    path = put(BODY.format("windows-1252", "x\x81y").encode("latin-1"), "g.rdf")
    with pytest.raises(InputError, match=r"expected windows-1252 text, .*, found the bytes '\\x81"):
        read_graph(path)
    wide = BODY.format("utf-16", "x").encode("utf-16")[:-1]
    with pytest.raises(InputError, match="expected utf-16 text, as the file declares"):
        read_graph(put(wide, "g.rdf"))


def test_utf_8_that_calls_itself_utf_16_is_refused(put: Put) -> None:
    with pytest.raises(InputError, match="not well-formed"):
        read_graph(put(BODY.format("utf-16", "x"), "g.rdf"))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_pieces_of_any_size_are_whole(size: int) -> None:
    text = BODY.format("UTF-16", "道路 über 𝄞 " * 200)
    reader = Utf8Xml(Path("x.rdf"), io.BytesIO(text.encode("utf-16")))
    pieces = []
    while piece := reader.read(size):
        pieces.append(piece)
    assert b"".join(pieces).decode() == text.replace("UTF-16", "UTF-8")
