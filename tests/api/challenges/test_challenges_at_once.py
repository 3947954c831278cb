"""What comes at once to a design challenge (challenges#design-challenges)."""

from collections.abc import Awaitable
from typing import Any

from twisted.internet.defer import Deferred

from contentsvc.store.challenges import closing, definitions, entries
from contentsvc.store.content import items
from tests.api.challenges.entering import ADMIN, STRANGER, EntryCase, definition
from tests.support.databases import guid


class AtOnceTests(EntryCase):
    """What two callers do at once, several times over: the outcome is that of one order of them."""

    async def outcomes(self, *acts: Any) -> list[str]:
        found = await self.statuses(*acts)
        # Whatever came first, the count is that of the list.
        self.assertEqual(await self.counted(), len(await self.listed()))
        self.assertEqual(await self.counted(ADMIN), len(await self.listed(ADMIN)))
        return found

    async def test_enter(self) -> None:
        """Of several who enter one content at once, all succeed, and it is in once."""
        self.assertEqual(await self.outcomes(*(self.enter() for _ in range(6))), ["done"] * 6)
        self.assertEqual(await self.listed(), [self.game])

    async def test_enter_and_suspend(self) -> None:
        """Content that is suspended while it enters is refused, or in and hidden."""
        for _ in range(8):
            game = await self.content(self.ann.user)
            suspended, entered = await self.outcomes(self.suspend(game), self.enter(game))
            self.assertEqual(suspended, "done")
            self.assertIn(entered, {"done", "content_not_active"})
            self.assertNotIn(game, await self.listed())
            self.assertEqual(game in await self.listed(ADMIN), entered == "done")

    async def test_enter_and_close(self) -> None:
        """Content that enters while it closes is in and rewarded, or refused."""
        for _ in range(8):
            self.challenge = await self.create()
            entered, closed = await self.outcomes(self.enter(), self.close())
            self.assertEqual(closed, "done")
            self.assertIn(entered, {"done", "challenge_not_open"})
            rewards = self.sql(
                "select user_id from challenge_rewards where challenge_id = %s", self.challenge
            )
            self.assertEqual(len(rewards), int(entered == "done"))
            self.assertEqual(len(await self.listed()), len(rewards))

    async def test_enter_and_delete(self) -> None:
        """A challenge that is deleted while somebody enters is gone, or has the entry."""
        for _ in range(8):
            self.challenge = await self.create()
            found = await self.statuses(
                self.enter(), self.challenges.delete_challenge(ADMIN, self.challenge)
            )
            self.assertIn(
                found, (["done", "challenge_has_entries"], ["challenge_not_found", "done"])
            )

    async def test_leave_and_close(self) -> None:
        """A winner who leaves while it closes has won, or is no entry."""
        for _ in range(8):
            self.challenge = await self.create()
            await self.enter()
            found = await self.outcomes(self.leave(), self.close(self.game))
            self.assertIn(found, (["done", "unknown_entry"], ["challenge_closed", "done"]))

    async def test_close(self) -> None:
        """Of several who close it with other winners at once one succeeds; the rewards are its
        winners'."""
        await self.enter()
        other = await self.entered()
        found = await self.outcomes(
            self.close(self.game), self.close(other), self.close(), self.close(self.game, other)
        )
        self.assertEqual(sorted(found), ["challenge_closed"] * 3 + ["done"])
        won = self.sql(
            "select content_id from challenge_rewards where won and challenge_id = %s",
            self.challenge,
        )
        self.assertEqual(sorted(id for (id,) in won), sorted(await self.winners()))
        self.assertEqual(len(self.told()), 1)

    async def test_close_alike(self) -> None:
        """Of several who close it with the same winners at once, all succeed, and one grants."""
        await self.enter()
        found = await self.outcomes(*(self.close(self.game) for _ in range(5)))
        self.assertEqual((found, len(self.told())), (["done"] * 5, 1))

    async def test_replace_and_close(self) -> None:
        """A definition that comes while it closes holds, or is refused; the rewards are those of
        the one that holds."""
        for _ in range(8):
            self.challenge = await self.create()
            await self.enter()
            new = definition("Arches")
            replaced, closed = await self.outcomes(
                self.challenges.replace_challenge(ADMIN, self.challenge, new), self.close(self.game)
            )
            self.assertEqual(closed, "done")
            shown = await self.challenges.get_challenge(STRANGER, self.challenge)
            self.assertEqual(shown.name, "Arches" if replaced == "done" else "Bridges")
            self.assertIn(replaced, {"done", "challenge_closed"})

    async def test_hide_many(self) -> None:
        """Contents that are in the same challenges are hidden and shown at once, without an end of
        any for a deadlock."""
        others = [await self.create() for _ in range(3)]
        games = [await self.entered(self.ann) for _ in range(5)]
        for number, game in enumerate(games):
            for challenge in others[:: -1 if number % 2 else 1]:
                await self.entries.enter_challenge(self.ann, challenge, game)
        for status in ("suspended", "active", "suspended"):
            found = await self.outcomes(*(self.suspend(game, status) for game in games))
            self.assertEqual(found, ["done"] * 5)
        self.assertEqual((await self.counted(), await self.counted(ADMIN)), (0, 5))


class WaitTests(EntryCase):
    """What comes while a transaction that has done something else is still open."""

    async def meanwhile(self, done: Awaitable[Any], act: Awaitable[None]) -> str:
        """The outcome of `act`, which begins when `done` has been done, but not committed."""
        async with self.db.transaction() as self.tx:
            await done
            waiting = Deferred.fromCoroutine(self.statuses(act))
            # It waits for a lock now, or will: the outcome is the same.
            await self.exists()
        (found,) = await waiting
        return str(found)

    async def exists(self) -> None:
        """A round trip to the database."""
        await definitions.get(self.db, self.challenge, None, False)

    async def in_tx(self, statement: Any, *args: Any) -> None:
        """Run a statement in the open transaction."""
        await statement(self.tx, *args)

    async def test_suspended(self) -> None:
        """Whoever enters content that is being suspended waits, and is refused."""
        suspended = self.in_tx(items.set_status, None, self.game, "suspended")
        found = await self.meanwhile(suspended, self.enter())
        self.assertEqual((found, await self.counted(ADMIN)), ("content_not_active", 0))

    async def test_closed(self) -> None:
        """Whoever enters while it is being closed waits, and is refused."""
        closed = self.in_tx(closing.close, guid(), self.challenge, [])
        found = await self.meanwhile(closed, self.enter())
        self.assertEqual((found, await self.listed()), ("challenge_not_open", []))

    async def test_replaced(self) -> None:
        """Whoever enters while the definition changes is judged by the new one."""
        new = definition(name="New", types=["asset"])
        replaced = self.in_tx(definitions.replace, self.challenge, new)
        self.assertEqual(await self.meanwhile(replaced, self.enter()), "type_not_allowed")

    async def test_deleted(self) -> None:
        """Whoever enters while it is being deleted does not find it."""
        deleted = self.in_tx(definitions.delete, self.challenge)
        self.assertEqual(await self.meanwhile(deleted, self.enter()), "challenge_not_found")

    async def test_replaced_while_deleted(self) -> None:
        """Whoever replaces the definition while it is being deleted does not find it."""
        deleted = self.in_tx(definitions.delete, self.challenge)
        replaced = self.challenges.replace_challenge(ADMIN, self.challenge, definition())
        self.assertEqual(await self.meanwhile(deleted, replaced), "challenge_not_found")

    async def test_entered(self) -> None:
        """Whoever closes, deletes or suspends while somebody enters finds the entry."""
        for act, expected in (
            (lambda: self.close(self.game), "done"),
            (
                lambda: self.challenges.delete_challenge(ADMIN, self.challenge),
                "challenge_has_entries",
            ),
            (lambda: self.suspend(self.game), "done"),
        ):
            self.game = await self.content(self.ann.user)
            self.challenge = await self.create()
            entered = self.entered_in_tx()
            self.assertEqual(await self.meanwhile(entered, act()), expected)
            self.assertEqual(await self.counted(ADMIN), 1)
        self.assertEqual(await self.counted(), 0)

    async def entered_in_tx(self) -> None:
        """Enter the game in the open transaction."""
        await entries.lock_content(self.tx, self.game, None, True)
        await entries.lock_challenge(self.tx, self.challenge, self.game)
        await entries.enter(self.tx, self.challenge, self.game, self.ann.user)
