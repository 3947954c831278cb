"""The operations: what they send, and what their answers become."""

import re
from collections.abc import Iterator
from operator import attrgetter

import msgspec
from msgspec import Raw
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.families import OPERATIONS
from contentsvc.client import ApiError, NotSignedIn, Page, UnknownNotification
from contentsvc.web.operations import Operation
from contentsvc.wire.accounts import (
    BanBody,
    ConnectBody,
    EmailChange,
    EmailConfirmation,
    LinkByPassword,
    PasswordChange,
    PasswordProof,
    PasswordReset,
    PasswordResetRequest,
    Profile,
    Registration,
    RevokeForm,
    RoleBody,
    TokenForm,
    UserInfo,
    UserSearch,
    UserUpdate,
)
from contentsvc.wire.base import Paging
from contentsvc.wire.challenges import (
    AchievementDefinition,
    ChallengeClose,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from contentsvc.wire.collections import CollectionBody, ItemBody
from contentsvc.wire.content import (
    Comment,
    CommentCreate,
    CommentQuery,
    CommentRemoval,
    CommentsLock,
    CommentUpdate,
    ContentCreate,
    ContentQuery,
    ContentUpdate,
    CurrentRevision,
    Entity,
    FeaturedChange,
    Precheck,
    RatingBody,
    RequiresChange,
    RevisionCreate,
    StatusChange,
    VisibilityChange,
)
from contentsvc.wire.files import AnnouncedFile, BlockBody, UploadsBody
from contentsvc.wire.moderation import (
    IdentityLookup,
    ReportBody,
    ReportDecision,
    UserLookup,
    UserReportBody,
    WarningBody,
)
from contentsvc.wire.notifications import (
    AnnouncementBody,
    Debug,
    DebugNotify,
    DeleteUpTo,
    NotificationQuery,
    NotificationSettings,
    ReadChange,
    ReadUpTo,
    StudioNotificationToUsers,
)
from contentsvc.wire.plays import ContentStatisticsQuery, PlayBody
from contentsvc.wire.progress import ProgressBody, ProgressData, ProgressDelete, ProgressQuery
from contentsvc.wire.repeatable import is_repeatable
from contentsvc.wire.services import ServiceAccountBody
from contentsvc.wire.social import MessageCreate, PartyBody
from contentsvc.wire.statistics import StatisticsQuery
from contentsvc.wire.webhooks import WebhookBody
from tests.client.fakes import ANN, BOB, World, debug, lost

LINK = '</api/v1/user/x/content?limit=2&after=17>; rel="next"'

REWARD = RewardDefinition(
    achievement=AchievementDefinition(key="k", name="n", description="d"),
    emblem=EmblemDefinition(name="n", description="d", image="i", color="#ffffff"),
)
CREATE = ContentCreate(
    name="n",
    description="d",
    screenshot_uris=["s"],
    type="game",
    revision_id=BOB,
    revision_description="r",
    version="1",
    entity=Entity(entity_id=BOB, revision_id=BOB, path="p"),
    originating=[],
    using=[],
)
REVISION = RevisionCreate(
    revision_id=BOB,
    revision_description="r",
    version="2",
    entity=Entity(entity_id=BOB, revision_id=BOB, path="p"),
    originating=[],
    using=[],
)
CHALLENGE = ChallengeCreate(
    name="n", ordinal=1, description="d", theme="t", win=REWARD, participate=REWARD
)
PARTY = PartyBody(party=BOB)
CALLS = {
    "accounts.register": (Registration(username="bob", email="b@b", password="12345678"),),
    "emails.request_password_reset": (PasswordResetRequest(email="b@b"),),
    "emails.reset_password": (PasswordReset(token="reset-x", new="12345678"),),
    "emails.change": (EmailChange(email="b@b", password="12345678"),),
    "emails.request_verification": (),
    "emails.verify": (EmailConfirmation(token="email-x"),),
    "accounts.change_password": (PasswordChange(current="12345678", new="87654321"),),
    "departures.export": (),
    "departures.delete": (PasswordProof(password="12345678"),),
    "actions.list": (),
    "actions.warn": (BOB, WarningBody(reason="r")),
    "bans.get": (BOB,),
    "bans.ban": (BOB, BanBody(reason="r")),
    "bans.unban": (BOB,),
    "reports.report_content": (BOB, ReportBody(reason="spam")),
    "reports.report_comment": (BOB, 7, ReportBody(reason="spam")),
    "reports.report_collection": (BOB, ReportBody(reason="spam")),
    "reports.report_user": (BOB, UserReportBody(reason="spam")),
    "reports.list_subjects": (),
    "reports.list": ("user", BOB),
    "reports.resolve": ("user", BOB, ReportDecision(outcome="upheld", up_to=BOB)),
    "moderated_users.list": (UserLookup(name="bob"),),
    "moderated_users.get": (BOB,),
    "moderated_users.list_comments": (BOB,),
    "moderated_users.list_identity_owners": (IdentityLookup(issuer="steam", subject="1"),),
    "moderated_users.list_staff": (),
    "moderated_users.set_role": (BOB, RoleBody(role="player")),
    "webhooks.list": (),
    "webhooks.get": (BOB,),
    "webhooks.put": (BOB, WebhookBody(url="https://hook.invalid/", kinds=None, enabled=True)),
    "webhooks.delete": (BOB,),
    "webhooks.create_secret": (BOB,),
    "webhooks.send_test": (BOB,),
    "announcements.list": (),
    "announcements.put": (BOB, AnnouncementBody(title="t", text="t", level="info")),
    "announcements.delete": (BOB,),
    "studio_notifications.send": (
        StudioNotificationToUsers(id=BOB, topic="sale", data=Raw(b"{}"), to=[BOB]),
    ),
    "studio_notifications.list": (),
    "studio_notifications.get": (BOB,),
    "studio_notifications.stop": (BOB,),
    "events.list": (),
    "statistics.list": (StatisticsQuery(first="2026-11-22"),),
    "service_accounts.list": (),
    "service_accounts.get": (BOB,),
    "service_accounts.put": (BOB, ServiceAccountBody(name="bot", scopes=["events"])),
    "service_accounts.delete": (BOB,),
    "service_accounts.create_secret": (BOB,),
    "service_accounts.delete_secret": (BOB, BOB),
    "sessions.list": (),
    "sessions.end": (BOB,),
    "sessions.end_other": (),
    "sessions.connect": (ConnectBody(client="game"),),
    "users.search": (UserSearch(q="ann"),),
    "users.list": ((BOB,),),
    "users.get_info": (BOB,),
    "users.get": (),
    "users.get_me": (),
    "users.update": (
        UserUpdate(avatar=None, emblem=None, full_profile=Profile(), public_profile=Profile()),
    ),
    "social.list_followers": (),
    "social.list_following": (),
    "social.follow": (BOB,),
    "social.unfollow": (BOB,),
    "social.send_invite": (BOB, PARTY),
    "social.accept_invite": (BOB, PARTY),
    "social.decline_invite": (BOB, PARTY),
    "social.list_invites": (),
    "friends.add": (BOB,),
    "friends.remove": (BOB,),
    "friends.list": (),
    "friends.list_requests": (),
    "friends.block": (BOB,),
    "friends.unblock": (BOB,),
    "friends.list_blocked": (),
    "identities.list_issuers": (),
    "identities.list": (),
    "identities.link": (
        LinkByPassword(subject_token="t", subject_token_type="urn:x", password="p"),
    ),
    "identities.unlink": (BOB, PasswordProof(password="p")),
    "messages.send": (BOB, MessageCreate(text="hi")),
    "messages.list": (BOB,),
    "messages.get": (BOB, BOB),
    "messages.list_conversations": (),
    "precheck.check": (Precheck(content_id=BOB, operation="create", dependencies=[], packages=[]),),
    "content.put": (BOB, CREATE),
    "content.get": (BOB,),
    "content.get_revision": (BOB, BOB),
    "content.list": (BOB,),
    "revisions.publish": (BOB, REVISION),
    "revisions.list": (BOB,),
    "revisions.delete": (BOB, BOB),
    "downloads.list_content_files": (BOB,),
    "downloads.list_revision_files": (BOB, BOB),
    "revisions.set_current": (BOB, CurrentRevision(revision_id=BOB)),
    "content.set_status": (BOB, StatusChange(status="suspended")),
    "content.set_featured": (BOB, FeaturedChange(featured=True)),
    "visibility.set": (BOB, VisibilityChange(visibility="private")),
    "guests.add_tester": (BOB, BOB),
    "guests.remove_tester": (BOB, BOB),
    "guests.list_testers": (BOB,),
    "guests.put_member": (BOB, BOB),
    "guests.remove_member": (BOB, BOB),
    "guests.list_members": (BOB,),
    "guests.list_memberships": (),
    "withdrawal.delete": (BOB,),
    "withdrawal.restore": (BOB,),
    "withdrawal.list_deleted": (),
    "dependents.list": (BOB,),
    "search.list": (),
    "comments.list": (BOB,),
    "comments.get": (BOB, 7),
    "comments.create": (BOB, CommentCreate(body="b")),
    "comments.update": (BOB, 7, CommentUpdate(body="b")),
    "comments.delete": (BOB, 7, CommentRemoval(reason="spam")),
    "comments.set_locked": (BOB, CommentsLock(locked=True)),
    "revisions.put_requires": (BOB, BOB, RequiresChange(requires=None)),
    "ratings.put": (BOB, RatingBody(value="1")),
    "ratings.delete": (BOB,),
    "ratings.get": (),
    "subscriptions.put": (BOB,),
    "subscriptions.delete": (BOB,),
    "subscriptions.get": (BOB,),
    "subscriptions.list": (),
    "subscriptions.get_library": (),
    "plays.report": (PlayBody(id=BOB, content=BOB),),
    "plays.list_statistics": (BOB, ContentStatisticsQuery(first="2026-01-01", last="2026-01-02")),
    "collections.put": (BOB, CollectionBody(name="n", public=True)),
    "collections.delete": (BOB,),
    "collections.list": (BOB,),
    "collections.get": (BOB,),
    "collections.list_items": (BOB,),
    "collections.put_item": (BOB, BOB, ItemBody()),
    "collections.delete_item": (BOB, BOB),
    "notifications.list": (),
    "notifications.update": (BOB, ReadChange(read=True)),
    "notifications.mark_read": (ReadUpTo(up_to=BOB),),
    "notifications.get_state": (),
    "notifications.delete": (BOB,),
    "notifications.clear": (DeleteUpTo(up_to="7"),),
    "notifications.get_settings": (),
    "notifications.set_settings": (NotificationSettings(muted=["Debug"]),),
    "debug.send_notification": (DebugNotify(recipient=BOB, text="t"),),
    "progress.list": (),
    "progress.get": ("key",),
    "progress.put": ("key", ProgressBody(value={"a": 1})),
    "progress.delete": ("key",),
    "challenges.create": (CHALLENGE,),
    "challenges.list": (),
    "challenges.get": (BOB,),
    "challenges.replace": (BOB, CHALLENGE),
    "challenges.delete": (BOB,),
    "challenges.close": (BOB, ChallengeClose(winners=[BOB])),
    "entries.enter": (BOB, BOB),
    "entries.leave": (BOB, BOB),
    "entries.list": (BOB,),
    "rewards.list_achievements": (BOB,),
    "rewards.list_emblems": (BOB,),
    "rewards.revoke": (BOB, BOB),
    "files.announce": (UploadsBody(files=[AnnouncedFile(use="entity", sha256="0" * 64, size=1)]),),
    "files.get_storage": (),
    "files.get_user_storage": (),
    "files.block": (BOB, BlockBody(reason="r")),
    "files.unblock": (BOB,),
    "health.check_liveness": (),
    "health.check_readiness": (),
    "oauth.create_token": (TokenForm(grant_type="password", username="ann", password="secret"),),
    "oauth.revoke_token": (RevokeForm(token="refresh-1"),),
}
"""A call of each operation."""


def served() -> Iterator[tuple[tuple[str, str], Operation]]:
    """Each operation, by method and path with the variables of CALLS."""
    for operation in OPERATIONS:
        user = ANN if operation.route.allow.owner else BOB
        named = {"{userId}": user, "{commentId}": "7", "{key}": "key", "{kind}": "user"}
        parts = [
            named.get(part, BOB if part.startswith("{") else part)
            for part in operation.url.split("/")
        ]
        yield (operation.route.method, "/".join(parts)), operation


SERVED = dict(served())


def called(world: World, name: str) -> None:
    """Call an operation as CALLS has it, whatever its outcome is."""
    calling = Deferred.fromCoroutine(attrgetter(name)(world.client)(*CALLS[name]))
    calling.addErrback(lambda _: None)


def request_of(name: str) -> tuple[str, str]:
    """Method and path of what a call sends."""
    world = World().signed_in()
    called(world, name)
    return world.agent.last.method, world.agent.last.path


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.client, self.agent = self.world.client, self.world.agent

    def call(self, name: str, *arguments: object) -> Deferred:
        return Deferred.fromCoroutine(attrgetter(name)(self.client)(*arguments))


class RequestTests(Case):
    def test_all(self) -> None:
        """There is one method for every operation of the service, at its method and path."""
        asked = [request_of(name) for name in CALLS]
        self.assertEqual(sorted(asked), sorted(SERVED))

    def test_names(self) -> None:
        """A method has its operation's verb. Of the other words it may leave some out."""
        for name in CALLS:
            words = re.findall("[A-Z]?[a-z]+", SERVED[request_of(name)].id)
            verb, *others = (word.lower() for word in words)
            own_verb, *own = name.partition(".")[2].split("_")
            self.assertEqual(own_verb, verb, name)
            self.assertEqual([word for word in others if word in own], own, name)

    def test_repeated(self) -> None:
        """What gets no answer is sent again where the document says that it may be. Checks of the
        health never are: what they find out is now."""
        for name in CALLS:
            operation = SERVED[request_of(name)]
            world = World().signed_in()
            world.agent.then_fail(lost())
            called(world, name)
            world.clock.advance(1)
            may = is_repeatable(operation.id, operation.route.method)
            expected = 2 if may and not name.startswith("health.") else 1
            self.assertEqual(len(world.agent.asked), expected, name)

    def test_known_again(self) -> None:
        """A message and a warning get an id, by which the service knows them again."""
        for name in ("messages.send", "actions.warn"):
            world = World().signed_in()
            world.agent.then_fail(lost())
            called(world, name)
            world.clock.advance(1)
            first, second = (msgspec.json.decode(each.body) for each in world.agent.asked)
            self.assertEqual((len(first["id"]), first), (36, second))

    def test_body(self) -> None:
        """A body goes as JSON with the names of the wire, and with the token."""
        self.call("notifications.mark_read", ReadUpTo(up_to=BOB))
        self.assertEqual(self.agent.last.body, b'{"upTo":"%s"}' % BOB.encode())
        self.assertEqual(self.agent.last.token, "access-1")

    def test_query(self) -> None:
        """A query goes with the names of the wire, without what is None."""
        self.call("users.search", UserSearch(q="ä b", page_size=10))
        self.assertEqual(self.agent.last.query, {"q": "ä b", "pageSize": "10", "page": "0"})
        self.call("content.list", BOB, ContentQuery(limit=5))
        self.assertEqual(self.agent.last.query, {"category": "all", "limit": "5"})

    def test_path(self) -> None:
        """Variables are quoted in the path."""
        self.call("progress.get", "a/b ?")
        self.assertEqual(self.agent.last.path, f"/api/v1/user/{ANN}/progress/a%2Fb%20%3F")

    def test_version(self) -> None:
        """A write for a version has a GUID, for what is repeated must not conflict with itself;
        its own if the caller gave one. A deletion has the version in its query."""
        self.call("progress.put", "k", ProgressBody(value={}, version=3))
        body = msgspec.json.decode(self.agent.last.body)
        self.assertEqual((body["version"], len(body["writeId"])), (3, 36))
        self.call("progress.put", "k", ProgressBody(value={}, version=3, write_id=BOB))
        self.assertEqual(msgspec.json.decode(self.agent.last.body)["writeId"], BOB)
        self.call("progress.delete", "k", ProgressDelete(version=4))
        self.assertEqual(self.agent.last.query, {"version": "4"})

    def test_write_id(self) -> None:
        """A comment has a GUID, by which a repeat is known; its own if the caller gave one."""
        self.agent.then(201, Location=f"/api/v1/content/{BOB}/comments/12")
        self.call("comments.create", BOB, CommentCreate(body="b"))
        self.assertEqual(len(msgspec.json.decode(self.agent.last.body)["writeId"]), 36)
        self.agent.then(201, Location=f"/api/v1/content/{BOB}/comments/12")
        self.call("comments.create", BOB, CommentCreate(body="b", write_id=ANN))
        self.assertEqual(msgspec.json.decode(self.agent.last.body)["writeId"], ANN)

    def test_prefix(self) -> None:
        """A part of the progress data is asked for by what its keys begin with."""
        self.call("progress.list", ProgressQuery(prefix="a&"))
        self.assertEqual(self.agent.last.query, {"prefix": "a&"})

    def test_update(self) -> None:
        """An update of a content is a PUT as its creation is."""
        update = ContentUpdate(description="d", screenshot_uris=["s"])
        self.call("content.put", BOB, update)
        self.assertEqual((self.agent.last.method, self.agent.last.path[-36:]), ("PUT", BOB))
        self.assertNotIn(b"tags", self.agent.last.body)

    def test_another_user(self) -> None:
        """An admin can name the user to update."""
        (body,) = CALLS["users.update"]
        self.call("users.update", body, BOB)
        self.assertEqual(self.agent.last.path, f"/api/v1/user/{BOB}")

    def test_not_signed_in(self) -> None:
        """Without a log-in nothing is sent where the path needs the user's own id; elsewhere
        the service decides."""
        world = World()
        calling = Deferred.fromCoroutine(world.client.social.list_followers())
        self.failureResultOf(calling, NotSignedIn)
        self.assertEqual(world.agent.asked, [])
        calling = Deferred.fromCoroutine(world.client.social.follow(BOB))
        self.failureResultOf(calling, NotSignedIn)
        calling = Deferred.fromCoroutine(world.client.comments.delete(BOB, 7))
        world.agent.last.answer(401, {"code": "unauthorized"})
        self.failureResultOf(calling, NotSignedIn)

    def test_public(self) -> None:
        """Without a log-in what is public can be read."""
        world = World()
        calling = Deferred.fromCoroutine(world.client.users.get_info(BOB))
        self.assertEqual(world.agent.last.token, "")
        world.agent.last.answer(200, {"id": BOB, "username": "bob", "avatar": None, "emblem": None})
        self.assertEqual(self.successResultOf(calling), UserInfo(BOB, "bob", None, None))


class AnswerTests(Case):
    def test_struct(self) -> None:
        """An answer becomes its Struct; members that this version does not know are left out."""
        comment = {"id": 7, "parentId": None, "authorId": BOB, "body": "b", "created": 1}
        self.agent.then(200, {**comment, "updated": 2, "deleted": False, "new": 1})
        found = self.successResultOf(self.call("comments.get", BOB, 7))
        self.assertEqual(found, Comment(7, None, BOB, "b", 1, 2, False))

    def test_created(self) -> None:
        """A create returns the new id."""
        self.agent.then(201, Location=f"/api/v1/design-challenges/{BOB}")
        self.assertEqual(self.successResultOf(self.call("challenges.create", CHALLENGE)), BOB)
        self.agent.then(201, Location=f"/api/v1/content/{BOB}/comments/12")
        made = self.call("comments.create", BOB, CommentCreate(body="b"))
        self.assertEqual(self.successResultOf(made), 12)

    def test_page(self) -> None:
        """A part of a list comes with the cursor of the next."""
        self.agent.then(200, [], Link=LINK)
        page = self.successResultOf(self.call("social.list_followers", Paging(limit=2)))
        self.assertEqual(page, Page([], "17"))

    def test_whole_list(self) -> None:
        """A whole list comes without a cursor."""
        self.agent.then(200, [])
        self.assertIsNone(self.successResultOf(self.call("social.list_followers")).after)

    def test_raw(self) -> None:
        """Progress data keeps its value as JSON, to be decoded by whoever knows what it is."""
        self.agent.then(200, {"key": "k", "value": {"a": [1]}, "timestamp": 5, "version": 2})
        found = self.successResultOf(self.call("progress.get", "k"))
        self.assertEqual(found, ProgressData("k", Raw(b'{"a":[1]}'), 5, 2))

    def test_notifications(self) -> None:
        """Notifications become the Structs of their kinds."""
        self.agent.then(200, [debug(1, "hi")])
        query = NotificationQuery(since=5)
        (found,) = self.successResultOf(self.call("notifications.list", query)).items
        self.assertIsInstance(found, Debug)
        self.assertEqual(found.text, "hi")

    def test_unknown_kind(self) -> None:
        """A kind that this version does not know keeps what all kinds share, and its JSON."""
        self.agent.then(200, [debug(1), {**debug(2), "kind": "Trophy", "cup": "gold"}])
        known, unknown = self.successResultOf(self.call("notifications.list")).items
        self.assertIsInstance(known, Debug)
        self.assertIsInstance(unknown, UnknownNotification)
        self.assertEqual((unknown.kind, unknown.created), ("Trophy", 1002))
        self.assertIn(b'"cup":"gold"', unknown.json)

    def test_malformed(self) -> None:
        """A success that cannot be read is an error of its own."""
        self.agent.then(200, b"<html>")
        failure = self.failureResultOf(self.call("comments.list", BOB, CommentQuery()), ApiError)
        self.assertEqual(failure.value.code, "malformed_answer")
