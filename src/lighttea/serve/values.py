"""How well a statement of the graph fits a value that a client gives."""

from __future__ import annotations

import math

from lighttea.display import Named
from lighttea.literals.kinds import parse_number
from lighttea.serve.catalogue import Catalogue, Statement
from lighttea.serve.likeness import name_likeness, words_of
from lighttea.serve.periods import Period, parse_period
from lighttea.serve.queries import Value

FITS = 0.75  # likeness from which a value is taken for the one that is meant


def value_likeness(catalogue: Catalogue, value: Value, statement: Statement) -> float:
    """Return how well a statement fits a value, from 0 to 1."""
    if statement.entity is not None:
        return _entity_likeness(catalogue, value, catalogue.entity(statement.entity))
    return literal_likeness(value.text, catalogue.literal(statement)[0])


def _entity_likeness(catalogue: Catalogue, value: Value, entity: Named) -> float:
    if value.text == entity.id:
        return 1.0
    if value.is_id:
        return 0.0
    return name_likeness(words_of(value.text), words_of(entity.text), catalogue.names.weigh)


def literal_likeness(given: str, known: str) -> float:
    """Return how alike two literals are: numbers and dates by value, texts word by word."""
    if given == known:
        return 1.0
    numbers = parse_number(given), parse_number(known)
    if numbers[0] is not None and numbers[1] is not None:
        return float(math.isclose(numbers[0], numbers[1], rel_tol=1e-9))
    periods = parse_period(given), parse_period(known)
    if periods[0] is not None and periods[1] is not None:
        return periods[0].likeness(periods[1])
    return name_likeness(words_of(given), words_of(known), lambda word: float(min(len(word), 4)))


def time_likeness(catalogue: Catalogue, period: Period, statement: Statement) -> float | None:
    """Return how well the time of a statement fits a period; None where it has no time."""
    own = catalogue.period(statement)
    return None if own is None else period.likeness(own)
