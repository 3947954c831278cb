"""Permissions: spec §5, row by row, and the operations beside it."""

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import Content, User, draft, guid
from tests.spec.files.support import blob
from tests.spec.harness import SpecCase

EMPTY_USER = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}


class PermissionCase(SpecCase):
    """Checks of one operation; `{user}` in a path stands for the user it is about."""

    async def outcome(self, expected: int | None, method: str, path: str, body, **more) -> None:
        """Assert a refusal with this status, or (None) that the operation went through."""
        sent = {} if body is None else {"body": body}
        response = await self.request(method, path, **sent, **more)
        if expected is None:
            self.assertLess(response.status, 300, repr(response))
        else:
            code = {401: "unauthorized", 403: "forbidden"}[expected]
            self.problem(response, expected, code)

    async def anyone(self, path: str) -> None:
        """The GET needs no token."""
        await self.outcome(None, "GET", path, None)
        await self.outcome(None, "GET", path, None, by=await self.someone())

    async def signed_in(self, method: str, path: str, body=None, *, by: User | None = None) -> None:
        """The operation needs a token: anybody's, or that of the user `by`."""
        await self.outcome(401, method, path, body)
        await self.outcome(None, method, path, body, by=by or await self.someone())

    async def only_self(self, method: str, path: str, body=None, *, admins: bool = False) -> None:
        """The operation is for the user in the path, and for admins or not even for them."""
        user = await self.user()
        path = path.format(user=user.id)
        await self.outcome(401, method, path, body)
        await self.outcome(403, method, path, body, by=await self.someone())
        admin = await self.admin()
        await self.outcome(None if admins else 403, method, path, body, by=admin)
        await self.outcome(None, method, path, body, by=user)

    async def only_admins(self, method: str, path: str, body) -> None:
        """The operation is for admins."""
        await self.outcome(401, method, path, body)
        await self.outcome(403, method, path, body, by=await self.someone())
        await self.outcome(None, method, path, body, by=await self.admin())

    async def published(self) -> Content:
        """Some content."""
        return await self.content(await self.someone())


class SpecifiedTests(PermissionCase):
    """The table of spec §5."""

    async def test_precheck(self):
        """Spec §5: upload-precheck requires authentication."""
        body = {"contentId": guid(), "operation": "create", "dependencies": [], "packages": []}
        await self.signed_in("POST", "content/upload-precheck", body)

    async def test_content_create(self):
        """Spec §5: PUT content (create) requires authentication."""
        await self.signed_in("PUT", f"content/{guid()}", draft())

    async def test_content_update(self):
        """Spec §5: PUT content (update) is for admins and the content's author only."""
        made = await self.content(await self.user())
        body = {"description": "", "screenshotUris": ["a.png"]}
        await self.outcome(401, "PUT", made.path, body)
        await self.outcome(403, "PUT", made.path, body, by=await self.someone())
        for user in (made.author, await self.admin()):
            await self.outcome(None, "PUT", made.path, body, by=user)

    async def test_content_list(self):
        """Spec §5: GET user/{userId}/content generally requires nothing."""
        await self.anyone(f"user/{(await self.someone()).id}/content")

    async def test_comment_list(self):
        """Spec §5: GET content/{contentId}/comments generally requires nothing."""
        await self.anyone(f"{(await self.published()).path}/comments")

    async def test_search(self):
        """Spec §5: GET user/search requires nothing."""
        await self.anyone("user/search?q=abc")

    async def test_info(self):
        """Spec §5: GET user/{userId}/info requires nothing."""
        await self.anyone(f"user/{(await self.someone()).id}/info")

    async def test_record(self):
        """Spec §5: GET user/{userId} is for the user themself only."""
        await self.only_self("GET", "user/{user}")

    async def test_user_update(self):
        """Spec §5: PUT user/{userId} is for admins and the user themself."""
        await self.only_self("PUT", "user/{user}", EMPTY_USER, admins=True)

    async def test_followers(self):
        """Spec §5: GET followers is for the user themself only."""
        await self.only_self("GET", "user/{user}/followers")

    async def test_following(self):
        """Spec §5: GET following is for the user themself only."""
        await self.only_self("GET", "user/{user}/following")

    async def test_notifications(self):
        """Spec §5: GET notifications is for the user only; so is all below it."""
        path = "user/{user}/notifications"
        await self.only_self("GET", path)
        await self.only_self("DELETE", f"{path}?upTo=1")
        await self.only_self("DELETE", f"{path}/{guid()}")
        await self.only_self("GET", f"{path}/state")
        await self.only_self("POST", f"{path}/read", {"upTo": 1})
        await self.only_self("GET", f"{path}/settings")
        await self.only_self("PUT", f"{path}/settings", {"muted": []})

    async def test_progress(self):
        """Spec §5: GET progress is for the user only."""
        await self.only_self("GET", "user/{user}/progress")

    async def test_ratings(self):
        """Spec §5: GET ratings is for the user only."""
        await self.only_self("GET", "user/{user}/ratings")

    async def test_rating(self):
        """Spec §5: PUT rating is for the user only."""
        made = await self.published()
        await self.only_self("PUT", f"user/{{user}}/rating/{made.id}", {"value": "1"})

    async def test_party_answers(self):
        """Spec §5: party-invite accept and decline are for the user only."""
        for answer in ("accept", "decline"):
            path = f"user/{{user}}/friend/{(await self.someone()).id}/party-invite/{answer}"
            await self.only_self("POST", path, {"party": guid()})

    async def test_design_challenges(self):
        """Spec §5: POST design-challenges is for admins only."""
        await self.only_admins("POST", "design-challenges", challenge())

    async def test_debug_notify(self):
        """Spec §5: POST debug/notify requires an access token, anybody's."""
        body = {"recipient": (await self.someone()).id, "text": "x"}
        await self.signed_in("POST", "debug/notify", body)

    async def test_session_connect(self):
        """Spec §5: POST session/connect requires authentication."""
        await self.signed_in("POST", "session/connect", {"client": "game"})


class OtherTests(PermissionCase):
    """The operations that the specification does not list."""

    async def test_content_detail(self):
        """choices: GET content/{contentId} requires nothing."""
        await self.anyone((await self.published()).path)

    async def test_several_users(self):
        """extensions §1: GET user requires nothing, below /methods/v1 too."""
        path = f"user?ids={(await self.someone()).id}"
        await self.anyone(path)
        await self.anyone(f"/methods/v1/{path}")

    async def test_revisions(self):
        """choices: GET content/{contentId}/revisions requires nothing."""
        await self.anyone(f"{(await self.published()).path}/revisions")

    async def test_publish(self):
        """choices: POST revisions, and PUT of the current one, are for admins and the content's
        author only."""
        made = await self.content(await self.user())
        path, body = f"{made.path}/revisions", draft()
        chosen = {"revisionId": made.sent["revisionId"]}
        for method, at, sent in (("POST", path, body), ("PUT", f"{path}/current", chosen)):
            await self.outcome(401, method, at, sent)
            await self.outcome(403, method, at, sent, by=await self.someone())
            for user in (made.author, await self.admin()):
                await self.outcome(None, method, at, sent, by=user)

    async def test_challenges(self):
        """choices: GET design-challenges requires nothing."""
        await self.anyone("design-challenges")

    async def test_challenge_changes(self):
        """choices: PUT and DELETE design-challenges/{challengeId} are for admins."""
        made = await self.post("design-challenges", challenge(), by=await self.admin(), expect=201)
        path = made.header("Location") or ""
        await self.only_admins("PUT", path, challenge())
        await self.only_admins("DELETE", path, None)

    async def test_challenge_entries(self):
        """extensions §2: a content is entered by its author, and taken out by its author and
        admins; anyone lists the entries, admins close the challenge."""
        admin = await self.admin()
        response = await self.post("design-challenges", challenge(), by=admin, expect=201)
        path = response.header("Location") or ""
        made = await self.content(await self.user())
        entry = f"{path}/entries/{made.id}"
        for method in ("PUT", "DELETE"):
            await self.outcome(401, method, entry, None)
            await self.outcome(403, method, entry, None, by=await self.someone())
            await self.outcome(None, method, entry, None, by=made.author)
        await self.outcome(403, "PUT", entry, None, by=admin)
        await self.outcome(None, "DELETE", entry, None, by=admin)
        await self.anyone(f"{path}/entries")
        await self.only_admins("POST", f"{path}/close", {"winners": []})

    async def test_rewards(self):
        """extensions §2: anyone lists a user's achievements and emblems; admins take them away."""
        user = await self.someone()
        await self.anyone(f"user/{user.id}/achievements")
        await self.anyone(f"user/{user.id}/emblems")
        await self.only_admins("DELETE", f"user/{user.id}/rewards/{guid()}", None)

    async def test_status(self):
        """choices: PUT content/{contentId}/status is for admins, not for the author."""
        body = {"status": "active", "reason": "appeal"}
        await self.only_admins("PUT", f"{(await self.published()).path}/status", body)

    async def test_featured(self):
        """choices: PUT content/{contentId}/featured is for admins, not for the author."""
        made = await self.published()
        await self.only_admins("PUT", f"{made.path}/featured", {"featured": True})

    async def only_author(self, method: str, path: str, body=None, *, admins: bool = False) -> None:
        """The operation is for the content's author, and for admins or not even for them."""
        made = await self.content(await self.user())
        path = path.format(content=made.path)
        await self.outcome(401, method, path, body)
        await self.outcome(403, method, path, body, by=await self.someone())
        await self.outcome(None if admins else 403, method, path, body, by=await self.admin())
        await self.outcome(None, method, path, body, by=made.author)

    async def test_withdrawal(self):
        """extensions §1: DELETE content and restore are for its author, not for admins."""
        await self.only_author("DELETE", "{content}")
        await self.only_author("POST", "{content}/restore")

    async def test_deleted(self):
        """extensions §1: GET content/deleted is for the user and admins."""
        await self.only_self("GET", "user/{user}/content/deleted", admins=True)

    async def test_comments_locked(self):
        """extensions §1: PUT comments-locked is for the content's author and admins."""
        path, body = "{content}/comments-locked", {"locked": True}
        await self.only_author("PUT", path, body, admins=True)

    async def test_friends(self):
        """extensions §4: friends, requests, blocks and party invites are for the user only."""
        for way in ("friends", "friend-requests", "blocked", "party-invites"):
            await self.only_self("GET", f"user/{{user}}/{way}")
            await self.only_self("GET", f"/methods/v1/user/{{user}}/{way}")
        for method in ("PUT", "DELETE"):
            for way in ("friend", "blocked"):
                other = await self.someone()
                await self.only_self(method, f"user/{{user}}/{way}/{other.id}")

    async def test_reports(self):
        """extensions §7: whoever is signed in reports; admins read the queue and decide."""
        made, body = await self.published(), {"reason": "spam"}
        comment = await self.comment(made, made.author)
        for path in (made.path, comment, f"user/{made.author.id}"):
            await self.signed_in("POST", f"{path}/report", body, by=await self.user())
        queue, admin = "moderation/reports", await self.admin()
        subject = f"{queue}/content/{made.id}"
        found = await self.get(subject, by=admin, expect=200)
        await self.only_admins("GET", queue, None)
        await self.only_admins("GET", subject, None)
        decision = {"outcome": "upheld", "upTo": found.json()[0]["id"]}
        await self.only_admins("PUT", subject, decision)

    async def test_uploads(self):
        """extensions §3: POST uploads requires authentication."""
        await self.signed_in("POST", "uploads", {"files": [blob().announced]})

    async def test_storage(self):
        """extensions §3: GET storage requires nothing, GET user/storage is for the user only."""
        await self.anyone("storage")
        await self.only_self("GET", "user/{user}/storage")
        await self.only_self("GET", "/methods/v1/user/{user}/storage")

    async def test_blocked_files(self):
        """extensions §3: PUT and DELETE of a file's block are for admins."""
        path = f"files/{blob().digest}/block"
        await self.only_admins("PUT", path, {"reason": "r"})
        await self.only_admins("DELETE", path, None)

    async def test_search(self):
        """extensions §1: GET content requires nothing."""
        await self.anyone("content")

    async def test_dependents(self):
        """extensions §1: GET dependents requires nothing."""
        await self.anyone(f"{(await self.published()).path}/dependents")

    async def test_comment(self):
        """choices: POST comments requires authentication."""
        await self.signed_in("POST", f"{(await self.published()).path}/comments", {"body": "x"})

    async def test_comment_changes(self):
        """choices: PATCH and DELETE of a comment require authentication."""
        made = await self.published()
        path = await self.comment(made, made.author)
        await self.signed_in("PATCH", path, {"body": "y"}, by=made.author)
        await self.signed_in("DELETE", path, by=made.author)

    async def test_messages(self):
        """Extensions: messages are for the user themself only, to read and to send."""
        path = f"user/{{user}}/friend/{(await self.someone()).id}/messages"
        await self.only_self("GET", path)
        await self.only_self("GET", "user/{user}/messages")
        user, other = await self.user(), await self.user()
        for one, another in ((user, other), (other, user)):
            await self.put(f"user/{one.id}/friend/{another.id}", by=one, expect=204)
        path = f"user/{user.id}/friend/{other.id}/messages"
        for by in (other, await self.admin()):
            await self.outcome(403, "POST", path, {"text": "x"}, by=by)
        await self.outcome(401, "POST", path, {"text": "x"})
        sent = await self.post(path, {"text": "x"}, by=user, expect=201)
        location = sent.header("Location") or ""
        for by in (other, await self.admin()):
            await self.outcome(403, "GET", location, None, by=by)
        await self.outcome(None, "GET", location, None, by=user)

    async def test_follow(self):
        """choices: PUT and DELETE following are for the user only."""
        path = f"user/{{user}}/following/{(await self.someone()).id}"
        await self.only_self("PUT", path)
        await self.only_self("DELETE", path)

    async def test_progress_key(self):
        """choices: one's progress data is one's own to write, read and delete."""
        await self.only_self("PUT", "user/{user}/progress/k", {"value": {}})
        await self.only_self("DELETE", "user/{user}/progress/k")
        user = await self.user()
        path = f"user/{user.id}/progress/k"
        await self.put(path, {"value": {}}, by=user, expect=204)
        await self.outcome(401, "GET", path, None)
        await self.outcome(403, "GET", path, None, by=await self.admin())

    async def test_delete_rating(self):
        """choices: DELETE rating is for the user only."""
        await self.only_self("DELETE", f"user/{{user}}/rating/{(await self.published()).id}")

    async def test_read_flag(self):
        """choices: the read flags are the user's only."""
        user = await self.user()
        await self.notify(user)
        (one,) = await self.notifications(user)
        path = f"user/{user.id}/notifications"
        for method, at, body in (
            ("PATCH", f"{path}/{one['id']}", {"read": True}),
            ("POST", f"{path}/read", {"upTo": one["id"]}),
        ):
            await self.outcome(401, method, at, body)
            await self.outcome(403, method, at, body, by=await self.admin())
            await self.outcome(None, method, at, body, by=user)

    async def test_party_invite(self):
        """choices: POST party-invite is for the user who invites."""
        path = f"user/{{user}}/friend/{(await self.someone()).id}/party-invite"
        await self.only_self("POST", path, {"party": guid()})

    async def test_content_files(self):
        """extensions §3: GET files, of content and of a revision, requires nothing."""
        made = await self.published()
        await self.anyone(f"{made.path}/files")
        await self.anyone(f"{made.path}/revisions/{made.sent['revisionId']}/files")

    async def test_revision_given_up(self):
        """extensions §3: DELETE of a revision is for the content's author, not for admins."""
        made = await self.content(await self.user())
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        await self.post(f"{made.path}/revisions", draft(), by=made.author, expect=201)
        await self.outcome(401, "DELETE", path, None)
        for user in (await self.someone(), await self.admin()):
            await self.outcome(403, "DELETE", path, None, by=user)
        await self.outcome(None, "DELETE", path, None, by=made.author)

    async def test_forged_admin(self):
        """choices: the role comes from the token, which nobody can change."""
        user = await self.someone()
        forged = self.forge(user, role="admin", signed=b"x" * 32)
        response = await self.post("design-challenges", challenge(), by=forged)
        self.problem(response, 401, "invalid_token")
