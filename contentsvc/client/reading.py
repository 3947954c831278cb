"""Lists and notifications, open to what later versions may add."""

from typing import Generic, NamedTuple, TypeVar

from msgspec import DecodeError, Raw, Struct, field, json

from contentsvc.wire.notifications import AnyNotification

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """A list, or a part of it: then `after` is the cursor that asks for what follows."""

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
    """One notification. Raises DecodeError only where it is no notification at all."""
    try:
        return _known.decode(data)
    except DecodeError:
        it = _common.decode(data)
        return UnknownNotification(it.id, it.kind, it.created, it.read, bytes(data))
