"""SQL that puts the JSON of a Struct together from columns.

A list of 50 objects of 24 values each costs more to take apart, make and encode again than all the
rest of its request. As text it is one value.
"""

from collections.abc import Collection, Mapping
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

_NONE: Final = type(None)


def json_object(
    struct: type[Struct], columns: Mapping[str, str], unescaped: Collection[str] = ()
) -> str:
    """The SQL of the JSON of a `struct`, a text, from the SQL of each of its `columns`. A Struct in
    it has its columns there, too. A field without a column is left out. The texts of `unescaped`
    columns have no character that JSON escapes: GUIDs and names of the service's own.

    Raises TypeError for a column that no field has.
    """
    left = dict(columns)
    parts = ["{", *_members(struct, left, unescaped), "}"]
    if left:
        raise TypeError(f"{struct.__name__} has no {sorted(left)}")
    return f"concat({', '.join(_merged(parts))})"


class _Sql(str):
    """SQL, where other parts are text."""

    __slots__ = ()


def _members(
    struct: type[Struct], columns: dict[str, str], unescaped: Collection[str]
) -> list[str]:
    hints = get_type_hints(struct)
    parts: list[str] = []
    for field in structs.fields(struct):
        hint = hints[field.name]
        if isinstance(hint, type) and issubclass(hint, Struct):
            value = ["{", *_members(hint, columns, unescaped), "}"]
        elif field.name in columns:
            value = _value(hint, columns.pop(field.name), escaped=field.name not in unescaped)
        else:
            continue
        parts += [f'{"," if parts else ""}"{field.encode_name}":', *value]
    return parts


def _value(hint: Any, sql: str, *, escaped: bool) -> list[str]:
    parts = set(get_args(hint)) if get_origin(hint) in {UnionType, Union} else {hint}
    if bool in parts:
        return [_Sql(f"case when {sql} then 'true' else 'false' end")]
    if str not in parts:
        return [_Sql(sql)]
    if _NONE in parts:
        quoted = f"to_json({sql})::text" if escaped else f"""'"' || {sql} || '"'"""
        return [_Sql(f"coalesce({quoted}, 'null')")]
    return [_Sql(f"to_json({sql})")] if escaped else ['"', _Sql(sql), '"']


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
    return [*merged, f"'{text}'"]
