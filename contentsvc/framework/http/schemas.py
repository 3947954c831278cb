"""JSON Schemas of Structs, for OpenAPI 3.1 and its clients.

They begin as msgspec's own. Patterns become those of ECMA-262; strings that are sent have no NUL. A
member that an answer always has is required, even if its Struct can be without it. Tagged unions
are `oneOf`, a single word is `const`, an integer has a format, and descriptions leave out words for
maintainers.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import NODEFAULT
from msgspec import inspect as types

Schema = dict[str, Any]

REF = "#/components/schemas/"
ID = "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"
"""The id in all examples."""
_ANY = r"[^\u0000]*"
NO_NUL = f"^{_ANY}$"
"""The pattern of a string that is sent: strings have no NUL."""
_SECTION = re.compile(r"\s*\([a-z]+#[^)]*\)")
_ASTRAL = re.compile(r"\\U([0-9a-fA-F]{8})")


class Union(NamedTuple):
    """A tagged union with a name of its own, and its description.

    Of an `open` one, a later release may send tags that are not known here. So it has a further
    member, for what has another tag: `UnknownNotification` for a Notification. Generators of
    clients make a type of it like any other. An extension such as x-extensible-enum only few of
    them know, and with a plain string beside the known tags the types cannot be distinguished.
    """

    type: Any
    about: str
    open: bool = False


class Schemas:
    """The schemas of input, as JSON or as a form, and of answers.

    `unions` become components of these names. A Struct that is in both is described as input.
    `change` may give each of them another form. Raises TypeError if two Structs have the same name.
    """

    def __init__(
        self,
        *,
        sent: Iterable[Any],
        forms: Sequence[type],
        answered: Iterable[Any],
        unions: Mapping[str, Union],
        change: Callable[[Schema], Schema] = lambda schema: schema,
    ) -> None:
        self._change = change
        names = {form.__name__ for form in forms}
        sent, answered = [*sent, *forms], list(answered)
        every = [*sent, *answered, *(union.type for union in unions.values())]
        structs = _named(every)
        _, raw = msgspec.json.schema_components(every, ref_template=REF + "{name}")
        only_answered = structs.keys() - _named(sent).keys()
        self._unions: dict[frozenset[str], str] = {}
        self.components: dict[str, Schema] = {
            name: self._component(
                structs[name], schema, answered=name in only_answered, form=name in names
            )
            for name, schema in raw.items()
        }
        for name, union in unions.items():
            schema = self._union(union.type)
            self._unions[_members(schema["oneOf"])] = name
            if union.open:
                self.components[f"Unknown{name}"] = self._unknown(f"Unknown{name}", schema)
                schema["oneOf"].append({"$ref": f"{REF}Unknown{name}"})
            self.components[name] = {"title": name, "description": union.about, **schema}
        # A type with one of the unions in it must refer to that union.
        for name in self.components.keys() - unions.keys():
            self.components[name] = self._mended(self.components[name])
        self.components = {
            name: self._changed(schema) for name, schema in sorted(self.components.items())
        }

    def _union(self, type: Any) -> Schema:
        """The schema of a tagged union, which may have one member so far."""
        schema = self.of(type)
        if "$ref" not in schema:
            return schema
        config = type.__struct_config__
        mapping = {config.tag: schema["$ref"]}
        discriminator = {"propertyName": config.tag_field, "mapping": mapping}
        return {"oneOf": [schema], "discriminator": discriminator}

    def of(self, type: Any) -> Schema:
        """The schema of a type, with references to components."""
        (schema,), _ = msgspec.json.schema_components([type], ref_template=REF + "{name}")
        changed: Schema = self._changed(self._mended(schema))
        return changed

    def parameters(self, type: Any) -> Iterator[tuple[str, bool, Schema]]:
        """Each parameter of a query or form: its name, whether it is needed, its schema without
        null."""
        _, components = msgspec.json.schema_components([type], ref_template=REF + "{name}")
        schema = components[type.__name__]
        for name, member in schema["properties"].items():
            found = _sent(self._mended(without_null(member)))
            yield name, name in schema["required"], self._changed(found)

    def _component(
        self, info: types.StructType, schema: Schema, *, answered: bool, form: bool
    ) -> Schema:
        mended: Schema = self._mended(schema)
        mended.pop("description", None)
        if about := description(info.cls):
            mended = {"title": mended.pop("title"), "description": about, **mended}
        if answered:
            self._require(info, mended)
        else:
            mended["properties"] = {
                name: _sent(member) for name, member in mended["properties"].items()
            }
        members = mended["properties"]
        for name, member in members.items():
            # To some generators, what has a default must be there. Ours are what a member's absence
            # means anyway: null, or nothing.
            plain = without_null(member) if form else member
            members[name] = {key: part for key, part in plain.items() if key != "default"}
        if not mended.get("required", True):
            del mended["required"]
        return mended

    def _unknown(self, name: str, union: Schema) -> Schema:
        """The schema of a value whose tag is not known. It has the members that all types of the
        union have."""
        tag, known = union["discriminator"]["propertyName"], union["discriminator"]["mapping"]
        first, *others = [self.components[ref.removeprefix(REF)] for ref in known.values()]
        shared = [
            member
            for member in first["required"]
            if member != tag
            and others
            and all(
                member in other["required"]
                and other["properties"][member] == first["properties"][member]
                for other in others
            )
        ]
        other_tag = {
            "description": f"a `{tag}` of a later release",
            "type": "string",
            "not": {"type": "string", "enum": list(known)},
        }
        return {
            "title": name,
            "description": f"One that this document does not know, by its `{tag}`. It may have any "
            "further members.",
            "type": "object",
            "properties": {tag: other_tag, **{m: first["properties"][m] for m in shared}},
            "required": [tag, *shared],
            "additionalProperties": True,
        }

    def _require(self, info: types.StructType, schema: Schema) -> None:
        """Require the members that an answer always has."""
        omits = info.cls.__struct_config__.omit_defaults
        required = [info.tag_field] if info.tag_field is not None else []
        for field in info.fields:
            member = schema["properties"][field.encode_name]
            # A member that is left out when it is UNSET has no default here.
            unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
            may_miss = not field.required and (omits or unset)
            if _is_shown(field.type) or not may_miss:
                required.append(field.encode_name)
            elif field.default is None:
                member = without_null(member)
            schema["properties"][field.encode_name] = member
        schema["required"] = required

    def _changed(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._changed(each) for each in value]
        if not isinstance(value, dict):
            return value
        return self._change(
            {
                key: inner if key in {"default", "examples"} else self._changed(inner)
                for key, inner in value.items()
            }
        )

    def _mended(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._mended(each) for each in value]
        if not isinstance(value, dict):
            return value
        schema = {
            key: inner if key in {"default", "examples"} else self._mended(inner)
            for key, inner in value.items()
        }
        if schema.get("type") == "integer" and "format" not in schema:
            schema["format"] = _width(schema)
        if isinstance(schema.get("pattern"), str):
            schema["pattern"] = _ecma(schema["pattern"])
        if isinstance(schema.get("enum"), list):
            if all(isinstance(word, str) for word in schema["enum"]):
                schema = {"type": "string", **schema}
            if len(schema["enum"]) == 1:
                schema["const"] = schema.pop("enum")[0]
        if schema.get("type") == "object" and not schema.keys() & {
            "properties",
            "additionalProperties",
        }:
            schema["additionalProperties"] = True
        if "discriminator" in schema and "anyOf" in schema:
            schema["oneOf"] = schema.pop("anyOf")
            schema["discriminator"] = schema.pop("discriminator")
        if "oneOf" in schema or "$ref" in schema:
            known = self._unions.get(_members(schema.get("oneOf", [schema])))
            if known is not None:
                return {"$ref": REF + known}
        return schema


def description(cls: type) -> str:
    """The description in a docstring, without its citations."""
    text = inspect.cleandoc(cls.__doc__ or "")
    # msgspec gives a Struct without one its signature.
    return "" if text.startswith(f"{cls.__name__}(") else prose(text)


def prose(text: str) -> str:
    """A docstring's text for clients: one line for each paragraph, without citations."""
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(_SECTION.sub("", paragraph) for paragraph in paragraphs)


def without_null(schema: Schema) -> Schema:
    """The schema of a member that is left out rather than null."""
    schema = {key: inner for key, inner in schema.items() if inner is not None}
    if "anyOf" not in schema:
        return schema
    parts = [part for part in schema.pop("anyOf") if part != {"type": "null"}]
    kinds = {part.get("type") for part in parts}
    if kinds == {"integer", "number"}:
        parts = [part for part in parts if part["type"] == "number"]
    return {**parts[0], **schema} if len(parts) == 1 else {"anyOf": parts, **schema}


def _sent(value: Any) -> Any:
    """The schema of a member that is sent, whose strings have no NUL."""
    if isinstance(value, list):
        return [_sent(each) for each in value]
    if not isinstance(value, dict):
        return value
    schema = {key: inner if key == "examples" else _sent(inner) for key, inner in value.items()}
    if schema.get("type") == "string" and not schema.keys() & {"enum", "const"}:
        pattern = schema.get("pattern", "")
        # A pattern of a whole string says of each character what it can be.
        if not pattern.startswith("^"):
            schema["pattern"] = f"^{_ANY}{pattern}{_ANY}$" if pattern else NO_NUL
    return schema


def _width(schema: Schema) -> str:
    """The format of an integer: int64, unless its bounds say that 32 bits are enough. Generators
    take 32 bits where there is no format, and what does not fit fails or is a wrong number."""
    small = schema.get("minimum", 0) >= -(2**31) and schema.get("maximum", 2**63) < 2**31
    return "int32" if small else "int64"


def _ecma(pattern: str) -> str:
    r"""Without \Z and \U, which Python alone has. The characters stand for themselves."""
    return _ASTRAL.sub(lambda match: chr(int(match[1], 16)), pattern.replace(r"\Z", "$"))


def _members(parts: list[Schema]) -> frozenset[str]:
    return frozenset(str(part.get("$ref")) for part in parts)


def _is_shown(info: types.Type) -> bool:
    return isinstance(info, types.Metadata) and bool((info.extra or {}).get("shown"))


def _named(roots: list[Any]) -> dict[str, types.StructType]:
    """Every Struct within these types, by its name. Raises TypeError."""
    found: dict[str, types.StructType] = {}
    for info in _structs(roots):
        name = info.cls.__name__
        if name in found:
            raise TypeError(f"two Structs have the name {name}, and the document would mix them up")
        found[name] = info
    return found


def _structs(roots: list[Any]) -> Iterator[types.StructType]:
    """Every Struct within these types, once."""
    seen: set[type] = set()
    waiting: list[Any] = list(types.multi_type_info(roots))
    while waiting:
        info = waiting.pop()
        if isinstance(info, types.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            yield info
            waiting += [field.type for field in info.fields]
        elif isinstance(info, types.UnionType):
            waiting += info.types
        elif isinstance(info, types.DictType):
            waiting += [info.key_type, info.value_type]
        elif isinstance(info, types.Metadata):
            waiting.append(info.type)
        elif isinstance(info, types.CollectionType):
            waiting.append(info.item_type)


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
