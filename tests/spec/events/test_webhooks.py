"""Webhooks: studio#webhooks."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.client import verify_webhook
from tests.spec.data import guid
from tests.spec.events.support import EventCase
from tests.spec.shapes import GUID, instant
from tests.support.daemon import Daemon, shared, until
from tests.support.receiver import HANG, Got, Receiver

URL = "https://hook.invalid/contentsvc"
WEBHOOK = {
    "id": GUID,
    "url": str,
    "kinds": ([str], None),
    "enabled": bool,
    "delivered": int,
    "newest": int,
    "failingSince": (instant, None),
    "lastError": (str, None),
}


class WebhookCase(EventCase):
    """Webhooks of the service."""

    async def hook(self, url: str = URL, **changes: Any) -> str:
        """The path of a new one."""
        path = f"webhooks/{guid()}"
        body = {"url": url, "kinds": None, "enabled": True} | changes
        by = await self.admin()
        response = await self.put(path, body, by=by, expect=201)
        self.assertEqual(response.header("Location"), f"/api/v1/{path}")
        self.addCleanup(self.delete, path, by=by, expect=204)
        return path

    async def secret(self, path: str) -> str:
        """A new secret of one."""
        response = await self.post(f"{path}/secret", by=await self.admin(), expect=200)
        secret = str(response.json()["secret"])
        self.shape(response.json(), {"secret": str})
        self.assertRegex(secret, r"^whsec_[A-Za-z0-9+/]{43}=\Z")
        return secret

    async def shown(self, path: str) -> Any:
        """One as it is now."""
        return await self.read(path, WEBHOOK, by=await self.admin())


class RecordTests(WebhookCase):
    async def test_put(self):
        """A webhook is made, read, changed, listed and deleted; the same again changes nothing."""
        path, admin = await self.hook(), await self.admin()
        id = path.rpartition("/")[2]
        found = await self.shown(path)
        expected = {"id": id, "url": URL, "kinds": None, "enabled": True}
        self.assertEqual(expected | found, found)
        self.assertEqual((found["failingSince"], found["lastError"]), (None, None))
        changed = {"url": URL + "/x", "kinds": ["FileStored"], "enabled": False}
        for _ in range(2):
            await self.put(path, changed, by=admin, expect=204)
            self.assertEqual(changed | await self.shown(path), await self.shown(path))
        listed = (await self.get("webhooks", query={"limit": 200}, by=admin, expect=200)).json()
        self.assertIn(id, [each["id"] for each in listed])
        for _ in range(2):
            await self.delete(path, by=admin, expect=204)
        self.problem(await self.get(path, by=admin), 404, "webhook_not_found")
        for operation in ("secret", "test"):
            response = await self.post(f"{path}/{operation}", by=admin)
            self.problem(response, 404, "webhook_not_found")

    async def test_most(self):
        """There may be 100 webhooks: each may hang, and delays no other."""
        admin, made, last = await self.admin(), [], None
        for _ in range(101):
            path = f"webhooks/{guid()}"
            last = await self.put(path, {"url": URL, "kinds": None, "enabled": False}, by=admin)
            if last.status != 201:
                break
            made.append(path)
        self.problem(last, 409, "too_many_webhooks")
        changed = {"url": URL, "kinds": ["FileStored"], "enabled": False}
        await self.put(made[0], changed, by=admin, expect=204)
        listed = (await self.get("webhooks", query={"limit": 200}, by=admin, expect=200)).json()
        self.assertEqual(len(listed), 100)
        for path in made:
            await self.delete(path, by=admin, expect=204)
        await self.hook()

    async def test_urls(self):
        """A URL that may not be is 422; what is no URL is 400."""
        path, admin = f"webhooks/{guid()}", await self.admin()
        for url in (
            *("http://hook.invalid/", "ftp://hook.invalid/", "https://a:b@hook.invalid/"),
            *("https://localhost/", "https://10.0.0.1/", "https://[::1]/", "https://2130706433/"),
        ):
            body = {"url": url, "kinds": None, "enabled": True}
            self.problem(await self.put(path, body, by=admin), 422, "url_not_allowed")
        body = {"url": "hook", "kinds": None, "enabled": True}
        self.problem(await self.put(path, body, by=admin), 400, "invalid_body")
        self.problem(await self.get(path, by=admin), 404, "webhook_not_found")

    async def test_without_secret(self):
        """Without a secret there is no test."""
        response = await self.post(f"{await self.hook()}/test", by=await self.admin())
        self.problem(response, 409, "webhook_without_secret")

    async def test_nowhere(self):
        """The test of a host that does not exist says so, and counts for nothing."""
        path = await self.hook(enabled=False)
        await self.secret(path)
        response = await self.post(f"{path}/test", by=await self.admin(), expect=200)
        self.shape(response.json(), {"status": None, "error": str, "milliseconds": int})
        self.assertIsNone((await self.shown(path))["lastError"])


class OwnCase(WebhookCase):
    """A daemon that may send to this machine, and a program that takes what it sends."""

    async def connect(self) -> None:
        self.own_daemon()
        networks = ("--webhook-networks", "127.0.0.0/8", "--webhook-insecure", "on")
        self.use(await shared("webhooks", lambda: Daemon(*networks)))
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    async def arrived(self, *subjects: str) -> list[Got]:
        """All requests, once the last of them has an event of each of these subjects."""

        def there() -> bool:
            text = b"".join(got.body for got in self.receiver.got).decode()
            return all(subject in text for subject in subjects)

        await until(there, 30, "the events have arrived")
        return self.receiver.got


class DeliveryTests(OwnCase):
    async def test_delivered(self):
        """A hook gets the events after its beginning, as GET /events shows them, in order."""
        early = await self.user()
        path = await self.hook(self.receiver.url)
        secret, after = await self.secret(path), await self.newest()
        users = [await self.user() for _ in range(3)]
        got = await self.arrived(*(user.id for user in users))
        events = [event for each in got for event in json.loads(each.body)["events"]]
        self.assertEqual(events, (await self.events(after=after))["items"])
        self.assertNotIn(early.id, str(events))
        for each in got:
            verify_webhook(secret, each.headers, each.body)
            self.assertEqual(each.id, f"{path.rpartition('/')[2]}.{each.numbers[-1]}")
        while (found := await self.shown(path))["delivered"] != found["newest"]:
            await deferLater(reactor, 0.05)
        self.assertEqual(found["newest"], events[-1]["number"])

    async def test_test(self):
        """A test sends one event without a number, signed, though the hook is off, and says what
        came of it."""
        path = await self.hook(self.receiver.url, enabled=False)
        secret, admin = await self.secret(path), await self.admin()
        found = (await self.post(f"{path}/test", by=admin, expect=200)).json()
        self.assertEqual((found["status"], found["error"]), (204, None))
        self.receiver.status = 500
        found = (await self.post(f"{path}/test", by=admin, expect=200)).json()
        self.assertEqual((found["status"], found["error"]), (500, "the answer is 500"))
        id = path.rpartition("/")[2]
        for got in self.receiver.got:
            self.assertEqual((got.id, got.numbers, got.kinds), (f"{id}.test", [None], ["Test"]))
            verify_webhook(secret, got.headers, got.body)

    async def test_rotation(self):
        """After a new secret the one before signs too."""
        path = await self.hook(self.receiver.url)
        secrets = [await self.secret(path) for _ in range(3)]
        user = await self.user()
        (got, *_) = await self.arrived(user.id)
        for secret in secrets[1:]:
            verify_webhook(secret, got.headers, got.body)
        self.assertEqual(len(got.headers["webhook-signature"].split()), 2)

    async def test_failing(self):
        """A hook that fails says since when and why, and gets what it has missed soon after 5 s;
        one with another URL at once."""
        path, admin = await self.hook(self.receiver.url), await self.admin()
        await self.secret(path)
        self.receiver.answers = [500]
        user = await self.user()
        await self.receiver.requests(1)
        began = reactor.seconds()
        while (found := await self.shown(path))["lastError"] is None:
            await deferLater(reactor, 0.05)
        self.assertEqual(found["lastError"], "the answer is 500")
        self.assertIsNotNone(found["failingSince"])
        first, again = (await self.receiver.requests(2))[:2]
        self.assertTrue(4 < reactor.seconds() - began < 12, reactor.seconds() - began)
        self.assertEqual((first.id, first.body), (again.id, again.body))
        self.assertIn(user.id, again.body.decode())
        self.receiver.answers = [500, 500]
        await self.user()
        await self.receiver.requests(3)
        while (await self.shown(path))["lastError"] is None:
            await deferLater(reactor, 0.05)
        body = {"url": self.receiver.url + "/other", "kinds": None, "enabled": True}
        began = reactor.seconds()
        await self.put(path, body, by=admin, expect=204)
        await self.receiver.requests(4)
        self.assertLess(reactor.seconds() - began, 4)
        self.assertEqual(self.receiver.got[3].path, "/hook/other")

    async def test_gone(self):
        """The answer 410 turns a hook off, which is an event."""
        path, after = await self.hook(self.receiver.url), await self.newest()
        await self.secret(path)
        self.receiver.status = 410
        await self.user()
        await self.receiver.requests(1)
        page = await self.events(after=after, kinds="WebhookDisabled", wait=20)
        ((event),) = page["items"]
        subject = {"kind": "webhook", "id": path.rpartition("/")[2]}
        self.assertEqual((event["subject"], event["actor"], event["data"]), (subject, None, {}))
        found = await self.shown(path)
        self.assertEqual((found["enabled"], found["lastError"]), (False, "the answer is 410"))

    async def test_apart(self):
        """A receiver that hangs delays no other."""
        slow = Receiver()
        self.addCleanup(slow.stop)
        slow.status = HANG
        for to in (slow, self.receiver):
            await self.secret(await self.hook(to.url))
        began = reactor.seconds()
        for _ in range(3):
            user = await self.user()
            await self.arrived(user.id)
        self.assertLess(reactor.seconds() - began, 12)
        self.assertEqual(len(slow.got), 1)
