"""Forms of dates: which fit a column, and which read all columns of a source rightly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import polars as pl

from lighttea.io.cells import NA, CellRules, is_unknown_time, read_date
from lighttea.io.problems import Problems

_FORMS = (
    *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y"),
    *("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"),
)
_USUAL_FORMS = ("%d.%m.%Y", "%Y/%m/%d", "%Y%m%d")  # to be told once another form is
_ISO = "%Y"  # years and ISO dates are understood beside any form


class _Dated(Protocol):
    @property
    def values(self) -> pl.Series: ...
    @property
    def date_formats(self) -> tuple[str, ...]: ...


D = TypeVar("D", bound=_Dated)


def fitting_forms(values: pl.Series) -> tuple[str, ...]:
    """Return the forms beyond the usual ones that all values have."""
    return tuple(form for form in _FORMS if _fits(values, form) and _fits_some(values, form))


def settle_forms(columns: Iterable[D]) -> tuple[list[D], list[str]]:
    """Return the columns of times that one list of forms reads rightly, and that list.

    It is empty where all columns are in usual forms. A column that an earlier form of the list
    would read otherwise is left out.
    """
    given = list(columns)
    if not any(column.date_formats for column in given):
        return given, []
    kept, chosen = [], list[str]()
    for column in given:
        own = column.date_formats or (_ISO, *_USUAL_FORMS)
        form = next((form for form in own if _fits(column.values, form)), None)
        if form is None or _is_misread(column.values, form, chosen):
            continue
        kept.append(column)
        chosen += [form] * (form != _ISO and form not in chosen)
    return kept, chosen


def _is_misread(values: pl.Series, form: str, chosen: Sequence[str]) -> bool:
    """Whether a form that comes before the right one reads some of the values."""
    earlier = chosen[: chosen.index(form)] if form in chosen else chosen
    return any(_fits_some(values, other) for other in earlier)


def _fits(values: pl.Series, form: str) -> bool:
    """Whether all values have a form, or are years or ISO dates."""
    problems = Problems(strict=False)
    rows = pl.int_range(len(values), eager=True)
    CellRules(date_formats=(form,)).iso_times(values, rows, "", problems)
    return not problems.total


def _fits_some(values: pl.Series, form: str) -> bool:
    known = values.filter(~is_unknown_time(values) & (values != NA))
    return any(read_date(text, (form,)) is not None for text in known)
