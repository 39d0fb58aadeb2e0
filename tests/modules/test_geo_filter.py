"""Filtering by place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chatsearch.errors import MissingColumnError
from chatsearch.places import Box, Point, distance_km, points_in
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import owi, quick_services, transformed
from tests.sources import document, documents, result_set

FILTER = Registry().get("geo_filter")
PLACES = {
    "graz": (47.07, 15.44),
    "vienna": (48.21, 16.37),
    "fiji": (-17.8, 178.4),
    "samoa": (-13.8, -171.8),
    "quito": (-0.2, -78.5),
}
ROWS = result_set(
    [
        *(document(name, latitude=north, longitude=east) for name, (north, east) in PLACES.items()),
        document("none"),
        document("odd", latitude="x"),
    ]
)


def box(north: float, west: float, south: float, east: float, **more: object) -> dict[str, object]:
    corners = {"latitude_value_p1": north, "longitude_value_p1": west, "latitude_value_p2": south, "longitude_value_p2": east}
    return {**corners, **more}


async def kept(tmp_path: Path, results: ResultSet, **parameters: object) -> list[str]:
    after, _ = await transformed(FILTER, results, quick_services(tmp_path), **parameters)
    return list(after.documents["id"])


async def test_a_box_may_be_given_by_any_two_opposite_corners(tmp_path: Path) -> None:
    for north, south in ((49, 46), (46, 49)):
        for west, east in ((15, 16), (16, 15)):
            assert await kept(tmp_path, ROWS, **box(north, west, south, east)) == ["graz"]


async def test_latitude_is_compared_with_latitude(tmp_path: Path) -> None:
    """The fault of MOSAIC-RAG: the corners' numbers were compared crosswise."""
    assert await kept(tmp_path, ROWS, **box(50, 0, 40, 10)) == []
    assert await kept(tmp_path, ROWS, **box(20, 40, 10, 50)) == []


async def test_a_box_across_the_antimeridian(tmp_path: Path) -> None:
    for west, east in ((170, -165), (-165, 170)):
        assert await kept(tmp_path, ROWS, **box(0, west, -30, east)) == ["fiji", "samoa"]
    assert await kept(tmp_path, ROWS, **box(90, 170, -90, -165, way_around="longer")) == ["graz", "vienna", "quito"]
    assert len(await kept(tmp_path, ROWS, **box(90, -180, -90, 180))) == 5


async def test_a_radius_in_kilometres(tmp_path: Path) -> None:
    around = {"latitude_center": "48.21", "longitude_center": "16.37"}
    assert await kept(tmp_path, ROWS, **around, radius_km=10) == ["vienna"]
    assert await kept(tmp_path, ROWS, **around, radius_km=200) == ["graz", "vienna"]
    assert await kept(tmp_path, ROWS, latitude_center=-16, longitude_center=-179, radius_km=1000) == ["fiji", "samoa"]


async def test_documents_without_a_place_are_dropped_or_kept(tmp_path: Path) -> None:
    assert await kept(tmp_path, ROWS, **box(49, 15, 46, 16), missing="keep") == ["graz", "none", "odd"]


@pytest.mark.parametrize("as_json", [False, True])
async def test_locations_as_mosaic_gives_them(tmp_path: Path, as_json: bool) -> None:
    entries = [{"latitude": 1.0, "longitude": 1.0}, {"latitude": 47.07, "longitude": 15.44, "alpha2CountryCode": "AT"}]
    cell = [{"locationName": "Graz", "locationEntries": entries}]
    rows = result_set(
        [
            document("a", locations=json.dumps(cell) if as_json else cell),
            document("b", locations=None),
            document("c", locations="["),
        ]
    )
    assert await kept(tmp_path, rows, **box(49, 15, 46, 16)) == ["a"]


async def test_the_addresses_of_the_open_web_index(shared: Path, tmp_path: Path) -> None:
    frame = owi(shared, "deu", 240)
    there = sum(bool(points_in(cell)) for cell in frame.documents["address"])
    assert 0 < len(await kept(tmp_path, frame, latitude_center=47.07, longitude_center=15.44, radius_km=10)) <= there


async def test_half_an_area_is_an_error_that_says_what_is_missing() -> None:
    with pytest.raises(ValidationError, match="longitude_value_p2 must be given too"):
        FILTER.model_validate({"latitude_value_p1": 1, "longitude_value_p1": 1, "latitude_value_p2": 1})
    with pytest.raises(ValidationError, match="radius_km must be given too"):
        FILTER.model_validate({"latitude_center": 1, "longitude_center": 1})
    with pytest.raises(ValidationError):
        FILTER.model_validate({"latitude_center": 91, "longitude_center": 1, "radius_km": 5})


async def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumnError, match="“latitude”"):
        await kept(tmp_path, result_set(documents("a")), **box(49, 15, 46, 16))


async def test_without_an_area_nothing_is_removed_and_that_is_said(tmp_path: Path) -> None:
    after, warnings = await transformed(FILTER, ROWS, quick_services(tmp_path))
    assert len(after) == len(ROWS)
    assert list(warnings) == ["nothing-to-filter"]


def test_distances() -> None:
    assert distance_km(Point(47.07, 15.44), Point(48.21, 16.37)) == pytest.approx(144.6, abs=1)
    assert distance_km(Point(0, 0), Point(0, 180)) == pytest.approx(20015, abs=1)
    assert distance_km(Point(10, 20), Point(10, 20)) == 0


def degrees(limit: float) -> st.SearchStrategy[float]:
    return st.floats(-limit, limit, allow_nan=False)


@given(degrees(90), degrees(180), degrees(90), degrees(180), degrees(90), degrees(180))
def test_the_order_of_the_corners_makes_no_difference(a: float, b: float, c: float, d: float, e: float, f: float) -> None:
    point = Point(e, f)
    found = {
        Box.of(Point(*one), Point(*other)).holds(point) for one, other in (((a, b), (c, d)), ((c, d), (a, b)), ((a, d), (c, b)))
    }
    assert len(found) == 1
    assert Box.of(Point(a, b), Point(c, d)).holds(Point(a, d))
