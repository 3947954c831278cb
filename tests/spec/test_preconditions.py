"""If-Match and If-Unmodified-Since of what replaces: conventions#preconditions, RFC 9110 §13.1."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any, NamedTuple

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from tests.spec.challenges.support import HOUR, ChallengeCase, hence
from tests.spec.client import Response
from tests.spec.data import User, guid, name

LONG_AGO = "Sat, 01 Jan 2000 00:00:00 GMT"
IN_TIME = "Fri, 01 Jan 2100 00:00:00 GMT"


class Thing(NamedTuple):
    """What can be replaced. `bodies` are three that differ: the first is there. `read` is the path
    of its GET, `missing` a path of what is not there, if that could be made."""

    put: str
    read: str
    by: User
    bodies: tuple[Any, Any, Any]
    missing: str | None = None
    dated: bool = True
    method: str = "PUT"


class PreconditionCase(ChallengeCase):
    """Each kind of thing that a PUT replaces."""

    async def content_thing(self) -> Thing:
        """Content (content#publishing)."""
        made = await self.content(await self.user())
        shots = made.sent["screenshotUris"]
        bodies = tuple(
            {"description": each, "screenshotUris": shots, "tags": ["one, two"]} for each in "abc"
        )
        await self.put(made.path, bodies[0], by=made.author, expect=204)
        return Thing(made.path, made.path, made.author, bodies, f"content/{guid()}")

    async def user_thing(self) -> Thing:
        """A user's record (accounts#update)."""
        user = await self.user()
        bodies = tuple(
            {"avatar": each, "emblem": None, "fullProfile": {}, "publicProfile": {}}
            for each in ("a.png", "b.png", "c.png")
        )
        path = f"user/{user.id}"
        await self.put(path, bodies[0], by=user, expect=204)
        return Thing(path, path, user, bodies)

    async def collection_thing(self) -> Thing:
        """A collection (content#collections)."""
        user, id = await self.user(), guid()
        bodies = tuple({"name": each, "description": "", "public": True} for each in "abc")
        path = f"user/{user.id}/collections/"
        await self.put(path + id, bodies[0], by=user, expect=204)
        return Thing(path + id, f"collections/{id}", user, bodies, path + guid())

    async def favourites_thing(self) -> Thing:
        """The favourites, which nobody has made (content#collections)."""
        user = await self.user()
        path = f"user/{user.id}/collections/{user.id}"
        bodies = ({"public": False}, {"public": True}, {"public": False})
        return Thing(path, f"collections/{user.id}", user, bodies, dated=False)

    async def challenge_thing(self) -> Thing:
        """A challenge (challenges#definition)."""
        admin = await self.admin()
        made = await self.challenge()
        bodies = tuple(made.sent | {"theme": each} for each in (made.sent["theme"], "b", "c"))
        return Thing(made.path, made.path, admin, bodies)

    async def webhook_thing(self) -> Thing:
        """A webhook (studio#events)."""
        admin, id = await self.admin(), guid()
        bodies = tuple(
            {"url": f"https://hook.invalid/{each}", "kinds": None, "enabled": False}
            for each in "abc"
        )
        await self.put(f"webhooks/{id}", bodies[0], by=admin, expect=201)
        return Thing(f"webhooks/{id}", f"webhooks/{id}", admin, bodies, f"webhooks/{guid()}")

    async def announcement_thing(self) -> Thing:
        """An announcement (studio#announcements)."""
        admin, id = await self.admin(), guid()
        bodies = tuple({"title": each, "text": "", "level": "info"} for each in "abc")
        path = f"announcements/{id}"
        await self.put(path, bodies[0], by=admin, expect=201)
        return Thing(path, path, admin, bodies, f"announcements/{guid()}")

    async def service_thing(self) -> Thing:
        """A service account (studio#service-accounts)."""
        admin, path = await self.admin(), f"service-accounts/{guid()}"
        bodies = tuple({"name": name("s"), "scopes": ["events"], "expires": None} for _ in "abc")
        await self.put(path, bodies[0], by=admin, expect=201)
        return Thing(path, path, admin, bodies, f"service-accounts/{guid()}")

    async def visibility_thing(self) -> Thing:
        """Who sees a content (content#visibility)."""
        made = await self.content(await self.user())
        bodies = tuple({"visibility": each} for each in ("public", "unlisted", "private"))
        return Thing(f"{made.path}/visibility", made.path, made.author, bodies)

    async def name_thing(self) -> Thing:
        """What a content is called (content#names): admins may change it often."""
        made = await self.content(await self.user())
        bodies = tuple({"name": each} for each in "abc")
        await self.put(f"{made.path}/name", bodies[0], by=made.author, expect=204)
        return Thing(f"{made.path}/name", made.path, await self.admin(), bodies)

    async def requires_thing(self) -> Thing:
        """What a revision requires (content#requirements)."""
        made = await self.content(await self.user())
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        bodies = tuple({"requires": {"game": {"min": each}}} for each in ("1", "2", "3"))
        await self.put(f"{path}/requires", bodies[0], by=made.author, expect=204)
        return Thing(f"{path}/requires", path, made.author, bodies, dated=False)

    async def comment_thing(self) -> Thing:
        """A comment, which is changed by PATCH (content#comments)."""
        made = await self.content(await self.user())
        bodies = tuple({"body": each} for each in "abc")
        path = f"{made.path}/comments"
        response = await self.post(path, bodies[0], by=made.author, expect=201)
        path = str(response.header("Location"))
        return Thing(path, path, made.author, bodies, method="PATCH")

    async def progress_thing(self) -> Thing:
        """Progress data (progress#list)."""
        user = await self.user()
        path = f"user/{user.id}/progress/"
        bodies = tuple({"value": {"level": each}} for each in (1, 2, 3))
        await self.put(f"{path}a", bodies[0], by=user, expect=204)
        return Thing(f"{path}a", f"{path}a", user, bodies, f"{path}b")

    async def progress_by_key_thing(self) -> Thing:
        """The same, by a key of the query."""
        user = await self.user()
        path = f"user/{user.id}/progress?key="
        bodies = tuple({"value": {"level": each}} for each in (1, 2, 3))
        await self.put(f"{path}a", bodies[0], by=user, expect=204)
        return Thing(f"{path}a", f"user/{user.id}/progress/a", user, bodies, f"{path}b")

    async def subscription_thing(self) -> Thing:
        """What a user keeps, and with which pin (content#subscriptions)."""
        made, user = await self.content(await self.user()), await self.user()
        pins = [None, made.sent["revisionId"], (await self.publish(made))["revisionId"]]
        path = f"user/{user.id}/subscription/{made.id}"
        bodies = tuple({"pin": each} for each in pins)
        await self.put(path, bodies[0], by=user, expect=204)
        # The answer has the content, whose number of subscribers is added up a moment later.
        while not (await self.get(path, by=user)).json()["content"]["counts"]["subscribers"]:
            await deferLater(reactor, 0.1)
        other = await self.content(made.author)
        missing = f"user/{user.id}/subscription/{other.id}"
        return Thing(path, path, user, bodies, missing, dated=False)  # type: ignore[arg-type]

    async def settings_thing(self) -> Thing:
        """Which notifications a user has muted (notifications#muting)."""
        user = await self.user()
        path = f"user/{user.id}/notifications/settings"
        kinds = ([], ["ContentPublished"], ["ContentPublished", "NewFollower"])
        return Thing(path, path, user, tuple({"muted": each} for each in kinds), dated=False)

    async def ban_thing(self) -> Thing:
        """A ban (moderation#reports)."""
        admin, user = await self.admin(), await self.user()
        path = f"user/{user.id}/ban"
        bodies = tuple({"reason": each} for each in "abc")
        await self.put(path, bodies[0], by=admin, expect=204)
        return Thing(path, path, admin, bodies, f"user/{(await self.user()).id}/ban")

    async def tag(self, thing: Thing) -> str:
        """The present ETag."""
        return (await self.get(thing.read, by=thing.by, expect=200)).header("ETag") or ""

    async def sent(self, thing: Thing, body: Any, **headers: str) -> Response:
        """A PUT with these headers, which have `_` for `-`."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.request(thing.method, thing.put, body, by=thing.by, headers=given)

    async def refused(self, thing: Thing, body: Any, **headers: str) -> None:
        """Assert that such a PUT is 412, and that nothing has changed."""
        before = await self.tag(thing)
        self.problem(await self.sent(thing, body, **headers), 412, "precondition_failed")
        # A webhook's has two parts: the first is another with each event of the service.
        known, now = (tag.rpartition("-")[2] for tag in (before, await self.tag(thing)))
        self.assertEqual(known, now, thing.put)

    async def done(self, thing: Thing, body: Any, **headers: str) -> None:
        """Assert that such a PUT writes."""
        response = await self.sent(thing, body, **headers)
        self.assertEqual(204, response.status, response)


class PreconditionTests(PreconditionCase):
    """The same of each kind: its tests are made below."""

    async def check_match(self, thing: Thing) -> None:
        """Who has read the newest may replace it; who has not is refused, and nothing changes."""
        _, second, third = thing.bodies
        old = await self.tag(thing)
        await self.done(thing, second, If_Match=old)
        await self.refused(thing, third, If_Match=old)
        await self.refused(thing, third, If_Match='W/"other"')

    async def check_forms(self, thing: Thing) -> None:
        """A list, `*` and a strong tag of the same value do; what is no list of tags does not."""
        first, second, third = thing.bodies
        tag = await self.tag(thing)
        for wrong in (
            tag.removeprefix('W/"'),
            "",
            "x, *",
            f'"a" {tag}',
            f"w/{tag[2:]}",
            '"a", "b"',
        ):
            await self.refused(thing, third, If_Match=wrong)
        await self.done(thing, second, If_Match=tag.removeprefix("W/"))
        await self.done(thing, third, If_Match=f'"a,b" , ,{await self.tag(thing)}')
        await self.done(thing, first, If_Match="*")

    async def check_two(self, thing: Thing) -> None:
        """Of two at once with the same ETag exactly one writes."""
        # The same from both: of two states, another one would be the first again.
        _, second, _ = thing.bodies
        tag = await self.tag(thing)
        both = [Deferred.fromCoroutine(self.sent(thing, second, If_Match=tag)) for _ in range(2)]
        answers = await gatherResults(both)
        self.assertEqual([204, 412], sorted(answer.status for answer in answers), thing.put)

    async def check_missing(self, thing: Thing) -> None:
        """What is not there is not as anybody has read it: 412, and it is not made."""
        if thing.missing is not None:
            gone = thing._replace(put=thing.missing)
            for tag in ("*", '"a"'):
                response = await self.sent(gone, thing.bodies[0], If_Match=tag)
                self.problem(response, 412, "precondition_failed")

    async def check_since(self, thing: Thing) -> None:
        """If it was changed after the date: 412. What is no date is ignored, and so is a date
        beside If-Match."""
        first, second, third = thing.bodies
        await self.done(thing, second, If_Unmodified_Since=IN_TIME)
        await self.done(thing, third, If_Unmodified_Since=formatdate(hence(HOUR), usegmt=True))
        if thing.dated:
            await self.refused(thing, first, If_Unmodified_Since=LONG_AGO)
            await self.refused(thing, first, If_Unmodified_Since="Saturday, 01-Jan-00 00:00:00 GMT")
            await self.refused(thing, first, If_Unmodified_Since="Sat Jan  1 00:00:00 2000")
        for ignored in ("yesterday", f"{LONG_AGO}, {LONG_AGO}", "2000-01-01"):
            await self.done(thing, first, If_Unmodified_Since=ignored)
        tag = await self.tag(thing)
        await self.done(thing, second, If_Match=tag, If_Unmodified_Since=LONG_AGO)
        await self.refused(thing, third, If_Match=tag, If_Unmodified_Since=IN_TIME)


KINDS = [name.removesuffix("_thing") for name in vars(PreconditionCase) if name.endswith("_thing")]
CHECKS = [name for name in vars(PreconditionTests) if name.startswith("check_")]


def _test(kind: str, check: str) -> Any:
    async def test(self: Any) -> None:
        await getattr(self, check)(await getattr(self, f"{kind}_thing")())

    test.__doc__ = getattr(PreconditionTests, check).__doc__
    test.__name__ = f"test_{kind}_{check.removeprefix('check_')}"
    return test


for _kind in KINDS:
    for _check in CHECKS:
        _made = _test(_kind, _check)
        setattr(PreconditionTests, _made.__name__, _made)


class WhoTests(PreconditionCase):
    """What comes before a precondition."""

    async def test_others(self) -> None:
        """Who may not change a content is 403, and who does not see it is 404, whatever they have
        read."""
        thing = await self.content_thing()
        other = thing._replace(by=await self.user())
        hidden = thing._replace(put=f"{thing.put}/visibility")
        await self.done(hidden, {"visibility": "private"})
        for tag in ("*", '"a"'):
            given = {"visibility": "friends"}
            response = await self.sent(other._replace(put=hidden.put), given, If_Match=tag)
            self.problem(response, 404, "content_not_found")
        await self.done(hidden, {"visibility": "public"})
        for tag in ("*", '"a"'):
            for path, body in (
                (thing.put, thing.bodies[1]),
                (hidden.put, {"visibility": "private"}),
            ):
                response = await self.sent(other._replace(put=path), body, If_Match=tag)
                self.problem(response, 403, "forbidden")

    async def test_second_prefix(self) -> None:
        """The same holds below /methods/v1 (conventions#versions)."""
        thing = await self.user_thing()
        other = thing._replace(put=f"/methods/v1/{thing.put}")
        tag = await self.tag(thing)
        await self.done(other, thing.bodies[1], If_Match=tag)
        await self.refused(other, thing.bodies[2], If_Match=tag)

    async def test_admin(self) -> None:
        """An admin, who cannot read a player's record, says `*`, or has the ETag from them."""
        thing = await self.user_thing()
        other, tag = thing._replace(by=await self.admin()), await self.tag(thing)
        answers = [
            await self.sent(other, thing.bodies[1], If_Match=each) for each in (tag, tag, "*")
        ]
        self.assertEqual([204, 412, 204], [each.status for each in answers])

    async def test_invalid(self) -> None:
        """A body that is not valid is 400, whatever the reader has read."""
        thing = await self.user_thing()
        self.problem(await self.sent(thing, {}, If_Match='"a"'), 400, "invalid_body")

    async def test_unset(self) -> None:
        """A PUT without these headers replaces, as before."""
        thing = await self.content_thing()
        await self.done(thing, thing.bodies[1])
        await self.done(thing, thing.bodies[2])

    async def test_votes(self) -> None:
        """A vote changes the ETag of a content: its author reads again, and sends again."""
        thing = await self.content_thing()
        before = await self.tag(thing)
        voter = await self.user()
        await self.put(
            f"user/{voter.id}/rating/{thing.put[8:]}", {"value": "1"}, by=voter, expect=204
        )
        await self.refused(thing, thing.bodies[1], If_Match=before)
        await self.done(thing, thing.bodies[1], If_Match=await self.tag(thing))

    async def test_unchanged_body(self) -> None:
        """Also who sends what is there already is told that they have read an older one."""
        thing = await self.content_thing()
        before = await self.tag(thing)
        await self.done(thing, thing.bodies[1])
        await self.refused(thing, thing.bodies[1], If_Match=before)

    async def test_reports(self) -> None:
        """Who decides about reports may say that no other has come since."""
        made, admin = await self.content(await self.user()), await self.admin()
        path = f"moderation/reports/content/{made.id}"
        for _ in range(2):
            report = {"reason": "spam", "text": ""}
            by = await self.user()
            await self.post(f"{made.path}/report", report, by=by, expect=204)
            found = await self.get(path, by=admin, expect=200)
        body = {"outcome": "dismissed", "upTo": found.json()[0]["id"]}
        thing = Thing(path, path, admin, (body, body, body))
        tag = await self.tag(thing)
        await self.refused(thing, body, If_Match='"a"')
        await self.done(thing, body, If_Match=tag)
        await self.refused(thing, body, If_Match=tag)

    async def test_paths(self) -> None:
        """Each PUT whose path has a GET heeds them, and says so in the document."""
        document = (await self.get("/openapi.json", expect=200)).json()
        for path, operations in document["paths"].items():
            if "put" in operations and "get" in operations:
                self.assertIn("412", operations["put"]["responses"], path)

    async def test_preflight(self) -> None:
        """Scripts of other origins may send both headers."""
        headers = {"Origin": "https://game.example", "Access-Control-Request-Method": "PUT"}
        response = await self.request("OPTIONS", f"content/{guid()}", headers=headers)
        allowed = response.listed("Access-Control-Allow-Headers")
        self.assertLessEqual({"if-match", "if-unmodified-since"}, allowed)
