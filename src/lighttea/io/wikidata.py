"""Wikidata's JSON dumps: an array with one entity on each line, read line by line."""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lighttea.errors import InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import UNKNOWN
from lighttea.io.assemble import Literals, Numbering, TimeCodes, assemble
from lighttea.io.lines import existing_file, file_digest, quote_line
from lighttea.io.problems import Problems
from lighttea.io.spans import combine_times
from lighttea.io.streams import LONGEST_LINE, Readable, line_blocks, open_bytes
from lighttea.io.wikitimes import time_text
from lighttea.io.wikivalues import WikiLiteral, read_literal, read_terms

_QUALIFIERS = ("P580", "P582", "P585")  # start time, end time, point in time
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}
_ID = re.compile(r"\w+(?:[-:]\w+)*")
_EXPECTED = "expected one entity as Wikidata writes it, with an id and claims"
_NOTES = {
    "others": "{:,} values of an unknown kind were left out",
    "empty literals": "{:,} literals without text were left out",
    "of predicates": "{:,} literals of properties are no attributes",
    "sitelinks": "{:,} links to pages of wikis were left out",
    "valueless": "{:,} statements with an unknown value or with none were left out",
    "deprecated": "{:,} statements of deprecated rank were left out",
    "dates": "{:,} dates of entities are facts that link the entity with itself",
    "coarse times": "{:,} times known only to the decade or coarser count as unknown",
    "odd times": "{:,} times are not understood and count as unknown",
    "julian": "{:,} Julian dates were converted to the Gregorian calendar",
    "uncertain": "{:,} times say how far they may be off (before, after), which is not used",
}


class _Statement(NamedTuple):
    """A statement of an entity; the value is an entity or a literal, or a time if both are None."""

    relation: str
    tail: str | None = None
    literal: WikiLiteral | None = None
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    points: tuple[str, ...] = ()


class _Entity(NamedTuple):
    """What a dump says of one entity."""

    id: str
    name: str | None
    statements: list[_Statement]


@dataclass
class _Rows:
    """Facts or literals as numbers, in the order of the dump."""

    head: array[int] = field(default_factory=lambda: array("i"))
    relation: array[int] = field(default_factory=lambda: array("i"))
    tail: array[int] = field(default_factory=lambda: array("i"))
    times: dict[int, tuple[list[int], list[int], list[int]]] = field(default_factory=dict)

    def add(self, head: int, relation: int, tail: int) -> None:
        """Add a row without time."""
        self.head.append(head)
        self.relation.append(relation)
        self.tail.append(tail)

    def __len__(self) -> int:
        return len(self.head)


@dataclass
class _Collected:
    """The facts and literals of a dump as numbers, and what the numbers stand for."""

    nodes: Numbering = field(default_factory=Numbering)
    relations: Numbering = field(default_factory=Numbering)
    times: Numbering = field(default_factory=Numbering)
    literals: dict[WikiLiteral, int] = field(default_factory=dict)
    facts: _Rows = field(default_factory=_Rows)
    attributes: _Rows = field(default_factory=_Rows)
    names: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.facts) + len(self.attributes)

    def add(self, entity: _Entity) -> None:
        """Add the statements of one entity; times are kept by the number of their row."""
        if entity.name is not None:
            self.names[entity.id] = entity.name
        head = self.nodes[entity.id]
        for statement in entity.statements:
            rows = self.facts if statement.literal is None else self.attributes
            kinds = (statement.begins, statement.ends, statement.points)
            if any(kinds):
                begins, ends, points = ([self.times[text] for text in kind] for kind in kinds)
                rows.times[len(rows)] = begins, ends, points
            rows.add(head, self.relations[statement.relation], self._value(head, statement))

    def _value(self, head: int, statement: _Statement) -> int:
        """Return the number of a statement's literal or entity; a time is of the entity itself."""
        if statement.literal is not None:
            return self.literals.setdefault(statement.literal, len(self.literals))
        return head if statement.tail is None else self.nodes[statement.tail]


def read_wikidata(path: str | Path, *, strict: bool = False) -> Graph:
    """Return the graph of a JSON dump: items become entities, properties relations."""
    path = existing_file(path)
    problems = Problems(strict=strict)
    collected = _Collected()
    with open_bytes(path) as stream:
        for number, line in _entity_lines(path, stream, problems):
            try:
                for entity in _entities(json.loads(line)):
                    counts: Counter[str] = Counter()
                    collected.add(_read_entity(entity, counts))
                    collected.counts += counts
            except RecursionError:
                problems.add(f"{path}:{number}: {_EXPECTED}, found JSON nested too deep")
            except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
                text = line[:200].decode("utf-8", "replace")
                problems.add(
                    f"{path}:{number}: {_EXPECTED}, found {quote_line(text)}: {_reason(error)}"
                )
            problems.give_up(found_any=len(collected) > 0)
    problems.check()
    if not len(collected):
        if problems.total:
            raise problems.error()
        raise InputError(f"{path}: no facts; {_EXPECTED}, on each line")
    return _graph(path, collected, problems)


def _entity_lines(path: Path, stream: Readable, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that holds an entity."""
    for block in line_blocks(stream):
        if block.too_long:
            size = f"a line of more than {LONGEST_LINE >> 20} MiB"
            problems.add(f"{path}:{block.first_line}: {_EXPECTED}, found {size}")
            continue
        for number, line in enumerate(block.content.split(b"\n"), block.first_line):
            text = line.removeprefix(b"\xef\xbb\xbf").strip().removesuffix(b",")
            if text not in (b"", b"[", b"]"):
                yield number, text.removeprefix(b"[") if text.startswith(b"[{") else text


def _reason(error: Exception) -> str:
    """Return what was wrong, in words for users."""
    if isinstance(error, KeyError):
        return f"no {error}"
    return str(error) if isinstance(error, ValueError) else "its parts are not laid out so"


def _entities(content: Any) -> list[Any]:
    """Return the entity of a line, or all entities of an API document."""
    if not isinstance(content, dict):
        raise ValueError(f"a {type(content).__name__}, not an object")
    if content.get("type") in ("node", "relationship"):
        raise ValueError("a line of a Neo4j export; read it with --columns neo4j")
    if "entities" in content:
        return list(content["entities"].values())
    return [content]


def _read_entity(entity: Mapping[str, Any], counts: Counter[str]) -> _Entity:
    """Return id, name, terms and statements of one entity."""
    name = _name(entity.get("labels") or {})
    counts["sitelinks"] += len(entity.get("sitelinks") or ())
    claims = entity.get("claims") or entity.get("statements") or {}  # empty maps are written []
    statements = [_Statement(attribute, literal=term) for attribute, term in read_terms(entity)]
    statements += (
        statement
        for relation, group in claims.items()
        for claim in group
        if (statement := _read_claim(relation, claim, counts)) is not None
    )
    kept = [s for s in statements if s.literal is None or s.literal.text.strip()]
    counts["empty literals"] += len(statements) - len(kept)
    return _Entity(_check_id(entity["id"]), name, kept)


def _name(labels: Mapping[str, Any]) -> str | None:
    """Return the English name, else one of a variant, else of the first language by code."""
    if not labels:
        return None
    language = min(labels, key=lambda code: (code != "en", not code.startswith("en-"), code))
    value: str = labels[language]["value"]
    return value.encode("utf-8", "replace").decode()  # JSON can hold halves of characters


def _read_claim(relation: str, claim: Mapping[str, Any], counts: Counter[str]) -> _Statement | None:
    """Return a statement; None where its value is not known or of an unknown kind."""
    if claim.get("rank") == "deprecated":
        counts["deprecated"] += 1
        return None
    snak = claim["mainsnak"]
    if snak["snaktype"] != "value":
        counts["valueless"] += 1
        return None
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if kind == "time":
        time = time_text(value, counts)
        counts["dates"] += time is not None
        return None if time is None else _Statement(_check_id(relation), points=(time,))
    is_entity = kind == "wikibase-entityid"
    tail, literal = (_target(value), None) if is_entity else (None, read_literal(snak))
    if tail is None and literal is None:
        counts["others"] += 1
        return None
    qualifiers = claim.get("qualifiers") or {}
    times = (tuple(_times(qualifiers.get(qualifier), counts)) for qualifier in _QUALIFIERS)
    return _Statement(_check_id(relation), tail, literal, *times)


def _target(value: Mapping[str, Any]) -> str:
    """Return the id of an entity; older dumps give its number alone."""
    if "id" in value:
        return _check_id(value["id"])
    return f"{_LETTERS[value['entity-type']]}{int(value['numeric-id'])}"


def _check_id(name: Any) -> str:
    """Return an id; raise an error where it is not letters and digits, in parts for lexemes."""
    if isinstance(name, str) and (name.isalnum() or _ID.fullmatch(name)):
        return name
    raise ValueError(f"the id {name!r}")


def _times(snaks: list[Any] | None, counts: Counter[str]) -> Iterator[str]:
    """Yield the known times of qualifiers."""
    for snak in snaks or ():
        if snak["snaktype"] == "value" and snak["datavalue"]["type"] == "time":
            text = time_text(snak["datavalue"]["value"], counts)
            if text is not None:
                yield text


def _graph(path: Path, collected: _Collected, problems: Problems) -> Graph:
    times = TimeCodes.of(list(collected.times))
    facts = _facts(collected.facts, times)
    literals = _of_entities(collected, facts, _facts(collected.attributes, times))
    counts = collected.counts
    notes = [text.format(counts[name]) for name, text in _NOTES.items() if counts[name]]
    columns = zip(*collected.literals, strict=True)  # none where there is no literal
    return assemble(
        collected.nodes,
        collected.relations,
        facts,
        times.instants,
        names=collected.names,
        predicate_names=collected.names,
        source=str(path),
        digest=file_digest(path),
        notes=(*problems.notes(), *notes, *times.notes),
        literals=Literals(literals, *columns),
    )


def _of_entities(collected: _Collected, facts: Facts, literals: Facts) -> Facts:
    """Return the literals of entities: those of properties say what a relation is called."""
    is_property = np.zeros(len(collected.nodes), bool)
    is_property[[n for name, n in collected.nodes.items() if name.startswith("P")]] = True
    is_property[facts.head] = False
    is_property[facts.tail] = False
    kept = ~is_property[literals.head]
    collected.counts["of predicates"] = int((~kept).sum())
    return literals.take(np.flatnonzero(kept))


def _facts(rows: _Rows, times: TimeCodes) -> Facts:
    """Return one row for each time of a statement; most statements have at most one."""
    order, code = times.instants.second.tolist(), times.code.tolist()
    place = np.arange(len(rows))
    begin = np.full(len(place), UNKNOWN, np.int32)
    end = begin.copy()
    further_times: list[tuple[int, int, int]] = []
    for row, kinds in rows.times.items():
        begins, ends, points = (_known_codes(kind, code) for kind in kinds)
        intervals = combine_times(begins, ends, points, order)
        if intervals:
            begin[row], end[row] = intervals[0]
            further_times.extend((row, *span) for span in intervals[1:])
    extra = np.array(further_times, np.int32).reshape(-1, 3)
    place = np.concatenate([place, extra[:, 0]])
    columns = (np.frombuffer(column, np.int32) for column in (rows.head, rows.relation, rows.tail))
    head, relation, tail = (column[place] for column in columns)
    return Facts(
        head=head,
        relation=relation,
        tail=tail,
        begin=np.concatenate([begin, extra[:, 1]]),
        end=np.concatenate([end, extra[:, 2]]),
    )


def _known_codes(texts: list[int], code: list[int]) -> list[int]:
    """Return the distinct codes of numbered texts that are times."""
    return list(dict.fromkeys(code[t] for t in texts if code[t] != UNKNOWN)) if texts else texts
