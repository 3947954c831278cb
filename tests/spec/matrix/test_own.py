"""Each operation of a service with platforms and types of its own, and without those of the
specification: content#platforms and content#types."""

from __future__ import annotations

from tests.spec import data
from tests.spec.matrix.base import MatrixCase
from tests.spec.matrix.operations import OPERATIONS, Operation, each
from tests.support import daemon
from tests.support.daemon import Daemon

PLATFORMS = ("ps5", "win64", "retro")
OPTIONS = (
    *("--platforms", ",".join(PLATFORMS)),
    *("--specified-types", "no", "--content-types", "map,level"),
)


@each(*OPERATIONS)
class OwnTests(MatrixCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.patch(data, "GAME", "map")
        self.patch(data, "PLATFORMS", PLATFORMS)
        self.use(await daemon.shared("own matrix", lambda: Daemon(*OPTIONS)))

    async def check(self, operation: Operation) -> None:
        """The operation goes through for whom it is."""
        for caller in operation.who.allowed:
            self.passed(operation, await self.send(operation, caller))
