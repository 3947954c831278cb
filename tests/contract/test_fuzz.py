"""What schemathesis finds: it asks for all that /openapi.json has, and for what it has not."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import psycopg2
from twisted.internet.task import LoopingCall
from twisted.internet.utils import getProcessOutputAndValue

from tests.spec.accounts.guests import GuestCase
from tests.spec.data import User, guid
from tests.spec.moderation.support import AppealingCase, content_of
from tests.spec.moderation.test_legal import TERMS
from tests.spec.moderation.test_notices import SENT
from tests.spec.notifications.support import revision
from tests.support.daemon import Daemon, script, shared
from tests.support.issuers import ID_TOKEN, Issuer
from tests.support.mailserver import MailServer
from tests.test_actions import TAGS

UNLIMITED = {
    "COMMENTS_PER_MINUTE": "0",
    "MESSAGES_PER_MINUTE": "0",
    "FOLLOWS_PER_DAY": "0",
    "FRIEND_REQUESTS_PER_DAY": "0",
    "PUBLICATIONS_PER_DAY": "0",
    "REPORTS_PER_DAY": "0",
    "FAILED_LOG_INS_PER_ADDRESS": "0",
    "MAILS_PER_ADDRESS": "0",
    "MAILS_PER_RECIPIENT": "0",
    "CHANGES_PER_HOUR": "0",
    "INVITES_PER_HOUR": "0",
}
"""Else most answers would be 429 before long."""
AT_RANDOM = 20
"""Cases of each operation that are made at random, beside those that are made on purpose."""
CHECKS = {
    # 422 is a reference to what is not there, or to oneself, and 429 too many log-ins: no schema
    # can say that. What else it cannot say is in hooks.py.
    "positive_data_acceptance": {
        "expected-statuses": ["2xx", "401", "403", "404", "409", "422", "429"]
    },
    # What is too long for a member may be too long altogether.
    "negative_data_rejection": {
        "expected-statuses": ["400", "401", "403", "404", "405", "409", "413", "415", "422", "429"]
    },
}
PROBES = {("GET", "/health/live"), ("GET", "/health/ready")}
"""Have no line in the log where they are answered well."""
World = dict[str, dict[str, list[Any]]]
"""Values for the variables of paths, and for members of queries and bodies, by the path of the
operation that they are for, or by its method and path; those of `*` are for all others."""
ACCESS = re.compile(r" ([A-Z]+) (/\S+) (\d{3}) [\d.]+ms user=")


def toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(each)}' for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).lower()


def number(path: str) -> int:
    """The number at the end of a path."""
    return int(path.rpartition("/")[2])


class FuzzTests(AppealingCase, GuestCase):
    timeout = 1200.0
    _mails: ClassVar[list[MailServer]] = []
    _issuers: ClassVar[list[Issuer]] = []

    async def connect(self) -> None:
        self.own_daemon()
        if not self._mails:
            self._mails.append(MailServer())
            await self._mails[0].start()
            self._issuers.append(Issuer())
        else:
            self._issuers[0].back()
        self.addCleanup(self._issuers[0].stop)
        options = (
            *("--smtp", f"smtp://127.0.0.1:{self._mails[0].port}"),
            *("--mail-from", "a@b.example", "--reset-url", "https://portal.example/"),
            *("--issuers", str(self._issuers[0].file()), "--guests", "yes"),
            *("--legal", self._file(TERMS), "--tags", self._file(TAGS)),
        )
        self.use(await shared("fuzzed", lambda: Daemon(*options, environ=UNLIMITED)))

    def _file(self, text: str) -> str:
        """The path of a new file with this text."""
        file = Path(self.mktemp()).absolute()
        file.write_text(text)
        return str(file)

    async def world(self, caller: User) -> World:
        """What there is: for the most part the caller's, for the rest that of others or nobody."""
        ann, ben, banned, friend = [await self.user() for _ in range(4)]
        own, other = await self.content(caller), await self.content(ann)
        # What is withdrawn, suspended or closed to comments is no good for other operations.
        spare, quiet, talk, revised = [await self.content(caller) for _ in range(4)]
        await self.post(f"content/{revised.id}/revisions", revision(), by=caller, expect=201)
        comments = [await self.comment(own, ann), await self.comment(own, caller)]
        numbers = [number(path) for path in comments]
        for content in (own, other):
            await self.rate(ann, content, "1")
        await self.put(f"user/{banned.id}/ban", {"reason": "rude"}, by=caller, expect=204)
        await self.put(f"user/{caller.id}/following/{ben.id}", by=caller, expect=204)
        await self.put(f"user/{ben.id}/following/{caller.id}", by=ben, expect=204)
        await self.put(f"user/{caller.id}/progress/level", {"value": {"n": 3}}, by=caller)
        for one, other_one in ((caller, friend), (friend, caller)):
            await self.put(f"user/{one.id}/friend/{other_one.id}", by=one, expect=204)
        conversation = f"user/{caller.id}/friend/{friend.id}/messages"
        message = guid()
        await self.post(conversation, {"text": "hi", "id": message}, by=caller, expect=201)
        for n in range(3):
            await self.notify(caller, f"number {n}")
        notifications = [each["id"] for each in await self.notifications(caller)]
        for _ in range(5):
            await self.login(caller.username, caller.password)
        token = self._issuers[0].token(guid(), exp=2**33)
        identities = f"user/{caller.id}/identities"
        link = {"subject_token": token, "subject_token_type": ID_TOKEN}
        proof = {"password": caller.password}
        await self.post(identities, link | proof, by=caller, expect=204)
        (linked,) = (await self.get(identities, by=caller, expect=200)).json()
        sessions = await self.get(f"user/{caller.id}/sessions", by=caller, expect=200)
        service = await self.account("events")
        hook = guid()
        where = {"url": "https://hook.invalid/", "kinds": None, "enabled": False}
        await self.put(f"webhooks/{hook}", where, by=caller, expect=201)
        await self.post(f"webhooks/{hook}/secret", by=caller, expect=200)
        collection = guid()
        collected = f"user/{caller.id}/collections/{collection}"
        await self.put(collected, {"name": "x", "public": True}, by=caller, expect=204)
        await self.put(f"{collected}/items/{own.id}", {}, by=caller, expect=204)
        general = {
            "path.userId": [caller.id, caller.id, caller.id, ann.id, guid()],
            "path.otherId": [ann.id, ben.id, caller.id, guid()],
            "path.friendUserId": [ann.id, ben.id, caller.id, guid()],
            "path.contentId": [own.id, own.id, own.id, other.id, guid()],
            "path.revisionId": [own.sent["revisionId"], guid()],
            "path.commentId": [*numbers, 2**40],
            "path.collectionId": [collection, caller.id, guid()],
            "body.before": [own.id, other.id, guid()],
            "path.challengeId": [await self.challenge(caller), guid()],
            "query.ids": [own.id, other.id, caller.id],
            "body.revisionId": [own.sent["revisionId"], guid()],
            "path.accountId": [service.id, guid()],
            "path.secretId": [service.secret_id, guid()],
            "path.webhookId": [hook, guid()],
            "body.url": ["https://hook.invalid/"],
            "path.notificationId": [*notifications, guid()],
            "path.messageId": [message, guid()],
            "path.identityId": [linked["id"], guid()],
            "path.key": ["level", "other"],
            "path.kind": ["content", "comment", "user", "collection"],
            "path.id": [other.id, ann.id, guid()],
            "path.sha256": ["ab" * 32, "cd" * 32],
            "path.sessionId": [each["id"] for each in sessions.json() if not each["current"]],
            "query.subject": [own.id, str(numbers[0]), "ab" * 32],
            "query.admin": [caller.id, guid()],
            "query.q": [caller.username, ann.username[:5]],
            "body.recipient": [ann.id, ben.id, guid()],
            "body.parentId": [*numbers, 2**40],
            "body.upTo": [*notifications, guid(), 2],
            "query.upTo": [*notifications, guid(), 2],
            "body.current": [caller.password],
        }
        (mails,), lost = self._mails, await self.user()
        confirm = await mails.arrived(lost.email)
        await self.post("user/password-reset", {"email": lost.email}, expect=204)
        reset = await mails.arrived(lost.email, 2)
        for path in (comments[0], other.path, f"user/{ann.id}"):
            await self.post(f"{path}/report", {"reason": "spam"}, by=ben, expect=204)
        report = f"moderation/reports/user/{ann.id}"
        (reported,) = (await self.get(report, by=await self.admin(), expect=200)).json()
        talking = {"path.userId": [caller.id], "path.otherId": [friend.id]}
        return {
            "*": general,
            "/api/v1/content/{contentId}/report": {"path.contentId": [other.id, own.id, guid()]},
            "/api/v1/content/{contentId}/comments/{commentId}/report": {
                "path.contentId": [own.id],
                "path.commentId": [*numbers, 2**40],
            },
            "/api/v1/user/{userId}/report": {
                "path.userId": [ann.id, ben.id, caller.id, guid()],
            },
            "/api/v1/moderation/reports/{kind}/{id}": {
                "path.kind": ["user"],
                "path.id": [ann.id, guid()],
                "body.upTo": [reported["id"], guid()],
            },
            "/api/v1/content/{contentId}": {"path.contentId": [spare.id, other.id, guid()]},
            "/api/v1/content/{contentId}/restore": {"path.contentId": [spare.id, guid()]},
            "/api/v1/content/{contentId}/status": {"path.contentId": [quiet.id, guid()]},
            "/api/v1/content/{contentId}/comments-locked": {"path.contentId": [quiet.id, guid()]},
            "DELETE /api/v1/content/{contentId}/comments/{commentId}": {
                "path.commentId": [numbers[0], 2**40]
            },
            "DELETE /api/v1/content/{contentId}/revisions/{revisionId}": {
                "path.contentId": [revised.id],
                "path.revisionId": [revised.sent["revisionId"], guid()],
            },
            "PATCH /api/v1/content/{contentId}/comments/{commentId}": {
                "path.contentId": [talk.id],
                "path.commentId": [number(await self.comment(talk, caller))],
            },
            "/api/v1/design-challenges/{challengeId}/entries/{contentId}": {
                "path.challengeId": [await self.challenge(caller)],
                "path.contentId": [own.id],
            },
            "/api/v1/design-challenges/{challengeId}": {
                "path.challengeId": [await self.challenge(caller), guid()]
            },
            "/api/v1/design-challenges/{challengeId}/close": {
                "path.challengeId": [await self.challenge(caller), guid()]
            },
            "/api/v1/user/{userId}/friend/{otherId}/messages": talking,
            "/api/v1/user/{userId}/friend/{otherId}/messages/{messageId}": talking,
            # Who is blocked is refused much.
            "/api/v1/user/{userId}/blocked/{otherId}": {"path.otherId": [banned.id, guid()]},
            "/api/v1/user/{userId}/role": {"path.userId": [banned.id, guid()]},
            "/api/v1/statistics": {"query.from": ["2026-11-20"], "query.to": ["2026-11-22"]},
            "/api/v1/events": {
                "query.after": [0],
                "query.wait": [0],
                "query.kinds": ["UserBanned"],
            },
            "/api/v1/user/{userId}/ban": {"path.userId": [ben.id, caller.id, guid()]},
            "GET /api/v1/user/{userId}/ban": {"path.userId": [banned.id, guid()]},
            "/api/v1/user/{userId}/rating/{contentId}": {
                "path.userId": [caller.id],
                "path.contentId": [own.id],
                "body.accountId": [caller.id],
                "body.contentId": [own.id],
            },
            "POST /api/v1/user/{userId}/identities": {
                "path.userId": [caller.id],
                "body.subject_token": [token],
                "body.subject_token_type": [ID_TOKEN],
                "body.password": [caller.password],
            },
            "DELETE /api/v1/user/{userId}/identities/{identityId}": {
                "path.userId": [caller.id],
                "body.password": [caller.password],
            },
            # Ten wrong passwords of the caller, and the right one would be refused too.
            "DELETE /api/v1/user/{userId}": {"path.userId": [ann.id, guid()]},
            "PUT /api/v1/user/{userId}/email": {
                "path.userId": [caller.id],
                "body.password": [caller.password],
            },
            "PUT /api/v1/user/email/verification": {"body.token": [confirm.token]},
            "PUT /api/v1/user/password-reset": {"body.token": [reset.token]},
            "/oauth/token": {
                "body.username": [ann.username, ann.email],
                "body.password": [ann.password],
            },
        }

    async def challenge(self, by: User) -> str:
        """The id of a new challenge."""
        reward = {
            "achievement": {"key": "k", "name": "n", "description": ""},
            "emblem": {"name": "n", "description": "", "image": "e.png", "color": "#00ff00"},
        }
        body = {"name": "n", "ordinal": 1, "description": "", "theme": "t"}
        body |= {"win": reward, "participate": reward}
        response = await self.post("design-challenges", body, by=by, expect=201)
        return (response.header("Location") or "").rpartition("/")[2]

    async def fuzz(self, world: World, caller: User, *options: str) -> None:
        """Fail with what schemathesis finds. It does not take the role of the caller away."""
        dictionaries: dict[str, Any] = {}
        parameters: dict[str, dict[str, Any]] = {}
        for path, values in world.items():
            parameters[path] = bound = {}
            for name, choices in values.items():
                dictionary = f"n{len(dictionaries)}"
                dictionaries[dictionary] = {"values": choices}
                bound[name] = {"dictionary": dictionary, "probability": 0.9}
        settings = {
            "generation": {
                "deterministic": True,
                "max-examples": AT_RANDOM,
                "database": "none",
            },
            # How fast a machine makes examples is no fault of the service.
            "suppress-health-check": ["too_slow"],
            "hooks": str(Path(__file__).with_name("hooks.py")),
            "checks": CHECKS,
            "dictionaries": dictionaries,
            "parameters": parameters.pop("*"),
            "operations": [
                {"include-name" if " " in key else "include-path": key, "parameters": bound}
                for key, bound in parameters.items()
            ],
        }
        folder = Path(tempfile.mkdtemp(prefix="contentsvc-fuzz-"))
        self.addCleanup(shutil.rmtree, folder)
        file = folder / "schemathesis.toml"
        file.write_text("".join(f"{key} = {toml(value)}\n" for key, value in settings.items()))
        command = ["--config-file", str(file), "run", f"{self.url}/openapi.json", *options]
        with self.forgiving():
            out, err, status = await getProcessOutputAndValue(
                script("schemathesis"),
                command,
                env=os.environ | {"FUZZ_CALLER": caller.id},
                path=str(folder),
            )
        self.assertEqual(0, status, (out + err).decode())

    @contextmanager
    def forgiving(self) -> Iterator[None]:
        """Forget wrong passwords all the time. Else those of one operation would be the 429 of the
        right ones of another."""
        folder = self.daemon.socket_folder()
        database = psycopg2.connect(host=str(folder), user="postgres", dbname="contentsvc")
        database.autocommit = True

        def forget() -> None:
            with database.cursor() as cursor:
                cursor.execute("delete from rate_limits")

        loop = LoopingCall(forget)
        loop.start(0.2)
        try:
            yield
        finally:
            loop.stop()
            database.close()

    def succeeded(self, log: str) -> set[tuple[str, str]]:
        """Method and route of the requests in the log that were answered well."""
        return {
            (method, re.sub(r"<\w+:(\w+)>|{(\w+)}", "{}", route))
            for method, route, status in ACCESS.findall(log)
            if status < "300"
        }

    async def test_admin(self) -> None:
        """With an admin's token there is no finding, and each operation has succeeded."""
        admin = await self._new_admin()
        document = (await self.get("/openapi.json", expect=200)).json()
        world = await self.world(admin)
        for name in re.findall(r"{(\w+)}", " ".join(document["paths"])):
            world["*"].setdefault(f"path.{name}", [guid()])
        before = len(self.daemon.output())
        await self.fuzz(world, admin, "--header", f"Authorization: Bearer {admin.token}")
        # What was suspended, deleted or replaced meanwhile may refuse each of these.
        spare, content = await self.user(), await self.content(admin)
        entry = f"{await self.challenge(admin)}/entries/{content.id}"
        await self.put(f"design-challenges/{entry}", by=admin, expect=204)
        current = {"revisionId": content.sent["revisionId"]}
        await self.put(f"{content.path}/revisions/current", current, by=admin, expect=204)
        comment = await self.comment(content, admin)
        await self.amend(comment, {"body": "Better"}, by=admin, expect=204)
        await self.notify(spare)
        (told,) = await self.notifications(spare)
        path = f"user/{spare.id}/notifications/{told['id']}"
        await self.amend(path, {"read": True}, by=spare, expect=204)
        for guests in ("testers", "members"):
            await self.put(f"{content.path}/{guests}/{spare.id}", by=admin, expect=204)
        collection = guid()
        kept = {"name": "x", "public": True}
        await self.put(f"user/{spare.id}/collections/{collection}", kept, by=spare, expect=204)
        bad = {"reason": "spam"}
        await self.post(f"collections/{collection}/report", bad, by=admin, expect=204)
        sale = {"id": guid(), "topic": "sale", "data": {}, "to": [spare.id]}
        await self.post("notifications", sale, by=admin, expect=202)
        await self.get(f"notifications/{sale['id']}", by=admin, expect=200)
        await self.delete(f"notifications/{sale['id']}", by=admin, expect=204)
        await self.put(f"{content.path}/staff-tags", {"tags": ["pick"]}, by=admin, expect=204)
        await self.put(f"user/{spare.id}/terms", {"version": "2026-11"}, by=spare, expect=204)
        guest = await self.guest()
        await self.put(f"user/{guest.id}/account", self.full(), by=guest, expect=204)
        await self.moderate()
        # Whoever has left can ask for nothing more.
        body = {"password": spare.password}
        await self.delete(f"user/{spare.id}", body=body, by=spare, expect=204)
        # A request's line comes after its answer, and before the next answer.
        await self.get("/health/live", expect=200)
        wanted = {
            (method.upper(), re.sub(r"{\w+}", "{}", path))
            for path, operations in document["paths"].items()
            for method in operations
        }
        done = self.succeeded(self.daemon.output()[before:])
        place = "never answered well: `world` of tests/contract/test_fuzz.py lacks what it needs"
        self.assertEqual(wanted - done, PROBES, f"{place}. Or test_admin asks at its end")

    async def moderate(self) -> None:
        """Ask for what needs a decision, an appeal, a notice or a hold that was just made."""
        admin = await self.admin()
        made, decision = await self.suspended()
        path = f"user/{made.author.id}/decisions/{decision}"
        await self.get(path, by=made.author, expect=200)
        await self.decision(decision)
        await self.appeal(made.author, decision)
        (appeal,) = await self.against(decision=decision)
        await self.answer(appeal["id"], by=await self.member("moderator"))
        await self.reverse(decision)
        disputed, reporter = await self.castle(), await self.user()
        body = {**SENT, "subjects": [content_of(disputed)]}
        notice = (await self.post("notices", body, expect=201)).json()
        await self.report(disputed.path, reporter)
        await self.judge("content", disputed.id, "dismissed")
        await self.get(f"notices/{notice['id']}", by=notice["token"], expect=200)
        objection = {"text": "Look again"}
        path = f"notices/{notice['id']}/appeal"
        await self.post(path, objection, by=notice["token"], expect=201)
        await self.object(reporter, "content", disputed.id)
        hold = f"moderation/holds/content/{disputed.id}"
        await self.put(hold, {"reason": "court order"}, by=admin, expect=204)
        given = {"to": "police", "reference": "26/1", "at": 0}
        await self.put(f"{hold}/escalations/{guid()}", given, by=admin, expect=204)

    async def test_anonymous(self) -> None:
        """Without a token there is none; most cases are refused for that, so that few do."""
        admin = await self._new_admin()
        await self.fuzz(await self.world(admin), admin, "--max-examples", "5")
