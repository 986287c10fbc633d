"""What speaks for an entity: its name, and each property that a client gives, with its time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lighttea.serve.catalogue import Catalogue, Statement
from lighttea.serve.limits import Limits
from lighttea.serve.periods import Period, parse_period, split_period
from lighttea.serve.properties import CONFIDENCE, COUNTERPART, TIME, Property
from lighttea.serve.queries import Condition, Query, Value
from lighttea.serve.values import FITS, time_likeness, value_likeness

_MISSED_TIME = 0.5  # what a value counts whose time is another one, when the best is chosen


@dataclass(frozen=True)
class Feature:
    """How well an entity fits one thing that a client gave; None where nothing is known of it."""

    id: str
    name: str
    value: float | None


@dataclass(frozen=True)
class _Fit:
    """How well a statement fits: its value, and its time where one was asked for and is known."""

    value: float
    time: float | None

    @property
    def rank(self) -> float:
        known = 1.0 if self.time is None else self.time
        return self.value * (_MISSED_TIME + (1 - _MISSED_TIME) * known)


class Evidence:
    """The properties of one query, found in the graph once, to be compared with many entities.

    A time (`@time`) is that of the facts of the other properties: an office in 1996 is a fact of
    that office which holds in 1996. Alone it is the time of any fact.
    """

    def __init__(self, catalogue: Catalogue, query: Query, limits: Limits) -> None:
        self._catalogue, self._most = catalogue, limits.statements
        found = [(c, catalogue.properties.find(c.property)) for c in query.conditions]
        self.conditions = [(c, p) for c, p in found if p is not None]
        self._periods = [
            period
            for condition, prop in self.conditions
            if prop.id == TIME
            for value in condition.values
            if (period := parse_period(value.text)) is not None
        ]

    def features(self, entity: int) -> list[Feature]:
        """Return how well an entity fits each property, in the order in which they were given."""
        fits: list[float] = []  # of the time, by property
        values: dict[int, float | None] = {}
        for place, (condition, prop) in enumerate(self.conditions):
            if prop.id != TIME:
                value, times = self._fit(entity, condition, prop)
                values[place] = value
                fits += times
        if self._periods:
            time = self._time(entity, fits, is_alone=not values)
            values |= {i: time for i, (_, p) in enumerate(self.conditions) if p.id == TIME}
        return [
            Feature(prop.id, prop.name, values.get(place))
            for place, (_, prop) in enumerate(self.conditions)
        ]

    def _time(self, entity: int, fits: Sequence[float], *, is_alone: bool) -> float | None:
        if not is_alone:
            return max(fits, default=None)
        return self._best_time(self._catalogue.all_statements(entity, self._most), self._periods)

    def _fit(
        self, entity: int, condition: Condition, prop: Property
    ) -> tuple[float | None, list[float]]:
        """Return how well a property fits its values, and the times of the facts that do."""
        if prop.id in (COUNTERPART, CONFIDENCE):
            return self._link_fit(entity, condition, prop), []
        statements = self._catalogue.statements(entity, prop, self._most)
        if not statements:
            return None, []
        if prop.is_time:
            periods = [p for v in condition.values if (p := parse_period(v.text)) is not None]
            return self._best_time(statements, periods), []
        best = [self._best(statements, value) for value in condition.values]
        times = [fit.time for fit in best if fit.time is not None and fit.value >= FITS]
        return _combine([fit.value for fit in best], condition.quantifier), times

    def _best(self, statements: Iterable[Statement], value: Value) -> _Fit:
        """Return the best fit of a value, which may have a time at its end: `Harbour, 1996-98`."""
        whole = max((self._compare(each, value, self._periods) for each in statements), key=_rank)
        text, period = split_period(value.text)
        if period is None or value.is_id:
            return whole
        timed = max((self._compare(each, Value(text), [period]) for each in statements), key=_rank)
        return whole if whole.value >= timed.value else _Fit(timed.rank, timed.time)

    def _compare(self, statement: Statement, value: Value, periods: Sequence[Period]) -> _Fit:
        return _Fit(
            value_likeness(self._catalogue, value, statement), self._best_time([statement], periods)
        )

    def _best_time(
        self, statements: Iterable[Statement], periods: Sequence[Period]
    ) -> float | None:
        """Return how well one of the statements fits one of the periods; None without times."""
        known = [
            time
            for each in statements
            for period in periods
            if (time := time_likeness(self._catalogue, period, each)) is not None
        ]
        return max(known, default=None)

    def _link_fit(self, entity: int, condition: Condition, prop: Property) -> float | None:
        link = self._catalogue.links.get(entity)
        if link is None or prop.id == CONFIDENCE:
            return None
        own = (link.counterpart.id, link.counterpart.text)
        return _combine(
            [float(value.text in own) for value in condition.values], condition.quantifier
        )


def _rank(fit: _Fit) -> float:
    return fit.rank


def _combine(values: Sequence[float], quantifier: str) -> float:
    """Return how well values fit: the best of them, the worst of them, or none of them."""
    if quantifier == "all":
        return min(values)
    return 1 - max(values) if quantifier == "none" else max(values)
