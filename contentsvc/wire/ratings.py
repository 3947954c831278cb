"""Ratings: spec §4.13, §4.14."""

from typing import Literal

from contentsvc.wire.base import Guid, Id, Wire

Vote = Literal["1", "0"]
"""An up-vote, a down-vote."""
RatingMap = dict[Id, Vote]
"""Answer of spec §4.14: a user's votes by the ids of the content."""


class RatingBody(Wire):
    """A rating (spec §4.13). The ids may be missing; if present, they repeat the path."""

    value: Vote
    account_id: Guid | None = None
    content_id: Guid | None = None
