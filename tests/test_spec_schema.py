"""The JSON Schema of a spec: it takes what the loader takes, and refuses what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # installed with chainlit and litellm

from chatsearch.engines import built_in_engines
from chatsearch.errors import SpecError
from chatsearch.spec import Spec
from chatsearch.spec_schema import json_schema
from tests.test_spec import REGISTRY, UNKNOWN

SCHEMA = json_schema(REGISTRY)
VALIDATOR = Draft202012Validator(SCHEMA)


def step(**parameters: object) -> dict[str, Any]:
    return {"pipeline": {"1": {"id": "source", "parameters": parameters}}}


def loads(data: object) -> bool:
    try:
        Spec.load(data, REGISTRY)
    except SpecError:
        return False
    return True


def test_the_schema_is_a_schema_and_json() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


@pytest.mark.parametrize("name", sorted(built_in_engines()))
def test_every_shipped_spec_is_valid(name: str) -> None:
    VALIDATOR.validate(json.loads(built_in_engines()[name].read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "data",
    [
        step(),
        step(limit="20", exact="Yes", weight="2.5", share="0.1", mode="dense", note="x"),
        step(limit=20, exact=True, share=None),
        step(limit="", mode="", share="", column="", exact=""),
        step(note=5, column=7),
        step(later=[1]),
        json.loads(UNKNOWN),
        {"pipeline": {"1": {"id": "source", "parameters": None}, "2": {"id": "word_counter", "enabled": "No"}}},
        {**step(), "colorTheme": "x", "subTitle": "s", "pipelineConfigAllowed": "No", "logsAllowed": True},
        {**step(), "permissions": {"edit": "No"}, "spec_version": "1", "starters": ["a"], "theme": {"mode": "dark"}},
    ],
)
def test_what_loads_is_valid(data: dict[str, Any]) -> None:
    assert loads(data)
    VALIDATOR.validate(data)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"pipeline": {}},
        {"pipeline": []},
        {"pipeline": {"1": {}}},
        {"pipeline": {"1": {"id": "surce"}}},
        {"pipeline": {"1": "source"}},
        step(limit=0),
        step(limit="many"),
        step(limit=2.5),
        step(mode="hybird"),
        step(share=2),
        step(weight="x"),
        step(note=[1]),
        {**step(), "title": 5},
        {**step(), "starters": "x"},
        {**step(), "theme": {"mode": "drk"}},
        {**step(), "permissions": {"edit": []}},
    ],
)
def test_what_does_not_load_is_not_valid(data: object) -> None:
    assert not loads(data)
    assert not VALIDATOR.is_valid(data)


def test_every_module_and_parameter_is_described() -> None:
    steps = SCHEMA["properties"]["pipeline"]["patternProperties"]["^[0-9]+$"]
    assert steps["properties"]["id"]["enum"] == list(REGISTRY.modules)
    described = {one["if"]["properties"]["id"]["const"]: one["then"]["properties"]["parameters"] for one in steps["allOf"]}
    assert set(described) == set(REGISTRY.modules)
    assert described["source"]["properties"]["limit"]["default"] == 10
    assert described["source"]["properties"]["limit"]["description"]
