"""Users who leave while everybody writes: nothing of them is left, and no count is wrong."""

from collections.abc import Awaitable
from functools import partial
from random import Random
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.api import errors
from contentsvc.api.accounts.deletion import AccountDeletion
from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.ratings import Ratings
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.api.moderation.audit_log import AuditLog
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.progress.progress import Progress
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Problem
from contentsvc.store.accounts import credentials
from contentsvc.store.accounts.personal_data import PERSONAL
from contentsvc.wire.accounts import BanBody, Profile, UserUpdate
from contentsvc.wire.content import RatingBody
from contentsvc.wire.moderation import WarningBody
from contentsvc.wire.progress import ProgressBody
from tests.api.content.test_items import draft
from tests.api.social.pairing import ACTS, BROKEN, PairCase
from tests.api.support import Caller, FakeRevocation, Notifier, Tasks, acts, no_platforms, no_types
from tests.support.columns import holding
from tests.support.databases import guid
from tests.support.steps import work_off

SEED = 7
ROUNDS = 3
RULES = {name: sql for name, sql in BROKEN.items() if not name.startswith("a message")} | {
    "a vote that is not counted": """
        select id from contents c
        where up <> (select count(*) from ratings r where r.content_id = c.id and r.up)
           or down <> (select count(*) from ratings r where r.content_id = c.id and not r.up)
    """,
    "a rank of other votes": """
        select c.id from contents c join content_ranks k on k.number = c.number
        where k.net <> net_of(c.id) or k.top <> wilson(c.up, c.down)
    """,
    "an entry that is not counted": """
        select t.challenge_id from challenge_tallies t
        where (entries, hidden) <> (
            select count(*), count(*) filter (where e.hidden)
            from challenge_entries e where e.challenge_id = t.challenge_id
        )
    """,
    "a shown content of nobody": """
        select id from contents c
        where not deleted and not exists (select from users u where u.id = c.author_id)
    """,
    "a file of nobody": """
        select path from user_files f
        where not exists (select from users u where u.id = f.user_id)
    """,
    "a sum of other files": """
        select user_id from storage s where used <> (
            select coalesce(sum(size), 0) from user_files f where f.user_id = s.user_id
        )
    """,
    "work that is left": "select id from tasks where kind = 'Departure'",
}
RECOUNT = """
    update contents c set comments = 0, live_comments = 0
    where not exists (select from comments m where m.content_id = c.id)
"""
LEFT = ("stays", "lapses")


class AnyPassword:
    """Takes every proof."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials

    async def by_id(self, call: Any, user: str, password: str) -> Any:
        return await self._credentials(user)


class AtOnceTests(PairCase):
    timeout = 300.0
    options = "-c lock_timeout=5s"

    async def setUp(self) -> None:
        await super().setUp()
        self.pools = [self.db, await self.pool()]
        self.revocation = FakeRevocation()
        auth: Any = AnyPassword(partial(credentials.by_id, self.db))
        self.departures = AccountDeletion(self.pools[1], auth, self.revocation, Tasks(), Clock())

    def others(self, ann: str, bob: str) -> list[Any]:
        """What Ann writes, and what others write about her, besides what two users do."""
        written = []
        for db in self.pools:
            publishing = Publishing(db, Tasks(), (), 0, 0, None, no_types(db), no_platforms(db))
            withdrawal = Withdrawal(db, Notifier(), Tasks(), changes_per_hour=0)
            content = Content(db, acts(), publishing, no_types(db), no_platforms(db))
            ratings, progress = Ratings(db), Progress(db, keys=1000, bytes=2**24)
            by_ann, by_bob = Caller(ann), Caller(bob, admin=True)
            body = Either(msgspec.json.encode(draft()), None)
            profile = UserUpdate(
                avatar=None,
                emblem=None,
                full_profile=Profile(profile="x"),
                public_profile=Profile(profile="x"),
            )
            up = RatingBody(value="1")
            written += [
                partial(content.put_content, by_ann, guid(), body),
                partial(ratings.put_rating, by_ann, ann, self.games[bob], up),
                partial(ratings.put_rating, by_ann, ann, self.common, RatingBody(value="0")),
                partial(ratings.put_rating, by_bob, bob, self.games[ann], up),
                partial(ratings.delete_rating, by_ann, ann, self.common),
                partial(
                    progress.put_progress,
                    by_ann,
                    ann,
                    "level",
                    ProgressBody(value=msgspec.Raw(b"{}")),
                ),
                partial(Users(db, None, acts()).update_user, by_ann, ann, profile),
                partial(withdrawal.delete_content, by_ann, self.games[ann]),
                partial(Bans(db, acts()).ban_user, by_bob, ann, BanBody(reason="r", until=1)),
                partial(AuditLog(db, acts()).warn_user, by_bob, ann, WarningBody(reason="r")),
                partial(Entries(db).enter_challenge, by_ann, self.challenge, self.games[ann]),
            ]
        return written

    async def outcome(self, act: Awaitable[Any]) -> str:
        """What a request would be answered."""
        try:
            await act
        except Problem as problem:
            return problem.code
        except Exception as error:
            known = errors.translate(error)
            if known is None:
                raise
            return known.code
        return "done"

    async def test_at_once(self) -> None:
        """Whatever is written for a user and about them while they leave, nothing is left of it but
        what is known to stay, and no count is wrong; nobody gets a 500."""
        random = Random(SEED)
        for round in range(ROUNDS):
            await self.begin(3)
            self.sql(RECOUNT)  # it has deleted the comments of the round before
            ann, bob, cat = self.users
            self.challenge = self.sql(
                "insert into challenges (name, ordinal, description, theme, win, participate)"
                " values ('n', 1, 'd', 't', '{}', '{}') returning id"
            )[0][0]
            for name in random.sample(ACTS, 6):
                await self.outcome(self.act(name, *random.choice([(ann, bob), (bob, ann)]))())
            written = self.others(ann, bob)
            for name in ACTS:
                for two in ((ann, bob), (bob, ann), (cat, ann)):
                    written.append(self.act(name, *two, random.randrange(2)))
            random.shuffle(written)
            body = Either(b'{"password":"x"}', None)
            leave = partial(self.departures.delete_user, Caller(ann), ann, body)
            written.insert(random.randrange(len(written) // 2), leave)
            begun = [Deferred.fromCoroutine(self.outcome(act())) for act in written]
            outcomes = {await each for each in begun}
            while self.sql("select 1 from users where id = %s", ann):
                outcomes.add(await self.outcome(leave()))
            self.assertNotIn("internal_error", outcomes)
            await work_off(self.db)
            left = holding(self.url, ann)
            kept = {name for name, column in PERSONAL.items() if column.fate in LEFT}
            place = "PERSONAL of contentsvc/store/accounts/personal_data.py"
            self.assertEqual(left - kept, set(), f"left, against the fate in {place}: {round}")
            for rule, query in RULES.items():
                self.assertEqual(self.sql(query), [], f"{rule}, round {round}")
