"""What every operation shows of an account from the answer of its deletion on, before anything else
of it is deleted: accounts#deletion."""

import re
from contextlib import closing
from typing import Any

import psycopg2

from tests.spec.accounts.own_database import OwnDatabaseCase
from tests.spec.data import User, guid, reference, word
from tests.spec.notifications.support import bare
from tests.support.daemon import until

MANY = 3_000
PASSING = re.compile(rb'"(requestId|url)":"[^"]*",?|"(expires|downloads)":\d+,?')
"""What differs in two answers that say the same. Who reads files is counted, some seconds later."""
HOLD = """
    create function hold() returns trigger language plpgsql as $$
    begin
        new.kind := 'Held';
        return new;
    end $$;
    create trigger hold before insert on tasks
        for each row when (new.kind = 'Departure') execute function hold();
"""
"""A daemon leaves what it does not know to those of a newer release."""
RELEASE = """
    drop trigger hold on tasks;
    drop function hold();
    update tasks set kind = 'Departure' where kind = 'Held';
"""
FORGET = """
    drop trigger if exists hold on tasks;
    drop function if exists hold();
    delete from tasks where kind = 'Held';
"""
COPIES = """
    with made as (
        insert into contents (id, revision_id, author_id, type, name, description, screenshots,
                              tags, featured)
        select gen_random_uuid(), gen_random_uuid(), author_id, type, name, description,
               screenshots, tags, true
        from contents, generate_series(1, %s) where id = %s
        returning id, revision_id, author_id
    ), revision as (
        insert into revisions (id, content_id, version, description, entity_id, entity_revision)
        select made.revision_id, made.id, version, description, entity_id, entity_revision
        from made, revisions where content_id = %s
    ), used as (
        insert into content_uses (used, number, content_id)
        select %s, row_number() over (), id from made
    ), entry as (
        insert into challenge_entries (challenge_id, content_id, author_id)
        select %s, id, author_id from made
    )
    insert into ratings (user_id, content_id, up) select %s, id, true from made
"""
"""Contents like one, with a vote each, that use another and have entered a challenge."""


class HeldCase(OwnDatabaseCase):
    """A daemon that does not begin to delete what is left."""

    async def connect(self) -> None:
        await super().connect()
        self.addCleanup(self.sql, FORGET)
        self.sql(HOLD)

    def sql(self, statement: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with closing(psycopg2.connect(self.database)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, args or None)
                return cursor.fetchall() if cursor.description else []

    async def leave(self, user: User) -> None:
        """Delete an account."""
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)


class ReadsTests(HeldCase):
    async def finish(self) -> None:
        """Have the rest deleted."""
        self.sql(RELEASE)
        await until(lambda: not self.sql("select id from tasks"), 60, "the rest is deleted")

    async def befriend(self, one: User, other: User) -> None:
        """Make two users friends, who follow each other and have written."""
        for user, friend in ((one, other), (other, one)):
            await self.put(f"user/{user.id}/friend/{friend.id}", by=user, expect=204)
            await self.follow(user, friend)
        path = f"user/{one.id}/friend/{other.id}/messages"
        await self.post(path, {"text": "hello"}, by=one, expect=201)

    async def test_same(self) -> None:
        """Every read says from the answer on what it says when all is deleted."""
        ann, bob, admin = await self.user(), await self.user(), await self._new_admin()
        await self.befriend(ann, bob)
        tag = word()
        base = await self.content(bob, **bare())
        castle, withdrawn = [
            await self.content(
                ann, **bare(name=tag, tags=[tag], using=[reference(base.sent["entity"])])
            )
            for _ in range(2)
        ]
        await self.withdraw(withdrawn)
        built = await self.content(bob, **bare(using=[reference(castle.sent["entity"])]))
        remark = await self.comment(castle, bob)
        mine = await self.comment(base, ann)
        for by, content in ((ann, base), (bob, castle), (bob, base)):
            await self.rate(by, content, "1")
        open, closed = await self.challenge(), await self.challenge()
        for challenge in (open, closed):
            await self.enter(challenge, castle, base)
        await self.close(closed, castle)
        await self.put(f"{castle.path}/featured", {"featured": True}, by=admin, expect=204)
        await self.post(f"{castle.path}/report", {"reason": "spam"}, by=bob, expect=204)
        await self.leave(ann)

        revision = f"{castle.path}/revisions/{castle.sent['revisionId']}"
        everybody = [
            *(castle.path, f"{castle.path}/comments", remark, f"{castle.path}/dependents"),
            *(f"{castle.path}/files", f"{castle.path}/revisions", revision, f"{revision}/files"),
            *(base.path, f"{base.path}/comments", mine, f"{base.path}/dependents"),
            *(built.path, f"{built.path}/files", withdrawn.path, "design-challenges"),
            *(open.path, f"{open.path}/entries", f"{open.path}/entries?sort=top"),
            *(closed.path, f"{closed.path}/entries", f"content?ids={castle.id},{base.id}"),
            *("content", "content?sort=updated", f"content?q={tag}", f"user?ids={ann.id},{bob.id}"),
            *(f"user/{ann.id}/{path}" for path in ("info", "content", "achievements", "emblems")),
            *(f"user/search?q={ann.username}", f"user/{bob.id}/content"),
        ]
        players = [
            *("content?sort=top", "content?sort=trending", f"content?tags={tag}"),
            *(f"content?author={ann.id}", "content?featured=true"),
        ]
        own = [
            *("followers", "following", "friends", "friend-requests", "messages", "ratings"),
            *(f"friend/{ann.id}/messages", "blocked", "party-invites"),
        ]
        moderators = [
            *(f"content?ids={castle.id},{withdrawn.id}&status=all", "content?status=all"),
            *(f"content?q={tag}&status=all", f"user/{ann.id}/content/deleted"),
            *("moderation/reports", f"moderation/reports/content/{castle.id}"),
        ]
        reads = [
            *((None, path) for path in [*everybody, *players]),
            *((bob, path) for path in [*everybody, *players]),
            *((bob, f"user/{bob.id}/{path}") for path in own),
            *((admin, path) for path in [*everybody, *moderators]),
        ]
        before = [await self.shown(path, by) for by, path in reads]
        await self.finish()
        for (by, path), shown in zip(reads, before, strict=True):
            who = {None: "anybody", bob: "bob", admin: "an admin"}[by]
            self.assertEqual(shown, await self.shown(path, by), f"{path}, by {who}")

    async def shown(self, path: str, by: User | None) -> tuple[int, bytes]:
        """What a read answers."""
        response = await self.get(path, by=by)
        return response.status, PASSING.sub(b"", response.body)

    async def test_writes(self) -> None:
        """Nobody but admins can do anything with the content, and nobody begins to use it."""
        ann, bob, admin = await self.user(), await self.user(), await self.admin()
        castle = await self.content(ann, **bare())
        challenge = await self.challenge()
        await self.leave(ann)
        rating = f"user/{bob.id}/rating/{castle.id}"
        for method, path, body in (
            ("PUT", rating, {"value": "1"}),
            ("DELETE", rating, None),
            ("POST", f"{castle.path}/comments", {"body": "Well made"}),
            ("POST", f"{castle.path}/report", {"reason": "spam"}),
            ("PUT", challenge.entry(castle), None),
            ("POST", f"{castle.path}/restore", None),
            ("PUT", f"{castle.path}/comments-locked", {"locked": True}),
        ):
            more = {} if body is None else {"body": body}
            answer = await self.request(method, path, by=bob, **more)
            self.problem(answer, 404, "content_not_found")
        using = bare(using=[reference(castle.sent["entity"])])
        answer = await self.put(f"content/{guid()}", using, by=bob)
        self.problem(answer, 422, "deleted_dependency")
        await self.moderate(castle, "suspended")
        await self.moderate(castle, "active")
        found = (await self.get(castle.path, by=admin, expect=200)).json()
        self.assertEqual("deleted", found["status"])


class ListsTests(HeldCase):
    name = "lists"  # which have all that there is

    async def test_many(self) -> None:
        """No list shows any of an author's thousands of contents, and each is full of others'."""
        ann, bob, cat = await self.user(), await self.user(), await self.user()
        tag = word()
        base = await self.content(bob, **bare())
        challenge = await self.challenge()
        shared = {"name": f"Castle {tag}", "tags": [tag]}
        others = [await self.content(bob, **bare(**shared)) for _ in range(25)]
        await self.enter(challenge, *others)
        castle = await self.content(ann, **bare(**shared))
        ids = (castle.id, castle.id, base.id, challenge.id, cat.id)
        self.sql(COPIES, MANY - 1, *ids)
        await self.indexed()
        await self.leave(ann)

        lists = (
            *("content", "content?sort=updated", "content?sort=top", "content?sort=trending"),
            *(f"content?{by}" for by in (f"q={tag}", f"q={tag}&sort=newest", f"tags={tag}")),
            *(f"content?tags={tag}&sort={by}" for by in ("updated", "top", "trending")),
            *(f"{challenge.path}/entries", f"{challenge.path}/entries?sort=top"),
        )
        made = {each.id for each in (*others, base)}
        for path in lists:
            for by in (None, cat):
                found = (
                    await self.get(f"{path}{'&' if '?' in path else '?'}limit=20", by=by)
                ).json()
                self.assertEqual(20, len(found), path)
                self.assertLessEqual({item["id"] for item in found}, made, path)
        for path in (
            f"content?author={ann.id}",
            f"{base.path}/dependents",
            "content?featured=true",
        ):
            self.assertEqual([], (await self.get(path, expect=200)).json(), path)
        shown = (await self.get(challenge.path, expect=200)).json()
        self.assertEqual(len(others), shown["entries"])
        ratings = (await self.get(f"user/{cat.id}/ratings", by=cat, expect=200)).json()
        self.assertEqual({}, ratings)
        pending = "select count(*) from contents where author_id = %s and not deleted"
        self.assertEqual([(MANY,)], self.sql(pending, ann.id))

    async def indexed(self) -> None:
        """Wait until what was copied has its words."""
        self.sql(
            """update documents d set stale = false, terms = d.terms || replace(
                   e.terms::text, to_hex(e.number >> 14), to_hex(d.number >> 14))::tsvector
               from documents e join contents x on x.id = e.content_id and not e.stale
               join contents c on c.name = x.name and c.author_id = x.author_id
               where d.content_id = c.id and d.stale"""
        )
