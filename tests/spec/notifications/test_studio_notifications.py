"""What the studio tells its players, as notifications (studio#notifications)."""

from __future__ import annotations

import time
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.challenges.support import ChallengeCase
from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.shapes import NOTIFYING


class StudioCase(ChallengeCase):
    async def tell(
        self, *to: User, id: str | None = None, by: User | None = None, **changes: Any
    ) -> Response:
        """POST what is for these users, by an admin; its answer."""
        body: dict[str, Any] = {"id": id or guid(), "topic": "season", "data": {"title": "Spring"}}
        if to:
            body["to"] = [user.id for user in to]
        return await self.post("notifications", body | changes, by=by or await self.admin())

    async def told(self, *to: User, **changes: Any) -> dict[str, Any]:
        """The same, and once it has ended what is said of it."""
        answer = await self.tell(*to, **changes)
        self.assertEqual(answer.status, 202, repr(answer))
        return await self.ended((answer.header("Location") or "").removeprefix("/api/v1/"))

    async def ended(self, path: str) -> dict[str, Any]:
        """What is said of one when nobody else is told."""
        while True:
            found = await self.read(path, NOTIFYING, by=await self.admin())
            if found["state"] != "telling":
                return dict(found)
            await deferLater(reactor, 0.05)  # type: ignore[arg-type]

    async def heard(self, user: User) -> list[dict[str, Any]]:
        """What the user was told by the studio."""
        return [one for one in await self.notifications(user) if one["kind"] == "Studio"]

    async def mute(self, user: User, *kinds: str, expect: int | None = 204) -> Response:
        """PUT the settings."""
        path = f"user/{user.id}/notifications/settings"
        return await self.put(path, {"muted": [*kinds]}, by=user, expect=expect)


class SendingTests(StudioCase):
    async def connect(self) -> None:
        """What is for everybody is for others' users too."""
        await super().connect()
        await self.be_alone()

    async def test_users(self) -> None:
        """Those in `to` get topic, data and expires, on the socket and in the list; others do
        not."""
        ann, ben, other = [await self.user() for _ in range(3)]
        socket = await self.socket(ann)
        expires = int(time.time()) + 3600
        found = await self.told(ann, ben, ann, expires=expires)
        counts = {"state": "done", "told": 2, "muted": 0, "failed": 0, "topic": "season"}
        self.assertEqual(found | counts, found)
        self.assertEqual(found["by"], (await self.admin()).id)
        pushed = (await self.pushed(socket))["notification"]
        members = {"topic": "season", "data": {"title": "Spring"}, "expires": expires}
        self.assertEqual(pushed | members, pushed)
        self.assertEqual(await self.heard(ann), [pushed])
        self.assertEqual([len(await self.heard(user)) for user in (ann, ben, other)], [1, 1, 0])

    async def test_everybody(self) -> None:
        """Everybody is told who was there."""
        ann = await self.user()
        found = await self.told(topic="everybody", audience="everybody")
        self.assertGreaterEqual(found["told"], 2)
        late = await self.user()
        self.assertEqual([len(await self.heard(user)) for user in (ann, late)], [1, 0])

    async def test_followers(self) -> None:
        """Followers of a user are told."""
        ann, fan, other = [await self.user() for _ in range(3)]
        await self.put(f"user/{fan.id}/following/{ann.id}", by=fan, expect=204)
        found = await self.told(audience={"followersOf": ann.id})
        self.assertEqual(found["told"], 1)
        self.assertEqual([len(await self.heard(user)) for user in (ann, fan, other)], [0, 1, 0])

    async def test_entrants(self) -> None:
        """Authors of active entries are told once, however many they have."""
        ann, ben = [await self.user() for _ in range(2)]
        challenge = await self.challenge()
        entries = [await self.content(author) for author in (ann, ann, ben)]
        await self.enter(challenge, *entries)
        await self.moderate(entries[2], "suspended")
        id = challenge.path.rpartition("/")[2]
        found = await self.told(audience={"entrantsOf": id})
        self.assertEqual(found["told"], 1)
        self.assertEqual([len(await self.heard(user)) for user in (ann, ben)], [1, 0])

    async def test_again(self) -> None:
        """The same id again is 202 and tells nothing more, whatever the body says."""
        ann, id = await self.user(), guid()
        first = await self.tell(ann, id=id)
        nobody = User(guid(), "", "", "", "", "")
        for answer in (await self.tell(ann, id=id), await self.tell(nobody, id=id, topic="x")):
            self.assertEqual(answer.status, 202)
            self.assertEqual(answer.header("Location"), first.header("Location"))
        await self.ended(f"notifications/{id}")
        self.assertEqual(len(await self.heard(ann)), 1)

    async def test_unknown(self) -> None:
        """Users and challenges that do not exist are refused by name, and nobody is told."""
        ann, missing, id = await self.user(), guid(), guid()
        answer = await self.tell(ann, User(missing, "", "", "", "", ""), id=id)
        self.assertEqual(self.problem(answer, 422, "unknown_user")["users"], [missing])
        answer = await self.tell(audience={"followersOf": missing})
        self.assertEqual(self.problem(answer, 422, "unknown_user")["users"], [missing])
        self.problem(await self.tell(audience={"entrantsOf": missing}), 422, "unknown_challenge")
        found = await self.get(f"notifications/{id}", by=await self.admin())
        self.problem(found, 404, "notification_not_found")
        self.assertEqual(await self.heard(ann), [])

    async def test_forms(self) -> None:
        """What is wrong is named: data that is long or no object, a topic, an audience of two."""
        ann = await self.user()
        fits = {"x": "y" * (4096 - 8)}
        self.assertEqual((await self.tell(ann, data=fits)).status, 202)
        self.invalid(await self.tell(ann, data={"x": "y" * (4096 - 7)}), "/data")
        self.invalid(await self.tell(ann, data=[]), "/data")
        for topic in ("", "Season", "a b", "x" * 65):
            self.invalid(await self.tell(ann, topic=topic), "/topic")
        both = {"followersOf": ann.id, "entrantsOf": guid()}
        for audience in ({}, both):
            self.invalid(await self.tell(audience=audience), "/audience")
        self.invalid(await self.tell(audience="nobody"), "/audience")

    async def test_both(self) -> None:
        """Who gives users and an audience means neither: it is refused, and nobody is told."""
        ann, id = await self.user(), guid()
        for audience in ("everybody", {"followersOf": ann.id}, None):
            self.invalid(await self.tell(ann, id=id, audience=audience), "/audience")
        found = await self.get(f"notifications/{id}", by=await self.admin())
        self.problem(found, 404, "notification_not_found")
        self.invalid(await self.tell(), "/to")

    async def test_expired(self) -> None:
        """What has expired is 202, and told to nobody."""
        ann = await self.user()
        found = await self.told(ann, expires=int(time.time()) - 1)
        self.assertEqual((found["state"], found["told"]), ("done", 0))
        self.assertEqual(await self.heard(ann), [])

    async def test_listed(self) -> None:
        """The list has the newest first."""
        ann = await self.user()
        ids = [(await self.told(ann))["id"] for _ in range(3)]
        query = {"limit": "200"}
        pages = await self.pages("notifications", [NOTIFYING], by=await self.admin(), query=query)
        found = [one["id"] for page in pages for one in page if one["id"] in ids]
        self.assertEqual(found, ids[::-1])

    async def test_data(self) -> None:
        """The list has the data as it came, where it is asked for."""
        data = {"title": "Autumn", "large": 2**70}
        found = await self.told(await self.user(), data=data)
        response = await self.get("notifications?data=true", by=await self.admin(), expect=200)
        self.assertIn(found | {"data": data}, response.json())

    async def test_stop(self) -> None:
        """To stop what is done changes nothing, and one that there is not is 204."""
        found = await self.told(await self.user())
        for id in (found["id"], guid()):
            await self.delete(f"notifications/{id}", by=await self.admin(), expect=204)
        self.assertEqual(await self.ended(f"notifications/{found['id']}"), found)


class MutingTests(StudioCase):
    async def test_topic(self) -> None:
        """A topic can be muted by name, and all topics by the kind; it is counted."""
        ann, ben = [await self.user() for _ in range(2)]
        await self.mute(ann, "Studio:season", "Debug")
        await self.mute(ben, "Studio")
        found = await self.told(ann, ben)
        self.assertEqual((found["told"], found["muted"]), (0, 2))
        found = await self.told(ann, ben, topic="sale")
        self.assertEqual((found["told"], found["muted"]), (1, 1))
        self.assertEqual([len(await self.heard(user)) for user in (ann, ben)], [1, 0])

    async def test_names(self) -> None:
        """Only topics can be behind the colon."""
        ann = await self.user()
        for kind in ("Studio:", "Studio:A", "Studio:" + "x" * 65, "Debug:x", "studio"):
            self.invalid(await self.mute(ann, kind, expect=None), "/muted/0")
