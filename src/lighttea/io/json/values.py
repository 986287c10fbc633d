"""JSON texts to values that can be written as UTF-8, and values to texts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from lighttea.io.literals import WKT, XSD

_fast_loads: Callable[[bytes], Any] | None
try:
    from orjson import loads as _fast_loads
except ImportError:
    _fast_loads = None


def refuse_constant(name: str) -> Any:
    """Raise an error for NaN and Infinity, which Python's parser takes for numbers."""
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=refuse_constant)
_MOST, _LEAST = 2**64, -(2**63)  # whole numbers beyond them count as floats


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    What is no JSON is a ValueError, what is nested too deep a RecursionError. Lone halves of
    characters become question marks. orjson reads the text where it is installed; what it refuses,
    Python's own parser reads or refuses in words.
    """
    if _fast_loads is not None:
        try:
            return _fast_loads(text)
        except ValueError:
            pass
    value = _DECODER.decode(text.decode())
    if b"\\ud" in text or b"\\uD" in text:  # escapes that may be lone halves of a character
        return replace_halves(value)
    return value


def replace_halves(value: Any) -> Any:
    """Return a value whose texts can be written as UTF-8, without lone halves of characters."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [replace_halves(member) for member in value]
    if isinstance(value, dict):
        return {replace_halves(key): replace_halves(member) for key, member in value.items()}
    return value


def id_text(value: Any) -> str | None:
    """Return an id or a name of a relation; None where it is neither text nor a whole number."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return str(value) if _LEAST <= value < _MOST else None


def plain_text(value: Any) -> str | None:
    """Return a value as text, such as a time; None for null, JSON for what has parts."""
    if value is None or isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else json.dumps(value, ensure_ascii=False)


def literal_text(value: Any) -> tuple[str, str]:
    """Return text and datatype of a value; a text may be anything, so it has no datatype."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, bool):
        return str(value).lower(), f"{XSD}boolean"
    if isinstance(value, int):
        if _LEAST <= value < _MOST:
            return str(value), f"{XSD}integer"
        value = float(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number too large")
        return repr(value), f"{XSD}double"
    if isinstance(value, dict) and {"latitude", "longitude"} <= value.keys():
        return f"Point({value['longitude']} {value['latitude']})", WKT
    return json.dumps(value, ensure_ascii=False), ""


def one_line(text: str) -> str:
    """Return a text without line breaks and runs of blanks, as a name is shown."""
    return " ".join(text.split())
