"""Changes of a file that may break a reader: bytes, words, lines, numbers, and pieces of others."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Change = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
LARGEST = 20_000  # bytes of a changed file, unless the good one is larger

_WORDS = re.compile(rb"[A-Za-z_][\w.-]*|\d+|[^\w\s]+|\s+")
_NUMBERS = re.compile(rb"-?\d+")
EXTREMES = (
    *(b"0", b"-1", b"-0", b"00", b"1e999", b"NaN", b"Infinity", b"0x10", b"1_000", b"+5"),
    *(b"127", b"255", b"256", b"65535", b"2147483648", b"9223372036854775808", b"9" * 400),
    *(b"-13800000000", b"99999", b"1969-02-30", b"0000-00-00", b"24:00:00", b"1e-400"),
)
PIECES = (
    *(b"", b'"', b"'", b"\n", b"\r", b"\r\n", b"\t", b",", b";", b"\x00", b"\xff", b"\xfe\xff"),
    *(b"<<", b">>", b"<", b">", b"{", b"}", b"[", b"]", b"(", b")", b"\\", b"\\u0000", b"\\ud800"),
    *(b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\u202e".encode()),
    *("\u2028".encode(), b"\x1b[31m", b"=1+1", b"&lt;", b"<!DOCTYPE", b"]]>", b"--", b"null"),
    *(b"true", b"_:", b"^^", b"@", b"%00", b"../", b"/" * 50, b"a" * 300, b"[" * 600, b"{" * 600),
)


def mutate(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Return a file with one change, or a few; pieces of the others may come in."""
    most = max(LARGEST, 2 * len(content))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        content = rng.choice(CHANGES)(content, rng, others)[:most]
    return content


def _place(content: bytes, rng: random.Random) -> int:
    return rng.randrange(len(content) + 1)


def flip_bits(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Change single bits."""
    changed = bytearray(content or b"\0")
    for _number in range(rng.choice((1, 1, 4))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def put_piece(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Put a piece in, over some bytes or between them."""
    begin = _place(content, rng)
    piece = rng.choice(PIECES) if rng.random() < 0.8 else rng.randbytes(rng.randrange(1, 9))
    return content[:begin] + piece + content[begin + rng.choice((0, 0, 1, len(piece))) :]


def cut_out(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Lose some bytes, or the end."""
    begin = _place(content, rng)
    length = rng.choice((1, 2, 8, 64, len(content)))
    return content[:begin] + content[begin + length :]


def change_number(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Put another number in the place of one."""
    numbers = list(_NUMBERS.finditer(content))
    if not numbers:
        return content
    found = rng.choice(numbers)
    return content[: found.start()] + rng.choice(EXTREMES) + content[found.end() :]


def swap_words(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Put a word of any file in the place of one."""
    own, more = _WORDS.findall(content), _WORDS.findall(rng.choice(others or [content]))
    if not own or not more:
        return content
    own[rng.randrange(len(own))] = rng.choice(more)
    return b"".join(own)


def repeat_piece(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Repeat some bytes."""
    begin = _place(content, rng)
    piece = content[begin : begin + rng.choice((1, 5, 40, 400))]
    return content[:begin] + piece * rng.choice((1, 2, 30)) + content[begin:]


def change_lines(content: bytes, rng: random.Random, _: Sequence[bytes]) -> bytes:
    """Lose, repeat or exchange lines."""
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return content
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], rng.choice((lines[first], b"", lines[second]))
    return b"".join(lines)


def splice(content: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    """Go on with the rest of another file."""
    other = rng.choice(others or [content])
    return content[: _place(content, rng)] + other[_place(other, rng) :]


CHANGES: tuple[Change, ...] = (
    *(flip_bits, put_piece, put_piece, cut_out, change_number, swap_words, swap_words),
    *(repeat_piece, change_lines, splice),
)
