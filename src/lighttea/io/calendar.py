"""Julian dates as dates of the proleptic Gregorian calendar."""

from __future__ import annotations

from lighttea.graph.calendar import civil_from_days

_EPOCH = 719_470  # days from the Julian 0000-03-01 to 1970-01-01 (Gregorian)


def gregorian_of_julian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Return the same day in the proleptic Gregorian calendar; year 0 is 1 BC in both."""
    return civil_from_days(days_from_julian(year, month, day))


def days_from_julian(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01 to a date of the Julian calendar."""
    year -= month <= 2
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return year * 365 + year // 4 + day_of_year - _EPOCH


def julian_month_days(year: int, month: int) -> int:
    """Return the number of days of a month of the Julian calendar."""
    next_month = (year, month + 1) if month < 12 else (year + 1, 1)
    return days_from_julian(*next_month, 1) - days_from_julian(year, month, 1)
