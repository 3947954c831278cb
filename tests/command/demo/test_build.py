"""The demo world, on a real Postgres."""

import re

import msgspec

from contentsvc.command.demo.world import WORLD, guide, id_of
from contentsvc.framework.identity.passwords import HASHER
from contentsvc.tokens import secret_hash
from contentsvc.wire.challenges import RewardDefinition
from contentsvc.wire.notifications import AnyNotification, notification_json
from tests.api.social.pairing import BROKEN
from tests.command.test_cli import PASSWORD, CommandCase

TROUBLE = ("kestrel", "tomas")
"""Who wrote what was reported, and to whom."""


class DemoTests(CommandCase):
    def test_demo(self) -> None:
        """demo prints its users and a password that is theirs."""
        printed = self.good("demo")
        password = printed.strip().rpartition(": ")[2]
        users = self.sql(
            "select username, password_hash, role from users where not guest order by username"
        )
        self.assertEqual([user[0] for user in users], sorted(WORLD["people"]))
        for name, encoded, role in users:
            self.assertTrue(HASHER.verify(encoded, password))
            self.assertIn(name if role == "player" else f"{name} ({role})", printed)
        roles = sorted(role for _, _, role in users if role != "player")
        self.assertEqual(roles, ["admin", "curator", "moderator"])

    def test_service(self) -> None:
        """demo prints the id and the secret of its service account."""
        printed = self.good("demo")
        ((id, scopes, hash),) = self.sql(
            "select a.id::text, a.scopes, s.hash from service_accounts a"
            " join service_secrets s on s.account_id = a.id"
        )
        self.assertEqual(scopes, WORLD["scopes"])
        (secret,) = re.findall(f"curl -u {id}:(csvc_[A-Za-z0-9_-]+) ", printed)
        self.assertEqual(bytes.fromhex(secret_hash(secret)), bytes(hash))

    def test_guests(self) -> None:
        """demo prints its guests, and the secret of the first, who has progress."""
        printed = self.good("demo")
        found = self.sql("select username from users where guest order by username")
        self.assertEqual([name for (name,) in found], sorted(WORLD["playing"]))
        (secret,) = re.findall("grant:guest -d secret=([A-Za-z0-9_-]+)", printed)
        owner = self.sql(
            "select u.username, (select count(*) from progress p where p.user_id = u.id)"
            " from guest_secrets g join users u on u.id = g.user_id"
            f" where g.hash = decode('{secret_hash(secret)}', 'hex')"
        )
        self.assertEqual(owner, [(next(iter(WORLD["playing"])), 1)])

    def test_searchable(self) -> None:
        """What it publishes has its words and the votes of its users at once."""
        self.good("demo")
        self.assertEqual(self.sql("select 1 from documents where stale"), [])
        right = "r.top = wilson(c.up, c.down) and r.net = net_of(c.id)"
        ranks = f"select bool_and({right}), max(r.top) > 0 from contents c join content_ranks r"
        self.assertEqual(self.sql(f"{ranks} on r.content_id = c.id"), [(True, True)])

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
        players = {"NewFollower", "FriendRequest", "FriendConfirm", "FriendMessage"}
        comments = {"CommentOnContent", "CommentReply", "CommentRemoved"}
        admins = {"ContentSuspended", "AccountWarning"}
        self.assertLessEqual(players | comments | admins, kinds)
        for win, participate in self.sql("select win::text, participate::text from challenges"):
            for reward in (win, participate):
                msgspec.json.decode(reward, type=RewardDefinition)

    def test_challenges(self) -> None:
        """Of its design challenges, one is closed, one open, one judged, and one opens later."""
        self.good("demo")
        states = self.sql(
            "select challenge_state(opens, closes, closed) from challenges order by ordinal"
        )
        self.assertEqual(states, [("closed",), ("open",), ("judging",), ("upcoming",)])

    def test_winner(self) -> None:
        """The winner of the closed challenge wears its emblem."""
        self.good("demo")
        ((worn, won, name),) = self.sql(
            "select u.emblem, c.win_emblem, u.username from users u join challenges c"
            " on c.win_emblem = u.emblem"
        )
        self.assertEqual((worn, name), (won, WORLD["winner"]))

    def test_revisions(self) -> None:
        """One content has three revisions and shows the last; one shows its first again."""
        self.good("demo")
        rolled_back = id_of(WORLD["rolled_back"])
        shown = self.sql(
            "select r.version, (select count(*) from revisions where content_id = c.id)"
            " from contents c join revisions r on r.id = c.revision_id"
            f" where c.id in ('{id_of('tower')}', '{rolled_back}')"
            " order by r.version"
        )
        self.assertEqual(shown, [("1.0", 2), ("2.0", 3)])

    def test_withdrawn(self) -> None:
        """What its author has withdrawn is still used, and those who use it are to be told."""
        self.good("demo")
        gone = id_of(WORLD["withdrawn"])
        users = self.sql(
            "select c.name from content_uses u join contents c on c.id = u.content_id"
            f" where u.used = '{gone}' order by c.name"
        )
        self.assertEqual(users, [("Clockwork Duel",), ("Tilting Tower",)])
        told = self.sql(
            "select task::json ->> 'dependency' from tasks where kind = 'DependencyChanged'"
        )
        self.assertEqual(told, [(gone,)])

    def test_friends(self) -> None:
        """Its users are friends, ask, write and block."""
        self.good("demo")
        seen = self.sql(
            "select count(friends), count(requested), count(blocks) from pair_sides p"
            " join users u on u.id = p.user_id where u.username = 'mira'"
        )
        self.assertEqual(seen, [(3, 2, 0)])
        talks = self.sql(
            "select m.text from conversations c join messages m on m.number = c.newest"
            " order by m.number"
        )
        last = {frozenset((one, other)): text for one, other, text in WORLD["messages"]}
        self.assertEqual({text for (text,) in talks}, {*last.values()})
        ((blocker, blocked),) = self.sql(
            "select u.username, o.username from pair_sides p join users u on u.id = p.user_id"
            " join users o on o.id = p.other_id where p.blocks is not null"
        )
        self.assertEqual([[blocker, blocked]], WORLD["blocks"])

    def test_rules(self) -> None:
        """What it leaves is as the operations leave it: it breaks no rule."""
        self.good("demo")
        for rule, query in BROKEN.items():
            self.assertEqual(self.sql(query), [], rule)

    def test_reports(self) -> None:
        """Two contents, a comment and a user wait in the queue, one by a notice; what was decided
        is to be told."""
        self.good("demo")
        queue = self.sql(
            "select kind, reports from report_queue where reason = '' order by 2 desc, 1 desc"
        )
        self.assertEqual(queue, [("content", 3), ("comment", 2), ("user", 1), ("content", 1)])
        ((named,),) = self.sql("select messages from reports where messages is not null")
        sent = [text for sender, other, text in WORLD["messages"] if (sender, other) == TROUBLE]
        self.assertGreater(len(sent), 1)
        for text in sent:
            self.assertIn(text, named)
        told = self.sql(
            "select task::json ->> 'outcome' from tasks where kind = 'ReportsResolved' order by id"
        )
        self.assertEqual(told, [(outcome,) for _, outcome, _ in WORLD["verdicts"]])

    def test_decisions(self) -> None:
        """Each thing that was taken away has its ground; one decision is reversed, and one is of a
        notice, which is answered. Another notice is open."""
        self.good("demo")
        found = self.sql(
            "select action, basis, notice is not null, reversed is not null from decisions"
            " order by number"
        )
        ours = [("remove", "terms"), ("lock_comments", "terms"), ("suspend", "illegal")]
        ours += [("suspend", "terms"), ("warn", "terms")]
        self.assertEqual([(action, basis) for action, basis, _, _ in found], ours)
        self.assertEqual([of for _, _, of, _ in found], [False, False, True, False, False])
        self.assertEqual([back for *_, back in found], [False, False, False, True, False])
        answers = self.sql("select outcome from notice_subjects order by report")
        self.assertEqual(answers, [("upheld",), (None,)])

    def test_appeal(self) -> None:
        """The author of the comment that was removed wants it back, and waits for an answer."""
        self.good("demo")
        found = self.sql(
            "select d.action, a.user_id = d.user_id, a.state from appeals a"
            " join decisions d on d.id = a.decision"
        )
        self.assertEqual(found, [("remove", True, "open")])

    def test_discussion(self) -> None:
        """On the star there is a long discussion with answers, each later than the one before."""
        self.good("demo")
        star = id_of(WORLD["featured"][0])
        said = f"from comments where content_id = '{star}'"
        ((total, answers, most),) = self.sql(
            "select count(*), count(parent_id), (select max(place) from comments"
            f" where parent_id is not null and content_id = '{star}') {said}"
        )
        self.assertGreaterEqual(total, 60)
        self.assertGreater(answers, 20)
        self.assertGreater(most, 3)
        times = [at for (at,) in self.sql(f"select created {said} order by id")]
        self.assertEqual(times, sorted(set(times)))

    def test_rated(self) -> None:
        """What everybody sees has votes enough for a rating, and is by several authors."""
        self.good("demo")
        shown = self.sql("select up + down, author_id from contents where status = 'active'")
        self.assertGreaterEqual(min(votes for votes, _ in shown), 3)
        self.assertGreater(len({author for _, author in shown}), 4)

    def test_dates(self) -> None:
        """Its contents have come one after the other, and each revision after the one before."""
        self.good("demo")
        found = self.sql(
            "select c.created, c.updated, array_agg(r.created order by r.ordinal) from contents c"
            " join revisions r on r.content_id = c.id group by c.id order by c.number"
        )
        for created, updated, revised in found:
            self.assertEqual(sorted(set(revised)), revised)
            self.assertEqual([created, updated], [revised[0], revised[-1]])
        born = [created for created, _, _ in found]
        self.assertEqual(sorted(set(born)), born)

    def test_built_upon(self) -> None:
        """Several contents use what others have made, and one a part of another."""
        self.good("demo")
        ((users, authors),) = self.sql(
            "select count(distinct u.content_id), count(distinct d.author_id) from content_uses u"
            " join contents c on c.id = u.content_id join contents d on d.id = u.used"
            " where c.author_id <> d.author_id"
        )
        self.assertGreater(users, 4)
        self.assertGreater(authors, 2)

    def test_actions(self) -> None:
        """What the moderator and the curator have done is remembered, each act once."""
        self.good("demo")
        acts = self.sql(
            "select a.action, u.username from moderation_actions a join users u on u.id = a.admin"
        )
        contents = ["comment_deleted", "comments_locked", "content_restored"]
        contents += ["content_suspended"] * 2
        others = ["report_dismissed", "report_upheld", "user_warned"]
        kept = [act for act, name in acts if name == WORLD["moderator"]]
        self.assertEqual(sorted(kept), [*contents, *others])
        shown = [act for act, name in acts if name == WORLD["curator"]]
        self.assertEqual(shown, ["content_featured"] * len(WORLD["featured"]))
        self.assertEqual(len(acts), len(kept) + len(shown))

    def test_guide(self) -> None:
        """demo prints where its parts can be seen."""
        printed = self.good("demo")
        self.assertIn(f"GET /api/v1/content/{id_of('tower')}/revisions", printed)
        self.assertIn("GET /api/v1/design-challenges", printed)

    def test_log_ins(self) -> None:
        """demo says which log-ins to try: a player, and each role; without the portal it does
        not."""
        printed = self.good("demo", "--url", "http://127.0.0.1:9000")
        self.assertIn("Log in at http://127.0.0.1:9000/log-in", printed)
        for name in ("mira", WORLD["moderator"], WORLD["curator"], "warden"):
            self.assertRegex(printed, rf"(?m)^  {name} +an? ")
        without = "\n".join(guide("http://127.0.0.1:9000", None, "csvc_x", "secret", portal=False))
        self.assertNotIn("/log-in", without)

    def test_address(self) -> None:
        """demo prints the daemon's address as the settings say, and says so, or that of --url."""
        self.refused("--url", "demo", "--url", "127.0.0.1:9000")
        self.assertIn("If your daemon is not at http://127.0.0.1:8080", self.good("demo"))

    def test_given_address(self) -> None:
        """With --url, all that demo prints is at that address."""
        printed = self.good("demo", "--url", "http://127.0.0.1:9000/")
        urls = re.findall(r"https?://[^\s,]+", printed)
        self.assertNotIn("If your daemon", printed)
        self.assertTrue(urls)
        root = "http://127.0.0.1:9000/"
        self.assertEqual([url for url in urls if not url.startswith(root)], [])
