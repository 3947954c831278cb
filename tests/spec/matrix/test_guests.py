"""Each operation as a guest, with each word of the setting `guests_may`: accounts#guests."""

from __future__ import annotations

import re
from typing import Any

from tests.spec.accounts.guests import GuestCase
from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.matrix.base import unknown
from tests.spec.matrix.operations import OAUTH, OPERATIONS
from tests.support import daemon, lists
from tests.support.daemon import Daemon

WORDS = sorted({one.guests for one in OPERATIONS if one.guests})
PLACE = "tests/spec/matrix/operations.py: `guests` of an operation"
SORTED = {one.id for one in OPERATIONS if one.guests is not None}
TEXT = b"{"


def _value(variable: str, guest: User) -> str:
    return guest.id if variable == "userId" else unknown(variable)


class WordsCase(GuestCase):
    """A daemon whose guests may do some things."""

    async def serve(self, *may: str) -> None:
        """Send what follows to such a daemon."""
        self.own_daemon()
        options = ("--guests", "yes", "--guests-per-address", "0", "--guests-may", ",".join(may))
        key = " ".join(("guests", *may))
        self.use(await daemon.shared(key, lambda: Daemon(*options, "--workers", "2")))

    async def attempt(self, operation: str, guest: User, body: bytes = TEXT) -> Response:
        """The answer to a guest whose body is none, about what is not there."""
        document = (await self.contract()).document
        for path, methods in document["paths"].items():
            for method, found in methods.items():
                if found["operationId"] == operation:
                    asked = re.sub(r"{(\w+)}", lambda part: _value(part[1], guest), path)
                    sent: dict[str, Any] = {} if method == "get" else {"data": body}
                    return await self.request(method.upper(), asked, by=guest, **sent)
        return self.fail(f"there is no {operation}")


class MatrixTests(WordsCase):
    """Which operations are refused."""

    async def check(self, *may: str) -> None:
        """All of OPERATIONS."""
        await self.serve(*may)
        refused = {one.id for one in OPERATIONS if one.guests and one.guests not in may}
        found, guest = set(), await self.guest()
        for operation in OPERATIONS:
            if operation.id in OAUTH:
                continue
            # It would be its last.
            caller = await self.guest() if operation.id == "deleteUser" else guest
            response = await self.attempt(operation.id, caller)
            code = response.json().get("code") if response.status >= 400 else None
            if code == "guest_account" and operation.id not in {"changePassword", "changeEmail"}:
                found.add(operation.id)
                self.assertEqual([*may], self.problem(response, 403)["may"])
        lists.same(self, PLACE, refused, found)

    async def test_none(self):
        """Without a word, all that has one is refused, before the body."""
        await self.check()

    async def test_all(self):
        """With all words nothing is."""
        await self.check(*WORDS)

    async def test_sorted(self):
        """Each write of users is sorted into a word or none."""
        document = (await self.contract()).document
        for path, methods in document["paths"].items():
            for method, found in methods.items():
                operation = found["operationId"]
                allowed = found.get("x-permission") or []
                if method in {"get", "delete"} or operation in OAUTH or allowed:
                    continue
                if operation in _OF_STAFF:
                    continue
                self.assertIn(operation, SORTED, f"{PLACE}: {method} {path}")


_OF_STAFF = {
    one.id for one in OPERATIONS if "stranger" in one.who.refused and "owner" in one.who.refused
}


def _one(word: str) -> Any:
    async def test(self: MatrixTests) -> None:
        await self.check(word)

    test.__doc__ = f"With `{word}`, what has another word is refused."
    return test


for _word in WORDS:
    setattr(MatrixTests, f"test_{_word}", _one(_word))


class HeadTests(WordsCase):
    """When the refusal comes."""

    async def refusal(self, length: int, **headers: object) -> None:
        """Assert that a head alone is refused that promises a body of this length."""
        await self.serve()
        guest, other = await self.guest(), await self.someone()
        wire = await self.wire(
            "POST",
            f"user/{guest.id}/friend/{other.id}/messages",
            by=guest,
            Content_Type="application/json",
            Content_Length=length,
            **headers,
        )
        self.problem(await wire.answer(), 403, "guest_account")

    async def test_head(self):
        """It comes without the body."""
        await self.refusal(1000)

    async def test_large(self):
        """It comes before the size of the body is judged."""
        await self.refusal(10_000_000)

    async def test_coded(self):
        """It comes before the body's coding is judged."""
        await self.refusal(1000, Content_Encoding="gzip")

    async def test_others_first(self):
        """What is another's is forbidden, as to everybody."""
        await self.serve()
        guest, other = await self.guest(), await self.someone()
        path = f"user/{other.id}/following/{guest.id}"
        self.problem(await self.put(path, by=guest), 403, "forbidden")

    async def test_full_account(self):
        """A full account with a token from before gets the usual answers."""
        await self.serve()
        guest, other = await self.guest(), await self.someone()
        await self.become(guest, expect=204)
        path = f"user/{guest.id}/friend/{other.id}/messages"
        wire = await self.wire("POST", path, by=guest, Content_Length=10_000_000)
        self.problem(await wire.answer(), 413, "payload_too_large")
        packed = await self.post(path, data=b"{}", by=guest, headers={"Content-Encoding": "gzip"})
        self.problem(packed, 415, "unsupported_media_type")
        self.problem(await self.post(path, data=b"{", by=guest), 400, "malformed_json")


class CollectionTests(WordsCase):
    """Only public collections have a word."""

    async def put_collection(self, guest: User, id: str, public: bool) -> Response:
        body = {"name": "Mine", "public": public}
        return await self.put(f"user/{guest.id}/collections/{id}", body, by=guest)

    async def test_private(self):
        """A guest has private collections, and items in them."""
        await self.serve()
        guest, content = await self.guest(), await self.content(await self.someone())
        for id in (guid(), guest.id):
            self.assertEqual(204, (await self.put_collection(guest, id, False)).status)
            path = f"user/{guest.id}/collections/{id}/items/{content.id}"
            await self.put(path, {}, by=guest, expect=204)

    async def test_public(self):
        """A guest has no public one, after the body is judged."""
        await self.serve("rate")
        guest, id = await self.guest(), guid()
        for one in (id, guest.id):
            refused = await self.put_collection(guest, one, True)
            self.assertEqual(["rate"], self.problem(refused, 403, "guest_account")["may"])
        path = f"user/{guest.id}/collections/{id}"
        self.invalid(await self.put(path, {"name": "", "public": True}, by=guest), "/name")

    async def test_with_the_word(self):
        """With `publish` a guest has public ones, and items in them."""
        await self.serve("publish")
        guest, content, id = await self.guest(), await self.content(await self.someone()), guid()
        self.assertEqual(204, (await self.put_collection(guest, id, True)).status)
        path = f"user/{guest.id}/collections/{id}/items/{content.id}"
        await self.put(path, {}, by=guest, expect=204)


class AllowedTests(WordsCase):
    """What a word allows goes through."""

    async def test_rate(self):
        """A vote counts, and can be taken back without the word."""
        await self.serve("rate")
        guest, content = await self.guest(), await self.content(await self.someone())
        await self.rate(guest, content, "1")
        found = (await self.get(content.path, expect=200)).json()
        self.assertEqual(1, found["rating"])
        await self.delete(f"user/{guest.id}/rating/{content.id}", by=guest, expect=204)

    async def test_publish(self):
        """A guest publishes, withdraws and restores."""
        await self.serve("publish")
        guest = await self.guest()
        content = await self.content(guest)
        await self.delete(content.path, by=guest, expect=204)
        await self.post(f"{content.path}/restore", by=guest, expect=204)

    async def test_takes_back(self):
        """What takes back needs no word."""
        await self.serve()
        guest, other = await self.guest(), await self.someone()
        for path in ("following", "friend", "blocked"):
            await self.delete(f"user/{guest.id}/{path}/{other.id}", by=guest, expect=204)
        await self.put(f"user/{guest.id}/blocked/{other.id}", by=guest, expect=204)
        await self.post(f"user/{other.id}/report", {"reason": "spam"}, by=guest, expect=204)
