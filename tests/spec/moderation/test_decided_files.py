"""Decisions about files: moderation#decisions, files#blocking."""

from __future__ import annotations

from tests.spec.data import User
from tests.spec.files.support import File, FilesCase, picture
from tests.spec.moderation.support import DecidingCase


class FileTests(DecidingCase, FilesCase):
    """Blocks, each by a decision."""

    async def blocking(self, file: File) -> str:
        """A decision to block a file."""
        return str(await self.take("block_file", {"kind": "file", "id": file.digest}))

    async def heard(self, user: User, *kinds: str) -> None:
        """Assert that a user is told of decisions of these kinds, in their order, and of nothing
        else."""
        socket = await self.socket(user, resume=0)
        told = [(await self.pushed(socket))["notification"]["kind"] for _ in kinds]
        await socket.quiet()
        await socket.close()
        self.assertEqual([*kinds], told)

    async def test_concerned(self):
        """It concerns whose content or avatar has the file, each once, and nobody else."""
        file, author, other, third = (picture(), *await self.users(3))
        await self.holding(author, file)
        await self.upload(other, avatar := File(file.data, "avatar", file.media_type))
        await self.dress(other, avatar.path)
        id = await self.blocking(file)
        for user in (author, other):
            await self.heard(user, "DecisionTaken")
            self.assertEqual([id], [one["id"] for one in await self.own(user)])
        self.assertEqual([], await self.own(third))

    async def test_replaced(self):
        """A later block replaces the one that stands. Who takes either back tells those whom it
        concerns; the file stays blocked until the later one is."""
        file, author = picture(), await self.user()
        await self.holding(author, file)
        first, second = await self.blocking(file), await self.blocking(file)
        self.assertEqual(second, (await self.decision(first))["replaced"])
        await self.reverse(first)
        await self.heard(author, "DecisionTaken", "DecisionTaken", "DecisionReversed")
        self.problem(await self.announcing(author, file), 403, "file_blocked")
        await self.reverse(second)
        await self.heard(author, *["DecisionTaken"] * 2, *["DecisionReversed"] * 2)
        self.assertEqual(200, (await self.announcing(author, file)).status)
