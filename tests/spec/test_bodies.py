"""Bodies at the edges: numbers and depth beyond measure, and the most bytes."""

import json

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import draft, guid
from tests.spec.harness import SpecCase

KIB = 1024
DEEP = 100_000


class BodyTests(SpecCase):
    async def test_infinite_number(self):
        """A number beyond what a double holds is 400."""
        user, admin = await self.someone(), await self.admin()
        data = json.dumps(challenge(ordinal=777)).replace("777", "1e999").encode()
        self.problem(await self.post("design-challenges", data=data, by=admin), 400)
        data = b'{"value":{"a":1e999}}'
        self.problem(await self.put(f"user/{user.id}/progress/k", data=data, by=user), 400)

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
