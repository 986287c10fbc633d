"""Predicates that say when: begin, end and point in time of statements, by IRI or by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from lighttea.errors import InputError

OWL_TIME = "http://www.w3.org/2006/time#"
PROV = "http://www.w3.org/ns/prov#"
_SCHEMA = ("http://schema.org/", "https://schema.org/")
_DCAT = "http://www.w3.org/ns/dcat#"
_WIKIDATA = ("entity/", "prop/direct/", "prop/qualifier/")
ROLES = ("begin", "end", "time")
# what OWL-Time says of an instant
INSTANTS = tuple(
    OWL_TIME + name
    for name in (
        *("inXSDDate", "inXSDDateTime", "inXSDDateTimeStamp", "inXSDgYear", "inXSDgYearMonth"),
        *("inXSDDateTimestamp", "xsdDateTime"),
    )
)

# what says a period as text; of a single date, the point in time
SPANS = (
    *(f"http://purl.org/dc/terms/{name}" for name in ("temporal", "valid")),
    *(f"{s}temporalCoverage" for s in _SCHEMA),
)

# words of a predicate's name, without case, dashes and underscores
_OF = "(?:has|is|was)?(?:valid|active|activeyears|effective|occurs|term|period|interval|event)?"
_UNIT = "(?:date|time|year|month|day|timestamp|datetime)?"
_BEGIN = "(?:start|starts|started|begin|begins|began|beginning|from|since)"
_END = "(?:end|ends|ended|ending|to|till|until|through|finish|finished|stop|stopped)"
_NAMED = {
    "begin": re.compile(rf"{_OF}{_BEGIN}(?:at|on|in)?{_UNIT}|(?:date|time|year)(?:of)?{_BEGIN}"),
    "end": re.compile(rf"{_OF}{_END}(?:at|on|in)?{_UNIT}|(?:date|time|year)(?:of)?{_END}"),
    "time": re.compile(
        r"(?:has|event|at|on|in)*(?:date|time|year|years|timestamp|datetime|pointintime|when)"
    ),
}
_LOCAL = re.compile(r"[^/#:]*$")


@dataclass(frozen=True)
class TimePredicates:
    """The predicates for the begin, the end and the point in time of a statement."""

    begin: frozenset[str]
    end: frozenset[str]
    time: frozenset[str]
    given_roles: frozenset[str] = field(default_factory=frozenset)  # whose predicates a user named

    @classmethod
    def usual(cls) -> TimePredicates:
        """Those of schema.org, Wikidata, PROV, DCAT and OWL-Time."""
        return cls(
            begin=frozenset(
                [
                    *(f"{s}startDate" for s in (*_SCHEMA, _DCAT)),
                    *_wikidata("P580"),
                    *(f"{PROV}startedAtTime", f"{OWL_TIME}hasBeginning"),
                ]
            ),
            end=frozenset(
                [
                    *(f"{s}endDate" for s in (*_SCHEMA, _DCAT)),
                    *_wikidata("P582"),
                    *(f"{PROV}endedAtTime", f"{OWL_TIME}hasEnd"),
                ]
            ),
            time=frozenset([*_wikidata("P585"), f"{PROV}atTime", f"{OWL_TIME}hasTime", *INSTANTS]),
        )

    @classmethod
    def given(cls, predicates_of_role: Mapping[str, str] | None) -> TimePredicates:
        """Return the usual predicates, with the given ones for begin, end or time, split at `|`."""
        usual = cls.usual()
        chosen = {role: getattr(usual, role) for role in ROLES}
        for role, predicates in (predicates_of_role or {}).items():
            if role not in chosen:
                raise InputError(
                    f"columns: {role!r} is not a role in RDF; choose begin, end and time, each "
                    "with its predicates, separated by |"
                )
            chosen[role] = frozenset(p.strip().strip("<>") for p in predicates.split("|"))
        return cls(**chosen, given_roles=frozenset(predicates_of_role or {}))

    def role_of(self, predicate: str) -> str | None:
        """Return begin, end, time, or None: a date by its predicate, whoever has it."""
        return next((role for role in ROLES if predicate in getattr(self, role)), None)

    def role_on_statement(self, predicate: str) -> str | None:
        """Return the role of a date of a statement, by IRI or else by name (`since`, `validTo`).

        Names count only for roles that no predicate was given for.
        """
        if role := self.role_of(predicate):
            return role
        role = "time" if predicate in SPANS else _role_by_name(local_name(predicate))
        return None if role in self.given_roles else role


@lru_cache(maxsize=4096)
def _role_by_name(name: str) -> str | None:
    """Return the role that a predicate's name says, or None."""
    plain = re.sub(r"[-_. ]", "", name).lower()
    return next((role for role, words in _NAMED.items() if words.fullmatch(plain)), None)


def local_name(iri: str) -> str:
    """Return what follows the last slash, hash or colon of an IRI."""
    match = _LOCAL.search(iri.rstrip("/#"))
    return match[0] if match else ""


def _wikidata(number: str) -> list[str]:
    """Return the IRIs of one property in every form that dumps and people use."""
    return [f"http://www.wikidata.org/{form}{number}" for form in _WIKIDATA]
