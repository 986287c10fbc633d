"""Wikidata's JSON dumps: an array with one entity on each line, read line by line."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.errors import InputError
from lighttea.graph.attributes import STRING
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import UNKNOWN
from lighttea.io.assemble import Literals, Numbering, TimeCodes, assemble
from lighttea.io.json.items import OTHER_FORMAT, read_items
from lighttea.io.lines import existing_file, file_digest
from lighttea.io.problems import Problems
from lighttea.io.rdf.vocabulary import LANG_STRING
from lighttea.io.spans import combine_times
from lighttea.io.wikitimes import time_text
from lighttea.io.wikivalues import TERMS, LiteralNumbering, WikiLiteral, read_literal

SECTIONS = ("entities",)  # of a document of the API
_BEGIN, _END, _POINT = "P580", "P582", "P585"  # start time, end time, point in time
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}
_ID = re.compile(r"\w+(?:[-:]\w+)*")
_EXPECTED = "expected one entity as Wikidata writes it, with an id and claims"
_WRONG = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
_NOTES = {
    "others": "{:,} values of an unknown kind left out",
    "empty literals": "{:,} empty literals left out",
    "of predicates": "{:,} literals of properties ignored",
    "sitelinks": "{:,} links to wiki pages left out (`sitelinks=True` keeps them)",
    "valueless": "{:,} statements with an unknown value or none left out",
    "deprecated": "{:,} statements of deprecated rank left out",
    "dates": "{:,} dates of entities read as facts from the entity to itself",
    "coarse times": "{:,} times known only to the decade or coarser taken as unknown",
    "odd times": "{:,} times not understood, taken as unknown",
    "julian": "{:,} Julian dates converted to the Gregorian calendar",
    "uncertain": "{:,} times with an uncertainty (before, after), which is ignored",
}


class _Ids(Numbering):
    """Ids and their numbers; an id is letters and digits, in parts for lexemes."""

    def __missing__(self, name: str) -> int:
        if not isinstance(name, str) or not (name.isalnum() or _ID.fullmatch(name)):
            raise ValueError(f"the id {name!r}")
        return super().__missing__(name)


class _Rows:
    """Facts or literals as numbers, in the order of the dump.

    Begin and end are numbers of time texts. Statements with several times have them in `several`.
    """

    def __init__(self) -> None:
        self.numbers = array("i")  # head, relation, tail, begin, end of each row
        self.several: dict[int, tuple[list[int], list[int], list[int]]] = {}

    def __len__(self) -> int:
        return len(self.numbers) // 5

    def cut(self, size: int) -> None:
        """Take back all rows but the first ones."""
        del self.numbers[5 * size :]
        for row in [row for row in reversed(self.several) if row >= size]:
            del self.several[row]

    def facts(self, times: TimeCodes) -> Facts:
        """Return one row for each time of a statement; most statements have at most one."""
        rows = np.frombuffer(self.numbers, np.int32).reshape(-1, 5)
        begin, end = times.codes(rows[:, 3]), times.codes(rows[:, 4])
        order, code = times.instants.second.tolist(), times.code.tolist()
        further_times: list[tuple[int, int, int]] = []
        for row, kinds in self.several.items():
            begins, ends, points = (_known_codes(kind, code) for kind in kinds)
            intervals = combine_times(begins, ends, points, order)
            if intervals:
                begin[row], end[row] = intervals[0]
                further_times.extend((row, *span) for span in intervals[1:])
        extra = np.array(further_times, np.int32).reshape(-1, 3)
        head, relation, tail = (
            np.concatenate([rows[:, place], rows[extra[:, 0], place]]) for place in range(3)
        )
        begin, end = np.concatenate([begin, extra[:, 1]]), np.concatenate([end, extra[:, 2]])
        return Facts(head, relation, tail, begin, end)


class _Dump:
    """The facts and literals of a dump as numbers, and what the numbers stand for."""

    def __init__(self, *, sitelinks: bool) -> None:
        self.nodes, self.relations, self.times = _Ids(), _Ids(), Numbering()
        self.literals = LiteralNumbering()
        self.facts, self.attributes = _Rows(), _Rows()
        self.names: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self._own: Counter[str] = Counter()  # of the entity that is being read
        self._sitelinks = sitelinks

    def __len__(self) -> int:
        return len(self.facts) + len(self.attributes)

    def add(self, entity: Mapping[str, Any]) -> None:
        """Add an entity; one that is not laid out as it should be is left out whole."""
        sizes = len(self.facts), len(self.attributes)
        self._own.clear()
        try:
            self._add_terms(entity)
            self._add_claims(entity)
            self._add_pages(entity)
        except _WRONG:
            self.facts.cut(sizes[0])
            self.attributes.cut(sizes[1])
            raise
        if (name := _name(entity.get("labels") or {})) is not None:
            self.names[entity["id"]] = name
        self.counts.update(self._own)

    def _add_terms(self, entity: Mapping[str, Any]) -> None:
        """Add all labels, aliases, descriptions and lemmas."""
        head = self.nodes[entity["id"]]
        for key, attribute in TERMS.items():
            relation = self.relations[attribute]
            terms_of_language = entity.get(key) or {}  # empty maps are written []
            for language, terms in terms_of_language.items():
                for term in terms if isinstance(terms, list) else (terms,):
                    own = term.get("language", language)  # another one where it stands in
                    self._add_literal(head, relation, (term["value"], LANG_STRING, own))

    def _add_claims(self, entity: Mapping[str, Any]) -> None:
        head, counts = self.nodes[entity["id"]], self._own
        claims = entity.get("claims") or entity.get("statements") or {}  # empty maps are []
        for name, group in claims.items():
            relation = self.relations[name]
            for claim in group:
                snak = claim["mainsnak"]
                if claim.get("rank") == "deprecated":
                    counts["deprecated"] += 1
                elif snak["snaktype"] != "value":
                    counts["valueless"] += 1
                else:
                    self._add_claim(head, relation, snak, claim.get("qualifiers"))

    def _add_claim(
        self, head: int, relation: int, snak: Mapping[str, Any], qualifiers: Any
    ) -> None:
        """Add a statement: a fact, or a literal; a time is a fact of the entity with itself."""
        kind = snak["datavalue"]["type"]
        if kind == "time":
            text = time_text(snak["datavalue"]["value"], self._own)
            if text is not None:
                self._own["dates"] += 1
                time = self.times[text]
                self.facts.numbers.extend((head, relation, head, time, time))
        elif kind == "wikibase-entityid":
            tail = self.nodes[_target(snak["datavalue"]["value"])]
            begin, end = self._span(self.facts, qualifiers) if qualifiers else (UNKNOWN, UNKNOWN)
            self.facts.numbers.extend((head, relation, tail, begin, end))
        elif (literal := read_literal(snak)) is None:
            self._own["others"] += 1
        else:
            self._add_literal(head, relation, literal, qualifiers)

    def _add_literal(
        self, head: int, relation: int, literal: WikiLiteral, qualifiers: Any = None
    ) -> None:
        number = self.literals[literal]
        if number < 0:
            self._own["empty literals"] += 1
            return
        begin, end = self._span(self.attributes, qualifiers) if qualifiers else (UNKNOWN, UNKNOWN)
        self.attributes.numbers.extend((head, relation, number, begin, end))

    def _add_pages(self, entity: Mapping[str, Any]) -> None:
        """Add the titles of the pages about an entity, or count them."""
        pages = entity.get("sitelinks") or {}
        if not self._sitelinks:
            self._own["sitelinks"] += len(pages)
            return
        head = self.nodes[entity["id"]]
        for site, page in pages.items():
            self._add_literal(head, self.relations[site], (page["title"], STRING, ""))

    def _span(self, rows: _Rows, qualifiers: Mapping[str, Any]) -> tuple[int, int]:
        """Return numbers of begin and end of the next row; several times are kept aside."""
        begins, ends, points = (
            self._times(qualifiers[name]) if name in qualifiers else []
            for name in (_BEGIN, _END, _POINT)
        )
        if not points and len(begins) <= 1 and len(ends) <= 1:
            return begins[0] if begins else UNKNOWN, ends[0] if ends else UNKNOWN
        if len(points) == 1 and not begins and not ends:
            return points[0], points[0]
        rows.several[len(rows)] = begins, ends, points
        return UNKNOWN, UNKNOWN

    def _times(self, snaks: Any) -> list[int]:
        """Return the numbers of the known times of qualifiers."""
        values = (
            snak["datavalue"]["value"]
            for snak in snaks or ()
            if snak["snaktype"] == "value" and snak["datavalue"]["type"] == "time"
        )
        texts = (time_text(value, self._own) for value in values)
        return [self.times[text] for text in texts if text is not None]


def read_wikidata(path: str | Path, *, strict: bool = False, sitelinks: bool = False) -> Graph:
    """Return the graph of a JSON dump: items become entities, properties relations.

    With `sitelinks` the titles of pages about an entity are attributes, called by the wiki.
    """
    path = existing_file(path)
    problems = Problems(strict=strict, advice=OTHER_FORMAT)
    dump = _Dump(sitelinks=sitelinks)
    for item in read_items(path, problems, SECTIONS):
        if item.section not in ("", *SECTIONS):
            continue  # "success" of the API
        try:
            for entity in _entities(item.value):
                dump.add(entity)
        except _WRONG as error:
            problems.add(f"{path}:{item.line}: {_EXPECTED}, found {_reason(error)}")
            problems.give_up(found_any=len(dump) > 0)
    problems.check()
    if not len(dump):
        if problems.total:
            raise problems.refusal()
        raise InputError(f"{path}: no facts; {_EXPECTED}, on each line")
    return _graph(path, dump, problems)


def _reason(error: Exception) -> str:
    """Return what was wrong, in words for users."""
    if isinstance(error, KeyError):
        return f"no {error}"
    if isinstance(error, RecursionError):
        return "JSON nested too deep"
    return str(error) if isinstance(error, ValueError) else "parts that are not laid out so"


def _entities(content: Any) -> Iterator[Any]:
    """Yield the entity of a line, or all entities of an API document."""
    if not isinstance(content, dict):
        raise ValueError(f"a {type(content).__name__}, not an object")
    if "entities" in content:
        yield from content["entities"].values()
    else:
        yield content


def _name(labels: Mapping[str, Any]) -> str | None:
    """Return the English name, else one of a variant, else of the first language by code."""
    if not labels:
        return None
    if "en" in labels:
        return str(labels["en"]["value"])
    language = min(labels, key=lambda code: (not code.startswith("en-"), code))
    return str(labels[language]["value"])


def _target(value: Mapping[str, Any]) -> str:
    """Return the id of an entity; older dumps give its number alone."""
    if "id" in value:
        return str(value["id"])
    return f"{_LETTERS[value['entity-type']]}{int(value['numeric-id'])}"


def _graph(path: Path, dump: _Dump, problems: Problems) -> Graph:
    times = TimeCodes.of(list(dump.times))
    facts = dump.facts.facts(times)
    literals = _of_entities(dump, facts, dump.attributes.facts(times))
    notes = [text.format(dump.counts[name]) for name, text in _NOTES.items() if dump.counts[name]]
    columns = zip(*dump.literals.distinct, strict=True)  # none where there is no literal
    return assemble(
        dump.nodes,
        dump.relations,
        facts,
        times.instants,
        names=dump.names,
        predicate_names=dump.names,
        source=str(path),
        digest=file_digest(path),
        notes=(*problems.notes(), *notes, *times.notes),
        literals=Literals(literals, *columns),
    )


def _of_entities(dump: _Dump, facts: Facts, literals: Facts) -> Facts:
    """Return the literals of entities: those of properties say what a relation is called."""
    is_property = np.zeros(len(dump.nodes), bool)
    is_property[[n for name, n in dump.nodes.items() if name.startswith("P")]] = True
    is_property[facts.head] = False
    is_property[facts.tail] = False
    kept = ~is_property[literals.head]
    dump.counts["of predicates"] = int((~kept).sum())
    return literals.take(np.flatnonzero(kept))


def _known_codes(texts: list[int], code: list[int]) -> list[int]:
    """Return the distinct codes of numbered texts that are times."""
    return list(dict.fromkeys(code[t] for t in texts if code[t] != UNKNOWN)) if texts else texts
