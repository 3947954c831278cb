"""What the people of the demo world keep, gather and play, on a real Postgres."""

from contentsvc.command.demo.world import WORLD, id_of
from tests.command.test_cli import CommandCase


class LibraryTests(CommandCase):
    def setUp(self) -> None:
        super().setUp()
        self.good("demo")

    def test_plays(self) -> None:
        """There is a month of plays, whose days add up to the counts."""
        shown = self.sql(
            "select c.plays, c.players, c.downloads, sum(d.plays), sum(d.players),"
            " sum(d.downloads), count(*) filter (where d.plays > 0)"
            f" from contents c join content_days d on d.content_id = c.id"
            f" where c.id = '{id_of('tower')}' group by c.id"
        )
        ((plays, players, downloads, *sums, days),) = shown
        self.assertEqual([plays, players, downloads], sums)
        self.assertEqual(WORLD["month"], days)
        self.assertGreater(plays, WORLD["month"])
        self.assertGreater(players, 1)
        self.assertEqual([(0,)], self.sql("select count(*) from content_tallies where not added"))

    def test_subscriptions(self) -> None:
        """Each keeps what the world says, also what was withdrawn; some stay with a revision."""
        kept = self.sql(
            "select u.username, count(*), count(s.pin) from subscriptions s"
            " join users u on u.id = s.user_id group by u.username"
        )
        pinned = [name for name, _, _ in WORLD["pinned"]]
        expected = {
            (name, len(items), pinned.count(name)) for name, items in WORLD["subscriptions"].items()
        }
        self.assertEqual(expected, set(kept))

    def test_collections(self) -> None:
        """The collections have their items in their order, and the favourites are counted."""
        for _, name, _, _, contents in WORLD["collections"]:
            found = self.sql(
                "select content_id::text from collection_items"
                f" where collection_id = '{id_of(name)}' order by place"
            )
            self.assertEqual([(id_of(item),) for item in contents], found)
        liked = sum("tower" in items for items in WORLD["favourites"].values())
        of_tower = f"select favourites from contents where id = '{id_of('tower')}'"
        self.assertEqual([(liked,)], self.sql(of_tower))

    def test_draft(self) -> None:
        """A draft has a tester and an invitation, of which they are told, and no follower is."""
        draft = id_of("lighthouse")
        guests = self.sql(
            "select u.username, g.role, g.accepted from content_guests g"
            f" join users u on u.id = g.user_id where g.content_id = '{draft}' order by 1"
        )
        self.assertEqual([("juno", "editor", False), ("tomas", "tester", True)], guests)
        told = self.sql(
            f"select kind from notifications where data::json->>'content' = '{draft}' order by 1"
        )
        self.assertEqual([("MemberInvited",), ("TesterInvited",)], told)

    def test_requires(self) -> None:
        """Of the tower, the revision before the current one is for older games."""
        found = self.sql(
            "select r.version, r.game_min, r.game_max from revisions r"
            f" where r.content_id = '{id_of('tower')}' order by r.ordinal"
        )
        self.assertEqual(
            [("1.0", None, [1, 1]), ("1.1", [1, 0, 0, 0], [1, 3]), ("2.0", [1, 4, 0, 0], None)],
            found,
        )
