"""`contentsvc/portal/limits.js`: what the fields of the portal's forms may have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PORTAL = Path(__file__).resolve().parent.parent.parent / "contentsvc/portal"
_USED = re.compile(r"\blimits\.(\w+)")
_HEAD = """\
// scripts/openapi makes this of docs/openapi.json, for the operations that the portal's modules
// name: what their members may be. `a/b` is the member b of the member a.
"""
_LENGTHS = ("minLength", "maxLength", "minItems", "maxItems", "maxProperties", "pattern")
_NO_NUL = r"^[^\u0000]*$"
"""What each text has. No field takes a NUL."""
_EXACT = 2**53 - 1

Schema = dict[str, Any]


def limits(document: Schema) -> str:
    """The module, of the OpenAPI document."""
    used = {
        name
        for path in PORTAL.rglob("*.js")
        if path.name != "limits.js"
        for name in _USED.findall(path.read_text("utf-8"))
    }
    found = {
        operation["operationId"]: dict(_members(document, operation))
        for path in document["paths"].values()
        for operation in path.values()
        if operation["operationId"] in used
    }
    lines = [f"  {name}: {_text(found[name])},\n" for name in sorted(found)]
    return f"{_HEAD}export const limits = {{\n{''.join(lines)}}};\n"


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _members(document: Schema, operation: Schema) -> Iterator[tuple[str, Schema]]:
    """The members of its query and of its body, which are what has limits."""
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            is_needed = parameter.get("required", False)
            yield from _of(document, parameter["name"], parameter["schema"], is_needed=is_needed)
    for body in operation.get("requestBody", {}).get("content", {}).values():
        yield from _of(document, "", body["schema"], is_needed=True)


def _of(
    document: Schema, name: str, schema: Schema, *, is_needed: bool
) -> Iterator[tuple[str, Schema]]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for one in reversed(schema.get("anyOf", [])):
        # Of two bodies the first is the one that has all members.
        can_miss = is_needed and {"type": "null"} not in schema["anyOf"]
        yield from _of(document, name, one, is_needed=can_miss)
    for member, inner in schema.get("properties", {}).items():
        place = f"{name}/{member}".lstrip("/")
        needed = is_needed and member in schema.get("required", [])
        yield from _of(document, place, inner, is_needed=needed)
    if name and (found := _leaf(schema)):
        empty = schema.get("type") == "string" and not _takes_nothing(schema)
        yield name, {**found, **({"required": True} if is_needed and empty else {})}


def _leaf(schema: Schema) -> Schema:
    """The limits of a value; empty for what no field has, such as ids."""
    if schema.get("format") == "uuid" or "enum" in schema:
        return {}
    found = {name: schema[name] for name in _LENGTHS if schema.get(name, _NO_NUL) != _NO_NUL}
    if schema.get("type") == "integer":
        edges = {name: schema[name] for name in ("minimum", "maximum") if name in schema}
        found |= {name: edge for name, edge in edges.items() if abs(edge) < _EXACT}
    if "items" in schema and (each := _leaf(schema["items"])):
        found["items"] = each
    if "propertyNames" in schema:
        found["names"] = schema["propertyNames"]["pattern"]
        values = schema["additionalProperties"].get("anyOf", [])
        found["values"] = next((_leaf(one) for one in values if one["type"] == "string"), {})
    return found


def _takes_nothing(schema: Schema) -> bool:
    """Whether a text may be empty."""
    return not schema.get("minLength") and bool(re.search(schema.get("pattern", ""), ""))
