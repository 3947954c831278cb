"""Each operation of a service with platforms and types of its own, and without those of the
specification: content#platforms and content#types."""

from __future__ import annotations

from tests.spec import data
from tests.spec.matrix import test_permissions
from tests.support import daemon
from tests.support.daemon import Daemon

PLATFORMS = ("ps5", "win64", "retro")
OPTIONS = (
    *("--platforms", ",".join(PLATFORMS)),
    *("--specified-types", "no", "--content-types", "map,level"),
)


class OwnTests(test_permissions.AllowedTests):
    """Each goes through for whom it is."""

    async def connect(self) -> None:
        self.own_daemon()
        self.patch(data, "GAME", "map")
        self.patch(data, "PLATFORMS", PLATFORMS)
        self.use(await daemon.shared("own matrix", lambda: Daemon(*OPTIONS)))
