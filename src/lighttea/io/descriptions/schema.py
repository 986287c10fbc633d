"""From a description as it is written to one that is checked; all its problems at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lighttea.errors import InputError
from lighttea.io.cells import CellRules, check_date_formats
from lighttea.io.descriptions.document import Document
from lighttea.io.descriptions.keys import KeyReader
from lighttea.io.descriptions.kinds import KINDS
from lighttea.io.descriptions.model import (
    TIMES,
    Cell,
    EntityRoles,
    FactRoles,
    GraphDescription,
    SourceDescription,
)

_OF_FACTS = ("head", "relation", "tail", "value", "datatype", "language")
_OF_ENTITIES = ("entity", "attributes", "links", "dates")
_OF_CELLS = ("missing", "date_format")
_SHARED = ("names", *TIMES, "prefix", "split", *_OF_CELLS)
_OPTIONS = tuple(dict.fromkeys(key for kind in KINDS.values() for key in kind.options))
GRAPH_KEYS = ("name", "source", *_OF_CELLS)
SOURCE_KEYS = (*KINDS, *_OPTIONS, *_OF_FACTS, *_OF_ENTITIES, *_SHARED)
_Place = Callable[[int, str], str]


def check_document(document: Document, *, strict: bool = False) -> GraphDescription:
    """Return the description in a TOML file."""
    content = document.content
    sources = content.get("source", ())
    if isinstance(sources, dict):  # [source] instead of [[source]]
        place = document.place(0, "source")
        raise InputError(f"{place} is one table; write [[source]], in two brackets")
    return check_description(
        {**content, "source": sources},
        folder=document.path.parent,
        place=document.place,
        strict=strict,
    )


def check_description(
    content: Mapping[str, Any], *, folder: Path, place: _Place, strict: bool = False
) -> GraphDescription:
    """Return a description that was checked; raise an error with all its problems.

    Paths are relative to `folder`; `place` says where a key of a source stands. `strict` is for
    sources that are whole graphs.
    """
    keys = KeyReader(content, lambda key: place(0, key))
    keys.refuse_unknown(GRAPH_KEYS, "a description")
    name, rules = keys.text("name"), _cell_rules(keys, CellRules())
    tables = content.get("source", ())
    if not isinstance(tables, Sequence) or isinstance(tables, str):
        tables = ()
    if not tables:
        keys.problems.append(
            f"{place(0, 'source')} is missing; a description has at least one [[source]] with a "
            "file, head, relation and tail, or a file and an entity"
        )
    problems, sources = keys.problems, []
    for number, table in enumerate(tables, 1):
        if not isinstance(table, Mapping):
            problems.append(f"{place(number, 'source')} must be a table; found {table!r:.80}")
            continue
        source = _check_source(number, table, rules, folder, place, problems)
        sources.append(replace(source, strict=strict))
    if problems:
        raise InputError.of_many(problems)
    return GraphDescription(name.strip(), tuple(sources))


def _check_source(
    number: int,
    table: Mapping[str, Any],
    rules: CellRules,
    folder: Path,
    place: _Place,
    problems: list[str],
) -> SourceDescription:
    keys = KeyReader(table, lambda key: place(number, key), problems)
    keys.refuse_unknown(SOURCE_KEYS, "a source")
    kind, own_rules = _kind_of(keys), _cell_rules(keys, rules)
    roles = _roles(keys, own_rules)
    return SourceDescription(
        number=number,
        kind=kind,
        options=_options(keys, kind),
        folder=folder,
        roles=roles,
        prefixes=_prefixes(keys, roles),
        splits=_splits(keys, roles),
        rules=own_rules,
        places={key: place(number, key) for key in ("source", *SOURCE_KEYS)},
    )


def _kind_of(keys: KeyReader) -> str:
    """Return the kind of a source: that whose key it has."""
    kinds = [kind for kind in KINDS if kind in keys.table]
    if len(kinds) != 1:
        listed = " or ".join(kind for kind in KINDS if kind != "frame")
        problem = f"has {' and '.join(kinds)}; choose one" if kinds else f"has no {listed}"
        keys.add("source", problem)
    return kinds[0] if kinds else "file"


def _options(keys: KeyReader, kind: str) -> dict[str, Any]:
    """Return the key of the kind and the further keys that it allows."""
    expected = {kind: KINDS[kind].expects, **KINDS[kind].options}
    for key in _OPTIONS:
        if key in keys.table and key not in expected:
            keys.add(key, f"does not apply to {kind}")
    for key in KINDS[kind].needed:
        if key not in keys.table:
            keys.add(key, f"is missing; {kind} needs it")
    if expected[kind] == "texts" and kind in keys.table and not keys.table[kind]:
        keys.wrong(kind, "at least one text")
    read = {"text": keys.text, "texts": keys.texts, "yes or no": keys.yes_or_no}
    return {
        key: read[expects](key) if expects in read else keys.table[key]
        for key, expects in expected.items()
        if key in keys.table
    }


def _roles(keys: KeyReader, rules: CellRules) -> FactRoles | EntityRoles | None:
    """Return the roles of columns; None where none is given."""
    of_facts = [key for key in _OF_FACTS if key in keys.table]
    of_entities = [key for key in _OF_ENTITIES if key in keys.table]
    if of_facts and of_entities:
        keys.add(
            of_entities[0],
            f"cannot be beside {of_facts[0]}; a source is a table of facts (head, relation, "
            "tail) or of entities (entity, attributes, links): write two sources",
        )
        return None
    if of_facts:
        return _fact_roles(keys, rules)
    if of_entities:
        return _entity_roles(keys, rules)
    for key in ("names", *TIMES, "prefix", "split"):
        if key in keys.table:
            keys.add(key, "needs head, relation and tail, or entity, beside it")
    return None


def _fact_roles(keys: KeyReader, rules: CellRules) -> FactRoles:
    cells = {role: keys.cell(role) for role in (*_OF_FACTS, *TIMES)}
    given = {
        role: _dated(keys, role, cell, rules) if role in TIMES else cell
        for role, cell in cells.items()
        if cell is not None
    }
    for role in ("head", "relation", "tail"):
        if role not in keys.table and not (role == "tail" and "value" in keys.table):
            keys.add(role, "is missing; a fact needs head, relation and tail, or a value as tail")
    for role in ("datatype", "language"):
        if role in keys.table and "value" not in keys.table:
            keys.add(role, "describes a value; name the column of values too")
    _refuse_repeated(keys, {role: cell.column for role, cell in given.items() if cell.column})
    names = keys.table.get("names", {})
    if not isinstance(names, dict) or set(names) - {"head", "relation", "tail"}:
        keys.wrong("names", 'in a table of facts { head = "...", tail = ["...", "..."] }')
        return FactRoles(given, {})
    own = KeyReader(names, lambda key: keys.place("names"), keys.problems)
    return FactRoles(given, {role: own.columns(role) for role in names})


def _entity_roles(keys: KeyReader, rules: CellRules) -> EntityRoles:
    if "entity" not in keys.table:
        keys.add("entity", "is missing; it names the column with the id of each row's entity")
    roles = EntityRoles(
        entity=keys.column("entity"),
        names=keys.columns("names"),
        attributes=keys.named_columns("attributes"),
        links=keys.named_columns("links"),
        dates=keys.named_columns("dates"),
        times={
            key: {n: _dated(keys, key, cell, rules) for n, cell in keys.cells(key).items()}
            for key in TIMES
            if key in keys.table
        },
    )
    for column in roles.attributes.keys() & roles.links.keys():
        keys.add("links", f"has the column {column!r}, which is also in attributes; choose one")
    known = {*roles.attributes.values(), *roles.links.values(), *(["name"] if roles.names else [])}
    for key, cells in roles.times.items():
        for name in cells.keys() - known:
            keys.add(
                key, f"names {name!r}, which is neither a relation of links nor an attribute here"
            )
    return roles


def _dated(keys: KeyReader, key: str, cell: Cell, rules: CellRules) -> Cell:
    """Return a time; a constant in a usual form."""
    if cell.constant is None:
        return cell
    text, problem = rules.iso_time(cell.constant)
    if problem:
        keys.problems.append(f"{keys.place(key)}: {problem}")
    return Cell(constant=text)


def _refuse_repeated(keys: KeyReader, columns: Mapping[str, str]) -> None:
    """Note columns that have two roles."""
    for column, count in Counter(columns.values()).items():
        if count > 1:
            roles = [role for role, own in columns.items() if own == column]
            advice = "; a point in time is called time" if set(roles) == {"begin", "end"} else ""
            keys.add(roles[-1], f"names the column {column!r}, which is also {roles[0]}{advice}")


def _prefixes(keys: KeyReader, roles: FactRoles | EntityRoles | None) -> dict[str, str]:
    """Return the prefixes of ids by role or column; that of all under an empty key."""
    if isinstance(keys.table.get("prefix"), str):
        return {"": keys.text("prefix")}
    prefixes = keys.texts_by_name("prefix", '{ head = "player:", tail = "team:" }')
    known = ("head", "relation", "tail")
    if "entity" in keys.table:
        known = ("entity", *(roles.links if isinstance(roles, EntityRoles) else ()))
    for name in prefixes.keys() - set(known):
        keys.add("prefix", f"names {name!r}; expected {' or '.join(known)}")
    return prefixes


def _splits(keys: KeyReader, roles: FactRoles | EntityRoles | None) -> dict[str, str]:
    """Return the separators of cells with several values by column."""
    splits = keys.texts_by_name("split", '{ teams = ";" }')
    used = {column for _, column in roles.columns()} if roles is not None else splits.keys()
    for column in splits.keys() - used:
        keys.add("split", f"names the column {column!r}, which has no role here")
    return splits


def _cell_rules(keys: KeyReader, outer: CellRules) -> CellRules:
    """Return marks of missing values and forms of dates; what is not given is as outside."""
    missing, formats = keys.texts("missing"), keys.texts("date_format")
    for problem in check_date_formats(formats):
        keys.problems.append(f"{keys.place('date_format')}: {problem}")
    marks = tuple(text.strip() for text in missing)
    return CellRules(
        missing=marks if "missing" in keys.table else outer.missing,
        date_formats=formats if "date_format" in keys.table else outer.date_formats,
    )
