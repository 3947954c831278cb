"""SQL that puts the JSON of a Struct together from columns.

A list of 50 objects of 24 values each costs more to parse, make and encode again than all the
rest of its request. As text it is one value.
"""

from collections.abc import Collection, Mapping
from types import UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

_NONE: Final = type(None)


def json_object(
    struct: type[Struct], columns: Mapping[str, str], unescaped: Collection[str] = ()
) -> str:
    """The SQL of the JSON of a `struct`, a text, from the SQL of each of its `columns`. A Struct in
    it has its columns there, too, or one of its own name that is JSON. A field without a column is
    left out. The texts of `unescaped` columns have no character that JSON escapes: GUIDs and names
    of the service's own. Other texts are the last members, and the `struct`'s own: one call of the
    database escapes all of them, but those that the `struct` leaves out when they are None.

    Raises TypeError for a column that no field has, and for another text that may be unset or is in
    a Struct in it.
    """
    left, texts = dict(columns), _Texts({}, {})
    parts = ["{", *_members(struct, left, unescaped, texts)]
    if left:
        raise TypeError(f"{struct.__name__} has no {sorted(left)}")
    parts += [
        _Sql(f"""',"{name}":' || to_json({sql}::text)::text""") for name, sql in texts.given.items()
    ]
    if len(texts.always) > 1:
        names, values = ",".join(texts.always), ", ".join(texts.always.values())
        escaped = f"json_object('{{{names}}}', array[{values}])::text"
        return f"concat({', '.join(_merged([*parts, ',', _Sql(f'right({escaped}, -1)')]))})"
    for name, sql in texts.always.items():
        parts += [f',"{name}":', _Sql(f"coalesce(to_json({sql}::text)::text, 'null')")]
    return f"concat({', '.join(_merged([*parts, '}']))})"


class _Texts(NamedTuple):
    """The SQL of texts to escape, by the names of their members: those that are `always` there, and
    those that are there if they are `given`."""

    always: dict[str, str]
    given: dict[str, str]


class _Sql(str):
    """SQL, where other parts are text."""

    __slots__ = ()


def _members(
    struct: type[Struct],
    columns: dict[str, str],
    unescaped: Collection[str],
    texts: _Texts | None,
) -> list[str]:
    """The members that need no escaping. The others go to `texts`."""
    hints = get_type_hints(struct)
    parts: list[str] = []
    value: list[str]
    for field in structs.fields(struct):
        hint = hints[field.name]
        if isinstance(hint, type) and issubclass(hint, Struct):
            if field.name in columns:
                value = [_Sql(columns.pop(field.name))]
            else:
                value = ["{", *_members(hint, columns, unescaped, None), "}"]
        elif field.name not in columns:
            continue
        elif str in _types(hint) and field.name not in unescaped:
            if texts is None or not {str, _NONE}.issuperset(_types(hint)):
                raise TypeError(f"{struct.__name__} cannot have the text {field.name}")
            left_out = struct.__struct_config__.omit_defaults and field.default is None
            to = texts.given if left_out else texts.always
            to[field.encode_name] = columns.pop(field.name)
            continue
        else:
            value = _value(_types(hint), columns.pop(field.name))
        parts += [f'{"," if parts else ""}"{field.encode_name}":', *value]
    return parts


def _types(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in {UnionType, Union} else (hint,)


def _value(types: tuple[Any, ...], sql: str) -> list[str]:
    if bool in types:
        return [_Sql(f"case when {sql} then 'true' else 'false' end")]
    if str not in types:
        return [_Sql(f"coalesce({sql}::text, 'null')" if _NONE in types else sql)]
    if _NONE in types:
        return [_Sql(f"""coalesce('"' || {sql} || '"', 'null')""")]
    return ['"', _Sql(sql), '"']


def _merged(parts: list[str]) -> list[str]:
    """The arguments of concat(): each costs as much as the text of a whole member."""
    merged: list[str] = []
    text = ""
    for part in parts:
        if isinstance(part, _Sql):
            merged += [f"'{text}'", part] if text else [part]
            text = ""
        else:
            text += part
    return [*merged, f"'{text}'"] if text else merged
