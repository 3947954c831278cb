"""Files in a real browser: a page of another origin uploads a screenshot, and shows it."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from typing import Any

from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import Data

from tests.contract.browser import PORTAL, BrowserCase, Visit
from tests.support import daemon, pictures, stores

PAGE = b"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>Portal</title>"
(SNIPPET,) = re.findall(
    r"^```js\n(.*?)^```$", (daemon.ROOT / "docs/guides/files.md").read_text(), re.M | re.S
)
UPLOAD = f"""
async ({{ api, token, data, sha256, type }}) => {{
    {SNIPPET.partition("const bytes")[0]}
    const call = async (method, path, body) => (await fetch(api + path, {{
        method,
        headers: {{ Authorization: `Bearer ${{token}}`, "Content-Type": "application/json" }},
        body: JSON.stringify(body),
    }})).json();
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const files = [{{ use: "screenshot", sha256, size: bytes.length, mediaType: type }}];
    const [before] = (await call("POST", "/uploads", {{ files }})).files;
    const path = await upload(new Blob([bytes]), before);
    const [after] = (await call("POST", "/uploads", {{ files }})).files;
    return [path, before.upload !== null, after.upload];
}}
"""
"""With the function of docs/guides/files.md."""
SHOW = """
async ({ api, path }) => {
    const { mediaUrl } = await (await fetch(`${api}/storage`)).json();
    const image = new Image();
    image.src = `${mediaUrl}/${path}`;
    document.body.append(image);
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
}
"""


class LocalTests(BrowserCase):
    """With files in the daemon's own folder."""

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

    async def test_screenshot(self) -> None:
        """A page of another origin uploads a screenshot by the URL that it was given, and shows it
        from mediaUrl."""
        ann, portal = await self.user(), self.portal()
        image = pictures.png(40, 30)
        file = {"data": base64.b64encode(image).decode(), "type": pictures.PNG}
        # The page's own crypto.subtle is only there with https.
        file["sha256"] = sha256(image).hexdigest()

        def steps(visit: Visit) -> list[Any]:
            visit.page.goto(f"{portal}/")
            api = f"{visit.base}/api/v1"
            given = {"api": api, "token": ann.token, **file}
            path, sent, upload = visit.page.evaluate(UPLOAD, given)
            size = visit.page.evaluate(SHOW, {"api": api, "path": path})
            return [sent, upload, size]

        found = await self.visit(steps, portal, *self.origins)
        self.assertEqual(found, [True, None, [40, 30]])


class S3Tests(LocalTests):
    """With files in an S3 store, which has rules for CORS."""

    async def connect(self) -> None:
        self.own_daemon()
        service, store = await stores.served()
        self.use(service)
        self.origins = (store.endpoint,)
