"""Questions of clients, read from JSON of both versions of the API and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lighttea.serve.limits import Limits, Refused

Quantifier = Literal["any", "all", "none"]
_QUANTIFIERS: tuple[Quantifier, ...] = ("any", "all", "none")
_TYPE_RULES = ("any", "all", "should")
DEFAULT_CANDIDATES = 10
_SAFE_WHOLE = 2**53
_MOST_DIGITS = 18  # of a limit written as text


@dataclass(frozen=True)
class Value:
    """A value that a client gives: a text, or the id of an entity."""

    text: str
    is_id: bool = False


@dataclass(frozen=True)
class Condition:
    """A property, and the values that it should have."""

    property: str
    values: tuple[Value, ...]
    required: bool = False
    quantifier: Quantifier = "any"


@dataclass(frozen=True)
class Query:
    """A row of a client: a name, what else is known, and the types to choose from."""

    name: str = ""
    conditions: tuple[Condition, ...] = ()
    types: tuple[str, ...] = ()
    type_rule: str = "any"
    limit: int = DEFAULT_CANDIDATES


@dataclass(frozen=True)
class WantedProperty:
    """A property whose values a client wants, how many, and of which time."""

    property: str
    limit: int
    during: str = ""


@dataclass(frozen=True)
class Extension:
    """Entities, and the properties whose values a client wants."""

    entities: tuple[str, ...]
    properties: tuple[WantedProperty, ...]


class QueryReader:
    """Reads the JSON of clients; what does not fit is refused in a sentence."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def read_batch(self, text: str | bytes) -> dict[str, Query]:
        """Return the queries of a batch of version 0.2 by their keys."""
        batch = _object(_loads(text), "queries")
        self._check_count(len(batch), self._limits.queries, "queries in a batch", status=413)
        return {key: self._query(_object(each, f"query {key!r}")) for key, each in batch.items()}

    def read_draft_batch(self, text: str | bytes) -> list[Query]:
        """Return the queries of a batch of the draft in their order."""
        batch = _list(_object(_loads(text), "the batch").get("queries"), "queries")
        self._check_count(len(batch), self._limits.queries, "queries in a batch", status=413)
        return [self._draft_query(_object(each, "a query")) for each in batch]

    def read_extension(self, text: str | bytes) -> Extension:
        """Return what a data extension query asks for; both versions write it alike."""
        asked = _object(_loads(text), "the extension")
        ids = [self._text(each, "an id") for each in _list(asked.get("ids"), "ids")]
        self._check_count(len(ids), self._limits.entities, "ids at once")
        listed = _list(asked.get("properties"), "properties")
        self._check_count(len(listed), self._limits.properties, "properties at once")
        return Extension(tuple(ids), tuple(map(self._wanted, listed)))

    def _wanted(self, each: Any) -> WantedProperty:
        wanted = _object(each, "a property")
        settings = _object(wanted.get("settings") or {}, "settings")
        limit = settings.get("limit") or self._limits.statements
        if isinstance(limit, str) and limit.isdecimal():
            limit = int(limit[:_MOST_DIGITS])  # far beyond what is given anyway
        during = self._text(settings.get("during") or "", "during")
        most = self._limits.statements
        own_id = self._text(wanted.get("id"), "the id of a property")
        return WantedProperty(own_id, _whole(limit, most, "the limit of a property"), during)

    def _query(self, each: Mapping[str, Any]) -> Query:
        """Return a query of version 0.2: query, type, type_strict, limit, properties."""
        name = self._text(each.get("query") or "", "query")
        listed = _list(each.get("properties") or [], "properties")
        conditions = tuple(self._conditions(listed))
        if not name and not conditions:
            raise Refused(400, "a query needs a text (query) or properties")
        rule = each.get("type_strict") or "any"
        if rule not in _TYPE_RULES:
            raise Refused(400, f"type_strict: expected one of {', '.join(_TYPE_RULES)}")
        return Query(name, conditions, self._types(each), str(rule), self._limit(each))

    def _draft_query(self, each: Mapping[str, Any]) -> Query:
        """Return a query of the draft: conditions on names and properties, type, limit."""
        listed = [_object(c, "a condition") for c in _list(each.get("conditions"), "conditions")]
        if not listed:
            raise Refused(400, "conditions: expected one at least")
        by_kind: dict[str, list[Mapping[str, Any]]] = {"name": [], "property": []}
        for condition in listed:
            kind = condition.get("matchType")
            if kind not in by_kind:
                raise Refused(400, "matchType: expected name or property")
            by_kind[str(kind)].append(condition)
        names = [value.text for each in by_kind["name"] for value in self._values(_value_of(each))]
        conditions = tuple(self._conditions(by_kind["property"]))
        return Query(" ".join(names), conditions, self._types(each), "any", self._limit(each))

    def _conditions(self, listed: Sequence[Any]) -> Iterator[Condition]:
        self._check_count(len(listed), self._limits.conditions, "properties of a query")
        for each in listed:
            given = _object(each, "a property")
            quantifier = given.get("matchQuantifier", given.get("match_quantifier")) or "any"
            if quantifier not in _QUANTIFIERS:
                raise Refused(400, f"matchQuantifier: expected one of {', '.join(_QUANTIFIERS)}")
            values = tuple(value for value in self._values(_value_of(given)) if value.text)
            own_id = self._text(given.get("propertyId", given.get("pid")), "pid")
            if values:
                yield Condition(own_id, values, bool(given.get("required")), quantifier)

    def _values(self, given: Any) -> Iterator[Value]:
        listed = given if isinstance(given, list) else [given]
        self._check_count(len(listed), self._limits.values, "values of a property")
        for each in listed:
            if isinstance(each, dict):
                yield Value(self._text(each.get("id"), "the id of a value"), is_id=True)
            elif isinstance(each, bool):
                yield Value("true" if each else "false")
            elif isinstance(each, int | float):
                yield Value(_number_text(each))
            else:
                yield Value(self._text(each, "v"))

    def _types(self, each: Mapping[str, Any]) -> tuple[str, ...]:
        given = each.get("type") or []
        listed = given if isinstance(given, list) else [given]
        self._check_count(len(listed), self._limits.values, "types of a query")
        ids = (own.get("id") if isinstance(own, dict) else own for own in listed)
        return tuple(self._text(own, "type") for own in ids)

    def _limit(self, each: Mapping[str, Any]) -> int:
        given = each.get("limit")
        return _whole(
            DEFAULT_CANDIDATES if given is None else given, self._limits.candidates, "limit"
        )

    def _text(self, given: Any, what: str) -> str:
        if not isinstance(given, str):
            raise Refused(400, f"{what}: expected a text")
        self._check_count(len(given), self._limits.letters, f"letters in {what}")
        return given.encode("utf-8", "replace").decode().strip()

    @staticmethod
    def _check_count(count: int, most: int, what: str, status: int = 400) -> None:
        if count > most:
            raise Refused(status, f"{count:,} {what}; expected {most:,} at most")


def _value_of(condition: Mapping[str, Any]) -> Any:
    """Return the value of a condition; the draft has renamed `v`, and `pid` too."""
    return condition.get("propertyValue", condition.get("v"))


def _loads(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise Refused(400, "the JSON is nested too deep") from None
    except ValueError:
        raise Refused(400, "expected JSON") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _object(given: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise Refused(400, f"{what}: expected an object")
    return given


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise Refused(400, f"{what}: expected a list")
    return given


def _whole(given: Any, most: int, what: str) -> int:
    """Return a whole number of at least 1, `most` where it is more."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 1 <= given < math.inf:
        raise Refused(400, f"{what}: expected a whole number of 1 or more")
    return min(int(given), most)


def _number_text(number: int | float) -> str:
    """Return a number as people write it: 1996.0 is a year."""
    is_whole = isinstance(number, int) or (number.is_integer() and abs(number) < _SAFE_WHOLE)
    return str(int(number)) if is_whole else repr(number)
