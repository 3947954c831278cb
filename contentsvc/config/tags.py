"""The file of the option `tags`: the tags that a studio offers, in groups."""

import re
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from contentsvc.framework.config.toml_files import (
    Files,
    Label,
    LabelText,
    Line,
    read_toml,
    refused,
)
from contentsvc.framework.core.folding import compared

MOST_GROUPS: Final = 32
MOST_TAGS: Final = 200
_KEY = re.compile("[a-z0-9_-]{1,32}")
_TYPE = re.compile("[a-z0-9_]{1,32}")


class _Tag(Struct, forbid_unknown_fields=True):
    name: Line
    label: LabelText | None = None


class _Group(Struct, forbid_unknown_fields=True):
    key: str
    label: LabelText
    tags: Annotated[list[_Tag], Meta(min_length=1, max_length=MOST_TAGS)]
    types: Annotated[list[str], Meta(min_length=1, max_length=64)] | None = None
    most: Annotated[int, Meta(ge=1, le=MOST_TAGS)] | None = None
    staff: bool = False


class _File(Struct, forbid_unknown_fields=True):
    free: bool = True
    groups: Annotated[list[_Group], Meta(max_length=MOST_GROUPS)] = []


class Tag(NamedTuple):
    """A tag of a group."""

    name: str
    label: Label


class Group(NamedTuple):
    """Tags that belong together: only of these types, and so many of a content; None: all. Those of
    `staff` only curators give."""

    key: str
    label: Label
    tags: tuple[Tag, ...]
    types: tuple[str, ...] | None = None
    most: int | None = None
    staff: bool = False


class TagsFile(NamedTuple):
    """What the file says. With `free` tags of no group are allowed too."""

    free: bool = True
    groups: tuple[Group, ...] = ()


def read(files: Files, path: Path) -> TagsFile:
    """Read the file. Raises FileError."""
    file = read_toml(files, path, _File)
    keys: set[str] = set()
    tags: dict[str, str] = {}
    for n, group in enumerate(file.groups):
        where = f"groups[{n}].key"
        if not _KEY.fullmatch(group.key):
            raise refused(path, where, f"{group.key!r} is not 1 to 32 of a-z, 0-9, _ and -")
        if group.key in keys:
            raise refused(path, where, f"{group.key!r} is that of another group")
        keys.add(group.key)
        for type in group.types or ():
            if not _TYPE.fullmatch(type):
                reason = f"{type!r} is no type: 1 to 32 of a-z, 0-9 and _"
                raise refused(path, f"groups[{n}].types", reason)
        for m, tag in enumerate(group.tags):
            where = f"groups[{n}].tags[{m}].name"
            if "," in tag.name:
                raise refused(path, where, f"{tag.name!r} has a comma")
            if tag.name != tag.name.strip():
                raise refused(path, where, f"{tag.name!r} has blanks at its ends")
            if (same := compared(tag.name)) in tags:
                raise refused(
                    path, where, f"{tag.name!r} is {tags[same]!r}, which is there already"
                )
            tags[same] = tag.name
    return TagsFile(file.free, tuple(map(_group, file.groups)))


def _group(group: _Group) -> Group:
    return Group(
        group.key,
        Label.of(group.label),
        tuple(Tag(tag.name, Label.of(tag.label or tag.name)) for tag in group.tags),
        None if group.types is None else tuple(group.types),
        group.most,
        group.staff,
    )
