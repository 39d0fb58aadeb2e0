"""The JSON Schema of a spec, made from the declarations of the modules: what editors complete and check by."""

from __future__ import annotations

from typing import Any

from chatsearch.module import Module
from chatsearch.registry import Registry
from chatsearch.spec import OLD_KEYS, Engine

_ABOUT = ("title", "description", "default", "x-type")
_AS_TEXT = {
    "integer": {"type": "string", "pattern": r"^\s*[-+]?[0-9][0-9_]*(\.0*)?\s*$"},
    "number": {"type": "string", "pattern": r"^\s*[-+]?[0-9.][0-9_.eE+-]*\s*$"},
    "boolean": {"type": "string"},
}


def json_schema(registry: Registry) -> dict[str, Any]:
    """The schema (draft 2020-12). Numbers and booleans may also be texts; keys that nobody knows are allowed."""
    schema = Engine.model_json_schema(mode="validation")
    for part in (schema, *schema.get("$defs", {}).values()):
        part["properties"] = {name: _lenient(one) for name, one in part["properties"].items()}
    schema |= {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "chatsearch spec", "required": ["pipeline"]}
    schema["properties"]["pipeline"] = {
        "type": "object",
        "description": "The steps under “1”, “2”, …, run in numeric order; gaps are allowed.",
        "properties": {"query": {"type": "string"}, "parameters": {"type": "object"}},
        "patternProperties": {"^[0-9]+$": _step(registry)},
        "minProperties": 1,
    }
    for old, path in OLD_KEYS.items():
        schema["properties"][old] = {"description": f"MOSAIC-RAG's name of {'.'.join(path)}.", "deprecated": True}
    return schema


def _step(registry: Registry) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"enum": list(registry.modules)},
            "parameters": {"type": ["object", "null"]},
            "enabled": _lenient({"type": "boolean", "default": True}),
        },
        "allOf": [
            {
                "if": {"properties": {"id": {"const": module.id}}, "required": ["id"]},
                "then": {"properties": {"parameters": _parameters(module)}},
            }
            for module in registry.modules.values()
        ],
    }


def _parameters(module: type[Module]) -> dict[str, Any]:
    schema = module.model_json_schema(mode="validation")
    properties = {name: _as_in_a_form(one) for name, one in schema.get("properties", {}).items()}
    return {"type": ["object", "null"], "description": module.description(), "properties": properties}


def _lenient(schema: dict[str, Any]) -> dict[str, Any]:
    """A number or boolean that may come as a text, as MOSAIC-RAG writes them."""
    kinds = _kinds(schema)
    as_text = [_AS_TEXT[kind] for one in kinds if (kind := one.get("type")) in _AS_TEXT]
    return {**_about(schema), "anyOf": [*kinds, *as_text]} if as_text else schema


def _as_in_a_form(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter of a module: beside `_lenient`, an empty text means the default, and a number for a text its digits."""
    kinds = _kinds(_lenient(schema))
    more: list[dict[str, Any]] = [{"const": ""}]
    more += [{"type": "number"}] if any(one.get("type") == "string" and "enum" not in one for one in _kinds(schema)) else []
    return {**_about(schema), "anyOf": [*kinds, *more]}


def _kinds(schema: dict[str, Any]) -> list[dict[str, Any]]:
    own = {name: value for name, value in schema.items() if name not in (*_ABOUT, "anyOf")}
    return [*schema.get("anyOf", []), *([own] if own else [])]


def _about(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: schema[name] for name in _ABOUT if name in schema}
