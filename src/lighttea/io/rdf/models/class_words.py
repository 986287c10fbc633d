"""What the names of classes and predicates say about the shape of a node."""

from __future__ import annotations

import re

from lighttea.io.rdf.time_predicates import PROV, local_name

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


# last words of classes whose members are things of the world, whatever links and dates they have
_THINGS = _split(
    """activity actor agent album animal area article artist artwork author award band battle book
    brand building business car character city club collection committee company concept
    conference continent corporation country court dataset department device disease district
    document drug entity event facility festival film firm game gene government group human image
    institute institution island journal lake language law league location man manager material
    meeting mission mountain movie museum network newspaper object office organisation
    organization paper party patent patient people person place plan planet play player politician
    post product program programme project publication region report river satellite school season
    series ship site society software song species sport stadium state street studio subject
    system team thing tournament town university vehicle venue village war website woman work
    worker year"""
)
# last words of classes whose members relate two things for a time
_RELATIONS = _split(
    """affiliation appointment assignment association attendance connection edge education
    employment engagement enrollment enrolment holding incumbency interval involvement job link
    mandate marriage membership occupation ownership participation partnership period predication
    reign reification relation relationship residence residency role service shareholding stake
    statement station stay stint tenure term tie"""
)
_SUBJECTS = (
    *("subject", "member", "person", "agent", "holder", "employee", "who", "actor", "owner"),
    *("player", "student", "participant", "head", "source", "from", "of", "bearer"),
)
# where, by whom and within what: links that events, companies and other things have
_SETTINGS = _split(
    """address artist author capital chair city continent country creator developer director
    founder headquarter headquarters host industry location manufacturer next organiser organizer
    parent partof place previous producer publisher region series sponsor state subeventof
    superevent theme topic town venue winner"""
)
_VALUES = frozenset(("value", "object", "target", "tail", "to"))
_NAMES = re.compile(r"(?:.*_)?(?:.*(?:[a-z]N|^n)ame|.*[tT]itle|.*[lL]abel|headline|acronym)$")
_SAME = re.compile(r"sameAs|(?:exact|close|related|broad|narrow)Match|seeAlso|differentFrom")


def is_thing(class_name: str) -> bool:
    """Whether a class sounds like one of things, such as Company or SportsEvent."""
    return _last_word(class_name) in _THINGS


def is_relation(class_name: str) -> bool:
    """Whether a class sounds like one of relations, such as Employment or CareerStation."""
    return _last_word(class_name) in _RELATIONS


def is_name(predicate: str) -> bool:
    """Whether a predicate sounds like a name, such as displayName or title."""
    return _NAMES.fullmatch(local_name(predicate)) is not None


def marks_entity(predicate: str) -> bool:
    """Whether only entities have this link: another id of them, or PROV's plain relations."""
    return predicate.startswith(PROV) or _SAME.fullmatch(local_name(predicate)) is not None


def tells_setting(predicate: str) -> bool:
    """Whether a predicate tells where, by whom or within what a thing is, such as location."""
    return _link_word(predicate) in _SETTINGS


def leads_to_value(predicate: str) -> bool:
    """Whether a predicate leads to the value of a node and says nothing else."""
    return local_name(predicate).lower() in _VALUES


def subject_rank(predicate: str) -> int:
    """Return how much a predicate sounds as if it led to the subject of a node, smallest first."""
    name = _link_word(predicate)
    return _SUBJECTS.index(name) if name in _SUBJECTS else len(_SUBJECTS)


def leads_to_subject(predicate: str) -> bool:
    """Whether a predicate sounds as if it led to the subject of a node."""
    return _link_word(predicate) in _SUBJECTS


def _link_word(predicate: str) -> str:
    """Return a predicate's name without has or is before it, in lower case."""
    return re.sub(r"^(?:has|is)_?(?=[A-Z_])", "", local_name(predicate)).lower()


def _last_word(iri: str) -> str:
    words = _WORD.findall(local_name(iri))
    return words[-1].lower() if words else ""
