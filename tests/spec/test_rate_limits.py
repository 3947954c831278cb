"""The limits of one user: conventions#limits."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, entity, guid, reference
from tests.spec.harness import SpecCase
from tests.spec.notifications.support import bare, revision
from tests.support.daemon import Daemon, shared

LIMITS = {
    "COMMENTS_PER_MINUTE": "3",
    "MESSAGES_PER_MINUTE": "3",
    "FOLLOWS_PER_DAY": "2",
    "FRIEND_REQUESTS_PER_DAY": "2",
    "PUBLICATIONS_PER_DAY": "2",
    "CHANGES_PER_HOUR": "3",
    "INVITES_PER_HOUR": "3",
    "SERVICE_REQUESTS_PER_MINUTE": "5",
}


class DefaultTests(SpecCase):
    """As it is without further ado."""

    async def test_comments(self):
        """The twenty-first comment in a minute is 429, and says when to go on."""
        made, writer = await self.content(await self.user()), await self.user()
        path = f"{made.path}/comments"
        for n in range(20):
            await self.post(path, {"body": f"{n}"}, by=writer, expect=201)
        limited = await self.post(path, {"body": "x"}, by=writer)
        self.problem(limited, 429, "too_many_requests")
        self.assertTrue(0 < int(limited.header("Retry-After") or 0) <= 60)
        await self.post(path, {"body": "x"}, by=await self.user(), expect=201)

    async def test_messages(self):
        """Extensions: the 61st message in a minute is 429, and says when to go on."""
        user, other = await self.user(), await self.user()
        for one, another in ((user, other), (other, user)):
            await self.put(f"user/{one.id}/friend/{another.id}", by=one, expect=204)
        path = f"user/{user.id}/friend/{other.id}/messages"
        for n in range(60):
            await self.post(path, {"text": f"{n}"}, by=user, expect=201)
        limited = await self.post(path, {"text": "x"}, by=user)
        self.problem(limited, 429, "too_many_requests")
        self.assertTrue(0 < int(limited.header("Retry-After") or 0) <= 60)

    async def test_publications(self):
        """Extensions: the 101st publication of a day, of creates and revisions, is 429."""
        author = await self.user()
        made = [await self.content(author, **bare()) for _ in range(50)]
        for one in made:
            await self.post(f"{one.path}/revisions", revision(), by=author, expect=201)
        for limited in (
            await self.post(f"{made[0].path}/revisions", revision(), by=author),
            await self.put(f"content/{guid()}", bare(), by=author),
        ):
            self.problem(limited, 429, "too_many_requests")
            self.assertTrue(86_000 < int(limited.header("Retry-After") or 0) <= 86_400)

    async def test_changes(self):
        """The 61st change of content in an hour is 429, and says when to go on."""
        author = await self.user()
        made = await self.content(author)
        body = {"screenshotUris": ["x.png"], "description": ""}
        for n in range(60):
            await self.put(made.path, {**body, "description": f"{n}"}, by=author, expect=204)
        limited = await self.put(made.path, body, by=author)
        self.problem(limited, 429, "too_many_requests")
        self.assertTrue(3000 < int(limited.header("Retry-After") or 0) <= 3600)
        self.assertEqual("59", (await self.get(made.path, expect=200)).json()["description"])


class DearTests(SpecCase):
    """Requests that may be large."""

    DEAR = ("PRECHECKS_PER_MINUTE", "ROLLBACKS_PER_HOUR", "UPLOADS_PER_MINUTE")

    async def connect(self) -> None:
        self.own_daemon()
        environ = {**dict.fromkeys(self.DEAR, "3"), "USER_UPDATES_PER_MINUTE": "2"}
        self.use(await shared("dear", lambda: Daemon(environ=environ)))

    def limited(self, response: Response, span: int) -> None:
        """Assert a refusal that says when to come again."""
        self.problem(response, 429, "too_many_requests")
        self.assertTrue(0 < int(response.header("Retry-After") or 0) <= span)

    async def test_prechecks(self):
        """Each 100 parts of a pre-check count as one more; who may not ask at all is told so
        first."""
        author, other = await self.user(), await self.user()
        made = await self.content(author)

        async def check(by: User, parts: int, **changes: Any) -> Response:
            new = [entity() for _ in range(parts)]
            body = {"contentId": guid(), "operation": "create", "dependencies": new, "packages": []}
            return await self.post("content/upload-precheck", body | changes, by=by)

        self.assertEqual(200, (await check(author, 150)).status)
        self.assertEqual(200, (await check(author, 0)).status)
        self.limited(await check(author, 0), 60)
        taken = await check(author, 0, contentId=made.id)
        self.problem(taken, 409, "content_exists")
        self.assertEqual(200, (await check(other, 1000)).status)
        self.limited(await check(other, 0), 60)
        # What is large is refused before it is looked at.
        self.limited(await check(other, 1000, contentId=made.id), 60)
        self.limited(await check(other, 1000, operation="guess"), 60)

    async def test_rollbacks(self):
        """So it is with the parts of a revision that becomes the current one; the same again is
        204 as before, and counts for nothing."""
        author = await self.user()
        made = await self.content(author)
        many = revision(originating=[entity() for _ in range(100)])
        await self.post(f"{made.path}/revisions", many, by=author, expect=201)
        path = f"{made.path}/revisions/current"
        first, second = ({"revisionId": each["revisionId"]} for each in (made.sent, many))
        for _ in range(3):
            await self.put(path, first, by=author, expect=204)
        await self.put(path, second, by=author, expect=204)
        self.limited(await self.put(path, first, by=author), 3600)
        await self.put(path, second, by=author, expect=204)
        missing = await self.put(path, {"revisionId": guid()}, by=author)
        self.problem(missing, 404, "revision_not_found")

    async def test_uploads(self):
        """So it is with the files that are announced, whether they are new or not."""
        user = await self.user()

        async def announce(files: int) -> Response:
            one = {"use": "entity", "size": 5}
            sent = [{**one, "sha256": f"{n:064x}"} for n in range(files)]
            return await self.post("uploads", {"files": sent}, by=user)

        for _ in range(3):
            self.assertEqual(200, (await announce(1)).status)
        self.limited(await announce(1), 60)
        self.problem(await self.post("uploads", {"files": []}, by=user), 400, "invalid_body")

    async def test_users(self):
        """A user changes the own record so often; the same again is 204, and counts for nothing."""
        user = await self.user()

        async def put(text: str) -> Response:
            profile = {"profile": text}
            body = {"avatar": None, "emblem": None}
            body |= {"fullProfile": profile, "publicProfile": profile}
            return await self.put(f"user/{user.id}", body, by=user)

        for text in ("a", "a", "b", "b"):
            self.assertEqual(204, (await put(text)).status)
        self.limited(await put("c"), 60)
        self.assertEqual(204, (await put("b")).status)
        shown = (await self.get(f"user/{user.id}/info", expect=200)).json()
        self.assertEqual("b", shown["profile"])


class LimitTests(SpecCase):
    """With lower limits."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("limits", lambda: Daemon(environ=LIMITS)))

    async def test_services(self):
        """studio#service-accounts: whatever a service asks for counts, also with a body that comes
        late; the sixth request of a minute is 429. Other accounts have a limit of their own."""
        user = await self.user()
        (_, token), (_, other) = await self.service("progress"), await self.service("progress")
        path = f"user/{user.id}/progress/wins"
        await self.put(path, {"value": {}}, by=token, expect=204)
        for path_of, status in ((path, 200), ("content", 200), ("events", 403), ("nothing", 404)):
            await self.get(path_of, by=token, expect=status)
        await self.get("me", by=token, expect=200)
        limited = await self.get("me", by=token)
        self.problem(limited, 429, "too_many_requests")
        self.assertTrue(0 < int(limited.header("Retry-After") or 0) <= 60)
        await self.get("me", by=other, expect=200)

    def limited(self, response: Response, most: int) -> None:
        """Assert that it was once too often, and by the wait that the span is about `most` s."""
        self.problem(response, 429, "too_many_requests")
        self.assertTrue(most - 60 < int(response.header("Retry-After") or 0) <= most)

    async def test_comments(self):
        """conventions#error-order: other refusals go before that of the limit, which
        holds for admins too."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        path = f"{made.path}/comments"
        for _ in range(3):
            await self.post(path, {"body": "x"}, by=admin, expect=201)
        self.limited(await self.post(path, {"body": "x"}, by=admin), 60)
        self.invalid(await self.post(path, {"body": ""}, by=admin), "/body")
        response = await self.post(path, {"body": "x", "parentId": 2**40}, by=admin)
        self.problem(response, 422, "unknown_parent")
        response = await self.post(f"content/{guid()}/comments", {"body": "x"}, by=admin)
        self.problem(response, 404, "content_not_found")
        found = await self.get(path, expect=200)
        self.assertEqual(3, found.json()["total"])

    async def test_messages(self):
        """Extensions: messages to all friends count together; repeats and refusals do not count,
        and are answered as before beyond the limit."""
        user, other, third = [await self.user() for _ in range(3)]
        for one, another in ((user, other), (other, user), (user, third), (third, user)):
            await self.put(f"user/{one.id}/friend/{another.id}", by=one, expect=204)

        async def send(to: str, id: str | None = None, text: str = "x") -> Response:
            body = {"text": text, **({} if id is None else {"id": id})}
            return await self.post(f"user/{user.id}/friend/{to}/messages", body, by=user)

        first = guid()
        for id in (first, first, guid()):
            self.assertEqual(201, (await send(other.id, id)).status)
        self.problem(await send(user.id), 403, "not_friends")
        self.assertEqual(201, (await send(third.id)).status)
        for to in (other, third):
            self.limited(await send(to.id), 60)
        self.assertEqual(201, (await send(other.id, first)).status)
        self.limited(await send(third.id, first), 60)
        self.invalid(await send(other.id, text=""), "/text")
        self.problem(await send(guid()), 404, "user_not_found")
        self.problem(await send(user.id), 403, "not_friends")
        back = {"text": "x"}
        path = f"user/{other.id}/friend/{user.id}/messages"
        await self.post(path, back, by=other, expect=201)
        self.assertEqual(3, len((await self.get(path, by=other, expect=200)).json()))

    async def test_follows(self):
        """Beyond the limit a repeat is 204, and an unknown user 404."""
        user = await self.user()
        others = [await self.user() for _ in range(3)]

        async def follow(other: str) -> Response:
            return await self.put(f"user/{user.id}/following/{other}", by=user)

        for other in (others[0], others[0], others[1]):
            self.assertEqual(204, (await follow(other.id)).status)
        self.limited(await follow(others[2].id), 86_400)
        self.assertEqual(204, (await follow(others[1].id)).status)
        self.problem(await follow(guid()), 404, "user_not_found")
        self.problem(await follow(user.id), 422, "cannot_follow_self")

    async def test_friend_requests(self):
        """social#friends: beyond the limit a repeat and a confirmation are 204, an unknown user is
        404, and a block 403; what is taken back counts."""
        user = await self.user()
        others = [await self.user() for _ in range(4)]

        async def ask(other: str) -> Response:
            return await self.put(f"user/{user.id}/friend/{other}", by=user)

        blocker, asker = others[2:]
        await self.put(f"user/{asker.id}/friend/{user.id}", by=asker, expect=204)
        await self.put(f"user/{blocker.id}/blocked/{user.id}", by=blocker, expect=204)
        for other in (others[0], others[0], others[1]):
            self.assertEqual(204, (await ask(other.id)).status)
        await self.delete(f"user/{user.id}/friend/{others[0].id}", by=user, expect=204)
        self.limited(await ask(others[0].id), 86_400)
        self.assertEqual(204, (await ask(others[1].id)).status)
        self.assertEqual(204, (await ask(asker.id)).status)
        self.problem(await ask(guid()), 404, "user_not_found")
        self.problem(await ask(user.id), 422, "cannot_friend_self")
        self.problem(await ask(blocker.id), 403, "blocked")

    async def test_publications(self):
        """Beyond the limit a repeat of a create and an update are 204, as before."""
        author = await self.user()
        first, _ = [await self.content(author) for _ in range(2)]
        draft: dict[str, Any] = {**first.sent, "revisionId": guid()}
        draft["entity"] = {**draft["entity"], "entityId": guid()}
        path = f"content/{guid()}"
        self.limited(await self.put(path, draft, by=author), 86_400)
        self.problem(await self.get(path), 404, "content_not_found")
        await self.put(first.path, first.sent, by=author, expect=204)
        update = {"description": "x", "screenshotUris": ["x.png"]}
        await self.put(first.path, update, by=author, expect=204)
        unknown = {**draft, "using": [{"entityId": guid(), "revisionId": guid()}]}
        self.problem(await self.put(path, unknown, by=author), 422, "unknown_reference")

    async def test_revisions(self):
        """Extensions: creates and revisions count together, not PUT current, repeats and what
        was refused, which comes first."""
        author = await self.user()
        made = await self.content(author)
        path, sent = f"{made.path}/revisions", revision()
        await self.post(path, revision(using=[reference(entity())]), by=author, expect=422)
        await self.post(path, sent, by=author, expect=201)
        self.limited(await self.post(path, revision(), by=author), 86_400)
        self.limited(await self.put(f"content/{guid()}", bare(), by=author), 86_400)
        got = await self.get(made.path, expect=200)
        self.assertEqual(sent["revisionId"], got.json()["revisionId"])
        await self.post(path, sent, by=author, expect=201)
        current = {"revisionId": made.sent["revisionId"]}
        await self.put(f"{path}/current", current, by=author, expect=204)
        other = await self.content(await self.user())
        taken = revision(revisionId=other.sent["revisionId"])
        self.problem(await self.post(path, taken, by=author), 409, "revision_exists")
        self.problem(await self.post(path, {}, by=author), 400, "invalid_body")
        await self.post(path, revision(), by=await self.admin(), expect=201)

    async def test_changes(self):
        """Updates and restorations of content, and what shows it to more, count together, for who
        acts; beyond the limit each of them has no effect. Other errors come first."""
        author = await self.user()
        made, other = [await self.content(author) for _ in range(2)]
        body = {"description": "new", "screenshotUris": ["new.png"]}
        sight = f"{other.path}/visibility"
        await self.put(made.path, body, by=author, expect=204)
        await self.delete(made.path, by=author, expect=204)
        await self.post(f"{made.path}/restore", by=author, expect=204)
        await self.put(sight, {"visibility": "private"}, by=author, expect=204)
        await self.put(sight, {"visibility": "public"}, by=author, expect=204)
        self.limited(await self.put(made.path, {**body, "tags": ["x"]}, by=author), 3600)
        got = (await self.get(made.path, expect=200)).json()
        self.assertEqual(("new", made.sent.get("tags", [])), (got["description"], got["tags"]))
        self.assertEqual("active", (await self.get(other.path, expect=200)).json()["status"])
        wrong = {"description": "x", "screenshotUris": [], "tags": ["x"]}
        self.invalid(await self.put(made.path, wrong, by=author), "/screenshotUris")
        unknown = {**body, "revisionId": guid(), "tags": ["x"]}
        response = await self.put(made.path, unknown, by=author)
        self.problem(response, 409, "revision_not_published")
        await self.put(made.path, {**body, "tags": ["x"]}, by=await self.admin(), expect=204)

    async def test_less_visible(self):
        """What shows content to fewer counts for no limit, and is never refused for one."""
        author = await self.user()
        made, other = [await self.content(author) for _ in range(2)]
        sight = f"{made.path}/visibility"
        for n in range(3):
            body = {"description": f"{n}", "screenshotUris": ["new.png"]}
            await self.put(made.path, body, by=author, expect=204)
        for visibility in ("unlisted", "friends", "private"):
            await self.put(sight, {"visibility": visibility}, by=author, expect=204)
        for visibility in ("friends", "unlisted", "public"):
            self.limited(await self.put(sight, {"visibility": visibility}, by=author), 3600)
        await self.delete(other.path, by=author, expect=204)
        self.limited(await self.post(f"{other.path}/restore", by=author), 3600)

    async def test_restoration(self):
        """What is withdrawn stays so beyond the limit."""
        author = await self.user()
        made, other = [await self.content(author) for _ in range(2)]
        await self.delete(made.path, by=author, expect=204)
        for _ in range(3):
            await self.delete(other.path, by=author, expect=204)
            await self.post(f"{other.path}/restore", by=author, expect=204)
        self.limited(await self.post(f"{made.path}/restore", by=author), 3600)
        self.problem(await self.get(made.path), 404, "content_not_found")

    async def test_changes_without_effect(self):
        """content#publishing: what changes nothing does not count, nor
        does what is refused; beyond the limit both are answered as before."""
        author, other = await self.user(), await self.user()
        made = await self.content(author)
        same = {key: made.sent[key] for key in ("description", "screenshotUris")}
        changed = {**same, "description": "new"}

        async def without_effect(body: dict[str, Any]) -> None:
            for _ in range(4):
                await self.put(made.path, made.sent, by=author, expect=204)
                await self.put(made.path, body, by=author, expect=204)
                await self.post(f"{made.path}/restore", by=author, expect=204)
                await self.put(made.path, {**changed, "screenshotUris": []}, by=author, expect=400)
                await self.put(made.path, {**changed, "description": "x"}, by=other, expect=403)
                await self.delete(f"content/{guid()}", by=author, expect=404)

        await without_effect(same)
        await self.put(made.path, changed, by=author, expect=204)
        for n in range(2):
            await self.put(made.path, {**changed, "tags": [f"{n}"]}, by=author, expect=204)
        self.limited(await self.put(made.path, {**changed, "tags": []}, by=author), 3600)
        await without_effect(changed)
        third = await self.content(other)
        for _ in range(4):
            await self.delete(third.path, by=other, expect=204)
        await self.put(third.path, changed, by=other, expect=409)
        await self.post(f"{third.path}/restore", by=other, expect=204)
        for n in range(2):
            await self.put(third.path, {**changed, "tags": [f"{n}"]}, by=other, expect=204)
        await self.delete(third.path, by=other, expect=204)
        self.limited(await self.post(f"{third.path}/restore", by=other), 3600)

    async def test_invites(self):
        """Invites to parties and answers count together, for who sends them; beyond the limit
        nobody is told, and a repeat is 204 as before."""
        user, other = await self.user(), await self.user()
        party = guid()

        async def send(how: str = "", to: str = other.id, party: str = party) -> Response:
            path = f"user/{user.id}/friend/{to}/party-invite{how}"
            return await self.post(path, {"party": party}, by=user)

        for _ in range(2):
            for how in ("", "/accept"):
                self.assertEqual(204, (await send(how)).status)
        self.invalid(await send(party="x"), "/party")
        self.problem(await send(to=guid()), 404, "user_not_found")
        self.assertEqual(204, (await send("/decline")).status)
        for how in ("", "/accept", "/decline"):
            self.limited(await send(how, party=guid()), 3600)
            self.limited(await send(how, to=user.id), 3600)
        for how in ("", "/decline"):
            self.assertEqual(204, (await send(how)).status)
        self.problem(await send(to=guid()), 404, "user_not_found")
        self.assertEqual(3, len(await self.notifications(other)))
        self.assertEqual([], await self.notifications(user))
        await self.put(f"user/{other.id}/blocked/{user.id}", by=other, expect=204)
        self.problem(await send(party=guid()), 403, "blocked")
