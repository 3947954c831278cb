"""Entering design challenges (extensions §2): the refusals, and their order."""

import json
from typing import Any

from contentsvc.api.challenges.definitions import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.roles import ADMINISTER, CURATE, MODERATE
from contentsvc.store.content import items
from contentsvc.wire.challenges import ChallengeClose, EntriesQuery
from tests.api.challenges.test_definitions import ADMIN, FUTURE, PAST, definition
from tests.api.support import ApiCase, Caller, Tasks, no_types
from tests.support.databases import guid

OPEN: dict[str, Any] = {"opens": None, "closes": None}
UPCOMING: dict[str, Any] = {"opens": FUTURE}
JUDGING: dict[str, Any] = {"opens": PAST, "closes": PAST + 1}
STRANGER = Caller(guid())


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

    async def change(self, **changes: Any) -> None:
        """Give the challenge another definition."""
        await self.challenges.replace_challenge(ADMIN, self.challenge, definition(**changes))

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


class EnterTests(EntryCase):
    async def test_enter(self) -> None:
        """An author enters a content; a repeat changes nothing."""
        for _ in range(2):
            await self.enter()
            self.assertEqual((await self.listed(), await self.counted()), ([self.game], 1))

    async def test_others(self) -> None:
        """Only the author enters it: an admin does not, but with content of their own."""
        for caller in (STRANGER, ADMIN):
            problem = await self.refused(self.enter(by=caller))
            self.assertEqual((problem.status, problem.code), (403, "forbidden"))
        admin = Caller(await self.user(), admin=True)
        await self.enter(await self.content(admin.user), admin)

    async def test_not_open(self) -> None:
        """It is refused before the challenge opens, after it closes, and once it is closed."""
        for times in (UPCOMING, JUDGING):
            await self.change(**times)
            self.assertEqual((await self.refused(self.enter())).code, "challenge_not_open")
        await self.close()
        self.assertEqual((await self.refused(self.enter())).code, "challenge_not_open")
        self.assertEqual(await self.listed(), [])

    async def test_repeat(self) -> None:
        """A repeat succeeds whatever has happened since: to the time, the types, the content."""
        await self.enter()
        for act in (
            self.change(**UPCOMING),
            self.change(**JUDGING),
            self.change(types=["asset"]),
            self.suspend(self.game),
            self.close(),
        ):
            await act
            await self.enter()
        await self.suspend(self.game, "active")
        self.assertEqual(await self.listed(), [self.game])

    async def test_types(self) -> None:
        """Content of a type that may not enter is refused; the problem says which may."""
        await self.change(types=["asset", "scene_box"])
        problem = await self.refused(self.enter())
        self.assertEqual((problem.status, problem.code), (422, "type_not_allowed"))
        self.assertEqual(problem.members, {"types": ["asset", "scene_box"]})
        await self.change(types=["asset", "game"])
        await self.enter()

    async def test_not_active(self) -> None:
        """Suspended content is refused, and so is content that its author has withdrawn."""
        for column in ("suspended", "deleted"):
            self.sql(f"update contents set {column} = true where id = %s", self.game)
            problem = await self.refused(self.enter())
            self.assertEqual((problem.status, problem.code), (409, "content_not_active"))
            self.sql(f"update contents set {column} = false where id = %s", self.game)

    async def test_unknown(self) -> None:
        """What does not exist is not found, the challenge first; nor is hidden content of
        another."""
        await self.suspend(self.game)
        for by, challenge, content, code in (
            (self.ann, guid(), guid(), "challenge_not_found"),
            (self.ann, guid(), self.game, "challenge_not_found"),
            (self.ann, self.challenge, guid(), "content_not_found"),
            (STRANGER, self.challenge, self.game, "content_not_found"),
            (ADMIN, self.challenge, self.game, "forbidden"),
        ):
            for act in (self.entries.enter_challenge, self.entries.leave_challenge):
                if by is ADMIN and act == self.entries.leave_challenge:
                    continue
                problem = await self.refused(act(by, challenge, content))
                self.assertEqual(problem.code, code)

    async def test_order(self) -> None:
        """Of several refusals the state comes first, then the type, then the content's status."""
        await self.suspend(self.game)
        for changes, code in (
            ({**UPCOMING, "types": ["asset"]}, "challenge_not_open"),
            ({"types": ["asset"]}, "type_not_allowed"),
            ({}, "content_not_active"),
        ):
            await self.change(**changes)
            self.assertEqual((await self.refused(self.enter())).code, code)
            problem = await self.refused(self.enter(by=ADMIN))
            self.assertEqual(problem.code, "forbidden")

    async def test_several(self) -> None:
        """A content may be in several challenges, and a user may enter several."""
        other = await self.create()
        await self.enter()
        await self.entries.enter_challenge(self.ann, other, self.game)
        second = await self.entered(self.ann)
        self.assertEqual(await self.listed(), [second, self.game])
        self.challenge = other
        self.assertEqual((await self.listed(), await self.counted()), ([self.game], 1))


class LeaveTests(EntryCase):
    async def test_author(self) -> None:
        """The author takes it out while the challenge is open; a repeat changes nothing."""
        await self.enter()
        for _ in range(2):
            await self.leave()
            self.assertEqual((await self.listed(), await self.counted()), ([], 0))
        await self.enter()
        self.assertEqual((await self.listed(), await self.counted()), ([self.game], 1))

    async def test_later(self) -> None:
        """When the challenge is not open the author does not, but admins do until it is closed."""
        await self.enter()
        for times in (UPCOMING, JUDGING):
            await self.change(**times)
            self.assertEqual((await self.refused(self.leave())).code, "challenge_not_open")
        await self.leave(by=ADMIN)
        await self.leave(by=ADMIN)
        self.assertEqual((await self.listed(), await self.counted()), ([], 0))

    async def test_closed(self) -> None:
        """Nobody takes it out of a closed challenge."""
        await self.enter()
        await self.close()
        for caller in (self.ann, ADMIN):
            self.assertEqual((await self.refused(self.leave(by=caller))).code, "challenge_closed")
        self.assertEqual(await self.listed(), [self.game])

    async def test_others(self) -> None:
        """Another user does not take it out."""
        await self.enter()
        self.assertEqual((await self.refused(self.leave(by=STRANGER))).code, "forbidden")

    async def test_permission(self) -> None:
        """Who may curate takes it out; no other permission is enough."""
        await self.enter()
        for each in (MODERATE, ADMINISTER):
            leaving = self.leave(by=Caller(guid(), permissions=[each]))
            self.assertEqual((await self.refused(leaving)).code, "forbidden")
        await self.leave(by=Caller(guid(), permissions=[CURATE]))
        self.assertEqual(await self.listed(), [])

    async def test_hidden(self) -> None:
        """A hidden entry can be taken out."""
        await self.enter()
        await self.suspend(self.game)
        await self.leave()
        self.assertEqual(await self.counted(ADMIN), 0)
        await self.suspend(self.game, "active")
        self.assertEqual((await self.listed(), await self.counted()), ([], 0))


class ListTests(EntryCase):
    async def test_newest(self) -> None:
        """The last to enter comes first, also page by page, and whatever its age."""
        others = [await self.entered() for _ in range(3)]
        await self.enter()
        expected = [self.game, *others[::-1]]
        self.assertEqual(await self.listed(), expected)
        for limit in (1, 2, 3, 4, 5):
            self.assertEqual(await self.listed(limit=limit), expected)

    async def test_top(self) -> None:
        """By votes, the highest lower bound comes first, then the last to enter."""
        votes = [(0, 0), (1, 0), (9, 3), (0, 4), (2, 0), (0, 0), (40, 2)]
        made = []
        for up, down in votes:
            made.append(await self.entered())
            self.sql("update contents set up = %s, down = %s where id = %s", up, down, made[-1])
        expected = [made[n] for n in (6, 2, 4, 1, 5, 3, 0)]
        for limit in (1, 2, 7, 50):
            self.assertEqual(await self.listed(sort="top", limit=limit), expected)

    async def test_hidden(self) -> None:
        """Hidden entries are listed and counted for those who see them, and again for all once
        they are restored."""
        await self.enter()
        other = await self.entered()
        await self.suspend(self.game)
        for caller, expected in (
            (STRANGER, [other]),
            (self.ann, [other, self.game]),
            (ADMIN, [other, self.game]),
        ):
            for sort in ("newest", "top"):
                self.assertEqual(await self.listed(caller, sort=sort), expected)
            self.assertEqual(await self.counted(caller), len(expected))
        await self.suspend(self.game, "active")
        self.assertEqual((len(await self.listed()), await self.counted()), (2, 2))

    async def test_withdrawn(self) -> None:
        """Content that is suspended and withdrawn is visible when both have ended."""
        await self.enter()
        for column, value, expected in (
            ("deleted", True, 0),
            ("suspended", True, 0),
            ("deleted", False, 0),
            ("suspended", False, 1),
        ):
            self.sql(f"update contents set {column} = %s where id = %s", value, self.game)
            self.assertEqual((len(await self.listed()), await self.counted()), (expected,) * 2)

    async def test_cursors(self) -> None:
        """A cursor that no list has given is refused."""
        await self.enter()
        newest, top = [
            (
                await self.entries.list_challenge_entries(
                    STRANGER, self.challenge, EntriesQuery(sort=sort, limit=1)
                )
            ).after
            for sort in ("newest", "top")
        ]
        for sort, after in (
            ("newest", top),
            ("top", newest),
            ("newest", "7"),
            ("top", "7-1"),
            ("top", "ä"),
            ("newest", "A" * 16),
            ("top", "A" * 27),
        ):
            query = EntriesQuery(sort=sort, after=after)
            problem = await self.refused(
                self.entries.list_challenge_entries(STRANGER, self.challenge, query)
            )
            self.assertEqual(problem.members["errors"][0]["parameter"], "after")

    async def test_unknown(self) -> None:
        """The entries of what does not exist are not found; those of an empty one are none."""
        for sort in ("newest", "top"):
            query = EntriesQuery(sort=sort)
            problem = await self.refused(
                self.entries.list_challenge_entries(STRANGER, guid(), query)
            )
            self.assertEqual(problem.code, "challenge_not_found")
            self.assertEqual(await self.listed(sort=sort), [])
