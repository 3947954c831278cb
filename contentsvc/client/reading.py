"""Lists and notifications. Later versions of the service may add members and kinds."""

from typing import Generic, NamedTuple, TypeVar

from msgspec import DecodeError, Raw, Struct, field, json

from contentsvc.wire.notifications import AnyNotification

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """A list, or a part of one. `after` is the cursor of the next part, None at the end."""

    items: list[T]
    after: str | None


class Seen:
    """How something was when it was read. Give a new one to what reads it, and the same one to what
    replaces it: that is refused with ApiError (`precondition_failed`) if it has changed since
    (extensions §9). `etag` is the validator; `Seen("*")` holds for whatever is there."""

    def __init__(self, etag: str | None = None) -> None:
        self.etag = etag

    @property
    def match(self) -> str:
        """What If-Match sends. Raises ValueError if nothing was read with it."""
        if self.etag is None:
            raise ValueError("nothing was read with this: give it to the method that reads, first")
        return self.etag


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
