"""Some users, all that one of them can do to another, and what came of it."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import psycopg2

from contentsvc.api.content.comments import Comments
from contentsvc.api.moderation.reports import Reports
from contentsvc.api.notifications.notifications import DebugTools
from contentsvc.api.social.follows import Follows
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.api.social.party_invites import PartyInvites
from contentsvc.store.content import comments
from contentsvc.wire.comments import CommentCreate, CommentRemoval
from contentsvc.wire.moderation import UserReportBody
from contentsvc.wire.notifications import DebugNotify
from contentsvc.wire.social import MessageCreate, PartyBody
from tests.api.support import (
    INVITES,
    ApiCase,
    Caller,
    Notifier,
    Tasks,
    acts,
)
from tests.support.databases import guid

Act = Callable[[], Coroutine[Any, Any, Any]]

ACTS = (
    *("ask", "end", "block", "unblock", "follow", "unfollow"),
    *("invite", "accept", "decline", "message"),
    *("comment", "reply", "remove", "report", "notify"),
)
"""The writes about two users."""

EMPTY = """
    delete from pairs; delete from messages; delete from ended_conversations;
    delete from follows; delete from rate_limits;
    delete from report_queue; delete from report_decisions; delete from reports;
    delete from report_subjects;
    delete from party_invites; delete from notifications; delete from notification_counters;
    delete from comments where id <> all(%s);
    update comments set body = 'hi', deleted = false where deleted;
    update contents c set comments = written, live_comments = written
    from (select content_id, count(*) as written from comments group by 1) m
    where c.id = m.content_id
"""
STATE = """
    select json_build_object(
        'pairs', (select json_agg(to_json(array[
                lesser::text, greater::text, requester::text, (friends is not null)::text,
                (lesser_blocks is not null)::text, (greater_blocks is not null)::text,
                (lesser_asked is not null)::text, (greater_asked is not null)::text,
                (lesser_followed is not null)::text, (greater_followed is not null)::text
            ]) order by lesser, greater) from pairs
            where coalesce(friends, requested, lesser_blocks, greater_blocks) is not null
               or coalesce(lesser_asked, greater_asked, lesser_followed, greater_followed)
                  is not null),
        'follows', (select json_agg(concat(follower, followed) order by follower, followed)
            from follows),
        'limits', (select json_agg(concat(name, subject) order by name, subject)
            from rate_limits),
        'invites', (select json_agg(concat(sender, recipient, answer, party)
            order by sender, recipient, party) from party_invites),
        'messages', (select json_agg(concat(sender, id) order by sender, id) from messages),
        'told', (select json_agg(concat(user_id, data) order by user_id, seq)
            from (select user_id, seq, regexp_replace(data, '"comment":[0-9]+', '') as data
                  from notifications) n),
        'reports', (select json_agg(concat(s.id, s.reports, s.reasons, r.reporter, r.replaced)
                order by s.id, r.reporter, r.replaced)
            from report_subjects s join reports r on r.subject = s.number),
        'comments', (select json_agg(concat(content_id, author_id, parent_id, deleted)
            order by content_id, author_id, parent_id, deleted) from comments),
        'counted', (select json_agg(concat(comments, ' ', live_comments) order by id) from contents)
    )
"""
BROKEN = {
    "friendship, request or block beside each other": """
        select * from pairs where (friends is not null)::int + (requested is not null)::int
            + (lesser_blocks is not null or greater_blocks is not null)::int > 1
    """,
    "half a state": """
        select * from pairs where (friends is null) <> (friends_since is null)
            or (requested is null) <> (requested_since is null)
            or (requested is null) <> (requester is null)
            or (lesser_blocks is null) <> (lesser_blocks_since is null)
            or (greater_blocks is null) <> (greater_blocks_since is null)
            or requester not in (lesser, greater)
    """,
    "a follow under a block": """
        select f.* from follows f join pairs p
        on lesser = least(follower, followed) and greater = greatest(follower, followed)
        where lesser_blocks is not null or greater_blocks is not null
    """,
    "told twice": """
        select user_id, data from notifications
        where kind in ('FriendRequest', 'NewFollower', 'FriendMessage')
        group by 1, 2 having count(*) > 1
    """,
    "numbers with holes": """
        select user_id from notifications join notification_counters c using (user_id)
        group by user_id, c.seq, c.unread
        having count(*) <> c.seq or max(notifications.seq) <> c.seq or c.unread <> c.seq
    """,
    "a message that was not told, or one that is none": """
        select count(*) from messages having count(*)
            <> (select count(*) from notifications where kind = 'FriendMessage')
    """,
    "a comment that is not counted": """
        select id from contents c
        where comments <> (select count(*) from comments m where m.content_id = c.id)
           or live_comments <> (select count(*) from comments m
                                where m.content_id = c.id and not m.deleted)
    """,
}
"""States that break a rule of social#friends, each with the rows that show it."""


class Families:
    """The operations about two users, on one pool: a process of its own, as it were."""

    def __init__(self, db: Any) -> None:
        notifier = Notifier()
        self.friends = Friends(db, notifier, requests_per_day=0)
        self.follows = Follows(db, notifier, 0)
        self.parties = PartyInvites(db, notifier, **INVITES)
        self.messages = Messages(db, notifier, per_minute=0)
        self.comments = Comments(db, notifier, acts(notifier), per_minute=0)
        self.reports = Reports(db, Tasks(), per_day=0)
        self.debug = DebugTools(db, notifier)


class PairCase(ApiCase):
    """Users, each with a game on which each of the others has commented, and one with a game on
    which all have. `processes` are two."""

    alone = True
    users: tuple[str, ...]

    async def begin(self, count: int) -> None:
        """Make so many users, and a game of somebody else."""
        self._beside = psycopg2.connect(self.url)
        self._beside.autocommit = True
        self.addCleanup(self._beside.close)
        self.processes = [Families(self.db), Families(await self.pool())]
        self.users = tuple([await self.user() for _ in range(count)])
        self.games = {user: await self.content(user) for user in self.users}
        self.common = await self.content(await self.user())
        self.written = {
            (writer, game): await self.base(writer, game)
            for writer in self.users
            for game in (*self.games.values(), self.common)
        }
        self.party, self.message = guid(), guid()
        self.empty()

    def sql(self, statement: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement, always on the same connection: there are thousands."""
        with self._beside.cursor() as cursor:
            cursor.execute(statement, args or None)
            return cursor.fetchall() if cursor.description else []

    def empty(self) -> None:
        """Only the users, the games and the first comments are there."""
        self.sql(EMPTY, [*self.written.values()])

    async def base(self, writer: str, game: str) -> int:
        """The number of a new comment."""
        made = await comments.create(self.db, game, writer, False, None, "hi", 0)
        assert made is not None and made.id is not None
        return made.id

    def act(self, name: str, user: str, other: str, process: int = 0) -> Act:
        """What `user` does to `other`."""
        families, caller = self.processes[process], Caller(user)
        two, theirs, own = (caller, user, other), self.games[other], self.games[user]
        reply = CommentCreate(body="hi", parent_id=self.written[other, self.common])
        calls: dict[str, tuple[Any, ...]] = {
            "ask": (families.friends.add_friend, *two),
            "end": (families.friends.remove_friend, *two),
            "block": (families.friends.block_user, *two),
            "unblock": (families.friends.unblock_user, *two),
            "follow": (families.follows.follow_user, *two),
            "unfollow": (families.follows.unfollow_user, *two),
            "invite": (families.parties.send_party_invite, *two, PartyBody(party=self.party)),
            "accept": (families.parties.accept_party_invite, *two, PartyBody(party=self.party)),
            "decline": (families.parties.decline_party_invite, *two, PartyBody(party=self.party)),
            "message": (
                families.messages.send_message,
                *two,
                MessageCreate(text="hi", id=self.message),
            ),
            "comment": (families.comments.create_comment, caller, theirs, CommentCreate(body="hi")),
            "reply": (families.comments.create_comment, caller, self.common, reply),
            "report": (families.reports.report_user, caller, other, UserReportBody(reason="spam")),
            "notify": (
                families.debug.send_debug_notification,
                caller,
                DebugNotify(recipient=other, text=user),
            ),
            "remove": (
                families.comments.delete_comment,
                caller,
                own,
                self.written[other, own],
                CommentRemoval(),
            ),
        }
        return partial(*calls[name])

    def state(self) -> Any:
        """All that there is between the users, and all that they were told."""
        ((found,),) = self.sql(STATE)
        return found

    def check(self, of: object) -> None:
        """Assert that no rule is broken, after what `of` names."""
        for rule, query in BROKEN.items():
            self.assertEqual(self.sql(query), [], f"{rule} after {of}")
