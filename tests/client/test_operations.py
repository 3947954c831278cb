"""The operations: what they send, and what their answers become."""

from operator import attrgetter
from pathlib import Path

import msgspec
from msgspec import Raw
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.families import OPERATIONS
from contentsvc.client import ApiError, NotSignedIn, Page, UnknownNotification
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
    RevisionCreate,
    StatusChange,
)
from contentsvc.wire.files import AnnouncedFile, BlockBody, UploadsBody
from contentsvc.wire.moderation import ReportBody, ReportDecision, UserReportBody, WarningBody
from contentsvc.wire.notifications import (
    Debug,
    DebugNotify,
    DeleteUpTo,
    NotificationQuery,
    NotificationSettings,
    ReadChange,
    ReadUpTo,
)
from contentsvc.wire.progress import ProgressBody, ProgressData, ProgressDelete, ProgressQuery
from contentsvc.wire.social import MessageCreate, PartyBody
from tests.client.fakes import ANN, BOB, World, debug

LISTED = Path(__file__).parent.parent / "operations.txt"
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
    "emails.ask_reset": (PasswordResetRequest(email="b@b"),),
    "emails.reset": (PasswordReset(token="reset-x", new="12345678"),),
    "emails.change": (EmailChange(email="b@b", password="12345678"),),
    "emails.ask_confirmation": (),
    "emails.confirm": (EmailConfirmation(token="email-x"),),
    "accounts.change_password": (PasswordChange(current="12345678", new="87654321"),),
    "departures.export": (),
    "departures.leave": (PasswordProof(password="12345678"),),
    "actions.all": (),
    "actions.warn": (BOB, WarningBody(reason="r")),
    "bans.get": (BOB,),
    "bans.put": (BOB, BanBody(reason="r")),
    "bans.lift": (BOB,),
    "reports.content": (BOB, ReportBody(reason="spam")),
    "reports.comment": (BOB, 7, ReportBody(reason="spam")),
    "reports.user": (BOB, UserReportBody(reason="spam")),
    "reports.queue": (),
    "reports.of_subject": ("user", BOB),
    "reports.decide": ("user", BOB, ReportDecision(outcome="upheld", up_to=BOB)),
    "sessions.all": (),
    "sessions.end": (BOB,),
    "sessions.end_others": (),
    "sessions.connect": (ConnectBody(client="game"),),
    "users.search": (UserSearch(q="ann"),),
    "users.by_ids": ((BOB,),),
    "users.info": (BOB,),
    "users.full": (),
    "users.update": (
        UserUpdate(avatar=None, emblem=None, full_profile=Profile(), public_profile=Profile()),
    ),
    "social.followers": (),
    "social.following": (),
    "social.follow": (BOB,),
    "social.unfollow": (BOB,),
    "social.invite": (BOB, PARTY),
    "social.accept": (BOB, PARTY),
    "social.decline": (BOB, PARTY),
    "social.invites": (),
    "friends.ask": (BOB,),
    "friends.end": (BOB,),
    "friends.all": (),
    "friends.requests": (),
    "friends.block": (BOB,),
    "friends.unblock": (BOB,),
    "friends.blocked": (),
    "identities.all": (),
    "identities.link": (
        LinkByPassword(subject_token="t", subject_token_type="urn:x", password="p"),
    ),
    "identities.unlink": (BOB, PasswordProof(password="p")),
    "messages.send": (BOB, MessageCreate(text="hi")),
    "messages.between": (BOB,),
    "messages.get": (BOB, BOB),
    "messages.conversations": (),
    "precheck.check": (Precheck(content_id=BOB, operation="create", dependencies=[], packages=[]),),
    "content.put": (BOB, CREATE),
    "content.detail": (BOB,),
    "content.revision": (BOB, BOB),
    "content.by_author": (BOB,),
    "revisions.publish": (BOB, REVISION),
    "revisions.all": (BOB,),
    "revisions.delete": (BOB, BOB),
    "downloads.of_content": (BOB,),
    "downloads.of_revision": (BOB, BOB),
    "revisions.set_current": (BOB, CurrentRevision(revision_id=BOB)),
    "content.set_status": (BOB, StatusChange(status="suspended")),
    "content.set_featured": (BOB, FeaturedChange(featured=True)),
    "withdrawal.delete": (BOB,),
    "withdrawal.restore": (BOB,),
    "withdrawal.deleted": (),
    "dependents.of_content": (BOB,),
    "search.content": (),
    "comments.page": (BOB,),
    "comments.get": (BOB, 7),
    "comments.create": (BOB, CommentCreate(body="b")),
    "comments.update": (BOB, 7, CommentUpdate(body="b")),
    "comments.delete": (BOB, 7, CommentRemoval(reason="spam")),
    "comments.lock": (BOB, CommentsLock(locked=True)),
    "ratings.put": (BOB, RatingBody(value="1")),
    "ratings.delete": (BOB,),
    "ratings.all": (),
    "notifications.all": (),
    "notifications.mark": (BOB, ReadChange(read=True)),
    "notifications.mark_up_to": (ReadUpTo(up_to=BOB),),
    "notifications.state": (),
    "notifications.delete": (BOB,),
    "notifications.delete_up_to": (DeleteUpTo(up_to="7"),),
    "notifications.settings": (),
    "notifications.put_settings": (NotificationSettings(muted=["Debug"]),),
    "debug.notify": (DebugNotify(recipient=BOB, text="t"),),
    "progress.all": (),
    "progress.get": ("key",),
    "progress.put": ("key", ProgressBody(value={"a": 1})),
    "progress.delete": ("key",),
    "challenges.create": (CHALLENGE,),
    "challenges.all": (),
    "challenges.get": (BOB,),
    "challenges.replace": (BOB, CHALLENGE),
    "challenges.delete": (BOB,),
    "challenges.close": (BOB, ChallengeClose(winners=[BOB])),
    "entries.enter": (BOB, BOB),
    "entries.leave": (BOB, BOB),
    "entries.all": (BOB,),
    "rewards.achievements": (BOB,),
    "rewards.emblems": (BOB,),
    "rewards.take": (BOB, BOB),
    "files.announce": (UploadsBody(files=[AnnouncedFile(use="entity", sha256="0" * 64, size=1)]),),
    "files.storage": (),
    "files.usage": (),
    "files.block": (BOB, BlockBody(reason="r")),
    "files.unblock": (BOB,),
    "health.live": (),
    "health.ready": (),
    "oauth.token": (TokenForm(grant_type="password", username="ann", password="secret"),),
    "oauth.revoke": (RevokeForm(token="refresh-1"),),
}
"""A call of each operation."""


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.client, self.agent = self.world.client, self.world.agent

    def call(self, name: str, *arguments: object) -> Deferred:
        return Deferred.fromCoroutine(attrgetter(name)(self.client)(*arguments))


class RequestTests(Case):
    def test_all(self) -> None:
        """There is a method for every operation of the service, at its method and path."""
        asked = []
        for name, arguments in CALLS.items():
            world = World().signed_in()
            calling = Deferred.fromCoroutine(attrgetter(name)(world.client)(*arguments))
            calling.addErrback(lambda _: None)
            asked.append((world.agent.last.method, world.agent.last.path))
        lines = [line.split() for line in LISTED.read_text().splitlines() if line[0] != "#"]
        expected = []
        for method, path, allow, *_ in lines:
            user = ANN if allow.startswith("SELF") else BOB
            named = {"{userId}": user, "{commentId}": "7", "{key}": "key", "{kind}": "user"}
            parts = [
                named.get(part, BOB if part.startswith("{") else part) for part in path.split("/")
            ]
            expected.append((method, "/".join(parts)))
        self.assertEqual(sorted(asked), sorted(expected))

    def test_names(self) -> None:
        """A method has the name that its operation has in the API."""
        names = {name.replace(".", "_") for name in CALLS}
        self.assertEqual(names, {operation.id for operation in OPERATIONS})

    def test_body(self) -> None:
        """A body goes as JSON with the names of the wire, and with the token."""
        self.call("notifications.mark_up_to", ReadUpTo(up_to=BOB))
        self.assertEqual(self.agent.last.body, b'{"upTo":"%s"}' % BOB.encode())
        self.assertEqual(self.agent.last.token, "access-1")

    def test_query(self) -> None:
        """A query goes with the names of the wire, without what is None."""
        self.call("users.search", UserSearch(q="ä b", page_size=10))
        self.assertEqual(self.agent.last.query, {"q": "ä b", "pageSize": "10", "page": "0"})
        self.call("content.by_author", BOB, ContentQuery(limit=5))
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

    def test_prefix(self) -> None:
        """A part of the progress data is asked for by what its keys begin with."""
        self.call("progress.all", ProgressQuery(prefix="a&"))
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
        calling = Deferred.fromCoroutine(world.client.social.followers())
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
        calling = Deferred.fromCoroutine(world.client.users.info(BOB))
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
        page = self.successResultOf(self.call("social.followers", Paging(limit=2)))
        self.assertEqual(page, Page([], "17"))

    def test_whole_list(self) -> None:
        """A whole list comes without a cursor."""
        self.agent.then(200, [])
        self.assertIsNone(self.successResultOf(self.call("social.followers")).after)

    def test_raw(self) -> None:
        """Progress data keeps its value as JSON, to be decoded by whoever knows what it is."""
        self.agent.then(200, {"key": "k", "value": {"a": [1]}, "timestamp": 5, "version": 2})
        found = self.successResultOf(self.call("progress.get", "k"))
        self.assertEqual(found, ProgressData("k", Raw(b'{"a":[1]}'), 5, 2))

    def test_notifications(self) -> None:
        """Notifications become the Structs of their kinds."""
        self.agent.then(200, [debug(1, "hi")])
        query = NotificationQuery(since=5)
        (found,) = self.successResultOf(self.call("notifications.all", query)).items
        self.assertIsInstance(found, Debug)
        self.assertEqual(found.text, "hi")

    def test_unknown_kind(self) -> None:
        """A kind that this version does not know keeps what all kinds share, and its JSON."""
        self.agent.then(200, [debug(1), {**debug(2), "kind": "Trophy", "cup": "gold"}])
        known, unknown = self.successResultOf(self.call("notifications.all")).items
        self.assertIsInstance(known, Debug)
        self.assertIsInstance(unknown, UnknownNotification)
        self.assertEqual((unknown.kind, unknown.created), ("Trophy", 1002))
        self.assertIn(b'"cup":"gold"', unknown.json)

    def test_malformed(self) -> None:
        """A success that cannot be read is an error of its own."""
        self.agent.then(200, b"<html>")
        failure = self.failureResultOf(self.call("comments.page", BOB, CommentQuery()), ApiError)
        self.assertEqual(failure.value.code, "malformed_answer")
