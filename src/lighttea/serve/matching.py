"""Candidates for a row: found by name or by properties, scored, and the sure one marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import mul

from lighttea.serve.catalogue import Catalogue
from lighttea.serve.evidence import Evidence, Feature
from lighttea.serve.limits import Deadline, Limits
from lighttea.serve.properties import COUNTERPART, Property
from lighttea.serve.queries import Condition, Query, Value
from lighttea.serve.values import FITS

NAME = "@name"
_NAME_WEIGHT = 2.0  # beside 1 of each property
_UNKNOWN = 0.5  # what a property counts of which nothing is known: neither for nor against
_LEAST = 0.3  # likeness of a name below which an entity is no candidate
_REQUIRED = 0.5  # what a required property has to reach
_OTHER_TYPE = 0.8  # what remains of a score where the type should be another
_FOUND_BY_NAME, _FOUND_BY_VALUE = 100, 1_000  # entities that are scored, at most
_NEIGHBOURS = 5  # entities that a value may be the name of
SURE, AHEAD = 80.0, 10.0  # score from which a match is sure, and its lead on the next one
_SURE_NAME, _SURE_VALUE = 0.8, 0.75


@dataclass(frozen=True)
class Candidate:
    """An entity that may be meant: its score from 0 to 100, why, and whether it is sure."""

    entity: int
    score: float
    features: Sequence[Feature]
    is_sure: bool = False


class Matcher:
    """Finds the entities that a row may mean."""

    def __init__(self, catalogue: Catalogue, limits: Limits) -> None:
        self._catalogue, self._limits = catalogue, limits

    def match(self, query: Query, deadline: Deadline) -> list[Candidate]:
        """Return the candidates of a query, the best first."""
        evidence = Evidence(self._catalogue, query, self._limits)
        scored: list[Candidate] = []
        for entity, alike in self._found(query, evidence).items():
            deadline.check()
            candidate = self._score(query, evidence, entity, alike)
            if candidate is not None:
                scored.append(candidate)
        popularity = self._catalogue.popularity
        scored.sort(key=lambda each: (-each.score, -int(popularity[each.entity]), each.entity))
        return _mark_sure(scored, has_name=bool(query.name))[: query.limit]

    def _found(self, query: Query, evidence: Evidence) -> dict[int, float | None]:
        """Return the entities to score, with the likeness of their names; None without a name."""
        required = [(c, p) for c, p in evidence.conditions if c.quantifier != "none"]
        by_value = [found for c, p in required if (found := self._with_value(c, p))]
        if not query.name:
            ranked = sorted(
                set().union(*by_value), key=lambda e: -sum(e in own for own in by_value)
            )
            return dict.fromkeys(ranked[:_FOUND_BY_VALUE])
        alike = self._catalogue.names.search(
            query.name, _FOUND_BY_NAME, among=set().union(*by_value)
        )
        own = self._catalogue.graph.entity_ids.get(query.name)
        if own is not None:
            alike[own] = 1.0
        return {entity: value for entity, value in alike.items() if value >= _LEAST}

    def _with_value(self, condition: Condition, prop: Property) -> set[int]:
        """Return entities that have a value of a relation, found from the value's end."""
        found: set[int] = set()
        for value in condition.values:
            if prop.id == COUNTERPART:
                found |= self._catalogue.entities_of_counterpart(value.text)
            elif prop.attribute is not None and not prop.is_time:
                found |= set(self._catalogue.entities_of_literal(prop.attribute, value.text))
            if prop.relation is not None and not prop.is_time:
                for other in self._neighbours(value):
                    heads = self._catalogue.heads_of(
                        prop.relation, other, is_inverse=prop.is_inverse
                    )
                    found |= set(heads[: 10 * _FOUND_BY_VALUE].tolist())
        return found

    def _neighbours(self, value: Value) -> Iterable[int]:
        """Return the entities that a value may be: that of the id, or those called so."""
        own = self._catalogue.graph.entity_ids.get(value.text)
        if own is not None or value.is_id:
            return () if own is None else (own,)
        alike = self._catalogue.names.search(value.text, 50)
        best = sorted(alike, key=lambda entity: -alike[entity])[:_NEIGHBOURS]
        return [entity for entity in best if alike[entity] >= FITS]

    def _score(
        self, query: Query, evidence: Evidence, entity: int, alike: float | None
    ) -> Candidate | None:
        """Return a candidate with its score; None where a required property or type is missing."""
        has_type = not query.types or self._catalogue.types.has(
            entity, query.types, all_of_them=query.type_rule == "all"
        )
        if not has_type and query.type_rule != "should":
            return None
        features = evidence.features(entity)
        for feature, (condition, _) in zip(features, evidence.conditions, strict=True):
            if condition.required and (feature.value or 0.0) < _REQUIRED:
                return None
        weights = [1.0] * len(features)
        if alike is not None:
            features = [Feature(NAME, "name", alike), *features]
            weights = [_NAME_WEIGHT, *weights]
        values = [_UNKNOWN if each.value is None else each.value for each in features]
        mean = sum(map(mul, values, weights)) / sum(weights) if features else 0.0
        score = 100 * mean * (1 if has_type else _OTHER_TYPE)
        return Candidate(entity, round(score, 2), features)


def _mark_sure(scored: list[Candidate], *, has_name: bool) -> list[Candidate]:
    """Return the candidates, the first one marked where it is sure.

    It is when its score is high and well ahead, its name fits, and no property speaks against it;
    without a name, when two properties speak for it.
    """
    if not scored:
        return []
    best, second = scored[0], scored[1].score if len(scored) > 1 else 0.0
    known = [each.value for each in best.features if each.value is not None]
    is_known_enough = best.features[0].value or 0.0
    is_sure = (
        best.score >= SURE
        and best.score - second >= AHEAD
        and all(value >= _SURE_VALUE for value in known)
        and (is_known_enough >= _SURE_NAME if has_name else len(known) >= 2)
    )
    first = Candidate(best.entity, best.score, best.features, is_sure)
    return [first, *scored[1:]]
