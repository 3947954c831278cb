"""The types that the Structs of all domains are made of."""

import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType


def described(
    text: str, *, bits: int | None = None, examples: Sequence[object] | None = None
) -> Meta:
    """The description of a type in the OpenAPI document, the width of an integer in bits, and
    examples. The words of errors do not contain it."""
    more: dict[str, object] = {} if bits is None else {"format": f"int{bits}"}
    if examples is not None:
        more["examples"] = [*examples]
    return Meta(extra_json_schema={"description": text, **more})


GUID_PATTERN = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"

Guid = Annotated[
    str,
    Meta(
        pattern=GUID_PATTERN,
        description="a GUID with dashes",
        extra={"case": "lower"},
        extra_json_schema={"format": "uuid"},
    ),
]
"""A GUID in a request (conventions#identifiers). It may come in any case; decoding makes it lower
case."""


Id = Annotated[
    str,
    Meta(description="a GUID with dashes, in lower case", extra_json_schema={"format": "uuid"}),
]
"""A GUID in an answer, as it is stored."""

Seconds = Annotated[
    int, Meta(description="Unix seconds", extra_json_schema={"examples": [1_767_225_600]})
]
"""A time in an answer, in Unix seconds."""

Count = Annotated[int, Meta(description="how many", extra_json_schema={"format": "int32"})]
"""A number of things in an answer, which the database counts with 32 bits."""

JsonObject = Annotated[Raw, Meta(extra_json_schema={"type": "object", "examples": [{"level": 3}]})]
"""A JSON object as raw text, which is not decoded."""

SHOWN = Meta(extra={"shown": True})
"""Marks a member that every answer has, although it has a default in its Struct."""

ADDED = Meta(extra={"added": True})
"""Marks a member of a Record that is not a column of the row: the handler sets it."""

TYPED = Meta(extra={"typed": True})
"""Marks a name or an address that a person types (accounts#typed-text). Decoding removes the blanks
at its ends before it checks anything."""
_UNSEEN = (
    r"\s\x00-\x1f\x7f-\x9f\u2800\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that cannot be seen: blanks, control characters, Unicode's
Default_Ignorable_Code_Point, and the empty pattern of Braille."""
_SEGMENT = r"(?!\.{1,2}(?:/|\Z))[^/\\\x00-\x1f\x7f-\x9f]+"
MEDIA_PATTERN = rf"^{_SEGMENT}(?:/{_SEGMENT})*\Z"

_NOT_IN_NAMES = r"/\\\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that a file name must not have (files#names): slashes, control characters, and those
that change the direction of text. With these, `exe.gpj` can look like `jpg.exe`."""
_FILE_NAME = rf"^(?!\.{{1,2}}\Z)[^{_NOT_IN_NAMES}]*[^{_NOT_IN_NAMES}{_UNSEEN}][^{_NOT_IN_NAMES}]*\Z"
_LONGEST_NAME = 255

Key = Annotated[str, Meta(min_length=1, max_length=256)]
NOT_BLANK = Meta(pattern=f"[^{_UNSEEN}]", description="a name that is not blank")
Name = Annotated[str, Meta(min_length=1, max_length=256, examples=["Castle run"]), NOT_BLANK]
FileName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=_LONGEST_NAME,
        pattern=_FILE_NAME,
        description="a name of a file, not blank, not . or .., without slashes, backslashes, "
        "control characters and those that turn the direction of text",
        examples=["tower.zip"],
    ),
]
Title = Annotated[str, Meta(min_length=1, max_length=1024), NOT_BLANK]
Line = Annotated[str, Meta(max_length=1024)]
MediaPath = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        pattern=MEDIA_PATTERN,
        description="a relative path without empty, . or .. segments, without backslashes and "
        "control characters",
        examples=["shots/0e1f7a52.png"],
    ),
]
"""A path in a request, relative to the media or the content bucket (conventions#requests). Answers
may have paths that break the rule, because they are older than it."""
Text = Annotated[str, Meta(max_length=65_536)]

Timestamp = Annotated[
    int, Meta(ge=-(2**53), le=2**53, description="a whole number of Unix seconds")
]
"""A time in a request, in whole Unix seconds."""
Page = Annotated[int, Meta(ge=0, le=2**31 - 1, description="a page number: 0 is the first")]


_GUID = GUID_PATTERN.removeprefix("^").removesuffix(r"\Z")
MOST_IDS = 100
Ids = Annotated[
    str,
    Meta(
        description=f"a comma list of 1 to {MOST_IDS} ids",
        extra_json_schema={
            "pattern": rf"^{_GUID}(,{_GUID}){{0,{MOST_IDS - 1}}}\Z",
            "examples": ["0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"],
        },
    ),
]
"""A comma list of GUIDs, at most MOST_IDS. The handler splits it, and reports what is wrong."""
NUMBER = r"^[0-9]{1,18}\Z"
CURSOR = Meta(
    min_length=1,
    max_length=64,
    description="a cursor, from the Link header of the part before",
)
"""A cursor of a list (conventions#lists). Its pattern is only in the document; the handler reports
a cursor that does not fit."""


PageNumber = Annotated[int, described("the number of the page: 0 is the first", bits=32)]
PageSize = Annotated[int, described("the most on a page", bits=32)]
"""PageNumber and PageSize are for answers."""
Limit = Annotated[int, Meta(ge=1, le=200, description="a number: the most items of the answer")]


_NO_NAME = re.compile(rf"[{_NOT_IN_NAMES}\ud800-\udfff]")


def file_name(text: str, ending: str = "") -> str:
    """A valid FileName (files#names): `text`, then `ending`. Each character that a name must not
    have becomes `_`. A text that is too long is cut before the ending. `_` if the result is still
    no valid name."""
    name = _NO_NAME.sub("_", text)[: _LONGEST_NAME - len(ending)] + ending
    return name if re.match(_FILE_NAME, name) else "_"


def tag_of(struct: Struct | type[Struct]) -> str:
    """The tag of a tagged Struct: the value in its JSON that says which Struct it is."""
    return str(struct.__struct_config__.tag)


class Wire(Struct, rename="camel", kw_only=True):
    """A request body or a query string."""


class Record(Struct, rename="camel"):
    """A part of an answer. It is built from a row's columns, in the order of the fields."""


class Paging(Wire):
    """`limit` and the opaque cursor `after` (conventions#lists). Without them the whole list is
    returned."""

    limit: Limit | None = None
    after: Annotated[str, CURSOR, Meta(extra_json_schema={"pattern": NUMBER})] | None = None


class Part(Paging):
    """A part of a list that is never returned whole: `limit`, and the opaque cursor `after`."""

    limit: Limit = 50


class SortedPart(Part):
    """A Part of a list that is not ordered by one number, so that its cursor is longer."""

    after: (
        Annotated[str, CURSOR, Meta(extra_json_schema={"pattern": r"^[A-Za-z0-9_-]{16,27}\Z"})]
        | None
    ) = None


WRITES: Final = frozenset({"disk", "read_only"})
"""The reasons for which the process cannot write, but can still read."""


class Live(Record):
    """The process responds."""

    status: Literal["live"] = "live"


class Ready(Record):
    """The process can serve. If it is `degraded` only reads succeed, for these `reasons`."""

    status: Literal["ready", "degraded"] = "ready"
    reasons: list[str] | UnsetType = UNSET


def ready(missing: Sequence[str]) -> Ready | None:
    """The answer of the health check: `missing` are the reasons for which the process is not ready.
    None if it cannot even read."""
    if not missing:
        return Ready()
    return Ready("degraded", list(missing)) if WRITES.issuperset(missing) else None
