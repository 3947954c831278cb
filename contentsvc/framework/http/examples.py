"""Examples for JSON Schemas, always the same ones."""

from collections.abc import Mapping
from typing import Any

from contentsvc.framework.http.schemas import REF, Schema

ID = "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"


def example(schema: Schema, components: Mapping[str, Schema]) -> Any:
    """A value that fits the schema: the schema's own example if it has one. Otherwise it has the
    first of each choice, and all members but those that may be both missing and null: a person who
    tries an operation out should not have to empty them first."""
    if "$ref" in schema:
        return example(components[schema["$ref"].removeprefix(REF)], components)
    if "const" in schema:
        return schema["const"]
    for key in ("examples", "enum"):
        if key in schema:
            return schema[key][0]
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return example(schema[key][0], components)
    return _of_type(schema, components)


def _of_type(schema: Schema, components: Mapping[str, Schema]) -> Any:
    match schema.get("type"):
        case "object":
            return _object(schema, components)
        case "array":
            return [example(schema["items"], components)]
        case "string":
            text = "text".ljust(schema.get("minLength", 0), "t")
            return ID if schema.get("format") == "uuid" else text
        case "integer" | "number":
            return schema.get("default") or max(schema.get("minimum", 1), 1)
        case other:
            return True if other == "boolean" else None


def _object(schema: Schema, components: Mapping[str, Schema]) -> dict[str, Any]:
    required = schema.get("required", ())
    found = {
        name: example(member, components)
        for name, member in schema.get("properties", {}).items()
        if name in required or {"type": "null"} not in member.get("anyOf", ())
    }
    if isinstance(schema.get("additionalProperties"), dict):
        names = {"type": "string", **schema.get("propertyNames", {})}
        found[example(names, components)] = example(schema["additionalProperties"], components)
    return found
