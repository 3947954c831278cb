"""The types that the families' Structs are made of."""

from typing import Annotated

from msgspec import Meta, Struct

GUID_PATTERN = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"

Guid = Annotated[str, Meta(pattern=GUID_PATTERN, description="a GUID with dashes")]
"""An identifier (spec §1): any case is taken; what Postgres hands back is lower case."""

Name = Annotated[str, Meta(min_length=1, max_length=256)]
Line = Annotated[str, Meta(max_length=1024)]
MediaPath = Annotated[str, Meta(min_length=1, max_length=1024)]
"""A path relative to the media or content bucket."""
Text = Annotated[str, Meta(max_length=65_536)]

Timestamp = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""Whole Unix seconds."""
Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Page = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Wire(Struct, rename="camel", kw_only=True):
    """A request body or a query string."""


class Record(Struct, rename="camel"):
    """What an answer is made of; built from a row's columns in the order of the fields."""


class Paging(Wire):
    """`limit` and the opaque cursor `after`: without them a list is given whole."""

    limit: Annotated[int, Meta(ge=1, le=200)] | None = None
    after: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
