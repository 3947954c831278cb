"""Users and things that the matrix's requests are about: made once for each service."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec import data
from tests.spec.data import Content, User, draft, guid, name, reference, word
from tests.spec.harness import SpecCase
from tests.spec.matrix.inputs import BODIES
from tests.spec.matrix.operations import SCOPES

OLD = "progress/kept"
"""A key that there is. The slash is a part of it."""
SPARE = "spare"
NEVER = "never/written"


@dataclass
class Request:
    """What changes from operation to operation: the variables of the path, the query, the body (a
    form, if so), and the owner of what it is about."""

    owner: User
    variables: dict[str, str]
    query: dict[str, str] | str = field(default_factory=dict)
    body: dict[str, Any] | None = None
    form: bool = False


class World:
    """Each list has at least two items. The `owner` has made the content, `main`, and is friends
    with `friends`; a `stranger` has nothing to do with all that, nor has `spare`. Of each scope
    there is a service account, by its token."""

    owner: User
    stranger: User
    spare: User
    admin: User
    staff: dict[str, User]
    friends: list[User]
    barred: list[User]
    notices: list[str]
    services: dict[str, str]
    ended: str
    collection: str
    main: Content
    foreign: Content

    def __init__(self) -> None:
        self.variables: dict[str, str] = {}
        self.tag = word()

    # -- requests

    async def request(self, case: SpecCase, operation: str) -> Request:
        """A request of this operation that goes through, once."""
        made = Request(self.owner, self.variables | self._elsewhere().get(operation, {}))
        made.query = self._queries().get(operation, {})
        if forms := BODIES.get(operation):
            made.body = forms[0].sample() | self._members().get(operation, {})
        if prepare := _PREPARE.get(operation):
            await prepare(self, case, made)
        return made

    def _elsewhere(self) -> dict[str, dict[str, str]]:
        """The variables of operations that would take something from the others, or from whom
        nothing is to be taken."""
        spare, other = {"userId": self.spare.id}, {"otherId": self.spare.id}
        key, announcement = {"key": SPARE}, {"announcementId": guid()}
        account = {"accountId": guid()}
        hook = {"webhookId": guid()}
        emptied = {"userId": self.barred[3].id}
        banned, foreign = {"userId": self.barred[0].id}, {"contentId": self.foreign.id}
        return {
            **dict.fromkeys(("unbanUser", "warnUser"), spare),
            **dict.fromkeys(("banUser", "getBan"), banned),
            **dict.fromkeys(("addTester", "removeTester", "putMember", "removeMember"), other),
            **dict.fromkeys(("unfollowUser", "unblockUser", "removeFriend"), other),
            **dict.fromkeys(("putRating", "deleteRating"), foreign),
            **dict.fromkeys(("putProgress", "deleteProgress"), key),
            "deleteSubscription": foreign,
            "deleteCollectionItem": foreign,
            "putCollection": {"collectionId": self.collection},
            "blockUser": {"otherId": self.barred[1].id},
            "setUserRole": {"userId": self.barred[2].id},
            **dict.fromkeys(("setUserEmail", "getUserClearance", "clearUser"), emptied),
            "deleteHold": {"id": self.using[0].id},
            "deleteNotification": {"notificationId": guid()},
            "getStudioNotification": {"notificationId": self.notices[0]},
            "stopStudioNotification": {"notificationId": self.notices[1]},
            **dict.fromkeys(("putAnnouncement", "deleteAnnouncement"), announcement),
            **dict.fromkeys(("putServiceAccount", "deleteServiceAccount"), account),
            **dict.fromkeys(("putWebhook", "deleteWebhook"), hook),
        }

    def _queries(self) -> dict[str, dict[str, str]]:
        return {
            "listUsers": {"ids": self.owner.id},
            "searchUsers": {"q": self.owner.username[:8]},
            "listContent": {"tags": self.tag},
            "listTags": {"q": self.tag},
            "getSuggestion": {"q": "casle"},
            "listModerationActions": {"subject": self.main.id},
            "listModeratedUsers": {"name": self.owner.username},
            "listIdentityOwners": {"issuer": "steam", "subject": "1"},
            "listContentStatistics": {"from": "2024-02-28", "to": "2024-02-29"},
            "listReportedSubjects": {"kind": "content", "reason": "copyright"},
            "clearNotifications": {"upTo": "0"},
            "putProgressByKey": {"key": SPARE},
            "deleteProgressByKey": {"key": NEVER},
        }

    def _members(self) -> dict[str, dict[str, Any]]:
        passwords = {"current": self.owner.password, "new": self.owner.password}
        return {
            "sendStudioNotification": {"to": [self.spare.id]},
            "changeEmail": {"password": self.owner.password},
            "changePassword": passwords,
            "checkUpload": {
                **{"dependencies": [], "packages": [], "entity": None, "tags": []},
                "type": data.GAME,
            },
            "setStaffTags": {"tags": []},
            "putAccount": {
                "username": self.owner.username,
                "email": self.owner.email,
                "password": self.owner.password,
            },
            "reportPlay": {"content": self.main.id},
            "putContent": {"revisionId": self.main.sent["revisionId"]},
            "setCurrentRevision": {"revisionId": self.main.sent["revisionId"]},
            "resolveReports": {"upTo": self.variables["reportId"]},
            "createDecision": {
                "action": "warn",
                "subject": {"kind": "user", "id": self.spare.id},
            },
            "sendDebugNotification": {"recipient": self.spare.id},
        }

    # -- what can be had once

    async def _counted(self, case: SpecCase, made: Request) -> None:
        """Wait until tags are counted."""
        for _ in range(300):
            if len((await case.get("tags", query=made.query, expect=200)).json()) > 1:
                return
            await deferLater(reactor, 0.1)

    async def _deletable(self, case: SpecCase, made: Request) -> None:
        """A user to delete."""
        made.owner = await case.user()
        made.variables["userId"] = made.owner.id
        made.body = {"password": made.owner.password}

    async def _renamable(self, case: SpecCase, made: Request) -> None:
        """A user who has not changed the name yet."""
        made.owner = await case.user()
        made.variables["userId"] = made.owner.id

    async def _session(self, case: SpecCase, made: Request) -> None:
        """A session to end."""
        user = self.owner
        await case.login(user.username, user.password)
        sessions = (await case.get(f"user/{user.id}/sessions", by=user, expect=200)).json()
        made.variables["sessionId"] = next(one["id"] for one in sessions if not one["current"])

    async def _withdrawable(self, case: SpecCase, made: Request) -> None:
        """Content to withdraw."""
        made.variables["contentId"] = (await case.content(self.owner)).id

    async def _deletable_comment(self, case: SpecCase, made: Request) -> None:
        """A comment to delete."""
        path = await case.comment(self.main, self.owner)
        made.variables["commentId"] = path.rpartition("/")[2]

    async def _deletable_revision(self, case: SpecCase, made: Request) -> None:
        """A revision that is not the current one."""
        content = await case.content(self.owner)
        await case.post(f"{content.path}/revisions", draft(), by=self.owner, expect=201)
        made.variables |= {"contentId": content.id, "revisionId": content.sent["revisionId"]}

    async def _challenge(self, case: SpecCase, made: Request) -> None:
        """A challenge to delete or close."""
        made.variables["challengeId"] = await self._new_challenge(case)

    async def _new_challenge(self, case: SpecCase) -> str:
        body = BODIES["createChallenge"][0].sample()
        made = await case.post("design-challenges", body, by=self.admin, expect=201)
        return (made.header("Location") or "").rpartition("/")[2]

    async def _digest(self, case: SpecCase, made: Request) -> None:
        """A file that nobody has."""
        made.variables["sha256"] = secrets.token_hex(32)

    async def _invite(self, case: SpecCase, made: Request) -> None:
        """An invite to answer."""
        friend, body = self.friends[0], {"party": guid()}
        path = f"user/{friend.id}/friend/{self.owner.id}/party-invite"
        await case.post(path, body, by=friend, expect=204)
        made.body = body

    async def _account(self, case: SpecCase, made: Request) -> None:
        """A service account that has room for a secret."""
        made.variables["accountId"] = (await case.account("events")).id

    async def _log_in(self, case: SpecCase, made: Request) -> None:
        owner = self.owner
        sent = {"username": owner.username, "password": owner.password}
        made.body, made.form = {"grant_type": "password"} | sent, True

    async def _revocation(self, case: SpecCase, made: Request) -> None:
        made.body, made.form = {"token": "x"}, True

    # -- making it

    async def make(self, case: SpecCase) -> None:
        """Make all of it."""
        self.admin = await case.admin()
        self.staff = {role: await case.member(role) for role in ("curator", "moderator")}
        self.staff["admin"] = self.admin
        users = [await case.user() for _ in range(12)]
        self.owner, self.stranger, self.spare, *rest = users
        self.friends, asking, self.barred = rest[:3], rest[3:5], rest[5:]
        await self._make_people(case, asking)
        await self._make_content(case)
        await self._make_challenges(case)
        await self._make_reports(case)
        await self._make_collections(case)
        await self._make_announcements(case)
        self.services = {scope: (await case.service(scope))[1] for scope in SCOPES}
        gone, self.ended = await case.service(*SCOPES)
        await case.delete(f"service-accounts/{gone.id}", by=self.admin, expect=204)
        made = await case.account("events")
        self.variables |= {"accountId": made.id, "secretId": guid()}
        await self._make_webhooks(case)
        await self._make_decisions(case)
        await self._make_notice(case)
        await self._make_holds(case)
        ban = f"user/{self.barred[0].id}/ban"
        await case.put(ban, {"reason": "x"}, by=self.admin, expect=204)
        path = f"user/{self.owner.id}/progress/{OLD.replace('/', '%2F')}"
        await case.put(path, {"value": {}}, by=self.owner, expect=204)

    async def _make_decisions(self, case: SpecCase) -> None:
        ground = {
            "basis": "terms",
            "reference": "3",
            "explanation": "x",
            "source": "own",
            "automated": "no",
        }
        subject = {"kind": "user", "id": self.owner.id}
        for id in (guid(), guid()):
            body = {"id": id, "action": "warn", "subject": subject, "ground": ground}
            await case.post("moderation/decisions", body, by=self.admin, expect=201)
            self.variables["decisionId"] = id
        made, by = await case.content(self.owner), await case.member("moderator")
        subject = {"kind": "content", "id": made.id}
        for action in ("suspend", "lock_comments"):
            body = {"id": guid(), "action": action, "subject": subject, "ground": ground}
            await case.post("moderation/decisions", body, by=by, expect=201)
            path = f"user/{self.owner.id}/decisions/{body['id']}"
            await case.post(f"{path}/appeal", {"text": "x"}, by=self.owner, expect=201)
            found = await case.get(path, by=self.owner, expect=200)
            self.variables["appealId"] = found.json()["appeals"][0]["id"]

    async def _make_notice(self, case: SpecCase) -> None:
        body = BODIES["createNotice"][0].sample()
        body["subjects"] = [{"kind": "content", "id": self.main.id}]
        made = await case.post("notices", body, expect=201)
        self.variables["noticeId"] = made.json()["id"]

    async def _make_holds(self, case: SpecCase) -> None:
        """Two, that are copied."""
        self.variables["escalationId"] = guid()
        for content in (self.main, self.foreign):
            path = f"moderation/holds/content/{content.id}"
            await case.put(path, {"reason": "x"}, by=self.admin, expect=204)
            for _ in range(300):
                found = await case.get(path, by=self.admin, expect=200)
                if found.json()["state"] != "copying":
                    break
                await deferLater(reactor, 0.1)

    async def _make_people(self, case: SpecCase, asking: list[User]) -> None:
        me = f"user/{self.owner.id}"
        for user in asking:
            await case.put(f"user/{user.id}/friend/{self.owner.id}", by=user, expect=204)
        for user in self.barred:
            await case.put(f"{me}/blocked/{user.id}", by=self.owner, expect=204)
        message = guid()
        for user in self.friends:
            for one, other in ((self.owner, user), (user, self.owner)):
                for way in ("friend", "following"):
                    await case.put(f"user/{one.id}/{way}/{other.id}", by=one, expect=204)
            body = {"text": "x", "id": message}
            await case.post(f"{me}/friend/{user.id}/messages", body, by=self.owner, expect=201)
            back = f"user/{user.id}/friend/{self.owner.id}"
            await case.post(f"{back}/party-invite", {"party": guid()}, by=user, expect=204)
        friend = self.friends[0]
        path = f"user/{friend.id}/friend/{self.owner.id}/messages"
        await case.post(path, {"text": "x"}, by=friend, expect=201)
        self.variables |= {
            "userId": self.owner.id,
            "otherId": friend.id,
            "friendUserId": friend.id,
            "messageId": message,
            "identityId": guid(),
            "notificationId": (await case.notifications(self.owner))[0]["id"],
            "key": OLD,
        }

    async def _make_content(self, case: SpecCase) -> None:
        self.foreign = await case.content(self.friends[0])
        self.main = await case.content(self.owner, tags=[self.tag])
        for _ in range(2):
            await case.post(f"{self.main.path}/revisions", draft(), by=self.owner, expect=201)
        renamed = f"{self.main.path}/name"
        await case.put(renamed, {"name": name()}, by=self.owner, expect=204)
        for user in self.friends:
            for kind in ("testers", "members"):
                path = f"{self.main.path}/{kind}/{user.id}"
                await case.put(path, by=self.owner, expect=204)
            await case.put(path, by=user, expect=204)
        for kind in ("testers", "members"):
            path = f"{self.foreign.path}/{kind}/{self.owner.id}"
            await case.put(path, by=self.friends[0], expect=204)
        await case.comment(self.main, self.owner)
        path = await case.comment(self.main, self.owner)
        self.using = []
        for _ in range(2):
            used = {
                "using": [reference(self.main.sent["entity"])],
                "tags": [self.tag, f"{self.tag} 2"],
            }
            self.using.append(await case.content(self.owner, **used))
            withdrawn = await case.content(self.owner)
            await case.delete(withdrawn.path, by=self.owner, expect=204)
            for featured in (True, False):
                path_of = f"{self.main.path}/featured"
                await case.put(path_of, {"featured": featured}, by=self.admin, expect=204)
        for kept in (self.main, *self.using):
            keeping = f"user/{self.owner.id}/subscription/{kept.id}"
            await case.put(keeping, {}, by=self.owner, expect=204)
        self.variables |= {
            "contentId": self.main.id,
            "revisionId": self.main.sent["revisionId"],
            "commentId": path.rpartition("/")[2],
            "sha256": hashlib.sha256(name().encode()).hexdigest(),
        }

    async def _make_challenges(self, case: SpecCase) -> None:
        """One that is open, and two that are won."""
        for closed in (True, True, False):
            id = await self._new_challenge(case)
            for content in self.using:
                path = f"design-challenges/{id}/entries/{content.id}"
                await case.put(path, by=self.owner, expect=204)
            if closed:
                body = {"winners": [content.id for content in self.using]}
                path = f"design-challenges/{id}/close"
                await case.post(path, body, by=self.admin, expect=204)
        self.variables["challengeId"] = id

    async def _make_collections(self, case: SpecCase) -> None:
        """Two that are public, each with two items."""
        self.collection = guid()
        for id in (guid(), guid()):
            path = f"user/{self.owner.id}/collections/{id}"
            await case.put(path, {"name": "x", "public": True}, by=self.owner, expect=204)
            for content in (self.main, *self.using):
                await case.put(f"{path}/items/{content.id}", {}, by=self.owner, expect=204)
        self.variables["collectionId"] = id

    async def _collection(self, case: SpecCase, made: Request) -> None:
        """A collection to delete."""
        path = f"user/{self.owner.id}/collections/{(id := guid())}"
        await case.put(path, {"name": "x", "public": True}, by=self.owner, expect=204)
        made.variables["collectionId"] = id

    async def _make_announcements(self, case: SpecCase) -> None:
        body = BODIES["putAnnouncement"][0].sample()
        self.notices = [guid(), guid()]
        for id in self.notices:
            self.variables["announcementId"] = guid()
            path = f"announcements/{self.variables['announcementId']}"
            await case.put(path, body, by=self.admin, expect=201)
            notice = {"id": id, "topic": "x", "data": {}, "to": [self.spare.id]}
            await case.post("notifications", notice, by=self.admin, expect=202)

    async def _make_webhooks(self, case: SpecCase) -> None:
        body = BODIES["putWebhook"][0].sample()
        for id in (guid(), guid()):
            await case.put(f"webhooks/{id}", body, by=self.admin, expect=201)
            await case.post(f"webhooks/{id}/secret", by=self.admin, expect=200)
            self.variables["webhookId"] = id

    async def _make_reports(self, case: SpecCase) -> None:
        for content in (self.main, *self.using):
            for user in self.friends[:2]:
                body = {"reason": "copyright"}
                await case.post(f"{content.path}/report", body, by=user, expect=204)
        found = await case.get(f"moderation/reports/content/{self.main.id}", by=self.admin)
        self.variables |= {"kind": "content", "id": self.main.id}
        self.variables["reportId"] = found.json()[0]["id"]
        notice = BODIES["createNotice"][0].sample()
        notice["subjects"] = [{"kind": "content", "id": self.main.id}]
        sent = await case.post("notices", notice, expect=201)
        self.variables["noticeId"] = sent.json()["id"]


_PREPARE: dict[str, Callable[[World, SpecCase, Request], Coroutine[Any, Any, None]]] = {
    "deleteUser": World._deletable,
    "setUsername": World._renamable,
    "endSession": World._session,
    "deleteContent": World._withdrawable,
    "deleteComment": World._deletable_comment,
    "deleteRevision": World._deletable_revision,
    "deleteCollection": World._collection,
    "deleteChallenge": World._challenge,
    "closeChallenge": World._challenge,
    "blockFile": World._digest,
    "unblockFile": World._digest,
    "acceptPartyInvite": World._invite,
    "declinePartyInvite": World._invite,
    "createServiceSecret": World._account,
    "createToken": World._log_in,
    "listTags": World._counted,
    "revokeToken": World._revocation,
}
