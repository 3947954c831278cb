"""Maintenance: which requests are refused, and what they are told."""

from typing import Any

from twisted.internet.task import Clock

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import UnderMaintenance
from contentsvc.framework.http.maintenance import AGAIN, Announced, Maintenance
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.roles import ADMINISTER
from tests.framework.http.support import Answer, Service, WebCase


class Shop:
    """A family with a read, a write, and what only staff does."""

    @route("GET", "/shop", allow=ANYONE)
    async def get_shop(self, call: Call) -> str:
        return "open"

    @route("PUT", "/shop", allow=SIGNED_IN)
    async def put_shop(self, call: Call) -> None: ...

    @route("DELETE", "/shop", allow=ADMINISTER)
    async def delete_shop(self, call: Call) -> None: ...


class Health:
    """A family at the path of health."""

    @route("GET", "/health/live", allow=ANYONE)
    async def check_liveness(self, call: Call) -> str:
        return "live"


class MaintenanceTests(WebCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.maintenance = Maintenance(self.clock)
        self.service = Service([Shop(), Health()], maintenance=self.maintenance)

    def close(self, **changes: Any) -> None:
        """Close the service."""
        said: dict[str, Any] = {"message": None, "until": None, "reads": False, "left": None}
        self.maintenance.set(Announced(**said | changes))

    def ask(self, method: str, token: str | None = None, path: str = "/shop") -> Answer:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.service.ask(method, path, **headers)

    def test_refused(self) -> None:
        """A player's request, or anybody's, is 503 `maintenance` with the words of the operator."""
        self.close(message="Wir <b>bauen</b>\u202e um", until=1_800_000_000, left=3600.0)
        for method, token in (("GET", None), ("HEAD", None), ("GET", "ann"), ("PUT", "ann")):
            self.assertEqual(self.ask(method, token).status, 503)
        problem = self.problem(self.ask("GET"), 503, "maintenance")
        self.assertEqual(problem["message"], "Wir <b>bauen</b>\u202e um")
        self.assertEqual(problem["until"], 1_800_000_000)

    def test_nothing_said(self) -> None:
        """Without words and an end both members are null."""
        self.close()
        problem = self.problem(self.ask("GET"), 503, "maintenance")
        self.assertEqual((problem["message"], problem["until"]), (None, None))

    def test_staff(self) -> None:
        """Who has any permission goes on."""
        self.close()
        self.assertEqual(self.ask("DELETE", "root").status, 204)
        self.assertEqual(self.ask("GET", "root").status, 200)

    def test_bad_token(self) -> None:
        """A bad token is 401 as ever, so that staff renews its own."""
        self.close()
        self.problem(self.ask("GET", "nobody"), 401, "invalid_token")

    def test_before_permission(self) -> None:
        """It comes before what only staff may do is refused, and before a missing token."""
        self.close()
        self.problem(self.ask("DELETE", "ann"), 503, "maintenance")
        self.problem(self.ask("PUT"), 503, "maintenance")

    def test_reads(self) -> None:
        """With `reads` GET and HEAD are answered, and nothing else is."""
        self.close(reads=True)
        self.assertEqual([self.ask(method).status for method in ("GET", "HEAD")], [200, 200])
        self.problem(self.ask("PUT", "ann"), 503, "maintenance")

    def test_passes(self) -> None:
        """Health and OPTIONS are answered, and what is not there is 404."""
        self.close()
        self.assertEqual(self.ask("GET", path="/health/live").status, 200)
        self.assertEqual(self.ask("OPTIONS").status, 204)
        self.problem(self.ask("GET", path="/nowhere"), 404, "not_found")

    def test_opened(self) -> None:
        """When it has ended, all requests are answered."""
        self.close()
        self.maintenance.set(None)
        self.assertEqual(self.ask("GET").status, 200)
        self.assertFalse(self.maintenance.on)

    def test_signed(self) -> None:
        """A URL that was given before takes no upload; who got one since is of the staff."""
        self.clock.advance(100)
        self.maintenance.check_signed(50)
        self.close()
        self.clock.advance(60)
        self.close(message="It takes longer.")
        for age in (60, 61, 3000):
            self.assertRaises(UnderMaintenance, self.maintenance.check_signed, age)
        self.maintenance.check_signed(50)
        self.maintenance.set(None)
        self.maintenance.check_signed(3000)

    def test_signed_elsewhere(self) -> None:
        """A process that starts amid it takes uploads to what another has given since it began."""
        self.close(age=600.0)
        self.maintenance.check_signed(300)
        self.assertRaises(UnderMaintenance, self.maintenance.check_signed, 601)

    def test_cause(self) -> None:
        """The log of 503s names it."""
        self.close()
        self.ask("GET")
        self.assertEqual(self.service.causes, ["maintenance"])


class RetryTests(WebCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.maintenance = Maintenance(self.clock)

    def left(self, left: float | None) -> int:
        """When to try again if so many seconds are left."""
        self.maintenance.set(Announced(None, 1, False, left))
        return self.maintenance.retry_after

    def test_end(self) -> None:
        """It is the time that is left, rounded up, and at least a second."""
        self.assertEqual([self.left(30.5), self.left(0.2)], [31, 1])
        self.left(30.0)
        self.clock.advance(20.5)
        self.assertEqual(self.maintenance.retry_after, 10)
        self.clock.advance(20)
        self.assertEqual(self.maintenance.retry_after, 1)

    def test_long(self) -> None:
        """It is no more than a minute, because the service may open earlier."""
        self.assertEqual([self.left(7200.0), self.left(None)], [AGAIN, AGAIN])
