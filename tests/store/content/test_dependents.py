"""Dependents (content#dependents): who uses, by its current revision, what a content has
brought."""

from typing import Any

from contentsvc.framework.db.query import STATEMENTS, Db, Statements
from contentsvc.store import retention
from contentsvc.store.content import dependents, items, withdrawal
from contentsvc.store.fragments import NIL
from tests.store.test_plans import nodes
from tests.support.databases import guid
from tests.support.deferreds import together
from tests.support.uses import UsesCase


class DependentCase(UsesCase):
    async def listed(self, game: str, **window: Any) -> list[str] | None:
        """The ids of the dependents, None if the content is not seen."""
        asked = {"caller": None, "moderate": False, "before": None, "limit": 100} | window
        rows = await dependents.of_content(self.db, game, **asked)
        return [row.item.id for row in rows if row.item] if rows else None


class UseTests(DependentCase):
    """What counts as a use."""

    async def test_core(self) -> None:
        """The core of one content that another uses makes that one a dependent; so does another's
        entity that is one's core, as older content may have it."""
        core, part = self.part(), self.part()
        base = await self.made(core=core, brings=[part])
        user = await self.made(uses=[core])
        older = await self.made(core=part)
        self.assertEqual(await self.listed(base), [older, user])

    async def test_brought_again(self) -> None:
        """What another has brought before is used, although it is named as originating."""
        part = self.part()
        base = await self.made(brings=[part])
        again = await self.made(brings=[part])
        self.assertEqual(await self.listed(base), [again])
        self.assertEqual(await self.listed(again), [])

    async def test_rolled_back(self) -> None:
        """A create that fails at its end leaves no use."""
        part = self.part()
        base = await self.made(brings=[part])
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                revision = guid()
                await self.content(self.author, revision=revision, db=tx)
                await self.depend(tx, revision, [], [part], [])
                raise KeyError
        self.assertEqual(await self.listed(base), [])

    async def test_many_changes(self) -> None:
        """Of several changes in one transaction the last counts."""
        part = self.part()
        base, game = await self.made(brings=[part]), await self.made()
        ((first,),) = self.sql("select revision_id from contents where id = %s", game)
        second = self.revised(game, part)
        self.current(game, first)
        self.sql(
            "begin; update contents set revision_id = %s where id = %s;"
            "update contents set revision_id = %s where id = %s; commit",
            *(first, game, second, game),
        )
        self.assertEqual(await self.listed(base), [game])

    async def test_gone(self) -> None:
        """Content whose row is deleted takes its uses with it, and leaves those of others."""
        part = self.part()
        base = await self.made(brings=[part])
        games = [await self.made(uses=[part]) for _ in range(2)]
        self.sql("delete from contents where id = %s", games[0])
        left = self.sql("select content_id::text from content_uses where used = %s", base)
        self.assertEqual(left, [(games[1],)])

    async def test_changes_at_once(self) -> None:
        """Two changes at once leave the uses of the revision that is current afterwards."""
        parts = [self.part() for _ in range(2)]
        bases = [await self.made(brings=[part]) for part in parts]
        game = await self.made()
        revisions = [self.revised(game, part) for part in parts]

        @Statements().none("update contents set revision_id = :revision where id = :content")
        async def change(db: Db, content: str, revision: str) -> None: ...

        for _ in range(5):
            await together(*(change(self.db, game, revision) for revision in revisions * 2))
            ((now,),) = self.sql("select revision_id from contents where id = %s", game)
            expected = [[game] if revision == str(now) else [] for revision in revisions]
            self.assertEqual([await self.listed(base) for base in bases], expected)


class ListTests(DependentCase):
    alone = True

    async def test_popular(self) -> None:
        """Of content that many use only the newest dependents are read."""
        base = await self.made()
        self.sql(
            """with game as (
                   insert into contents (id, revision_id, author_id, type, name, description,
                                         screenshots, tags)
                   select gen_random_uuid(), gen_random_uuid(), c.author_id, 'game', 'n', 'd',
                          array['s'], array[]::text[]
                   from contents c, generate_series(1, 5000) where c.id = %s
                   returning id, number
               )
               insert into content_uses
               select %s, number, id from game
               union all
               select md5((number * n %% 1601)::text)::uuid, number, id
               from game, generate_series(2, 11) n
               order by 3
               on conflict do nothing""",
            base,
            base,
        )
        self.sql("analyze contents, content_uses")
        statement = STATEMENTS["dependents_of_content"]
        values = {"content": f"'{base}'", "caller": "null", "moderate": "false", "before": "null"}
        given = ", ".join(str({**values, "limit": 200}[name]) for name in statement.parameters)
        ((plan,),) = self.sql(
            f"prepare page as {statement.sql}; "
            f"explain (analyze, format json) execute page ({given})"
        )
        read = [
            node["Actual Rows"]
            for node in nodes(plan[0]["Plan"])
            if node.get("Relation Name") == "content_uses"
        ]
        self.assertEqual(read, [200])


class AuthorTests(UsesCase):
    """Whom it concerns what happens to a content."""

    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.base = await self.content(self.author)
        self.users = sorted([await self.user() for _ in range(5)])

    async def authors(self, actor: str = NIL, **changes: Any) -> list[tuple[str, str, int]]:
        """Each with the newest of their dependents, and how many there are."""
        asked = {"by_author": False, "after": NIL, "limit": 100, "reach": 100} | changes
        rows = await dependents.authors(self.db, self.base, actor, **asked)
        return [(row.author_id, row.newest, row.contents) for row in rows]

    async def test_circle(self) -> None:
        """Content that uses each other in a circle is counted once, and what is asked about is not
        its own dependent."""
        ann, bob, *_ = self.users
        first = await self.built_on(self.base, author=ann)
        second = await self.built_on(first, author=bob)
        self.use(self.base, second)
        self.use(first, second)
        self.assertEqual(await self.authors(), [(ann, first, 1), (bob, second, 1)])

    async def test_active(self) -> None:
        """Only active content depends, and nothing through what is hidden."""
        ann, bob, eve, *_ = self.users
        hidden = await self.built_on(self.base, author=ann)
        behind = await self.built_on(hidden, author=bob)
        other = await self.built_on(self.base, author=eve)
        await items.set_status(self.db, None, hidden, "suspended")
        self.assertEqual(await self.authors(), [(eve, other, 1)])
        await items.set_status(self.db, None, hidden, "active")
        await withdrawal.set_deleted(self.db, behind, bob, False, True, 0)
        self.assertEqual(await self.authors(), [(ann, hidden, 1), (eve, other, 1)])

    async def test_reach(self) -> None:
        """Beyond so many dependents nobody is reached: the nearest count, and of those the
        newest."""
        ann, bob, eve, *_ = self.users
        games = [await self.built_on(self.base, author=ann) for _ in range(3)]
        near = await self.built_on(self.base, author=bob)
        await self.built_on(games[0], author=eve)
        for reach, expected in (
            (1, [(bob, near, 1)]),
            (3, [(ann, games[2], 2), (bob, near, 1)]),
            (4, [(ann, games[2], 3), (bob, near, 1)]),
        ):
            self.assertEqual(await self.authors(reach=reach), expected)
        self.assertEqual(len(await self.authors(reach=5)), 3)

    async def test_batches(self) -> None:
        """Batches, each after the last author of the one before, have every author once."""
        games = [await self.built_on(self.base, author=user) for user in self.users]
        found, after = [], NIL
        while batch := await self.authors(after=after, limit=2):
            found += batch
            after = batch[-1][0]
        expected = [(user, game, 1) for user, game in zip(self.users, games, strict=True)]
        self.assertEqual(found, expected)

    async def test_at_size(self) -> None:
        """Of 12,000 dependents at three levels, some in circles, the nearest 10,000 count, and each
        author is found once."""
        made = self.sql(
            """insert into contents (id, revision_id, author_id, type, name, description,
                                     screenshots, tags)
               select gen_random_uuid(), gen_random_uuid(), (%s::uuid[])[1 + n %% 5], 'game', 'n',
                      'd', array['s'], array[]::text[]
               from generate_series(1, 12000) n
               returning id""",
            self.users,
        )
        self.sql(
            """with game as (
                   select id, row_number() over () as n from unnest(%s::uuid[]) as game (id)
               ), edge (game, used) as (
                   select g.id, %s::uuid from game g where g.n <= 20
                   union all
                   select g.id, u.id from game g join game u on u.n = 1 + g.n %% 20
                   where g.n <= 1000
                   union all
                   select g.id, u.id from game g join game u on u.n = 21 + g.n %% 980
                   where g.n > 1000
               )
               insert into content_uses
               select e.used, c.number, c.id from edge e join contents c on c.id = e.game
               where e.used <> e.game""",
            [str(id) for (id,) in made],
            self.base,
        )
        found, after = [], NIL
        while batch := await self.authors(after=after, limit=2, reach=dependents.MOST):
            found += batch
            after = batch[-1][0]
        self.assertEqual([author for author, _, _ in found], self.users)
        self.assertEqual(sum(contents for _, _, contents in found), 10_000)

    async def notified(self, base: str | None = None) -> list[bool]:
        """Whether the authors are notified of an act of the author's."""
        asked = base or self.base, NIL, True, NIL, 100, 100
        return [row.notified for row in await dependents.authors(self.db, *asked)]

    async def test_once_a_day(self) -> None:
        """For what authors do, each recipient is notified once per content in 24 hours."""
        ann, bob, *_ = self.users
        other = await self.content(self.author)
        await self.built_on(self.base, other, author=ann)
        self.assertEqual(await self.notified(), [True])
        await self.built_on(self.base, author=bob)
        self.assertEqual(await self.notified(), [False, True])
        self.assertEqual(await self.notified(other), [True])
        for ago, expected in (("23:59", False), ("24:01", True), ("-01:00", True)):
            self.sql("update dependency_tellings set told = now() - %s::interval", ago)
            self.assertEqual(await self.notified(), [expected, expected])
            self.assertEqual(await self.notified(), [False, False])

    async def test_admins(self) -> None:
        """Recipients are always notified of what admins do, which is not noted."""
        await self.built_on(self.base, author=self.users[0])
        for _ in range(2):
            rows = await dependents.authors(self.db, self.base, NIL, False, NIL, 100, 100)
            self.assertEqual([row.notified for row in rows], [True])
        self.assertEqual(await self.notified(), [True])

    async def test_notified_at_once(self) -> None:
        """Of several acts at once one notifies an author."""
        await self.built_on(self.base, author=self.users[0])
        found = await together(*(self.notified() for _ in range(8)))
        self.assertEqual(sorted(found), [[False]] * 7 + [[True]])

    async def test_forgotten(self) -> None:
        """Notes of more than a day ago are deleted, others stay."""
        for user in self.users:
            await self.built_on(self.base, author=user)
        await self.notified()
        self.sql(
            "update dependency_tellings set told = now() - interval '25 hours'"
            " where recipient = any(%s::uuid[])",
            self.users[:3],
        )
        self.assertEqual(await retention.trim_tellings(self.db), 3)
        self.assertEqual(await retention.trim_tellings(self.db), 0)
        rows = self.sql(
            "select recipient from dependency_tellings where dependency = %s", self.base
        )
        self.assertEqual({str(user) for (user,) in rows}, set(self.users[3:]))
