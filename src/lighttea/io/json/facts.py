"""JSON objects of facts, on lines or in an array: a fact or a literal each, by usual keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.columns import check_columns, find_layout
from lighttea.io.graph_rows import GraphRows
from lighttea.io.json.items import OTHER_FORMAT, Item, add_each, read_items
from lighttea.io.json.recognise import JSON_ROLES
from lighttea.io.json.values import id_text, literal_text, plain_text
from lighttea.io.lines import existing_file
from lighttea.io.problems import Problems

_LOOKED_AT = 1_000  # objects whose keys say which is what
_NOTES = {
    "both": "{:,} rows have both a tail and a value; the value is ignored",
    "neither": "{:,} rows without tail and value left out",
}


def read_facts(
    path: str | Path, columns: Mapping[str, str] | None = None, *, strict: bool = False
) -> Graph:
    """Return the graph of a file of objects; `columns` may name the keys of the roles.

    Wrong objects are left out and counted in the notes; with `strict` they are an error.
    """
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    rows = GraphRows(path, problems)
    items = read_items(path, problems)
    first = list(islice(items, _LOOKED_AT))
    names = _names(first)
    if not names and problems.total:
        raise problems.refusal()
    keys = _keys(path, names, columns or {})
    counts: Counter[str] = Counter()
    add_each(rows, chain(first, items), lambda item: _add(rows, item, keys, counts))
    unused = [name for name in names if name not in keys.values()]
    rows.notes += [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    rows.notes += [f"unused keys: {', '.join(unused)}"] * bool(unused)
    if not len(rows) and not problems.total:
        raise InputError(f"{path}: no object has a tail or a value")
    return rows.graph()


def _names(items: Sequence[Item]) -> list[str]:
    """Return the keys of the first objects, each once."""
    objects = (item.value for item in items if isinstance(item.value, dict))
    return list(dict.fromkeys(key for entry in objects for key in entry))


def _keys(path: Path, names: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each role."""
    layout = find_layout(str(path), names, check_columns(columns), JSON_ROLES)
    if layout is None:
        raise InputError(
            f"{path}: expected objects with head, relation and tail; found the keys: "
            f"{', '.join(names) or 'none'}; name the keys: "
            '`columns="head=...,relation=...,tail=..."`'
        )
    return {role: names[number] for role, number in layout.columns.items()}


def _add(rows: GraphRows, item: Item, keys: Mapping[str, str], counts: Counter[str]) -> None:
    if not isinstance(item.value, dict):
        raise ValueError(f"expected an object, found {item.value!r:.80}")
    cells = {role: item.value.get(key) for role, key in keys.items()}
    head, relation = (_name(cells.get(role), role) for role in ("head", "relation"))
    if head is None or relation is None:
        raise ValueError(f"{'head' if head is None else 'relation'} must not be empty")
    tail, value = _name(cells.get("tail"), "tail"), cells.get("value")
    begin, end, time = (_time(cells.get(role), role) for role in ("begin", "end", "time"))
    if tail is not None:
        counts["both"] += value not in (None, "")
        rows.add_fact(item.line, head, relation, tail, begin, end, time)
    elif value in (None, ""):
        counts["neither"] += 1
    else:
        text, datatype = literal_text(value)
        given, language = (plain_text(cells.get(role)) or "" for role in ("datatype", "language"))
        known = given or datatype
        rows.add_literal(item.line, head, relation, text, known, language, begin, end, time)


def _name(value: Any, role: str) -> str | None:
    """Return a name; None where it is empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    name = id_text(value)
    if name is None:
        raise ValueError(f"{role} must be a text or a whole number, found {value!r:.80}")
    return name


def _time(value: Any, role: str) -> str | None:
    if isinstance(value, bool | dict | list):
        raise ValueError(f"{role} must be a text or a number, found {value!r:.80}")
    return plain_text(value)
