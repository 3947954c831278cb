"""`clients/javascript/types/operations.d.ts`: the types of operations, bodies and answers."""

import json
import re
from collections.abc import Iterable, Iterator
from textwrap import indent, wrap
from typing import Any, Final

from contentsvc.wire.content import CONTENT_TYPES
from contentsvc.wire.packages import PLATFORMS

_HEAD = """\
// scripts/openapi makes this of docs/openapi.json.

/** Options of each call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many times at most it is sent again. */
  retries?: number | undefined;
  /** Further fields of the request's head. */
  headers?: Headers | Record<string, string> | [string, string][] | undefined;
  /** A token that is good for this alone, in place of that of the log-in. */
  token?: string | undefined;
  /** Seconds to wait for an answer. */
  timeout?: number | undefined;
  /** Keeps how something is when it is read. What replaces it with the same object is refused with
   * `precondition_failed` if it has changed since. */
  seen?: Seen | undefined;
}

/** How something was when it was read: begin with `{}`, or `{etag: "*"}` for whatever is there. */
export interface Seen {
  etag?: string | null | undefined;
}

/** The answer of what makes something. */
export interface Created {
  /** The path of what was made. */
  location: string;
}

// A name that a later release of the service may bring: a string, and another one than all that are
// known, so that these narrow.
declare enum Later {
  name = "(a later one)",
}
export {};

"""
_WIDTH = 100
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_JSON = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_SUCCESSES = ("200", "201", "202", "204")
_COMMA_LIST = "a comma list"
_OPEN: Final = ([*CONTENT_TYPES], [*PLATFORMS])
"""What a studio may extend by a setting (content#types, content#platforms): its services take
further strings."""


def types(document: dict[str, Any]) -> str:
    """The module, of the OpenAPI document."""
    schemas = document["components"]["schemas"]
    parts = [_declared(name, schema) for name, schema in sorted(schemas.items())]
    parts.append(_operations(document["paths"], schemas))
    return _HEAD + "\n".join(parts)


def _declared(name: str, schema: dict[str, Any]) -> str:
    said = _comment(schema.get("description"))
    if schema.get("type") == "object" and "properties" in schema:
        return f"{said}export interface {name} {_type(schema)}\n"
    return f"{said}export type {name} = {_type(schema)};\n"


def _comment(text: str | None) -> str:
    """JSDoc, on lines of its own."""
    if not text:
        return ""
    lines = wrap(" ".join(text.replace("*/", "* /").split()), _WIDTH - 8)
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _type(schema: dict[str, Any]) -> str:
    """The type of what fits the schema."""
    found = "unknown"
    match schema:
        case {"$ref": str(reference)}:
            found = reference.rpartition("/")[2]
        case {"const": value}:
            found = json.dumps(value)
        case {"enum": [*values]}:
            found = _union(json.dumps(value) for value in values)
            if values in _OPEN:
                found += " | (string & {})"  # so an editor still proposes the others
        case {"oneOf": [*members]} | {"anyOf": [*members]}:
            found = _union(map(_type, members))
        case {"type": "array", "items": items}:
            item = _type(items)
            found = f"({item})[]" if "|" in item else f"{item}[]"
        case {"type": "object", "properties": _}:
            found = _object(schema)
        case {"type": "object"}:
            found = f"Record<string, {_further(schema)}>"
        case {"type": "string", "not": {"enum": _}}:
            found = "Later"
        case {"type": str(name)}:
            found = _JSON[name]
        case {"type": [*names]}:
            found = _union(_JSON[name] for name in names)
    return found


def _union(members: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(members))


def _further(schema: dict[str, Any]) -> str:
    further = schema.get("additionalProperties", True)
    return "unknown" if further is True else _type(further)


def _object(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    members = [
        _member(name, _type(member), name in required, member.get("description"))
        for name, member in schema["properties"].items()
    ]
    if schema.get("additionalProperties") is True:
        members.append("[member: string]: unknown;\n")
    if schema["properties"].keys() >= set(PLATFORMS):
        members_of = (_type(member).split(" | ") for member in schema["properties"].values())
        kinds = _union(kind for kinds in members_of for kind in kinds)
        about = "The path for another platform of the service."
        members.append(f"{_comment(about)}[platform: string]: {kinds} | undefined;\n")
    return "{\n" + indent("".join(members), "  ") + "}"


def _member(name: str, type_: str, required: bool, description: str | None = None) -> str:
    key = name if _IDENTIFIER.fullmatch(name) else json.dumps(name)
    return f"{_comment(description)}{key}{'' if required else '?'}: {type_};\n"


def _operations(paths: dict[str, Any], schemas: dict[str, Any]) -> str:
    methods = [
        f"{_comment(operation['summary'] + '.')}{_method(operation, schemas)}"
        for operations in paths.values()
        for operation in operations.values()
    ]
    said = "/** The methods that a client has for the operations of the service. */\n"
    members = indent("\n".join(methods), "  ")
    return f"{said}export interface Operations {{\n{members}}}\n"


def _method(operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    members = list(_parameters(operation, schemas))
    given = ""
    if members:
        is_optional = all(optional for optional, _ in members)
        inner = indent("".join(member for _, member in members), "    ")
        given = f"  parameters{'?' if is_optional else ''}: {{\n{inner}  }},\n"
    else:
        given = "  parameters?: Record<string, never>,\n"
    answer = f"Promise<{_answer(operation)}>"
    return f"{operation['operationId']}(\n{given}  options?: CallOptions,\n): {answer};\n"


def _parameters(operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[tuple[bool, str]]:
    """Whether each may be left out, and its line."""
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "header":
            # An option of every call has them: `seen`.
            continue
        name, description = parameter["name"], parameter.get("description", "")
        type_ = _type(parameter["schema"])
        if description.startswith(_COMMA_LIST):
            type_ += " | readonly string[]"
        is_optional = not parameter["required"]
        if name == "userId":
            is_optional, description = True, "the caller's own where it is left out"
        if is_optional:
            type_ += " | undefined"
        yield is_optional, _member(name, type_, not is_optional, description)
    if "requestBody" in operation:
        (content,) = operation["requestBody"]["content"].values()
        type_ = _type(content["schema"])
        key = operation.get("x-idempotency-key")
        if key is not None:
            type_ = " | ".join(_keyed(each, key, schemas) for each in type_.split(" | "))
        needed = operation["requestBody"]["required"]
        type_ += "" if needed else " | undefined"
        yield not needed, _member("body", type_, needed)


def _keyed(body: str, key: str, schemas: dict[str, Any]) -> str:
    """The type of a body whose member `key` the client makes where it is missing."""
    if key not in schemas[body]["required"]:
        return body
    return f'(Omit<{body}, "{key}"> & Partial<Pick<{body}, "{key}">>)'


def _answer(operation: dict[str, Any]) -> str:
    answers = [_answered(operation["responses"].get(status)) for status in _SUCCESSES]
    return " | ".join(answer for answer in answers if answer)


def _answered(response: dict[str, Any] | None) -> str:
    """The type of an answer; of none that there is not."""
    if response is None:
        return ""
    if "content" not in response:
        return "Created" if "Location" in response.get("headers", {}) else "undefined"
    (content,) = response["content"].values()
    return _type(content["schema"])
