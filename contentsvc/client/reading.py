"""Lists and notifications. Later versions of the service may add members and kinds."""

from typing import Generic, NamedTuple, TypeVar

from msgspec import DecodeError, Raw, Struct, field, json

from contentsvc.wire.notifications import AnyNotification

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """A list, or a part of one. `after` is the cursor of the next part, None at the end."""

    items: list[T]
    after: str | None


class UnknownNotification(Struct, frozen=True):
    """A notification of a kind that this version does not know; `json` is all of it."""

    id: str
    kind: str
    created: int
    read: bool
    json: bytes = field(default=b"")


class _Common(Struct):
    id: str = ""
    kind: str = ""
    created: int = 0
    read: bool = False


_known: json.Decoder[AnyNotification] = json.Decoder(AnyNotification)
_common = json.Decoder(_Common)


def notification(data: bytes | Raw) -> AnyNotification | UnknownNotification:
    """Decode a notification. Raises DecodeError only if the data are none at all."""
    try:
        return _known.decode(data)
    except DecodeError:
        it = _common.decode(data)
        return UnknownNotification(it.id, it.kind, it.created, it.read, bytes(data))
