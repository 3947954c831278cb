"""The demo world, on a real Postgres."""

import msgspec

from contentsvc.command import world
from contentsvc.passwords import HASHER
from contentsvc.wire.challenges import RewardDefinition
from contentsvc.wire.notifications import AnyNotification, notification_json
from tests.command.test_cli import PASSWORD, CommandCase


class DemoTests(CommandCase):
    def test_demo(self) -> None:
        """demo prints its users and a password that is theirs."""
        printed = self.good("demo")
        password = printed.strip().rpartition(": ")[2]
        users = self.sql("select username, password_hash, admin from users order by username")
        self.assertEqual([user[0] for user in users], sorted(p.name for p in world.PEOPLE))
        for name, encoded, admin in users:
            self.assertTrue(HASHER.verify(encoded, password))
            self.assertIn(f"{name} (admin)" if admin else name, printed)

    def test_again(self) -> None:
        """A second demo says that the world is there, and changes nothing."""
        self.good("demo")
        before = self.sql("select count(*) from comments")
        self.assertIn("exists already", self.good("demo"))
        self.assertEqual(self.sql("select count(*) from comments"), before)

    def test_given_password(self) -> None:
        """demo takes a password as user add does."""
        self.good("demo", "--password-stdin", given=PASSWORD.encode())
        ((encoded,),) = self.sql("select password_hash from users where username = 'mira'")
        self.assertTrue(HASHER.verify(encoded, PASSWORD))
        self.refused("password", "demo", "--password-stdin", given=b"short")

    def test_name_taken(self) -> None:
        """Where a user has a name of the demo's, nothing of it is made."""
        self.add("juno")
        self.refused("juno", "demo")
        self.assertEqual(self.sql("select count(*) from users"), [(1,)])

    def test_stored_json(self) -> None:
        """The notifications and rewards of the demo are what a client can decode."""
        self.good("demo")
        rows = self.sql("select id, unix(created), read, data from notifications")
        kinds = {
            type(msgspec.json.decode(notification_json(*row), type=AnyNotification)).__name__
            for row in rows
        }
        self.assertLessEqual({"ContentSuspended", "FriendRequest"}, kinds)
        for win, participate in self.sql("select win::text, participate::text from challenges"):
            for reward in (win, participate):
                msgspec.json.decode(reward, type=RewardDefinition)

    def test_challenges(self) -> None:
        """Of its design challenges, one is open, one is being judged, and one opens later."""
        self.good("demo")
        states = self.sql(
            "select challenge_state(opens, closes, closed) from challenges order by ordinal"
        )
        self.assertEqual(states, [("open",), ("judging",), ("upcoming",)])
