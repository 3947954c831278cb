"""A random walk of players and an admin, each step of which is compared with the model."""

from __future__ import annotations

import time
import uuid
from typing import Any

from tests.spec import shapes
from tests.spec.client import NOTHING, Http, Response
from tests.spec.data import Content, User
from tests.spec.notifications.support import LogCase
from tests.spec.social.support import unlimited
from tests.spec.social.walk.ears import Ear, shown
from tests.spec.social.walk.logs import Answer
from tests.spec.social.walk.reports import Subject
from tests.spec.social.walk.world import World
from tests.support.walks import Walk
from tests.support.workers import WorkersCase

EVERY = 80
"""So many steps after which everything is compared."""

AMONG = 20
"""So many steps are taken by the same few users, so that they have to do with each other."""


class WalkCase(WorkersCase, LogCase):
    """Five users, one of whom is an admin, and a sixth who does nothing; three contents."""

    async def connect(self) -> None:
        self.own_daemon()
        self.service = await unlimited()
        await self.both()
        self.lines: list[Http] = []

    # -- requests, each on the connection of one worker or the other

    async def open_lines(self) -> None:
        """A client for each worker."""
        found: dict[str, Http] = {}
        for _ in range(100):
            self._http = Http()
            self.addCleanup(self._http.close)
            response = await self._http.request("GET", self.url + "/health/live")
            found[(response.header("X-Request-Id") or "").partition("-")[0]] = self._http
            if len(found) == 2:
                break
        self.lines = list(found.values())

    async def request(self, method: str, path: str, body: Any = NOTHING, **more: Any) -> Response:
        if self.lines:
            self._http = self.random.choice(self.lines)
        return await super().request(method, path, body, **more)

    def answered(self, response: Response, answer: Answer) -> None:
        """Assert that the service said what the model says."""
        if isinstance(answer, tuple):
            self.problem(response, *answer)
        else:
            self.assertEqual(answer, response.status, repr(response))

    # -- the walk

    async def begin(self) -> None:
        """A new world."""
        self.boss = await self._new_admin()
        players: list[User] = await self.users(4)
        (self.idle,) = await self.users(1)
        self.active = self.near = [*players, self.boss]
        self.by_id = {user.id: user for user in [*self.active, self.idle]}
        self.world = World(self.by_id, {self.boss.id})
        self.contents: list[Content] = []
        for author in (players[0], players[1], self.boss):
            made = await self.content(author)
            self.contents.append(made)
            self.world.talk.publish(made.id, author.id, made.sent["name"])
        self.parties = [self.guid() for _ in range(3)]
        self.times: dict[tuple[str, object], int] = {}
        await self.open_lines()
        self.ears = {
            user.id: [
                Ear(socket, self.world.logs[user.id], 0)
                for socket in (await self.on_each(user)).values()
            ]
            for user in self.active
        }

    async def walk(self, seed: int, steps: int) -> None:
        """Take so many random steps, and compare everything now and then."""
        with Walk(seed) as walk:
            self.random = walk.random
            await self.begin()
            kinds = self.steps()
            for number in range(1, steps + 1):
                if number % AMONG == 1:
                    self.near = self.random.sample(self.active, self.random.choice([2, 2, 3, 5]))
                await walk.choose(kinds)()
                await self.hear()
                if number % EVERY == 0 or number == steps:
                    await self.compare()
        for ears in self.ears.values():
            for ear in ears:
                await ear.socket.close()

    def steps(self) -> dict[Any, int]:
        """The steps, and how often each is taken."""
        return {self.listing: 10}

    async def hear(self) -> None:
        """Each socket gets what its user was told."""
        await self.together(*(ear.hear() for ears in self.ears.values() for ear in ears))

    def guid(self) -> str:
        """A new GUID of this walk."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def someone_of(self) -> User:
        """One of those who do something."""
        return self.random.choice(self.near)

    def some_other(self, user: User) -> str:
        """Somebody's id: mostly another's, now and then one's own, or nobody's."""
        others = [one.id for one in self.near if one is not user] or [self.idle.id]
        few = [self.idle.id, user.id, self.guid()]
        return self.random.choice(self.random.choice([others] * 6 + [few]))

    # -- what is compared

    async def compare(self) -> None:
        """Everything."""
        for user in self.active:
            await self.compare_user(user)
        await self.compare_talk()
        await self.compare_moderation()

    async def listing(self) -> None:
        """All that one user sees."""
        await self.compare_user(self.someone_of())

    def same_time(self, kind: str, key: object, found: int) -> None:
        """Assert that a time is the one that was there before."""
        self.assertEqual(self.times.setdefault((kind, key), found), found, (kind, key))

    async def whole(self, path: str, shape: Any, by: User) -> list[Any]:
        """A list, in parts of random length."""
        limit = self.random.choice([3, 50, 200, 200])
        parts = []
        for part in await self.pages(f"{path}?limit={limit}", [shape], by=by):
            self.assertLessEqual(len(part), limit)
            parts += part
        return parts

    async def compare_user(self, user: User) -> None:
        """All lists of a user, and what the user's sockets have said."""
        at, pairs = f"user/{user.id}", self.world.pairs
        friends = await self.whole(f"{at}/friends", shapes.FRIEND, user)
        expected = pairs.friends_of(user.id)
        self.assertEqual([id for id, _ in expected], [one["user"]["id"] for one in friends])
        for one, (_, n) in zip(friends, expected, strict=True):
            self.same_time("friend", n, one["since"])
        asked = await self.whole(f"{at}/friend-requests", shapes.FRIEND_REQUEST, user)
        wanted = pairs.requests_of(user.id)
        got = [(one["direction"], one["user"]["id"]) for one in asked]
        self.assertEqual([one[:2] for one in wanted], got)
        for one, (_, _, n) in zip(asked, wanted, strict=True):
            self.same_time("request", n, one["created"])
        way = self.random.choice(["incoming", "outgoing"])
        self.assertEqual([one for one in got if one[0] == way], await self._asked(user, way))
        blocked = await self.whole(f"{at}/blocked", shapes.FRIEND, user)
        expected = pairs.first_of(pairs.blocks, user.id)
        self.assertEqual([id for id, _ in expected], [one["user"]["id"] for one in blocked])
        for one, (_, n) in zip(blocked, expected, strict=True):
            self.same_time("block", n, one["since"])
        for what, place in (("following", 0), ("followers", 1)):
            ids = [id for id, _ in pairs.first_of(pairs.follows, user.id, place)]
            self.assertEqual(ids, await self.listed(user, what))
        invites = await self.whole(f"{at}/party-invites", shapes.PARTY_INVITE, user)
        got = [(one["sender"]["id"], one["party"]) for one in invites]
        self.assertEqual(pairs.invites_of(user.id, self.now()), got)
        await self.compare_messages(user)
        await self.compare_log(user)

    async def _asked(self, user: User, direction: str) -> list[tuple[str, str]]:
        return await self.requests(user, direction=direction)

    async def compare_messages(self, user: User) -> None:
        """All that the user has written and received."""
        pairs = self.world.pairs
        path = f"user/{user.id}/messages"
        found = await self.whole(path, shapes.CONVERSATION, user)
        expected = pairs.conversations(user.id)
        self.assertEqual([id for id, _ in expected], [one["user"]["id"] for one in found])
        for (_, last), one in zip(expected, found, strict=True):
            self.same_message(last, one["last"])
        for other in self.by_id:
            path = f"user/{user.id}/friend/{other}/messages"
            between = pairs.between(user.id, other) if other != user.id else []
            got = await self.whole(path, shapes.MESSAGE, user)
            self.assertEqual([one.id for one in between], [one["id"] for one in got])
            for message, one in zip(between, got, strict=True):
                self.same_message(message, one)

    def same_message(self, message: Any, found: dict[str, Any]) -> None:
        """Assert that a message is this one."""
        expected = {"id": message.id, "sender": message.sender, "text": message.text}
        self.assertEqual(expected | {"created": found["created"], "removed": False}, found)
        key = message.sender, message.recipient, message.id
        self.same_time("message", key, found["created"])

    async def compare_log(self, user: User) -> None:
        """The user's notifications, by REST and on the sockets."""
        at, log = f"user/{user.id}/notifications", self.world.logs[user.id]
        for ear in self.ears[user.id]:
            await ear.settle()
        found = await self.read(at, [shapes.NOTIFICATION], by=user)
        expected = [{"id": one.id, "created": one.created, **shown(one)} for one in log.left()]
        self.assertEqual(expected, found)
        self.assertEqual((len(log.entries), 1, log.unread()), await self.state(user))
        settings = await self.read(f"{at}/settings", shapes.NOTIFICATION_SETTINGS, by=user)
        self.assertEqual(sorted(log.muted), sorted(settings["muted"]))

    async def compare_talk(self) -> None:
        """The comments on each content, as somebody sees them."""
        talk = self.world.talk
        for made in self.contents:
            user = self.someone_of()
            response = await self.get(f"{made.path}/comments", by=user, query={"size": 200})
            if not talk.sees(user.id, made.id):
                self.problem(response, 404)
                continue
            got = [
                (one["id"], one["authorId"], one["parentId"], one["body"], one["deleted"])
                for one in response.json()["items"]
            ]
            expected = [
                (one.id, one.author, one.parent, one.body, one.deleted) for one in talk.of(made.id)
            ]
            self.assertEqual(expected, got)
            detail = (await self.get(made.path, by=user, expect=200)).json()
            left = sum(not deleted for *_, deleted in expected)
            piece = talk.pieces[made.id]
            self.assertEqual(
                (piece.locked, left), (detail["commentsLocked"], detail["commentCount"])
            )

    async def compare_moderation(self) -> None:
        """The queue of reports, the reports of each subject, and what the admin did."""
        reports = self.world.reports
        for subject in reports.of:
            await self.learn(subject)
        mine = set(reports.of)
        for kind, reason in ((None, None), ("comment", None), (None, "spam"), ("user", "abuse")):
            query = (f"&kind={kind}" if kind else "") + (f"&reason={reason}" if reason else "")
            path = f"moderation/reports?limit=200{query}"
            got = [
                one
                for part in await self.pages(path, [shapes.QUEUED], by=self.boss)
                for one in part
                if (one["subject"]["kind"], str(one["subject"]["id"])) in mine
            ]
            expected = reports.queue(kind, reason)
            self.assertEqual(
                [reports.place(subject) for subject in expected], [one["subject"] for one in got]
            )
            for subject, one in zip(expected, got, strict=True):
                opened = reports.open_of(subject)
                self.assertEqual(reports.reasons(subject), one["reasons"])
                self.assertEqual((len(opened), opened[0].id), (one["reports"], one["upTo"]))
                times = [self.times["report", report.id] for report in opened]
                self.assertEqual((min(times), max(times)), (one["first"], one["last"]))
        path = f"moderation/actions?admin={self.boss.id}&limit=50"
        parts = await self.pages(path, [shapes.ACTION], by=self.boss)
        done = [
            (one["action"], one["subject"]["kind"], one["subject"]["id"], one["reason"])
            for part in parts
            for one in part
        ]
        acts = [(one.action, one.kind, one.id, one.reason) for one in self.world.memory.acts]
        self.assertEqual(acts[::-1], done)

    async def learn(self, subject: Subject) -> None:
        """Compare the reports of a subject, and keep their ids."""
        kind, id = subject
        path = f"moderation/reports/{kind}/{id}"
        found = await self.whole(path, shapes.REPORT, self.boss)
        expected = self.world.reports.all_of(subject)
        self.assertEqual(
            [(one.reporter, one.reason, one.text, one.state) for one in expected],
            [(one["reporter"], one["reason"], one["text"], one["state"]) for one in found],
        )
        for report, one in zip(expected, found, strict=True):
            report.id = report.id or one["id"]
            self.assertEqual(report.id, one["id"])
            self.same_time("report", report.id, one["created"])
            self.compare_evidence(report.evidence, one["evidence"])

    def compare_evidence(self, expected: dict[str, Any], found: dict[str, Any]) -> None:
        """Assert that the evidence has what the model knows of it."""
        if "messages" in found:
            found = found | {"messages": [(one["id"], one["text"]) for one in found["messages"]]}
        self.assertEqual("messages" in expected, "messages" in found)
        self.assertEqual(expected, {key: found[key] for key in expected})
