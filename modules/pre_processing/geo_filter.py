"""Keeps the documents about places in a box or near a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from chatsearch.cells import cells, plain
from chatsearch.filters import Filter, Missing, column_cells
from chatsearch.module import Column, StepRun
from chatsearch.places import Box, Point, distance_km, point_of, points_in
from chatsearch.results import ResultSet

ADDRESS = "address"
"""Where the Open Web Index keeps the coordinates of a page's addresses."""


class GeoFilter(Filter):
    """Keeps the documents with a place in a box (two opposite corners, in any order) or within a radius of a point.

    Places are read from the latitude and longitude columns, and from a column of locations; one place inside is enough.
    """

    id: ClassVar[str] = "geo_filter"
    name: ClassVar[str] = "Geo filter"

    latitude_value_p1: float | None = Field(None, ge=-90, le=90, description="The latitude of one corner of the box, in degrees.")
    longitude_value_p1: float | None = Field(None, ge=-180, le=180, description="The longitude of that corner, in degrees.")
    latitude_value_p2: float | None = Field(None, ge=-90, le=90, description="The latitude of the opposite corner.")
    longitude_value_p2: float | None = Field(None, ge=-180, le=180, description="The longitude of the opposite corner.")
    way_around: Literal["shorter", "longer"] = Field(
        "shorter",
        description="Which way around the earth the box goes; the shorter one from 170 to -170 crosses the antimeridian.",
    )
    latitude_center: float | None = Field(None, ge=-90, le=90, description="The latitude of the middle of a circle, in degrees.")
    longitude_center: float | None = Field(None, ge=-180, le=180, description="The longitude of the middle of a circle.")
    radius_km: float | None = Field(None, gt=0, le=20_038, description="The radius of the circle, in kilometres.")
    latitude_column_name: Column = Field("latitude", description="The column with a document's latitude.")
    longitude_column_name: Column = Field("longitude", description="The column with a document's longitude.")
    locations_column: Column = Field(
        "locations", description="The column with lists (or their JSON) of places with a latitude and a longitude."
    )
    missing: Missing = Field("drop", description="What becomes of documents without a place.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for area in (self._corners(), self._circle()):
            lacking = [name for name, value in area.items() if value is None]
            if lacking and len(lacking) < len(area):
                raise ValueError(f"{' and '.join(lacking)} must be given too: an area needs {', '.join(area)}")
        return self

    def reads(self) -> tuple[str, ...]:
        """None for sure: either kind of column will do, which is checked when it runs."""
        return ()

    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool]:
        if None in self._corners().values() and None in self._circle().values():
            return self.everything(results, run, "neither a box nor a circle is given")
        return [self._stays(places) for places in self._places(results)]

    def _stays(self, places: Sequence[Point]) -> bool:
        return any(self._inside(place) for place in places) if places else self.missing == "keep"

    def _inside(self, place: Point) -> bool:
        """In the box and in the circle, as far as they are given."""
        one = point_of(self.latitude_value_p1, self.longitude_value_p1)
        other = point_of(self.latitude_value_p2, self.longitude_value_p2)
        if one and other and not Box.of(one, other, long_way=self.way_around == "longer").holds(place):
            return False
        center = point_of(self.latitude_center, self.longitude_center)
        return not (center and self.radius_km) or distance_km(center, place) <= self.radius_km

    def _places(self, results: ResultSet) -> list[list[Point]]:
        there, found = results.documents.columns, [list[Point]() for _ in range(len(results))]
        pair = (self.latitude_column_name, self.longitude_column_name)
        lists = [column for column in (self.locations_column, ADDRESS) if column in there]
        if not lists or pair[0] in there:
            for row, values in enumerate(zip(*(column_cells(results, column) for column in pair), strict=True)):
                point = point_of(*map(plain, values))
                found[row] += [point] if point else []
        for column in lists:
            for row, cell in enumerate(cells(results.documents[column])):
                found[row] += points_in(cell)
        return found

    def _corners(self) -> dict[str, float | None]:
        names = ("latitude_value_p1", "longitude_value_p1", "latitude_value_p2", "longitude_value_p2")
        return {name: getattr(self, name) for name in names}

    def _circle(self) -> dict[str, float | None]:
        return {name: getattr(self, name) for name in ("latitude_center", "longitude_center", "radius_km")}
