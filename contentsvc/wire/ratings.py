"""Ratings: spec §4.13, §4.14."""

from typing import Literal

from contentsvc.wire.base import Guid, Wire


class RatingBody(Wire):
    """Body of spec §4.13; the identifiers repeat the path and may be left out."""

    value: Literal["1", "0"]
    account_id: Guid | None = None
    content_id: Guid | None = None
