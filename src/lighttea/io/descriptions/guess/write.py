"""A first description of a graph as TOML, with the reasons of each guess as comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lighttea.display import visible
from lighttea.io.cells import CellRules
from lighttea.io.descriptions.guess.dates import settle_forms
from lighttea.io.descriptions.guess.profiles import Column, find_marks
from lighttea.io.descriptions.guess.structure import Guess, bare, guess_structure
from lighttea.io.descriptions.guess.tables import LOOKED_AT, find_tables
from lighttea.io.descriptions.model import TIMES

_HEAD = """\
# A draft, guessed from the values. Check it, correct it, then:
#   lighttea inspect {name}
# All keys: docs/descriptions.md
"""
_SHOWN = 3
_Line = tuple[str, str]  # key and value, comment


def describe_files(paths: Sequence[Path], *, folder: Path, name: str = "graph.toml") -> str:
    """Return a description of the graph that lies in files, as TOML.

    Paths in it are relative to `folder`; `name` is what its file will be called.
    """
    tables = [table for path in paths for table in find_tables(path, folder)]
    marks = find_marks([table.frame for table in tables])
    guesses = guess_structure(tables, CellRules(missing=marks))
    lines = [_HEAD.format(name=name), f"name = {_text(paths[0].name.split('.')[0])}\n"]
    if marks:
        lines.append(f"missing = {_texts(marks)}  # no value, in any column\n")
    prefixes = _prefixes(guesses)
    lines += [_source(guess, prefixes) for guess in guesses]
    return "\n".join(lines)


def _source(guess: Guess, prefixes: Mapping[int, str]) -> str:
    """Return a table as a source."""
    table = guess.table
    looked_at = f"{len(table.frame):,}" if table.is_whole else f"the first {LOOKED_AT:,}"
    lines: list[_Line] = [(f"{key} = {_value(v)}", "") for key, v in table.origin.items()]
    body = _usual(guess) if guess.usual else _facts(guess, prefixes) or _entities(guess, prefixes)
    lines += body
    used = {text for line, _ in lines for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line)}
    unused = [c.name for c in guess.columns if _text(c.name)[1:-1] not in used]
    width = min(max(len(line) for line, _ in lines), 60)
    text = [f"# {visible(table.label)}: {looked_at} rows", "[[source]]"]
    text += [f"{line:{width}}  # {visible(why)}" if why else line for line, why in lines]
    text += [f"# not used: {', '.join(map(_text, unused))}"] * bool(unused)
    return "\n".join(text) + "\n"


def _usual(guess: Guess) -> list[_Line]:
    """Return the roles of columns that are called by usual names."""
    times = {c.name: c for c in guess.columns if c.is_time}
    named = [times[column] for column in guess.usual.values() if column in times]
    read, forms = settle_forms(named)
    lines = [
        (f"{role} = {_text(column)}", "")
        for role, column in guess.usual.items()
        if role not in TIMES or column in [c.name for c in read]
    ]
    return [*lines, *_date_format(read, forms)]


def _facts(guess: Guess, prefixes: Mapping[int, str]) -> list[_Line]:
    """Return a table of facts: one that refers to two tables; none where it seems to be no such."""
    refers = list(guess.references)
    ids = [
        c.name for c in guess.columns if c.is_called_id and not c.is_time and c.name not in refers
    ]
    if guess.entity is None or (guess.times() and not guess.names):
        refers += [name for name in ids if guess.entity is None or name != guess.entity.name]
    elif guess.names:
        return []
    if guess.entity is None and guess.times() and len(refers) == 1:
        refers += _only_texts(guess, refers)
    if len(refers) < 2:
        return []
    head, tail = refers[:2]
    times = guess.times()
    read, forms = settle_forms(times.values())
    lines: list[_Line] = [
        (f"head = {_text(head)}", _why_reference(guess, head)),
        (f"relation = {{ value = {_text(guess.table.noun)} }}", "a guess: the name of the table"),
        (f"tail = {_text(tail)}", _why_reference(guess, tail)),
        *((f"{role} = {_text(c.name)}", _examples(c)) for role, c in times.items() if c in read),
        *_date_format(read, forms),
    ]
    ends = {"head": head, "tail": tail}
    named = {role: _prefix_of(guess, column, prefixes) for role, column in ends.items()}
    return [*lines, *_prefix_line(named)]


def _only_texts(guess: Guess, refers: Sequence[str]) -> list[str]:
    """Return the column of texts beside a reference where there is one, and its values repeat."""
    texts = [
        c
        for c in guess.columns
        if c.n_known and c.name not in refers and not (c.is_number or c.is_time or c.is_list)
    ]
    return [c.name for c in texts if len(texts) == 1 and len(c.values) < c.n_known]


def _entities(guess: Guess, prefixes: Mapping[int, str]) -> list[_Line]:
    """Return a wide table."""
    entity = guess.entity or _likely_id(guess)
    why = f"unique: {entity.n_rows:,} values" if entity.is_unique else "not unique"
    why = f"what {guess.table.noun} belong to" if entity.name == guess.table.outer_id else why
    names = [name for name in guess.names if name != entity.name]
    links = [name for name in guess.references if name != entity.name]
    other = (entity.name, *links, *names)
    dates, forms = settle_forms(c for c in guess.columns if c.is_time and c.name not in other)
    taken = {entity.name, *links, *names, *(c.name for c in dates)}
    rest = [c for c in guess.columns if c.name not in taken and c.n_known]
    lines: list[_Line] = [(f"entity = {_text(entity.name)}", why)]
    why_links = "; ".join(_why_reference(guess, name) for name in links)
    named_rest, named_dates = (_named(c.name for c in columns) for columns in (rest, dates))
    lines += [(f"names = {_texts(names)}", "for people to read")] * bool(names)
    lines += [(f"attributes = {named_rest}", _what_they_are(rest))] * bool(rest)
    lines += [(f"links = {_named(links)}", why_links)] * bool(links)
    lines += [(f"dates = {named_dates}", "; ".join(map(_examples, dates)))] * bool(dates)
    named = {"entity": prefixes.get(id(guess), "")}
    named |= {name: _prefix_of(guess, name, prefixes) for name in links}
    return [*lines, *_date_format(dates, forms), *_prefix_line(named)]


def _likely_id(guess: Guess) -> Column:
    """Return the column that tells most rows apart, called an id if there is one."""
    columns = guess.columns
    plain = [c for c in columns if not (c.is_time or c.is_list)] or list(columns)
    outer = [c for c in columns if c.name == guess.table.outer_id]
    if outer:
        return outer[0]
    return max(plain, key=lambda c: (c.is_called_id, len(c.values)))


def _date_format(columns: Iterable[Column], forms: Sequence[str]) -> list[_Line]:
    """Return the forms of dates; a comment tells where the values allow another one."""
    others = [column.date_formats[1] for column in columns if len(column.date_formats) > 1]
    doubt = f"or {others[0]}: the values fit both" if others else ""
    return [(f"date_format = {_texts(forms)}", doubt)] if forms else []


def _prefixes(guesses: Sequence[Guess]) -> dict[int, str]:
    """Return a prefix for each table whose numbers are ids of another table too."""
    prefixes = {}
    keyed = [g for g in guesses if g.entity is not None and g.entity.is_number]
    for guess in keyed:
        others = [other for other in keyed if other is not guess and not _is_same_key(guess, other)]
        if any(_overlap(guess, other) for other in others):
            prefixes[id(guess)] = f"{guess.table.noun}:"
    return prefixes


def _is_same_key(guess: Guess, other: Guess) -> bool:
    """Whether the ids of two tables are called alike, and by more than `id`."""
    names = [bare(g.entity.name) if g.entity else "" for g in (guess, other)]
    return names[0] == names[1] and len(names[0]) > 2


def _overlap(guess: Guess, other: Guess) -> bool:
    if guess.entity is None or other.entity is None:
        return False
    return bool(guess.entity.values.is_in(other.entity.values.implode()).any())


def _prefix_of(guess: Guess, column: str, prefixes: Mapping[int, str]) -> str:
    target = guess.references.get(column)
    return prefixes.get(id(target), "") if target is not None else ""


def _prefix_line(named: Mapping[str, str]) -> list[_Line]:
    known = {name: prefix for name, prefix in named.items() if prefix}
    inner = ", ".join(f"{_key(name)} = {_text(prefix)}" for name, prefix in known.items())
    why = "the same numbers are ids of several tables"
    return [(f"prefix = {{ {inner} }}", why)] if known else []


def _why_reference(guess: Guess, column: str) -> str:
    target = guess.references.get(column)
    if target is None or target.entity is None:
        is_called_id = any(c.name == column and c.is_called_id for c in guess.columns)
        return (
            "named like an id"
            if is_called_id
            else ("a guess: the only other text, with repeated values")
        )
    return f"{column} holds ids of {target.table.label}"


def _what_they_are(columns: Sequence[Column]) -> str:
    numbers = [c.name for c in columns if c.is_number]
    lists = [c.name for c in columns if c.is_list]
    kinds = {"numbers": numbers, "lists": lists}
    return "; ".join(f"{what}: {_few(names)}" for what, names in kinds.items() if names)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)


def _examples(column: Column) -> str:
    form = f" ({column.date_formats[0]})" if column.date_formats else ""
    return f"{column.name} such as {column.values[0] if len(column.values) else 'nothing'}{form}"


def _named(columns: Iterable[str]) -> str:
    """Return columns as a list, or as a table where a path is no good name."""
    names = list(columns)
    if all(_short_name(name) == name.removeprefix(".") for name in names):
        return _texts(names)
    inner = ", ".join(f"{_key(name)} = {_text(_short_name(name))}" for name in names)
    return f"{{ {inner} }}"


def _short_name(column: str) -> str:
    """Return a column without the lists that its path leads through."""
    return re.split(r"\[\]\.", column)[-1].removesuffix("[]").removeprefix(".") or column


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else _text(value)


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(value: str) -> str:
    """Return a text as TOML, whose escapes are those of JSON; nothing in it is invisible."""
    written = json.dumps(value, ensure_ascii=False)
    if written.isprintable():
        return written
    return "".join(s if s.isprintable() else f"\\U{ord(s):08x}" for s in written)
