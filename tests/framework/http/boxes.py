"""Families for the tests of requests: one takes bodies, the other its time."""

from msgspec import Struct
from twisted.internet.defer import Deferred

from contentsvc.framework.http.body_reader import BODY_LIMIT
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route

BIG = 2 * BODY_LIMIT


class Box(Struct):
    text: str


class Lid(Struct):
    size: int


class Boxes:
    """Takes texts of two sizes."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    @route("PUT", "/small", allow=ANYONE)
    async def small(self, call: Call, body: Box) -> None:
        self.taken.append(body.text)

    @route("PUT", "/big", allow=ANYONE, limit=BIG)
    async def big(self, call: Call, body: Box) -> None:
        self.taken.append(body.text)

    @route("GET", "/small", allow=ANYONE)
    async def get_box(self, call: Call) -> list[str]:
        return self.taken


class Forms:
    """Takes texts as forms."""

    @route("POST", "/form", allow=ANYONE)
    async def form(self, call: Call, form: Box) -> None: ...


def body_of(size: int) -> bytes:
    """A Box of exactly this many bytes."""
    return b'{"text":"%s"}' % (b"x" * (size - len(b'{"text":""}')))


class Waits:
    """Does something, waits until `go` fires, and does the rest."""

    def __init__(self) -> None:
        self.go: Deferred[None] = Deferred()
        self.done: list[str] = []

    @route("PUT", "/wait", allow=ANYONE)
    async def wait(self, call: Call) -> None:
        await self.go
        self.done.append("waited")

    @route("PUT", "/late", allow=ANYONE)
    async def late(self, call: Call, body: Either[Box | Lid]) -> None:
        await self.go
        self.done.append(body.decode(Box).text)
