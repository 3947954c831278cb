"""Bad bodies, paths and queries: never a 500, a clear answer each."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from tests.spec.challenges.test_challenges import challenge, reward
from tests.spec.data import User, draft, entity, guid, name, package, reference
from tests.spec.harness import SpecCase

KIB = 1024
BOUNDS = {"visibilityStart": 1_700_000_000, "visibilityStop": 1_800_000_000}
BAD_GUIDS = ("nobody", "7", guid().replace("-", ""), f"%7B{guid()}%7D", guid() + "0", "%00", "%ff")
DEEP = 100_000
OPTIONAL = {
    *("tags", "packagesOriginating", "packagesUsing", "reason", "profile", "note", "messages"),
    *("win64", "osx64", "linux64", *BOUNDS),
}


class Operation(NamedTuple):
    """A request that would go through."""

    method: str
    path: str
    body: dict[str, Any]
    by: User | None


def nodes(value: Any, at: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """Every member and element in a body, with where it is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in inner:
        yield (*at, key), child
        if isinstance(child, dict | list):
            yield from nodes(child, (*at, key))


def replaced(body: dict, at: tuple, value: Any) -> dict:
    """The body with another value at this place."""
    copy = deepcopy(body)
    parent: Any = copy
    for key in at[:-1]:
        parent = parent[key]
    parent[at[-1]] = value
    return copy


def pointer(at: tuple) -> str:
    """The JSON pointer of a place."""
    return "".join(f"/{key}" for key in at)


def of_another_type(value: Any) -> Any:
    """Something that can never stand where `value` does."""
    if isinstance(value, str):
        return True  # a number may stand for an id
    return [] if isinstance(value, dict) else {"no": "such"}


class BodyTests(SpecCase):
    """The same faults in the body of every operation."""

    async def operations(self) -> list[Operation]:
        """Every operation that takes a JSON body."""
        user, admin = await self.someone(), await self.admin()
        made = await self.content(user)
        comment = await self.comment(made, user)
        me, username = f"user/{user.id}", name()
        full = draft(using=[reference(entity())], packagesUsing=[package()["id"]])
        check = {"contentId": guid(), "operation": "create", "packages": [guid()]}
        update = {"description": "d", "screenshotUris": ["a.png"], "tags": ["t"]}
        profiles = {"fullProfile": {"profile": "x"}, "publicProfile": {"profile": "x"}}
        registration = {"email": f"{username}@example.com", "password": "long enough"}
        contest = challenge(win=reward(**BOUNDS), participate=reward(**BOUNDS))
        return [
            Operation(
                "POST",
                "content/upload-precheck",
                check | {"dependencies": [reference(entity())]},
                user,
            ),
            Operation("PUT", f"content/{guid()}", full, user),
            Operation("PUT", made.path, update, user),
            Operation("PUT", f"{made.path}/status", {"status": "active", "reason": "x"}, admin),
            Operation("PUT", f"{made.path}/featured", {"featured": True}, admin),
            Operation("POST", f"{made.path}/comments", {"body": "x"}, user),
            Operation("PATCH", comment, {"body": "x"}, user),
            Operation("POST", "user", registration | {"username": username}, None),
            Operation("PUT", me, profiles | {"avatar": "a.png", "emblem": guid()}, user),
            Operation("PUT", f"{me}/rating/{made.id}", {"value": "1"}, user),
            Operation("PUT", f"{me}/progress/k", {"value": {}}, user),
            Operation("PATCH", f"{me}/notifications/{guid()}", {"read": True}, user),
            Operation("POST", f"{me}/notifications/read", {"upTo": guid()}, user),
            Operation("POST", f"{me}/friend/{guid()}/party-invite", {"party": guid()}, user),
            Operation("POST", f"{me}/friend/{guid()}/party-invite/accept", {"party": guid()}, user),
            Operation(
                "POST", f"{me}/friend/{guid()}/party-invite/decline", {"party": guid()}, user
            ),
            Operation("POST", "design-challenges", contest, admin),
            Operation("POST", "debug/notify", {"recipient": guid(), "text": "x"}, user),
            Operation("POST", "session/connect", {"client": "game"}, user),
            *self.among_players(me, f"user/{guid()}", made.path, comment, user, admin),
        ]

    def among_players(
        self, me: str, other: str, content: str, comment: str, user: User, admin: User
    ) -> list[Operation]:
        """Those of extensions §4, §5 and §7."""
        report = {"reason": "spam"}
        outcome = {"outcome": "upheld", "upTo": guid(), "note": "x"}
        warning = {"reason": "x"}
        messages = f"{me}/friend/{guid()}/messages"
        return [
            Operation("POST", messages, {"text": "x"}, user),
            Operation("PUT", f"{me}/notifications/settings", {"muted": ["Debug"]}, user),
            Operation("POST", f"{content}/report", report, user),
            Operation("POST", f"{comment}/report", report, user),
            Operation("POST", f"{other}/report", report | {"messages": [guid()]}, user),
            Operation("PUT", f"moderation/reports/{content}", outcome, admin),
            Operation("POST", f"{other}/warning", warning, admin),
        ]

    async def send(self, operation: Operation, body: Any):
        """The response to the operation with another body; bytes are sent as they are."""
        method, path, _, by = operation
        if isinstance(body, bytes):
            return await self.request(method, path, data=body, by=by)
        return await self.request(method, path, body, by=by)

    async def test_malformed(self):
        """A body that is no JSON is 400 malformed_json."""
        for operation in await self.operations():
            good = json.dumps(operation.body).encode()
            more = good[:-1] + b',"zz":%s}'
            for data in (b"", b"{", b"nul", b"{'a':1}", good[:-1], good + b"x", good + good):
                self.problem(await self.send(operation, data), 400, "malformed_json")
            for value in (b"NaN", b"01", b"+1", b"'a'", b"[1,]", b'"\n"', b'"\\x"'):
                self.problem(await self.send(operation, more % value), 400, "malformed_json")

    async def test_bad_utf8(self):
        """A body that is no UTF-8 is 400 malformed_json."""
        for operation in await self.operations():
            good = json.dumps(operation.body).encode()
            for data in (
                b"\xff\xfe" + good,
                good[:-1] + b',"zz":"\xff"}',
                good[:-1] + b',"\xc3":1}',
            ):
                self.problem(await self.send(operation, data), 400, "malformed_json")
            for at, value in nodes(operation.body):
                if isinstance(value, str):
                    marked = json.dumps(replaced(operation.body, at, "MARK")).encode()
                    data = marked.replace(b"MARK", b"\xc3\x28")
                    self.problem(await self.send(operation, data), 400)

    async def test_not_an_object(self):
        """A body that is no object is 400 invalid_body."""
        for operation in await self.operations():
            for body in ([], None, 7, "text", True):
                self.problem(await self.send(operation, body), 400, "invalid_body")

    async def test_wrong_types(self):
        """A member or element of another type is 400 and pointed at."""
        for operation in await self.operations():
            for at, value in nodes(operation.body):
                body = replaced(operation.body, at, of_another_type(value))
                self.invalid(await self.send(operation, body), pointer(at))

    async def test_missing_members(self):
        """A missing member is 400 invalid_body."""
        for operation in await self.operations():
            for at, _ in nodes(operation.body):
                if isinstance(at[-1], int) or at[-1] in OPTIONAL:
                    continue
                body = deepcopy(operation.body)
                parent: Any = body
                for key in at[:-1]:
                    parent = parent[key]
                del parent[at[-1]]
                self.problem(await self.send(operation, body), 400, "invalid_body")

    async def test_nul(self):
        """A string with NUL is 400, wherever it stands."""
        for operation in await self.operations():
            for at, value in nodes(operation.body):
                if isinstance(value, str):
                    body = replaced(operation.body, at, value + "\0")
                    self.problem(await self.send(operation, body), 400)

    async def test_lone_surrogates(self):
        """A string with half a surrogate pair is 400, wherever it stands."""
        for operation in await self.operations():
            for at, value in nodes(operation.body):
                if isinstance(value, str):
                    for half in ("\ud800", "\udc00x"):
                        body = replaced(operation.body, at, value + half)
                        self.problem(await self.send(operation, body), 400)

    async def test_huge_numbers(self):
        """A number beyond 64 bits is 400."""
        for operation in await self.operations():
            for at, value in nodes(operation.body):
                if type(value) is int:
                    for number in (10**30, -(10**30), 2**64, 1e30):
                        body = replaced(operation.body, at, number)
                        self.invalid(await self.send(operation, body), pointer(at))

    async def test_fractions(self):
        """An integer is written without a fraction, even one that is nothing."""
        for operation in await self.operations():
            for at, value in nodes(operation.body):
                if type(value) is int:
                    for number in (value + 0.5, float(value)):
                        body = replaced(operation.body, at, number)
                        self.invalid(await self.send(operation, body), pointer(at))

    async def test_infinite_number(self):
        """A number beyond what a double holds is 400."""
        user, admin = await self.someone(), await self.admin()
        data = json.dumps(challenge(ordinal=777)).replace("777", "1e999").encode()
        self.problem(await self.post("design-challenges", data=data, by=admin), 400)
        data = b'{"value":{"a":1e999}}'
        self.problem(await self.put(f"user/{user.id}/progress/k", data=data, by=user), 400)

    async def test_huge_parent(self):
        """A parentId beyond 64 bits is 400."""
        made = await self.content(await self.someone())
        body = {"body": "x", "parentId": 10**30}
        self.invalid(await self.post(f"{made.path}/comments", body, by=made.author), "/parentId")

    async def test_deep(self):
        """A deeply nested body is 400, in an unknown member too."""
        for operation in await self.operations():
            known = json.dumps(operation.body)[:-1].encode()
            # Without a token the limit is 16 KiB.
            deep = DEEP if operation.by is not None else 7_000
            for data in (
                b"[" * deep,
                b"[" * deep + b"]" * deep,
                b'{"a":' * (deep // 4),
                known + b',"zz":' + b"[" * deep + b"]" * deep + b"}",
            ):
                self.problem(await self.send(operation, data), 400)

    async def test_deep_progress(self):
        """A deeply nested value of progress data is 400, or stored and given back."""
        user = await self.someone()
        path = f"user/{user.id}/progress/deep"
        data = b'{"value":{"a":' + b"[" * DEEP + b"]" * DEEP + b"}}"
        self.problem(await self.put(path, data=data, by=user), 400)

    async def test_at_the_limit(self):
        """A body of exactly 256 KiB, for content 1 MiB, is taken."""
        user = await self.someone()
        for method, path, body, limit, status in (
            ("POST", "session/connect", {"client": "game"}, 256 * KIB, 200),
            ("PUT", f"content/{guid()}", draft(), KIB * KIB, 204),
        ):
            known = json.dumps(body)[:-1].encode() + b',"zz":"'
            data = known + b"x" * (limit - len(known) - 2) + b'"}'
            await self.request(method, path, data=data, by=user, expect=status)


class PathTests(SpecCase):
    """Bad GUIDs and numbers in paths and queries."""

    async def test_guids(self):
        """A path whose GUID is none is 400 invalid_path, before anything else is looked at."""
        good = guid()
        templates = [
            ("PUT", "content/{}"),
            ("GET", "content/{}"),
            ("GET", "content/{}/comments"),
            ("POST", "content/{}/comments"),
            ("GET", "content/{}/comments/1"),
            ("PUT", "content/{}/status"),
            ("PUT", "content/{}/featured"),
            ("GET", f"content/{good}/revisions/{{}}"),
            ("GET", "user/{}"),
            ("PUT", "user/{}"),
            *[("GET", f"user/{{}}/{what}") for what in ("info", "content", "followers")],
            *[("GET", f"user/{{}}/{what}") for what in ("following", "notifications")],
            *[("GET", f"user/{{}}/{what}") for what in ("progress", "ratings", "progress/k")],
            ("PUT", f"user/{{}}/rating/{good}"),
            ("PUT", f"user/{good}/rating/{{}}"),
            ("PUT", f"user/{good}/following/{{}}"),
            ("PATCH", f"user/{good}/notifications/{{}}"),
            ("POST", f"user/{good}/friend/{{}}/messages"),
            ("GET", f"user/{good}/friend/{{}}/messages"),
            ("GET", f"user/{good}/friend/{good}/messages/{{}}"),
            ("GET", "user/{}/messages"),
            ("POST", f"user/{{}}/friend/{good}/party-invite/accept"),
            ("POST", f"user/{good}/friend/{{}}/party-invite/decline"),
            ("GET", "design-challenges/{}"),
        ]
        for method, template in templates:
            for bad in BAD_GUIDS:
                response = await self.request(method, template.format(bad))
                self.problem(response, 400, "invalid_path")

    async def test_comment_numbers(self):
        """A comment's number that is none, or beyond 64 bits, is 400 or 404."""
        made = await self.content(await self.someone())
        for bad in ("x", "-1", "0", "1.5", "1" + "0" * 30, "%00"):
            response = await self.get(f"{made.path}/comments/{bad}")
            self.problem(response, (400, 404))

    async def test_query_strings(self):
        """NUL and bad UTF-8 in a query are 400."""
        user = await self.someone()
        for path in ("user/search?q=ab{}c", f"user/{user.id}/content?category={{}}"):
            for bad in ("%00", "%ff%fe", "%ED%A0%80"):
                response = await self.get(path.format(bad))
                self.problem(response, 400, "invalid_query")

    async def test_cursors(self):
        """A cursor that the service never gave is 400."""
        user = await self.someone()
        between = f"friend/{(await self.user()).id}/messages"
        for what in ("content", "followers", "following", "notifications", "messages", between):
            for bad in ("x", "%00", "-", "1" + "0" * 60, "'"):
                path = f"user/{user.id}/{what}?limit=2&after={bad}"
                self.invalid_query(await self.get(path, by=user), "after")

    async def test_repeated_parameter(self):
        """A parameter given twice is a clear answer: the one, the other, or 400."""
        response = await self.get("user/search?q=abc&q=def")
        self.assertIn(response.status, (200, 400))
