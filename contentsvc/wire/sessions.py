"""Sessions and their sockets: spec §4.19."""

from typing import Literal

from contentsvc.wire.base import Id, Record, Seconds, Wire

ClientType = Literal["game", "portal"]


class ConnectBody(Wire):
    """The kind of client (spec §4.19): the game, or the portal web site."""

    client: ClientType


class ConnectAnswer(Wire):
    """The URL of the socket, and a token for it (spec §4.19)."""

    socket_url: str
    access_token: str


class Session(Record):
    """A log-in that has not ended. `current` is true for the log-in of this request."""

    id: Id
    created: Seconds
    used: Seconds
    current: bool
