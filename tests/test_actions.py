"""Every write that an admin can do to what is another's, and what it leaves in the list of acts
(moderation#actions).

It goes through the table of operations. An operation that refuses some callers but not admins has a
recipe here, by its name: what to ask for, and what must be noted. ListedTests names one without.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg2
from twisted.internet.defer import Deferred, gatherResults
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.families import OPERATIONS
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.operations import Operation
from contentsvc.framework.http.permissions import SELF
from contentsvc.roles import ROLES
from tests.spec.challenges.support import Challenge, ChallengeCase
from tests.spec.challenges.test_challenges import challenge
from tests.spec.client import NOTHING, Response
from tests.spec.data import Content, User, guid, name
from tests.spec.notifications.support import revision
from tests.support import daemon, lists

ASKS = {"check_upload", "send_webhook_test", "clear_user"}
"""Operations that change nothing, whoever calls them, or leave that to a task."""

TABLES = [
    *("contents", "revisions", "comments", "users", "bans", "notifications", "blocked_files"),
    *(
        "challenges",
        "challenge_entries",
        "challenge_rewards",
        "report_subjects",
        "announcements",
        "studio_notifications",
        "service_accounts",
        "service_secrets",
        "webhooks",
        "collections",
        "holds",
        "escalations",
        "appeals",
    ),
]
"""What admins change, each act at least one of them."""


STAGE = """
    create table failing (name text);
    create function fail() returns trigger language plpgsql as $$
    begin
        if exists (select from failing where name = tg_table_name) then
            raise exception 'no commit' using errcode = '57014';
        end if;
        return null;
    end $$;
""" + " ".join(
    f"""create constraint trigger {table}_fails after insert or update or delete on {table}
        deferrable initially deferred for each row execute function fail();"""
    for table in ("moderation_actions", *TABLES)
)
"""From now on, a transaction that has written one of these tables fails when it commits, if the
table is in `failing`."""
TAGS = """
[[groups]]
key = "studio"
label = "Studio"
tags = [{name = "pick"}]
staff = true
"""
CLEAR = "drop function if exists fail cascade; drop table if exists failing"


DECISIONS = "moderation/decisions"


def warning(user: str) -> dict[str, Any]:
    """A new decision that warns this user."""
    ground = {"basis": "terms", "reference": "3", "source": "own", "automated": "no"}
    subject = {"kind": "user", "id": user}
    explained = ground | {"explanation": "rude"}
    return {"id": guid(), "action": "warn", "subject": subject, "ground": explained}


@dataclass(frozen=True)
class Act:
    """A request about what is another's. As an admin's, it is noted like this; without `action` not
    at all. The same request `again` changes nothing."""

    path: str
    body: Any = NOTHING
    action: str = ""
    kind: str = ""
    subject: str = ""
    reason: str = ""
    query: dict[str, str] = field(default_factory=dict)
    again: bool = True

    @property
    def noted(self) -> tuple[str, ...]:
        """The row."""
        return self.action, self.kind, self.subject, self.reason


def needs_recipe(operation: Operation) -> bool:
    """Whether it is a write that refuses some callers, but perhaps no admins."""
    route = operation.route
    if route.method == "GET":
        return False
    # What is for programs alone is no admin's.
    admins = not ROLES["admin"].isdisjoint(route.allow.needed)
    return admins or Forbidden in route.raises


WRITES = [operation for operation in OPERATIONS if needs_recipe(operation)]


def _daemon() -> daemon.Daemon:
    file = Path(tempfile.mkdtemp()) / "tags.toml"
    file.write_text(TAGS)
    return daemon.Daemon("--tags", str(file))


class ActCase(ChallengeCase):
    """Acts, and the database in which they are noted."""

    async def connect(self) -> None:
        self.own_daemon()
        await super().connect()
        # What fails there is not to fail for others.
        self.use(await daemon.shared("acts", _daemon))
        folder = self.daemon.socket_folder() if self.daemon else None
        if folder is None:
            self.fail("the daemon has no database of its own")
        self.database = f"postgresql://postgres@/contentsvc?host={quote(str(folder), safe='')}"
        self.addCleanup(self.sql, CLEAR)

    def sql(self, statement: str, *given: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with closing(psycopg2.connect(self.database)) as connection, connection:
            with connection.cursor() as cursor:
                cursor.execute(statement, given or None)
                return cursor.fetchall() if cursor.description else []

    async def shown_and_hidden(self, *entered: Challenge) -> list[Content]:
        """A content that others see, and one that is suspended."""
        both = [await self.content(await self.user()) for _ in range(2)]
        for each in entered:
            await self.enter(each, *both)
        await self.moderate(both[1], "suspended")
        return both


class Recipes(ActCase):
    """For each operation, acts that come one after another."""

    async def put_content(self) -> list[Act]:
        body = {"description": "new", "screenshotUris": ["a.png"]}
        return [
            Act(made.path, body | more, "content_changed", "content", made.id)
            for made in await self.shown_and_hidden()
            for more in ({}, {"tags": []})
        ]

    async def set_content_status(self) -> list[Act]:
        made = await self.content(await self.user())
        path, about = f"{made.path}/status", ("content", made.id)
        gore = {"status": "suspended", "reason": "gore"}
        return [
            Act(path, gore, "content_suspended", *about, "gore"),
            Act(path, {"status": "active"}, "content_restored", *about),
        ]

    async def set_content_visibility(self) -> list[Act]:
        made = await self.content(await self.user())
        path, about = f"{made.path}/visibility", ("content", made.id)
        return [
            Act(path, {"visibility": each}, "visibility_changed", *about, each)
            for each in ("unlisted", "public")
        ]

    async def set_content_name(self) -> list[Act]:
        return [
            Act(f"{made.path}/name", {"name": each}, "content_renamed", "content", made.id, each)
            for made in await self.shown_and_hidden()
            for each in ("Keep", "Tower")
        ]

    async def _guest(self, kind: str) -> list[Act]:
        made = await self.content(await self.user())
        return [Act(f"{made.path}/{kind}/{(await self.user()).id}")]

    async def add_tester(self) -> list[Act]:
        return await self._guest("testers")

    async def remove_tester(self) -> list[Act]:
        return await self._guest("testers")

    async def put_member(self) -> list[Act]:
        return await self._guest("members")

    async def remove_member(self) -> list[Act]:
        return await self._guest("members")

    async def set_content_featured(self) -> list[Act]:
        made = await self.content(await self.user())
        path, about = f"{made.path}/featured", ("content", made.id)
        return [
            Act(path, {"featured": True}, "content_featured", *about),
            Act(path, {"featured": False}, "content_unfeatured", *about),
        ]

    async def set_staff_tags(self) -> list[Act]:
        acts = []
        for made in await self.shown_and_hidden():
            path, action = f"{made.path}/staff-tags", "staff_tags_changed"
            acts.append(Act(path, {"tags": ["pick"]}, action, "content", made.id))
        return acts

    async def check_upload(self) -> list[Act]:
        made = await self.content(await self.user())
        body = {"contentId": made.id, "operation": "update", "dependencies": [], "packages": []}
        return [Act("content/upload-precheck", body)]

    async def publish_revision(self) -> list[Act]:
        return [
            Act(f"{made.path}/revisions", revision(), "revision_published", "content", made.id)
            for made in await self.shown_and_hidden()
        ]

    async def set_current_revision(self) -> list[Act]:
        acts = []
        for made in await self.shown_and_hidden():
            await self.publish(made)
            path, body = f"{made.path}/revisions/current", {"revisionId": made.sent["revisionId"]}
            acts.append(Act(path, body, "revision_selected", "content", made.id))
        return acts

    async def put_requires(self) -> list[Act]:
        acts = []
        for made in await self.shown_and_hidden():
            path = f"{made.path}/revisions/{made.sent['revisionId']}/requires"
            body = {"requires": {"features": ["vr"]}}
            acts.append(Act(path, body, "revision_requires", "content", made.id))
        return acts

    async def delete_revision(self) -> list[Act]:
        made = await self.content(await self.user())
        await self.publish(made)
        return [Act(f"{made.path}/revisions/{made.sent['revisionId']}")]

    async def delete_content(self) -> list[Act]:
        return [Act((await self.content(await self.user())).path)]

    async def restore_content(self) -> list[Act]:
        made = await self.content(await self.user())
        await self.delete(made.path, by=made.author, expect=204)
        return [Act(f"{made.path}/restore", NOTHING, "content_restored", "content", made.id)]

    async def update_comment(self) -> list[Act]:
        made = await self.content(await self.user())
        return [Act(await self.comment(made, await self.user()), {"body": "new"})]

    async def delete_comment(self) -> list[Act]:
        acts = []
        for made in await self.shown_and_hidden():
            # Others do not see the one that is hidden.
            path = await self.comment(made, made.author)
            about = "comment", path.rpartition("/")[2]
            reason = {"reason": "rude"}
            acts.append(Act(path, NOTHING, "comment_deleted", *about, "rude", query=reason))
        return acts

    async def set_comments_locked(self) -> list[Act]:
        return [
            Act(f"{made.path}/comments-locked", {"locked": locked}, action, "content", made.id)
            for made in await self.shown_and_hidden()
            for locked, action in ((True, "comments_locked"), (False, "comments_unlocked"))
        ]

    async def update_user(self) -> list[Act]:
        user = await self.user()
        body = {"avatar": "a.png", "emblem": guid(), "fullProfile": {}, "publicProfile": {}}
        other = {"avatar": None, "emblem": None, "publicProfile": {"profile": "x"}}
        return [
            Act(f"user/{user.id}", body | each, "user_changed", "user", user.id)
            for each in ({}, {"fullProfile": {"profile": "x"}}, other)
        ]

    async def set_username(self) -> list[Act]:
        user = await self.user()
        path, about = f"user/{user.id}/username", ("user", user.id)
        return [
            Act(path, {"username": each}, "user_renamed", *about)
            for each in (name(), user.username)
        ]

    async def set_user_email(self) -> list[Act]:
        user = await self.user()
        path, about = f"moderation/users/{user.id}/email", ("user", user.id)
        return [
            Act(
                path,
                {"email": f"{name()}@example.com", "reason": reason},
                "email_changed",
                *about,
                reason,
            )
            for reason in ("lost", "again")
        ]

    async def clear_user(self) -> list[Act]:
        # A task notes it: tests/jobs/test_moderation.py.
        body = {"what": ["content"], "reason": "spam"}
        return [Act(f"moderation/users/{(await self.user()).id}/clear", body)]

    async def ban_user(self) -> list[Act]:
        user = await self.user()
        path, about = f"user/{user.id}/ban", ("user", user.id)
        return [
            Act(path, {"reason": reason, "until": until}, "user_banned", *about, reason)
            for reason, until in (("rude", None), ("cheats", None), ("cheats", 1), ("cheats", 2))
        ]

    async def unban_user(self) -> list[Act]:
        user, admin = await self.user(), await self.admin()
        path = f"user/{user.id}/ban"
        await self.put(path, {"reason": "rude"}, by=admin, expect=204)
        return [Act(path, NOTHING, "ban_lifted", "user", user.id)]

    async def warn_user(self) -> list[Act]:
        user = await self.user()
        body = {"reason": "rude", "id": guid()}
        return [Act(f"user/{user.id}/warning", body, "user_warned", "user", user.id, "rude")]

    async def create_decision(self) -> list[Act]:
        user = await self.user()
        return [Act(DECISIONS, warning(user.id), "user_warned", "user", user.id, "rude")]

    async def reverse_decision(self) -> list[Act]:
        user = await self.user()
        body = warning(user.id)
        await self.post(DECISIONS, body, by=await self.admin(), expect=201)
        path = f"{DECISIONS}/{body['id']}/reversal"
        return [Act(path, {"reason": "x"}, "warning_withdrawn", "user", user.id, "x")]

    async def decide_appeal(self) -> list[Act]:
        made, by = await self.content(await self.user()), await self.member("moderator")
        subject = {"kind": "content", "id": made.id}
        body = warning("") | {"action": "suspend", "subject": subject}
        await self.post(DECISIONS, body, by=by, expect=201)
        path = f"user/{made.author.id}/decisions/{body['id']}/appeal"
        await self.post(path, {"text": "x"}, by=made.author, expect=201)
        found = await self.get(f"{DECISIONS}/{body['id']}", by=by, expect=200)
        (appeal,) = found.json()["appeals"]
        path, answer = f"moderation/appeals/{appeal['id']}", {"outcome": "confirmed", "reason": "x"}
        return [Act(path, answer, "appeal_confirmed", "content", made.id, "x")]

    async def set_user_role(self) -> list[Act]:
        user = await self.user()
        return [
            Act(f"user/{user.id}/role", {"role": role}, "role_changed", "user", user.id, role)
            for role in ("moderator", "admin", "player")
        ]

    async def create_challenge(self) -> list[Act]:
        return [
            Act("design-challenges", challenge(), "challenge_created", "challenge", again=False)
        ]

    async def replace_challenge(self) -> list[Act]:
        made = await self.challenge()
        win = made.sent["win"]
        emblem = {"emblem": win["emblem"] | {"color": "#000000"}}
        return [
            Act(made.path, made.sent | change, "challenge_changed", "challenge", made.id)
            for change in ({"name": "Towers"}, {"types": ["game"]}, {"win": win | emblem})
        ]

    async def delete_challenge(self) -> list[Act]:
        made = await self.challenge()
        return [Act(made.path, NOTHING, "challenge_deleted", "challenge", made.id)]

    async def close_challenge(self) -> list[Act]:
        made = await self.challenge()
        path, body = f"{made.path}/close", {"winners": [(await self.entry(made)).id]}
        return [Act(path, body, "challenge_closed", "challenge", made.id)]

    async def enter_challenge(self) -> list[Act]:
        made, game = await self.challenge(), await self.content(await self.user())
        return [Act(made.entry(game))]

    async def leave_challenge(self) -> list[Act]:
        made = await self.challenge()
        games = await self.shown_and_hidden(made)
        return [
            Act(made.entry(game), NOTHING, "entry_removed", "challenge", made.id) for game in games
        ]

    async def revoke_rewards(self) -> list[Act]:
        made = await self.challenge()
        user = (await self.entry(made)).author
        await self.close(made)
        path = f"user/{user.id}/rewards/{made.id}"
        return [Act(path, NOTHING, "reward_removed", "user", user.id)]

    async def delete_collection(self) -> list[Act]:
        user, about = await self.user(), guid()
        path = f"user/{user.id}/collections/{about}"
        await self.put(path, {"name": "rude", "public": True}, by=user, expect=204)
        return [Act(path, NOTHING, "collection_deleted", "collection", about)]

    async def block_file(self) -> list[Act]:
        digest = guid().replace("-", "") * 2
        return [
            Act(f"files/{digest}/block", {"reason": reason}, "file_blocked", "file", digest, reason)
            for reason in ("stolen", "gore")
        ]

    async def unblock_file(self) -> list[Act]:
        digest = guid().replace("-", "") * 2
        path, admin = f"files/{digest}/block", await self.admin()
        await self.put(path, {"reason": "stolen"}, by=admin, expect=204)
        return [Act(path, NOTHING, "file_unblocked", "file", digest)]

    async def _held(self) -> str:
        """A user who is held."""
        user, admin = await self.user(), await self.admin()
        body = {"reason": "court order"}
        await self.put(f"moderation/holds/user/{user.id}", body, by=admin, expect=204)
        return user.id

    async def put_hold(self) -> list[Act]:
        about = "user", (await self.user()).id
        path = f"moderation/holds/user/{about[1]}"
        return [
            Act(path, {"reason": reason}, action, *about, reason)
            for reason, action in (("order", "hold_placed"), ("appeal", "hold_changed"))
        ]

    async def delete_hold(self) -> list[Act]:
        user = await self._held()
        return [Act(f"moderation/holds/user/{user}", NOTHING, "hold_erased", "user", user)]

    async def put_escalation(self) -> list[Act]:
        user = await self._held()
        path = f"moderation/holds/user/{user}/escalations/{guid()}"
        body = {"to": "police", "reference": "", "at": 1}
        about = "hold_escalated", "user", user
        return [Act(path, body | {"to": to}, *about, to) for to in ("police", "court")]

    async def put_announcement(self) -> list[Act]:
        about, body = guid(), {"title": "Soon", "text": "", "level": "info"}
        path = f"announcements/{about}"
        return [
            Act(path, body, "announcement_created", "announcement", about),
            Act(path, body | {"text": "Now"}, "announcement_changed", "announcement", about),
        ]

    async def delete_announcement(self) -> list[Act]:
        about, body = guid(), {"title": "Soon", "text": "", "level": "info"}
        path = f"announcements/{about}"
        await self.put(path, body, by=await self.admin(), expect=201)
        return [Act(path, NOTHING, "announcement_deleted", "announcement", about)]

    async def send_studio_notification(self) -> list[Act]:
        about, to = guid(), [(await self.user()).id]
        body = {"id": about, "topic": "season", "data": {}, "to": to}
        return [Act("notifications", body, "notification_sent", "notification", about)]

    async def stop_studio_notification(self) -> list[Act]:
        about = guid()
        # One that nobody tells, and so never done.
        self.sql(
            """insert into studio_notifications (id, topic, data, author, service)
               values (%s, 'season', '{}', gen_random_uuid(), false)""",
            about,
        )
        path = f"notifications/{about}"
        return [Act(path, NOTHING, "notification_stopped", "notification", about)]

    async def put_service_account(self) -> list[Act]:
        about, body = guid(), {"name": name("bot"), "scopes": ["events"]}
        path = f"service-accounts/{about}"
        changed = body | {"scopes": ["events", "notify"]}
        return [
            Act(path, body, "service_account_created", "service_account", about),
            Act(path, changed, "service_account_changed", "service_account", about),
        ]

    async def delete_service_account(self) -> list[Act]:
        about = (await self.account("events")).id
        path = f"service-accounts/{about}"
        return [Act(path, NOTHING, "service_account_deleted", "service_account", about)]

    async def create_service_secret(self) -> list[Act]:
        about = (await self.account("events")).id
        path, act = f"service-accounts/{about}/secrets", "service_secret_created"
        return [Act(path, NOTHING, act, "service_account", about, again=False)]

    async def delete_service_secret(self) -> list[Act]:
        made = await self.account("events")
        path = f"service-accounts/{made.id}/secrets/{made.secret_id}"
        return [Act(path, NOTHING, "service_secret_deleted", "service_account", made.id)]

    async def put_webhook(self) -> list[Act]:
        about, body = guid(), {"url": "https://hook.invalid/", "kinds": None, "enabled": False}
        path = f"webhooks/{about}"
        return [
            Act(path, body, "webhook_created", "webhook", about),
            Act(path, body | {"kinds": ["FileStored"]}, "webhook_changed", "webhook", about),
        ]

    async def _webhook(self) -> str:
        about, body = guid(), {"url": "https://hook.invalid/", "kinds": None, "enabled": False}
        await self.put(f"webhooks/{about}", body, by=await self.admin(), expect=201)
        return about

    async def delete_webhook(self) -> list[Act]:
        about = await self._webhook()
        return [Act(f"webhooks/{about}", NOTHING, "webhook_deleted", "webhook", about)]

    async def send_webhook_test(self) -> list[Act]:
        about = await self._webhook()
        await self.post(f"webhooks/{about}/secret", by=await self.admin(), expect=200)
        return [Act(f"webhooks/{about}/test")]

    async def create_webhook_secret(self) -> list[Act]:
        about = await self._webhook()
        path = f"webhooks/{about}/secret"
        return [Act(path, NOTHING, "webhook_secret_created", "webhook", about, again=False)]

    async def resolve_reports(self) -> list[Act]:
        user = await self.user()
        path, acts = f"moderation/reports/user/{user.id}", []
        reporters = [await self.user() for _ in range(2)]
        for by in reporters:
            await self.post(f"user/{user.id}/report", {"reason": "spam"}, by=by, expect=204)
        listed = (await self.get(path, by=await self.admin(), expect=200)).json()
        for outcome, report in zip(("upheld", "dismissed"), listed[::-1], strict=True):
            body = {"outcome": outcome, "upTo": report["id"], "note": outcome}
            acts.append(Act(path, body, f"report_{outcome}", "user", user.id, outcome))
        return acts


def recipe_for(handler: str) -> str:
    """The beginning of a recipe. Where admins may no more than others, nothing is noted."""
    (operation,) = [each for each in WRITES if each.handler == handler]
    path = operation.url.removeprefix("/api/v1/")
    noted = ", BODY, ACTION, KIND, SUBJECT" if operation.permissions else ""
    return (
        f"    async def {handler}(self) -> list[Act]:\n"
        f'        return [Act(f"{path}"{noted})]  # with the ids of what it makes'
    )


class ListedTests(SynchronousTestCase):
    def test_recipes(self) -> None:
        """Each operation has a recipe, and each recipe is that of an operation."""
        recipes = {name for name in vars(Recipes) if not name.startswith("_")}
        handlers = [operation.handler for operation in WRITES]
        lists.same(self, "tests/test_actions.py, Recipes", recipes, handlers, recipe_for)


class ActTests(Recipes):
    """A third user and an admin do the same to what is another's."""

    def newest(self) -> int:
        """The number of the last act."""
        ((number,),) = self.sql("select coalesce(max(number), 0) from moderation_actions")
        return int(number)

    async def ask(self, operation: Operation, act: Act, by: User) -> Response:
        """The response to the act."""
        return await self.request(
            operation.route.method, act.path, act.body, by=by, query=act.query
        )

    async def noted(self, act: Act, since: int, response: Response, expected: bool) -> None:
        """Assert that the act was noted, once and as it says, or not at all."""
        found = self.sql(
            """select admin::text, action, subject_kind, subject, reason
               from moderation_actions where number > %s""",
            since,
        )
        if not expected:
            self.assertEqual([], found, repr(response))
            return
        made = (response.header("Location") or "").rpartition("/")[2]
        action, kind, subject, reason = act.noted
        row = ((await self.admin()).id, action, kind, subject or made, reason)
        self.assertEqual([row], found, repr(response))

    async def check(self, operation: Operation, act: Act) -> None:
        """A third user, then an admin whose transaction fails once it has noted or changed
        anything, then an admin, then the admin again."""
        third, admin, before = await self.user(), await self.admin(), self.newest()
        # On hidden content others get 404 instead.
        refused = (await self.ask(operation, act, third)).status in (403, 404)
        failed = []
        for tables in (["moderation_actions"], TABLES):
            self.sql("insert into failing select unnest(%s)", tables)
            failed.append(await self.ask(operation, act, admin))
            self.sql("delete from failing")
            await self.noted(act, before, failed[-1], False)

        done = await self.ask(operation, act, admin)
        needed = refused and done.status < 300 and operation.handler not in ASKS
        self.assertEqual(needed, bool(act.action), repr(done))
        # What failed has not stayed: otherwise this would have changed nothing.
        await self.noted(act, before, done, needed)
        expected = 503 if needed else done.status
        self.assertEqual([expected] * 2, [response.status for response in failed], failed)
        if act.again:
            before = self.newest()
            await self.noted(act, before, await self.ask(operation, act, admin), False)

    async def test_all(self):
        """moderation#actions: each write that changes something, and that others are refused, is
        noted in its transaction, once; a repeat is not."""
        self.sql(STAGE)
        for operation in WRITES:
            for act in await getattr(self, operation.handler)():
                await self.check(operation, act)

    async def test_at_once(self):
        """moderation#actions: of several requests for the same at once, the one that
        changes something is noted."""
        admin = await self.admin()
        for operation in WRITES:
            for act in await getattr(self, operation.handler)():
                before = self.newest()
                asked = [
                    Deferred.fromCoroutine(self.ask(operation, act, admin))
                    for _ in range(4 if act.again else 1)
                ]
                first, *_ = await gatherResults(asked, consumeErrors=True)
                await self.noted(act, before, first, bool(act.action))

    async def test_own(self):
        """What is only the user's, an admin may not do either."""
        user, admin = await self.user(), await self.admin()
        before = self.newest()
        for operation in OPERATIONS:
            if operation.route.allow != SELF:
                continue
            path = re.sub(r"{\w+}", guid(), operation.url.replace("{userId}", user.id))
            response = await self.request(operation.route.method, path, by=admin)
            self.problem(response, 403, "forbidden")
        self.assertEqual(before, self.newest())
