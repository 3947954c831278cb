"""The operations: what they send, and what their answers become."""

import re
from collections.abc import Iterable, Iterator
from inspect import signature
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Raw
from msgspec.json import schema_components
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.families import OPERATIONS
from contentsvc.client import ApiError, NotSignedIn, Page, UnknownNotification
from contentsvc.framework.http.operations import Operation
from contentsvc.framework.http.schemas import example
from contentsvc.wire.accounts import UserInfo, UserSearch
from contentsvc.wire.appeals import AppealBody
from contentsvc.wire.base import Paging
from contentsvc.wire.challenges import (
    AchievementDefinition,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from contentsvc.wire.comments import Comment, CommentCreate, CommentQuery
from contentsvc.wire.content import ContentUpdate
from contentsvc.wire.notifications import Debug, NotificationQuery, ReadUpTo
from contentsvc.wire.progress import (
    ProgressBody,
    ProgressData,
    ProgressDelete,
    ProgressKeyDelete,
    ProgressQuery,
)
from contentsvc.wire.repeatable import is_repeatable
from contentsvc.wire.searches import ContentQuery
from scripts.references.client import methods
from tests.client.fakes import ANN, BOB, World, debug, lost

LINK = '</api/v1/user/x/content?limit=2&after=17>; rel="next"'

REWARD = RewardDefinition(
    achievement=AchievementDefinition(key="k", name="n", description="d"),
    emblem=EmblemDefinition(name="n", description="d", image="i", color="#ffffff"),
)
CHALLENGE = ChallengeCreate(
    name="n", ordinal=1, description="d", theme="t", win=REWARD, participate=REWARD
)
HELPERS = {
    "friends.blocked",
    "notifications.stop",
    "oauth.create_service_token",
    *("transfers.download", "transfers.measure", "transfers.upload"),
}
"""Methods that are no operation: they end something, or send several requests."""
NAMED = {"key": "key", "kind": "user"}
"""What is no id, by its parameter."""
OTHERS = {
    "collections.list": (BOB,),
    "decisions.list_of_user": (ANN,),
    "decisions.get_of_user": (ANN, BOB),
    "decisions.appeal": (ANN, BOB, AppealBody(text="x")),
    "reports.appeal": (ANN, "user", BOB, AppealBody(text="x")),
}
"""Calls that are about the user's own, unless they name another user."""


def argument(name: str, hint: Any) -> Any:
    """A value for a parameter of this type: of a body or query, the example of the document."""
    if hint is int:
        return 7
    if hint is str or get_origin(hint) is Literal:
        return NAMED.get(name, BOB)
    kind = get_args(hint)[0] if get_args(hint) else hint
    if get_origin(hint) is Iterable:
        return (argument(name, kind),)
    (schema,), components = schema_components([kind], ref_template="#/components/schemas/{name}")
    shown = msgspec.json.encode(example(schema, components))
    return msgspec.json.decode(shown, type=kind)


def call_of(function: Any) -> tuple[Any, ...]:
    """What a method is called with."""
    _, *parameters = signature(function, eval_str=True).parameters.values()
    return tuple(
        argument(each.name, each.annotation) for each in parameters if each.default is each.empty
    )


CALLS = {
    name: OTHERS.get(name) or call_of(function)
    for family, found in methods().items()
    for method, function in found.items()
    if (name := f"{family}.{method}") not in HELPERS
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
        asked = {name: request_of(name) for name in CALLS}
        said = [
            f"no method of the client sends {operation.route.method} {operation.url}: write one, "
            f"whose name begins as {operation.id}, in {module} or beside it"
            for request, operation in SERVED.items()
            for module in [operation.family.handlers.__module__.replace(".api.", ".client.")]
            if request not in asked.values()
        ]
        said += [
            f"client.{name} sends {request}, which is no operation or has another method: mend it, "
            "or name it in HELPERS of tests/client/test_operations.py"
            for name, request in asked.items()
            if request not in SERVED or [*asked.values()].count(request) > 1
        ]
        if said:
            self.fail("\n".join(said))

    def test_names(self) -> None:
        """A method has its operation's verb. Of the other words it may leave some out."""
        for name in CALLS:
            words = re.findall("[A-Z]?[a-z]+", SERVED[request_of(name)].id)
            verb, *others = (word.lower() for word in words)
            own_verb, *own = name.partition(".")[2].replace("_of_", "_").split("_")
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

    def test_parent(self) -> None:
        """What a proxy could take for another path is not sent in one."""
        for key in ("", ".", "..", "../sessions", "a/../b", "a\\..\\b"):
            for name, *others in (("get",), ("put", ProgressBody(value={})), ("delete",)):
                self.failureResultOf(self.call(f"progress.{name}", key, *others), ValueError)
        self.assertEqual([], self.agent.asked)

    def test_by_key(self) -> None:
        """A key can go in the query, with what is known again."""
        self.call("progress.put_by_key", "a/b", ProgressBody(value={}, version=3))
        asked = self.agent.last
        self.assertEqual(asked.path, f"/api/v1/user/{ANN}/progress")
        self.assertEqual(asked.query, {"key": "a/b"})
        self.assertIn("writeId", msgspec.json.decode(asked.body))
        self.call("progress.delete_by_key", ProgressKeyDelete(key="../b", version=4))
        self.assertEqual(self.agent.last.query, {"key": "../b", "version": "4"})
        self.call("progress.list", ProgressQuery(key="a/b"))
        self.assertEqual(self.agent.last.query["key"], "a/b")

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
