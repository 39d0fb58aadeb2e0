"""Dates as they are written: each is read as the period it names, so that "2021" is a whole year and "2021-05" a month."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from types import MappingProxyType

from chatsearch.cells import is_missing

_ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")
_YEARS = range(1000, 3000)
# a count of seconds since 1970, or of a thousandth, a millionth, a billionth of one: whichever gives a year we could mean
_UNITS = ((1e11, 1), (1e14, 1_000), (1e17, 1_000_000), (1e20, 1_000_000_000))
_EARLIEST_COUNT = 10_000_000  # April 1970; a smaller number is no date
# dates without a stated offset that name one of these; any other name is read as UTC
_ZONES: Mapping[str, int] = MappingProxyType({
    "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "WEST": 1, "BST": 1,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
})  # fmt: skip


@dataclass(frozen=True)
class Period:
    """From `start` until before `end`, both in UTC; a moment has one microsecond."""

    start: datetime
    end: datetime

    def meets(self, start: datetime | None, end: datetime | None) -> bool:
        """Whether some of it lies from `start` until before `end`; None is no limit."""
        return (end is None or self.start < end) and (start is None or self.end > start)


def period_of(value: object) -> Period | None:
    """The period that a cell or a text names; None when it names none.

    ISO 8601 and its parts, "12 May 2021", "May 2021", RFC 2822, years, counts of seconds, milli-, micro- or nanoseconds since
    1970. Without an offset a time is UTC. "12.05.2021" has the day first, "05/12/2021" the month, where both are possible.
    """
    if is_missing(value) or isinstance(value, bool):
        return None
    try:
        return _read(value)
    except (ValueError, OverflowError, OSError):  # no such day, or beyond the years that can be told
        return None


def _read(value: object) -> Period | None:
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return _days(datetime(value.year, value.month, value.day, tzinfo=UTC), "day")
    text = str(value).strip()
    if _NUMBER.fullmatch(text) and not (len(text) == 8 and text[:4] > "0999"):
        return _counted(float(text))
    iso = _ISO.fullmatch(text)
    if iso:
        year, month, day = (int(part) if part else 1 for part in iso.groups())
        return _days(datetime(year, month, day, tzinfo=UTC), "day" if iso[3] else "month" if iso[2] else "year")
    return _parsed(text) if any(character.isdigit() for character in text) and len(text) <= 100 else None


def _counted(number: float) -> Period | None:
    if number in _YEARS:
        return _days(datetime(int(number), 1, 1, tzinfo=UTC), "year")
    if number < _EARLIEST_COUNT:
        return None
    for limit, unit in _UNITS:
        if number < limit:
            return _moment(datetime.fromtimestamp(number / unit, UTC))
    return None


def _parsed(text: str) -> Period | None:
    """What dateutil reads; read twice over different backgrounds, so that what is not written can be told."""
    try:
        return _moment(datetime.fromisoformat(text)) if "T" in text or ":" in text else _over_backgrounds(text)
    except ValueError:
        return _over_backgrounds(text)


def _over_backgrounds(text: str) -> Period | None:
    from dateutil.parser import ParserError, parse

    day_first = re.match(r"\d{1,2}\.\s?\d{1,2}\.", text) is not None
    try:
        one, other = (
            parse(text, default=datetime(year, month, day, hour), dayfirst=day_first, tzinfos=_zone)  # noqa: DTZ001
            for year, month, day, hour in ((2000, 1, 1, 0), (2004, 3, 2, 1))
        )
    except ParserError:
        return None
    if one.year != other.year:
        return None
    start = one if one.tzinfo else one.replace(tzinfo=UTC)
    if one.month != other.month:
        return _days(start.astimezone(UTC), "year")
    if one.day != other.day:
        return _days(start.astimezone(UTC), "month")
    return _days(start, "day") if one.hour != other.hour else _moment(start)


def _zone(name: str | None, offset: int | None) -> tzinfo:
    if offset is not None:
        return timezone(timedelta(seconds=offset))
    return timezone(timedelta(hours=_ZONES.get(name or "", 0)))


def _moment(value: datetime) -> Period:
    start = (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return Period(start, start + timedelta(microseconds=1))


def _days(start: datetime, unit: str) -> Period:
    """The day, month or year that begins at `start`."""
    days = 1
    if unit == "month":
        days = calendar.monthrange(start.year, start.month)[1]
    elif unit == "year":
        days = 366 if calendar.isleap(start.year) else 365
    return Period(start, start + timedelta(days=days))
