"""A user with one of everything, exported and deleted: nothing is forgotten (accounts#deletion)."""

from contextlib import closing

import psycopg2

from contentsvc.store.accounts.personal_data import PERSONAL
from tests.spec.accounts.own_database import OwnDatabaseCase
from tests.spec.data import Content, User, guid, reference, word
from tests.spec.files.support import blob, made_of, picture
from tests.spec.notifications.support import bare, revision
from tests.support.columns import holding
from tests.support.daemon import until

HERE = "tests/spec/accounts/test_personal_data.py"
COLUMNS = "PERSONAL of contentsvc/store/accounts/personal_data.py"
PASSING = {
    "uncounted_comments.author_id",
    "departures.user_id",
    # Of an appeal about a message.
    "appeals.subject_user",
    *("new_events.actor", "new_events.subject", "new_events.data"),
    *("tasks.task", "tasks.place"),
    "tasks.topic",
    "told_followers.author",
    "webhooks.body",
}
"""What has a user's id for a moment only."""
SIDES = ("pairs.{}", "conversations.{}")
"""A user is the lesser or the greater of two, or both where there are many."""
WORDS = (
    *("full", "public", "comment", "sent", "progress", "gathered"),
    *("name", "description", "screenshot", "tag", "attribute", "version", "notes"),
)
"""What the user writes: a word of each."""
KEPT = {"report_evidence.evidence", "notifications.data", "decisions.facts", "held_pieces.piece"}
"""What keeps the words of a user: reports, decisions, holds, and what others were told."""


class PersonalTests(OwnDatabaseCase):
    async def friends(self, one: User, other: User) -> None:
        """Make two users friends."""
        await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        await self.put(f"user/{other.id}/friend/{one.id}", by=other, expect=204)

    async def say(self, one: User, other: User, text: str) -> str:
        """The id of a new message."""
        path = f"user/{one.id}/friend/{other.id}/messages"
        made = await self.post(path, {"text": text}, by=one, expect=201)
        return (made.header("Location") or "").rpartition("/")[2]

    def working(self) -> bool:
        """Whether anything is still to be done for who has left."""
        return "tasks.kind" in holding(self.database, "Departure")

    async def test_everything(self):
        """All that a user has is in the export, and nothing of it is left afterwards but what is
        known to stay."""
        ann = await self._new_admin()
        bob, cat, dan, eve = [await self.user() for _ in range(4)]
        words = {name: word() for name in WORDS}
        await self.of_others(ann, bob, cat, dan, eve)
        await self.of_account(ann, words)
        await self.of_content(ann, bob, words)
        await self.of_people(ann, bob, cat, dan, eve, words)
        sale = {"id": guid(), "topic": "sale", "data": {}, "to": [bob.id]}
        await self.post("notifications", sale, by=ann, expect=202)
        await self.of_holds(ann, bob)
        # Nobody warns or bans an admin.
        await self.give_role(ann, "moderator")
        ann = await self.logged_in(ann.username, ann.email, ann.password)
        await self.of_moderation(ann, bob)
        ann = await self.of_log_ins(ann)
        needles = {"id": ann.id, "username": ann.username, "email": ann.email, **words}
        before = {name: holding(self.database, needle) for name, needle in needles.items()}
        sides = {side.format(one) for side in SIDES for one in ("lesser", "greater")}
        for side in SIDES:
            self.assertTrue(before["id"] & {side.format("lesser"), side.format("greater")}, side)
        missing = PERSONAL.keys() - PASSING - sides - before["id"]
        self.assertEqual(missing, set(), f"nothing is in: let an of_… method of {HERE} make it")
        self.assertEqual(before["id"] - PERSONAL.keys(), set(), f"to be added to {COLUMNS}")

        found = (await self.get(f"user/{ann.id}/export", by=ann, expect=200)).json()
        empty = [name for name, value in found.items() if not value]
        self.assertEqual(empty, [], f"empty: let an of_… method of {HERE} make it")
        for name, needle in needles.items():
            self.assertIn(needle, str(found), name)

        body = {"password": ann.password}
        await self.delete(f"user/{ann.id}", body=body, by=ann, expect=204)
        await until(lambda: not self.working(), 60, "the work ends")
        after = {name: holding(self.database, needle) for name, needle in needles.items()}
        kept = {name for name, column in PERSONAL.items() if column.fate in {"stays", "lapses"}}
        self.assertEqual(after.pop("id") - kept, set(), f"left, against the fate in {COLUMNS}")
        for name, left in after.items():
            self.assertEqual(left - KEPT, set(), f"the {name} is left there")
        self.assertIn("report_evidence.evidence", after["name"], "evidence stays")

    async def of_others(self, ann: User, *others: User) -> None:
        """What others have told and done."""
        bob, cat, dan, eve = others
        await self.notify(ann)
        await self.put(f"user/{bob.id}/following/{ann.id}", by=bob, expect=204)
        await self.put(f"user/{cat.id}/friend/{ann.id}", by=cat, expect=204)
        await self.put(f"user/{dan.id}/blocked/{ann.id}", by=dan, expect=204)
        path = f"user/{eve.id}/friend/{ann.id}/party-invite"
        await self.post(path, {"party": guid()}, by=eve, expect=204)

    async def of_account(self, ann: User, words: dict[str, str]) -> None:
        """The names, the profile, the avatar, the settings, progress."""
        for username in (word(), ann.username):
            body = {"username": username}
            await self.put(f"user/{ann.id}/username", body, by=ann, expect=204)
        avatar = picture("avatar")
        await self.upload(ann, avatar)
        body = {
            "avatar": avatar.path,
            "emblem": None,
            "fullProfile": {"profile": words["full"]},
            "publicProfile": {"profile": words["public"]},
        }
        await self.put(f"user/{ann.id}", body, by=ann, expect=204)
        muted = {"muted": ["ChallengeParticipated"]}
        await self.put(f"user/{ann.id}/notifications/settings", muted, by=ann, expect=204)
        for key in ("kept", "gone"):
            value = {"value": {"at": words["progress"]}}
            await self.put(f"user/{ann.id}/progress/{key}", value, by=ann, expect=204)
        await self.delete(f"user/{ann.id}/progress/gone", by=ann, expect=204)

    async def of_content(self, ann: User, bob: User, words: dict[str, str]) -> None:
        """Content, its revisions and files, entries, rewards, votes, comments, dependencies."""
        (file,) = await self.uploaded(ann, blob())
        about = {
            "description": f"The {words['description']}",
            "screenshotUris": [f"shots/{words['screenshot']}.png"],
            "tags": [words["tag"]],
            "attributes": {"mark": words["attribute"]},
        }
        notes = {"version": words["version"], "revisionDescription": words["notes"]}
        text = {"name": words["name"], **about, **notes}
        castle = await self.content(ann, **bare(entity=made_of(file), **text))
        await self.publish(castle, **notes)
        await self.put(castle.path, about, by=ann, expect=204)
        await self.post(f"{castle.path}/report", {"reason": "abuse"}, by=bob, expect=204)
        gone = await self.content(ann, **bare(**text))
        await self.withdraw(gone)
        part = await self.content(bob, **bare())
        await self.content(ann, **bare(using=[reference(part.sent["entity"])]))
        await self.content(bob, **bare(using=[reference(castle.sent["entity"])]))
        await self.withdraw(part)
        for name in (word(), words["name"]):
            await self.put(f"{castle.path}/name", {"name": name}, by=ann, expect=204)
        other = await self.content(bob, **bare())
        await self.post(f"{other.path}/revisions", revision(), by=ann, expect=201)
        await self.put(f"{castle.path}/testers/{bob.id}", by=ann, expect=204)
        for by in (bob, ann):
            await self.put(f"{other.path}/members/{ann.id}", by=by, expect=204)
        await self.put(f"{other.path}/name", {"name": word()}, by=ann, expect=204)
        made = await self.challenge()
        await self.enter(made, castle)
        await self.close(made, castle)
        await self.rate(ann, other, "1")
        await self.rate(bob, castle, "1")
        await self.of_library(ann, other, words)
        await self.comment(other, ann, words["comment"])
        reported = await self.comment(other, ann, "Rude words")
        await self.comment(castle, bob)
        await self.post(f"{reported}/report", {"reason": "abuse"}, by=bob, expect=204)

    async def of_library(self, ann: User, other: Content, words: dict[str, str]) -> None:
        """Subscriptions, collections and plays."""
        made = f"user/{ann.id}/collections/{guid()}"
        said = {"name": words["gathered"], "description": words["gathered"], "public": True}
        await self.put(made, said, by=ann, expect=204)
        for collection in (made, f"user/{ann.id}/collections/{ann.id}"):
            await self.put(f"{collection}/items/{other.id}", {}, by=ann, expect=204)
        await self.put(f"user/{ann.id}/subscription/{other.id}", {}, by=ann, expect=204)
        play = {"id": guid(), "content": other.id}
        await self.post(f"user/{ann.id}/plays", play, by=ann, expect=204)

    async def of_people(
        self, ann: User, bob: User, cat: User, dan: User, eve: User, words: dict[str, str]
    ) -> None:
        """Friends, requests, blocks, follows, messages, invites."""
        await self.friends(ann, bob)
        await self.put(f"user/{ann.id}/friend/{eve.id}", by=ann, expect=204)
        await self.put(f"user/{ann.id}/blocked/{(await self.user()).id}", by=ann, expect=204)
        for other in (bob, cat):
            await self.put(f"user/{ann.id}/following/{other.id}", by=ann, expect=204)
        await self.delete(f"user/{ann.id}/following/{cat.id}", by=ann, expect=204)
        await self.say(ann, bob, words["sent"])
        answer = await self.say(bob, ann, "Rude answer")
        for one, other in ((ann, bob), (bob, ann)):
            taken = await self.say(one, other, "Wrong window")
            path = f"user/{one.id}/friend/{other.id}/messages/{taken}"
            await self.delete(path, by=one, expect=204)
        report = {"reason": "abuse", "messages": [answer]}
        await self.post(f"user/{bob.id}/report", report, by=ann, expect=204)
        path = f"user/{ann.id}/friend/{bob.id}/party-invite"
        await self.post(path, {"party": guid()}, by=ann, expect=204)

    async def of_holds(self, ann: User, bob: User) -> None:
        """What the user holds as an admin, and a hold of the user."""
        admin = await self._new_admin()
        for by, of in ((ann, bob), (admin, ann)):
            path = f"moderation/holds/user/{of.id}"
            await self.put(path, {"reason": "a court"}, by=by, expect=204)
            given = {"to": "a court", "reference": "", "at": 0}
            await self.put(f"{path}/escalations/{guid()}", given, by=by, expect=204)
        await until(
            lambda: "tasks.kind" not in holding(self.database, "CopyHold"), 60, "it is kept"
        )

    async def of_moderation(self, ann: User, bob: User) -> None:
        """Reports and notices of the user and of what they wrote, warnings, a ban that is over, a
        removed comment; what the user did as an admin."""
        admin = await self._new_admin()
        path = await self.comment(await self.content(bob), ann, "Rude words")
        await self.delete(path, by=admin, expect=204)
        (removal,) = (await self.get(f"user/{ann.id}/decisions", by=ann, expect=200)).json()
        await self.appeal(ann, removal["id"])
        path = f"moderation/decisions/{removal['id']}/reversal"
        await self.post(path, {"reason": "harmless"}, by=ann, expect=204)
        await self.post(f"user/{ann.id}/report", {"reason": "spam"}, by=bob, expect=204)
        rude = await self.say(ann, bob, "Rude words")
        heard = await self.say(bob, ann, "Rude words too")
        messages = [
            {"kind": "message", "id": id, "user": by.id} for by, id in ((ann, rude), (bob, heard))
        ]
        notice = {
            "subjects": [{"kind": "user", "id": ann.id}, *messages],
            "reason": "child",
            "explanation": "x",
            "goodFaith": True,
        }
        await self.post("notices", notice, expect=201)
        for by, of in ((admin, ann), (ann, bob)):
            await self.post(f"user/{of.id}/warning", {"reason": "rules"}, by=by, expect=204)
        path = f"moderation/reports/user/{bob.id}"
        (reported, *_) = (await self.get(path, by=ann, expect=200)).json()
        body = {"outcome": "dismissed", "upTo": reported["id"]}
        await self.put(path, body, by=ann, expect=204)
        ban = {"reason": "rules", "until": 1}
        await self.put(f"user/{ann.id}/ban", ban, by=admin, expect=204)
        again = await self.logged_in(ann.username, ann.email, ann.password)
        path = f"user/{ann.id}/decisions"
        (banned, *_) = (await self.get(path, by=again, expect=200)).json()
        await self.appeal(again, banned["id"])

    async def appeal(self, user: User, decision: str) -> None:
        """Appeal against a decision."""
        path = f"user/{user.id}/decisions/{decision}/appeal"
        await self.post(path, {"text": "harmless"}, by=user, expect=201)

    async def of_log_ins(self, ann: User) -> User:
        """The user in another session, an account elsewhere, a secret of when it was a guest, a
        mail, a failed log-in."""
        again = await self.logged_in(ann.username, ann.email, ann.password)
        form = {"grant_type": "password", "username": ann.username, "password": guid()}
        await self.post("/oauth/token", data=form, expect=400)
        with closing(psycopg2.connect(self.database)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(
                    "insert into identities (user_id, issuer, subject) values (%s, 'i', 's');"
                    "insert into guest_secrets (hash, user_id, seen) values ('', %s, null);"
                    "insert into mails (purpose, user_id, email) values ('confirm', %s, %s);"
                    "insert into content_tallies (content_id, user_id, downloads, added)"
                    " values (gen_random_uuid(), %s, 1, true);"
                    "insert into subscription_tellings values (gen_random_uuid(), %s, now())",
                    (ann.id, ann.id, ann.id, ann.email, ann.id, ann.id),
                )
        return again
