"""Files in a real browser, from a page of another origin: with /client.js, and with the function of
docs/guides/files.md."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from typing import Any

from tests.contract.browser import BrowserCase, Visit, step
from tests.spec.data import User, guid
from tests.support import daemon, pictures, stores

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


class FilesCase(BrowserCase):
    """A page of another origin."""

    apart = True
    origins: tuple[str, ...] = ()
    """Those of the store."""

    async def files(self, *acts: Any) -> None:
        """Let a user do these on the page."""
        ann, place = await self.user(), self.beside()

        def journey(visit: Visit) -> None:
            visit.page.goto(f"{place}/")
            for act in acts:
                act(visit, ann)

        await self.visit(journey, place, *self.origins)

    def run_script(self, script: str, visit: Visit, ann: User, **given: Any) -> Any:
        """What a script gives on the page, for a user who can log in."""
        who = {"username": ann.username, "password": ann.password}
        return visit.page.evaluate(script, {"base": visit.base, **who, **given})

    @step
    def publish(self, visit: Visit, ann: User) -> None:
        """A page on plain http publishes a game, sees how far it is, and gets the files again."""
        found = self.run_script(PUBLISH, visit, ann, ids=[guid(), guid()])
        self.assertEqual(found["found"], [["entity", 5_000_000, True]])
        self.assertEqual((found["first"], found["last"]), (0, 5_000_000))
        self.assertTrue(found["some"])

    @step
    def stop(self, visit: Visit, ann: User) -> None:
        """An upload ends with the reason of its signal."""
        self.assertEqual(self.run_script(STOP, visit, ann), "enough")

    @step
    def screenshot(self, visit: Visit, ann: User) -> None:
        """It uploads a screenshot by the URL that it was given, and shows it from mediaUrl."""
        image = pictures.png(40, 30)
        file = {"data": base64.b64encode(image).decode(), "type": pictures.PNG}
        # The page's own crypto.subtle is only there with https.
        file["sha256"] = sha256(image).hexdigest()
        api = f"{visit.base}/api/v1"
        given = {"api": api, "token": ann.token, **file}
        path, sent, upload = visit.page.evaluate(UPLOAD, given)
        size = visit.page.evaluate(SHOW, {"api": api, "path": path})
        self.assertEqual([sent, upload, size], [True, None, [40, 30]])


class LocalTests(FilesCase):
    """With files in the daemon's own folder."""

    async def test_files(self) -> None:
        """A page uploads to the daemon, and shows what it has."""
        await self.files(self.publish, self.stop, self.screenshot)


class S3Tests(FilesCase):
    """With files in an S3 store, which has rules for CORS."""

    async def connect(self) -> None:
        self.own_daemon()
        service, store = await stores.served()
        self.use(service)
        self.origins = (store.endpoint,)

    async def test_files(self) -> None:
        """Files go to the store and come from it."""
        await self.files(self.publish, self.screenshot)
