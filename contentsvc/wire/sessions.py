"""Sessions and their sockets: spec §4.19."""

from typing import Literal

from contentsvc.wire.base import Record, Wire

ClientType = Literal["game", "portal"]


class ConnectBody(Wire):
    """Body of spec §4.19."""

    client: ClientType


class ConnectAnswer(Wire):
    """Answer of spec §4.19."""

    socket_url: str
    access_token: str


class Session(Record):
    """A log-in that has not ended; `created` and `used` in Unix seconds. `current` is true for the
    log-in that makes the request."""

    id: str
    created: int
    used: int
    current: bool
