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
    """A log-in that goes on; `created` and `used` in Unix seconds. `current` is true for
    the one that asks."""

    id: str
    created: int
    used: int
    current: bool
