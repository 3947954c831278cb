"""Files and publishing with /client.js in a real browser, from a page of another origin."""

from __future__ import annotations

from typing import Any

from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import Data

from tests.contract.browser import PORTAL, BrowserCase, Visit
from tests.spec.data import guid
from tests.support import stores

PAGE = b"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>Portal</title>"
PUBLISH = """
async ({ base, username, password, ids: [contentId, revisionId] }) => {
    const { Client } = await import(`${base}/client.js`);
    const client = new Client(base);
    await client.logIn({ username, password });
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 30 });
    const shot = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    const bytes = new Uint8Array(5_000_000);
    crypto.getRandomValues(bytes.subarray(0, 60_000));
    const steps = [];
    await client.publish({
        contentId,
        revisionId,
        content: { name: "Tower", description: "High.", type: "game" },
        entity: new Blob([bytes]),
        screenshots: [shot],
        onProgress: ({ file, done }) => { if (file === 0) steps.push(done); },
    });
    const found = [];
    for await (const { use, data } of client.download(contentId)) {
        const got = new Uint8Array(await data.arrayBuffer());
        found.push([use, got.length, got.every((byte, at) => byte === bytes[at])]);
    }
    return { found, first: steps[0], last: steps.at(-1), some: steps.length > 2 };
}
"""
STOP = """
async ({ base, username, password }) => {
    const { Client } = await import(`${base}/client.js`);
    const client = new Client(base);
    await client.logIn({ username, password });
    const stop = new AbortController();
    const data = new Uint8Array(20_000_000);
    const onProgress = ({ done }) => { if (done > 0) stop.abort("enough"); };
    const sent = client.upload([{ use: "entity", data }], { onProgress, signal: stop.signal });
    return sent.then(() => "sent", (reason) => reason);
}
"""


class PortalCase(BrowserCase):
    """A page of another origin."""

    apart = True
    origins: tuple[str, ...] = ()
    """Those of the store."""

    def portal(self) -> str:
        """The URL of a page of another origin."""
        root = Resource()
        root.putChild(b"", Data(PAGE, "text/html"))
        port = reactor.listenTCP(0, Site(root), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        return f"http://{PORTAL}:{port.getHost().port}"

    async def run_script(self, script: str, **given: Any) -> Any:
        """What a script gives on the page, for a user who can log in."""
        ann, portal = await self.user(), self.portal()

        def steps(visit: Visit) -> Any:
            visit.page.goto(f"{portal}/")
            who = {"username": ann.username, "password": ann.password}
            return visit.page.evaluate(script, {"base": visit.base, **who, **given})

        return await self.visit(steps, portal, *self.origins)


class LocalTests(PortalCase):
    """With files in the daemon's own folder."""

    async def test_publish(self) -> None:
        """A page on plain http publishes a game, sees how far it is, and gets the files again."""
        found = await self.run_script(PUBLISH, ids=[guid(), guid()])
        self.assertEqual(found["found"], [["entity", 5_000_000, True]])
        self.assertEqual((found["first"], found["last"]), (0, 5_000_000))
        self.assertTrue(found["some"])

    async def test_stop(self) -> None:
        """An upload ends with the reason of its signal."""
        self.assertEqual(await self.run_script(STOP), "enough")


class S3Tests(PortalCase):
    """With files in an S3 store, which has rules for CORS."""

    async def connect(self) -> None:
        self.own_daemon()
        service, store = await stores.served()
        self.use(service)
        self.origins = (store.endpoint,)

    async def test_publish(self) -> None:
        """Files go to the store and come from it."""
        found = await self.run_script(PUBLISH, ids=[guid(), guid()])
        self.assertEqual(found["found"], [["entity", 5_000_000, True]])
        self.assertEqual((found["first"], found["last"]), (0, 5_000_000))
        self.assertTrue(found["some"])
