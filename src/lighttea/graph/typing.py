"""Which relations tell the type of an entity, by what they are called."""

from __future__ import annotations

from lighttea.display import Named

_IDS = ("#type", "/P31", ":P31")
_WORDS = {"type", "rdf type", "a", "is a", "isa", "instance of", "instanceof", "class"}


def tells_types(relation: Named) -> bool:
    """Whether the tails of a relation, or the values of an attribute, are types."""
    words = " ".join(relation.text.casefold().replace("_", " ").split())
    return relation.id == "P31" or relation.id.endswith(_IDS) or words in _WORDS
