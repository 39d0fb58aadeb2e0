"""Points on the earth: where a document's cells hold them, and whether they lie in a box or near a place.

Degrees as in WGS 84, latitudes from -90 to 90, longitudes from -180 to 180; distances in kilometres along the great circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import asin, cos, isfinite, radians, sin, sqrt

from chatsearch.labels import as_data

EARTH_RADIUS_KM = 6371.0088  # the mean radius (IUGG)

_LATITUDES, _LONGITUDES = ("latitude", "lat"), ("longitude", "lon", "lng", "long")


@dataclass(frozen=True)
class Point:
    """A place, in degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True)
class Box:
    """Between two latitudes and eastwards from `west` to `east`; where `west` is the greater, across the antimeridian."""

    south: float
    north: float
    west: float
    east: float

    @classmethod
    def of(cls, one: Point, other: Point, *, long_way: bool = False) -> Box:
        """The box of two opposite corners in any order. It goes the shorter way around the earth unless `long_way`;
        corners at -180 and 180 mean all longitudes."""
        south, north = sorted((one.latitude, other.latitude))
        west, east = sorted((one.longitude, other.longitude))
        across = (180 < east - west < 360) != long_way
        return cls(south, north, east, west) if across else cls(south, north, west, east)

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside or on the edge."""
        if not self.south <= point.latitude <= self.north:
            return False
        if self.west <= self.east:
            return self.west <= point.longitude <= self.east
        return point.longitude >= self.west or point.longitude <= self.east


def distance_km(one: Point, other: Point) -> float:
    """Along the great circle (haversine formula)."""
    height = sin(radians(other.latitude - one.latitude) / 2) ** 2
    width = sin(radians(other.longitude - one.longitude) / 2) ** 2
    inner = height + cos(radians(one.latitude)) * cos(radians(other.latitude)) * width
    return 2 * EARTH_RADIUS_KM * asin(min(1.0, sqrt(inner)))


def point_of(latitude: object, longitude: object) -> Point | None:
    """The point of two cells; None when one holds no number or the earth has no such place."""
    north, east = _number(latitude), _number(longitude)
    if north is None or east is None or not -90 <= north <= 90 or not -180 <= east <= 180:
        return None
    return Point(north, east)


def points_in(cell: object) -> list[Point]:
    """Every point in a cell: a list or JSON text of objects with `latitude` and `longitude`, however deep."""
    return list(dict.fromkeys(_walk(as_data(cell))))


def _walk(value: object) -> Iterator[Point]:
    if isinstance(value, Mapping):
        point = point_of(_first(value, _LATITUDES), _first(value, _LONGITUDES))
        if point:
            yield point
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(as_data(inner))


def _first(value: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((value[name] for name in names if name in value), None)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
