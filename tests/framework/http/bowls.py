"""A site at which bodies go on to a sink."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.framework.http.app import Api
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.request import ApiRequest
from tests.framework.http.boxes import Boxes
from tests.framework.http.support import Client, WebCase, authenticate, operations, site_of, unknown


class Bowl:
    """A sink that takes what it is given when it is told to."""

    def __init__(self) -> None:
        self.admission: Deferred[None] = Deferred()
        self.given: list[int] = []
        self.whole = bytearray()
        self.taking: Deferred[None] | None = None
        self.quick = False
        self.discarded = 0

    async def admit(self) -> None:
        await self.admission

    async def write(self, data: bytearray) -> None:
        assert self.taking is None, "one at a time"
        self.given.append(len(data))
        self.whole += data
        if not self.quick:
            self.taking = Deferred()
            await self.taking

    def discard(self) -> None:
        self.discarded += 1

    def take(self, error: Exception | None = None) -> None:
        """Be done with what was given last."""
        taking, self.taking = self.taking, None
        assert taking is not None
        if error is None:
            taking.callback(None)
        else:
            taking.errback(error)


class Tree:
    """An API, and bowls at /bowl."""

    def __init__(self, api: Api, reply: Reply) -> None:
        self._api = api
        self._reply = reply
        self.bowls: list[Bowl] = []
        self.next = Bowl

    def judge(self, request: ApiRequest) -> int:
        if request.path != b"/bowl":
            return self._api.judge(request)
        request.route = "/bowl"
        bowl = request.sink = self.next()
        self.bowls.append(bowl)
        request.judged = bowl
        return request.length or 0

    def render(self, request: ApiRequest) -> None:
        if request.path == b"/bowl":
            Deferred.fromCoroutine(self._serve(request))
        else:
            self._api.render(request)

    async def _serve(self, request: ApiRequest) -> None:
        try:
            assert request.streamed_body is not None
            await request.streamed_body.whole()
            self._reply.result(request, None)
        except Problem as problem:
            self._reply.problem(request, problem)


class ArrivalCase(WebCase):
    def setUp(self) -> None:
        self.clock = Clock()
        reply = Reply(["*"], lambda cause: None)
        api = Api(authenticate, unknown, reply)
        self.boxes = Boxes()
        api.mount(operations([self.boxes]), [self.boxes])
        self.tree = Tree(api, reply)
        self.site = site_of(
            self.tree, self.clock, judge=self.tree.judge, refuse=api.refuse, body_timeout=30.0
        )
        self.client = Client(self.site)

    @property
    def bowl(self) -> Bowl:
        """The one that was used last."""
        return self.tree.bowls[-1]

    def begin(self, size: int, client: Client | None = None, **headers: str) -> Bowl:
        """Send the head of an upload."""
        (client or self.client).ask("PUT", "/bowl", Content_Length=str(size), **headers)
        return self.bowl

    def admitted(self, size: int, **headers: str) -> Bowl:
        """An upload that has been admitted."""
        bowl = self.begin(size, **headers)
        bowl.admission.callback(None)
        return bowl

    @property
    def paused(self) -> bool:
        """Whether the client must wait."""
        return self.client.transport.producerState == "paused"

    def over(self) -> None:
        """Assert that nothing is left of it."""
        self.assertEqual(self.site.held.size, 0)
        self.assertEqual(len(self.site.traffic.active), 0)
