"""Friends, requests for friendship, and blocks (extensions §4)."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from contentsvc.wire.base import Part, Record, Seconds
from contentsvc.wire.users import UserInfo

Direction = Literal["incoming", "outgoing"]
ShownDirection = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Direction))})]
"""In answers: a client takes what a later release may add."""


class Friend(Record):
    """A friend, and since when."""

    user: UserInfo
    since: Seconds


class PendingRequest(Record):
    """A request for friendship that has no answer. `incoming`: `user` has asked. `outgoing`: `user`
    was asked."""

    user: UserInfo
    direction: ShownDirection
    created: Seconds


class RequestsQuery(Part):
    """The requests to list: those of one direction, or all."""

    direction: (
        Annotated[
            Direction,
            Meta(description="`incoming`: the others have asked; `outgoing`: the user has asked"),
        ]
        | None
    ) = None


class BlockedUser(Record):
    """A user who is blocked, and since when."""

    user: UserInfo
    since: Seconds
