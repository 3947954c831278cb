"""Sessions: spec §4.19."""

from urllib.parse import urlsplit

from tests.spec.client import open_socket
from tests.spec.data import claims
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONNECTION, HELLO


class SessionTests(SpecCase):
    """POST /api/v1/session/connect."""

    async def test_connect(self):
        """Spec §4.19: 200 with socketUrl and accessToken for clients game and portal."""
        for client in ("game", "portal"):
            self.shape(await self.session(await self.someone(), client), CONNECTION)

    async def test_access_token(self):
        """Spec §4.19: accessToken is a JWT; choices: for the socket, 60 seconds, one client."""
        user = await self.someone()
        found = claims((await self.session(user, "portal"))["accessToken"])
        known = {claim: found[claim] for claim in ("aud", "client", "sub", "sid")}
        sid = claims(user.token)["sid"]
        self.assertEqual({"aud": "socket", "client": "portal", "sub": user.id, "sid": sid}, known)
        self.assertEqual(60, found["exp"] - found["iat"])

    async def test_socket_url(self):
        """choices: socketUrl is built on the request's Host where no public URL is set."""
        self.own_daemon()
        found = await self.session(await self.someone())
        self.assertEqual(f"ws://{urlsplit(self.url).netloc}/socket", found["socketUrl"])

    async def test_opens_the_socket(self):
        """Spec §4.19: the token grants access to the socket at the URL."""
        found = await self.session(await self.someone())
        headers = {"Authorization": f"Bearer {found['accessToken']}"}
        socket = await open_socket(found["socketUrl"], headers, None)
        self.addCleanup(socket.close)
        self.shape(await socket.next(), HELLO)
