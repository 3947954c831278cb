"""Design challenges, and those who enter them (challenges#entries)."""

import json
from typing import Any

from contentsvc.api.challenges.definitions import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.store.content import items
from contentsvc.wire.challenges import (
    AchievementDefinition,
    ChallengeClose,
    ChallengeCreate,
    EmblemDefinition,
    EntriesQuery,
    RewardDefinition,
)
from tests.api.support import ApiCase, Caller, Tasks, no_types
from tests.support.databases import guid

ADMIN, STRANGER = Caller(guid(), admin=True), Caller(guid())


def definition(name: str = "Bridges", **changes: Any) -> ChallengeCreate:
    """A definition, whose achievement and emblem have this name too."""
    achievement = AchievementDefinition(key="k", name=name, description="")
    emblem = EmblemDefinition(name=name, description="", image="e.png", color="#000000")
    prize = RewardDefinition(achievement=achievement, emblem=emblem)
    members: dict[str, Any] = {"ordinal": 1, "description": "", "theme": ""}
    members |= {"win": prize, "participate": prize}
    return ChallengeCreate(name=name, **{**members, **changes})


class EntryCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.tasks = Tasks()
        self.challenges = Challenges(self.db, self.tasks, None, no_types(self.db))
        self.entries = Entries(self.db)
        self.ann = Caller(await self.user())
        self.game = await self.content(self.ann.user)
        self.challenge = await self.create()

    async def create(self, **changes: Any) -> str:
        """The id of a new challenge."""
        made = await self.challenges.create_challenge(ADMIN, definition(**changes))
        return made.path.rpartition("/")[2]

    async def enter(self, content: str | None = None, by: Caller | None = None) -> None:
        await self.entries.enter_challenge(by or self.ann, self.challenge, content or self.game)

    async def leave(self, content: str | None = None, by: Caller | None = None) -> None:
        await self.entries.leave_challenge(by or self.ann, self.challenge, content or self.game)

    async def close(self, *winners: str, challenge: str | None = None) -> None:
        body = ChallengeClose(winners=list(winners))
        await self.challenges.close_challenge(ADMIN, challenge or self.challenge, body)

    async def entered(self, author: Caller | None = None) -> str:
        """The id of a new content that has entered."""
        author = author or Caller(await self.user())
        made = await self.content(author.user)
        await self.enter(made, author)
        return made

    async def listed(self, by: Caller = STRANGER, **query: Any) -> list[str]:
        """The ids of the entries, on all pages."""
        ids: list[str] = []
        after = None
        while True:
            part = await self.entries.list_challenge_entries(
                by, self.challenge, EntriesQuery(after=after, **query)
            )
            ids += [info.id for info in part.items]
            after = part.after
            if after is None:
                return ids

    async def counted(self, by: Caller = STRANGER) -> int:
        """The number of entries that the challenge shows."""
        return (await self.challenges.get_challenge(by, self.challenge)).entries

    async def winners(self, by: Caller = STRANGER) -> list[str]:
        """The winners that the challenge shows."""
        return (await self.challenges.get_challenge(by, self.challenge)).winners

    def told(self) -> list[Any]:
        """The tasks for the challenge."""
        rows = self.sql("select task from tasks where task like %s", f"%{self.challenge}%")
        return [json.loads(task) for (task,) in rows]

    async def suspend(self, content: str, status: str = "suspended") -> None:
        await items.set_status(self.db, None, content, status)
