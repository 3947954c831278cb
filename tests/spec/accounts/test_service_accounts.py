"""Service accounts, as admins keep them: studio#service-accounts."""

import time
from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import Service, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import ACTION, SERVICE_ACCOUNT, SERVICE_SECRET
from tests.support.deferreds import together

DAY = 24 * 3600


class AccountCase(SpecCase):
    """Requests of an admin."""

    async def connect(self) -> None:
        await super().connect()
        self.by = await self.admin()

    def body(self, **changes: Any) -> dict[str, Any]:
        """The body of a new account."""
        return {"name": name("bot"), "scopes": ["events"], **changes}

    async def shown(self, id: str) -> dict[str, Any]:
        """The account as it is."""
        found = await self.read(f"service-accounts/{id}", SERVICE_ACCOUNT, by=self.by)
        return dict(found)

    async def noted(self, id: str) -> list[str]:
        """What was done to it, the last first."""
        query = {"subject": id}
        rows = await self.read("moderation/actions", [ACTION], query=query, by=self.by)
        kind = {"kind": "service_account", "id": id}
        self.assertTrue(all(row["subject"] == kind for row in rows), rows)
        return [row["action"] for row in rows]


class PutTests(AccountCase):
    """PUT /api/v1/service-accounts/{accountId}."""

    async def test_made(self):
        """The first time is 201 with a Location, and it is there with what was sent, without
        secrets, and not used yet."""
        id, until = guid(), int(time.time()) + DAY
        body = self.body(scopes=["progress", "curate", "progress"], expires=until)
        response = await self.put(f"service-accounts/{id}", body, by=self.by, expect=201)
        self.assertEqual(f"/api/v1/service-accounts/{id}", response.header("Location"))
        found = await self.shown(id)
        del found["created"]
        expected = {"id": id, "name": body["name"], "scopes": ["curate", "progress"]}
        expected |= {"expires": until, "lastUsed": None, "secrets": []}
        self.assertEqual(expected, found)
        self.assertEqual(["service_account_created"], await self.noted(id))

    async def test_replaced(self):
        """Later it is 204, and replaces all; the same again is noted nowhere."""
        id, body = guid(), self.body()
        path = f"service-accounts/{id}"
        await self.put(path, body | {"expires": 4_000_000_000}, by=self.by, expect=201)
        other = self.body(scopes=["notify"])
        for _ in range(2):
            await self.put(path, other, by=self.by, expect=204)
        found = await self.shown(id)
        shown = found["name"], found["scopes"], found["expires"]
        self.assertEqual((other["name"], ["notify"], None), shown)
        expected = ["service_account_changed", "service_account_created"]
        self.assertEqual(expected, await self.noted(id))

    async def test_name(self):
        """A name is one account's, whatever the case, until that is deleted: 409 `name_taken`."""
        first, second = guid(), guid()
        title = f"Ärger {name()}"
        await self.put(f"service-accounts/{first}", self.body(name=title), by=self.by, expect=201)
        body = self.body(name=title.swapcase())
        response = await self.put(f"service-accounts/{second}", body, by=self.by)
        self.problem(response, 409, "name_taken")
        await self.put(f"service-accounts/{first}", body, by=self.by, expect=204)
        await self.delete(f"service-accounts/{first}", by=self.by, expect=204)
        await self.put(f"service-accounts/{second}", body, by=self.by, expect=201)

    async def test_names_at_once(self):
        """Of two accounts that are made at once with one name, one is."""
        body = self.body()
        puts = [self.put(f"service-accounts/{guid()}", body, by=self.by) for _ in range(4)]
        found = await together(*puts)
        self.assertEqual([201, 409, 409, 409], sorted(one.status for one in found))

    async def test_user(self):
        """No account has the id of a user: 409 `id_taken`."""
        response = await self.put(f"service-accounts/{self.by.id}", self.body(), by=self.by)
        self.problem(response, 409, "id_taken")

    async def test_refused(self):
        """A body is refused that has no name, no scopes, others than there are, or an end that is
        none."""
        path = f"service-accounts/{guid()}"
        for member, value in (
            ("name", ""),
            ("name", " \u200b"),
            ("name", "x" * 65),
            ("scopes", []),
            ("scopes", ["administer"]),
            ("scopes", ["Events"]),
            ("expires", -1),
            ("expires", 253_402_300_800),
        ):
            response = await self.put(path, self.body(**{member: value}), by=self.by)
            found = self.problem(response, 400, "invalid_body")
            self.assertTrue(found["errors"][0]["pointer"].startswith(f"/{member}"), found)

    async def test_list(self):
        """All are listed, the newest first, in parts."""
        made = [await self.account("events") for _ in range(3)]
        query = {"limit": 2}
        pages = await self.pages("service-accounts?limit=2", [SERVICE_ACCOUNT], by=self.by)
        self.assertTrue(all(len(page) <= query["limit"] for page in pages))
        ids = [each["id"] for page in pages for each in page]
        self.assertEqual([each.id for each in reversed(made)], ids[:3])

    async def test_nobody(self):
        """Of an account that is not there it is 404 `service_account_not_found`; a deletion is
        204."""
        path = f"service-accounts/{guid()}"
        response = await self.get(path, by=self.by)
        self.problem(response, 404, "service_account_not_found")
        response = await self.post(f"{path}/secrets", by=self.by)
        self.problem(response, 404, "service_account_not_found")
        await self.delete(path, by=self.by, expect=204)
        await self.delete(f"{path}/secrets/{guid()}", by=self.by, expect=204)


class SecretTests(AccountCase):
    """The secrets of an account."""

    async def secret(self, of: Service) -> Any:
        """The answer to a request for one more."""
        return await self.post(f"service-accounts/{of.id}/secrets", by=self.by)

    async def test_shown_once(self):
        """A secret is random text after a prefix. The account lists its id, and not its value."""
        made = await self.account("events")
        response = await self.secret(made)
        self.shape(response.json(), SERVICE_SECRET)
        raw = (await self.get(f"service-accounts/{made.id}", by=self.by, expect=200)).body
        self.assertNotIn(b"csvc_", raw)
        ids = [each["id"] for each in (await self.shown(made.id))["secrets"]]
        self.assertEqual([made.secret_id, response.json()["id"]], ids)
        self.assertEqual("service_secret_created", (await self.noted(made.id))[0])

    async def test_two(self):
        """An account has two at most: 409 `too_many_secrets`. After one was deleted there is room
        again."""
        made = await self.account("events")
        self.assertEqual(200, (await self.secret(made)).status)
        self.problem(await self.secret(made), 409, "too_many_secrets")
        path = f"service-accounts/{made.id}/secrets/{made.secret_id}"
        for _ in range(2):
            await self.delete(path, by=self.by, expect=204)
        self.assertEqual(200, (await self.secret(made)).status)
        self.assertEqual(1, (await self.noted(made.id)).count("service_secret_deleted"))

    async def test_at_once(self):
        """Of several that are asked for at once, no more are given than there is room for."""
        made = await self.account("events")
        asked = [Deferred.fromCoroutine(self.secret(made)) for _ in range(5)]
        found = await gatherResults(asked)
        self.assertEqual([200, *[409] * 4], sorted(one.status for one in found))

    async def test_of_another(self):
        """A secret is deleted by way of its own account alone."""
        made, other = await self.account("events"), await self.account("events")
        path = f"service-accounts/{other.id}/secrets/{made.secret_id}"
        await self.delete(path, by=self.by, expect=204)
        self.assertEqual(200, (await self.grant(made)).status)

    async def test_used(self):
        """`lastUsed` is the start of the day, of UTC, on which it got a token."""
        made = await self.account("events")
        before = int(time.time()) // DAY * DAY
        await self.token(made)
        after = int(time.time()) // DAY * DAY
        self.assertIn((await self.shown(made.id))["lastUsed"], {before, after})
