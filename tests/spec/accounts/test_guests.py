"""Guests: how a secret makes and logs in one (accounts#guests)."""

from __future__ import annotations

import re
import secrets
import string

from twisted.internet.defer import ensureDeferred, gatherResults

from tests.spec.accounts.base import AccountsCase, somewhere
from tests.spec.accounts.guests import GUEST_GRANT, GuestCase, secret
from tests.spec.data import claims, guid, name
from tests.spec.shapes import ME, MODERATED_USER, TOKENS, USER
from tests.support.daemon import Daemon

MOST = 4
"""New guests of an address in a day."""


class GuestsCase(GuestCase, AccountsCase):
    """A service of two processes that takes guests, who may vote."""

    options = (
        *("--guests", "yes", "--guests-per-address", str(MOST)),
        *("--guests-may", "rate", "--new-user-bytes", "5000"),
    )


class GrantTests(GuestsCase):
    """The grant at /oauth/token."""

    async def test_first(self):
        """A new secret makes a user, and the answer is that of a log-in."""
        got = await self.enter(secret(), expect=200)
        self.shape(got.json(), TOKENS)
        self.assertEqual("no-store", got.header("Cache-Control"))

    async def test_name(self):
        """A guest is called guest- and eight letters or digits."""
        guest = await self.guest()
        self.assertTrue(re.fullmatch("guest-[a-z0-9]{8}", guest.username), guest.username)

    async def test_again(self):
        """The same secret logs in to the same user."""
        guest = await self.guest()
        again = await self.guest(guest.password)
        self.assertEqual((guest.id, guest.username), (again.id, again.username))
        await self.goes_on(guest)

    async def test_others(self):
        """Another secret makes another user."""
        self.assertNotEqual((await self.guest()).id, (await self.guest()).id)

    async def test_record(self):
        """The full record, /me and the moderators' list say that it is a guest; its public part
        does not."""
        guest = await self.guest()
        record = await self.read(f"user/{guest.id}", USER, by=guest)
        self.assertEqual(
            (True, "", False), (record["guest"], record["email"], record["emailVerified"])
        )
        self.assertTrue((await self.read("me", ME, by=guest))["guest"])
        path, admin = f"moderation/users/{guest.id}", await self.admin()
        self.assertTrue((await self.read(path, MODERATED_USER, by=admin))["guest"])
        by_name = await self.read(
            f"moderation/users?name={guest.username}", [MODERATED_USER], by=admin
        )
        self.assertEqual([True], [one["guest"] for one in by_name])
        info = (await self.get(f"user/{guest.id}/info", expect=200)).json()
        self.assertNotIn("guest", info)

    async def test_full_ones(self):
        """Everybody else is no guest."""
        self.assertFalse(await self.is_guest(await self.user()))

    async def test_sessions(self):
        """The session of a guest is as any: renewed, listed and ended."""
        guest = await self.again(await self.guest())
        listed = (await self.get(f"user/{guest.id}/sessions", by=guest, expect=200)).json()
        self.assertEqual([True], [one["current"] for one in listed])
        await self.post("/oauth/revoke", data={"token": guest.refresh_token}, expect=200)
        await self.is_over(guest)
        self.assertEqual(guest.id, (await self.guest(guest.password)).id)

    async def test_at_once(self):
        """Several requests at once with a new secret make one user."""
        given = secret()
        answers = await gatherResults([ensureDeferred(self.enter(given)) for _ in range(6)])
        self.assertEqual([200] * 6, [one.status for one in answers])
        self.assertEqual(1, len({one.json()["userId"] for one in answers}))

    async def test_not_secret(self):
        """What is no secret is invalid_request."""
        letters = string.ascii_letters + string.digits + "_-"
        bad = (
            "",
            letters[:42],
            (letters * 3)[:129],
            letters[:15] * 4,
            letters[:43] + "!",
            letters[:43] + "ä",
            letters[:43] + "\n",
            " " + letters[:43],
        )
        for given in bad:
            self.refused(await self.enter(given), "invalid_request")
        missing = await self.post("/oauth/token", data={"grant_type": GUEST_GRANT})
        self.refused(missing, "invalid_request")

    async def test_edges(self):
        """The shortest, the longest and the least mixed secret are ones."""
        letters = list(string.ascii_letters + string.digits + "_-")
        secrets.SystemRandom().shuffle(letters)
        mixed = "".join(letters)
        for given in (mixed[:43], (mixed * 2)[:128], (mixed[:16] * 3)[:43]):
            await self.enter(given, expect=200)

    async def test_limit(self):
        """New guests of an address are limited, and known ones are not."""
        first = await self.guest()
        for _ in range(MOST - 1):
            await self.guest()
        refused = await self.enter(secret())
        self.refused(refused, "slow_down", 429)
        self.assertGreater(int(refused.header("Retry-After") or 0), 0)
        self.assertEqual(first.id, (await self.guest(first.password)).id)
        self.at = somewhere()
        await self.guest()

    async def test_limit_at_once(self):
        """Of many requests at once no more make a guest than may, and who asks twice for the last
        one gets it twice."""
        for _ in range(MOST - 1):
            await self.guest()
        given = [secret(), secret()]
        asked = [ensureDeferred(self.enter(one)) for one in given * 3]
        answers = await gatherResults(asked)
        made = {one.json()["userId"] for one in answers if one.status == 200}
        self.assertEqual(1, len(made))
        self.assertEqual([200, 200, 200, 429, 429, 429], sorted(one.status for one in answers))

    async def test_bad_secrets_cost_nothing(self):
        """A refusal does not count for the limit."""
        for _ in range(MOST):
            await self.enter("x")
        await self.guest()

    async def test_banned(self):
        """A banned guest cannot log in, and is told why."""
        guest = await self.guest()
        body = {"reason": "no manners"}
        await self.put(f"user/{guest.id}/ban", body, by=await self.admin(), expect=204)
        refused = await self.enter(guest.password)
        self.assertIn("no manners", self.refused(refused, "account_banned", 403))
        await self.is_over(guest)

    async def test_portal(self):
        """/portal/session takes the grant, and keeps the refresh token in the cookie."""
        form = {"grant_type": GUEST_GRANT, "secret": secret()}
        got = await self.post(
            "/portal/session", data=form, headers={"Origin": self.url}, expect=200
        )
        self.shape(got.json(), {k: v for k, v in TOKENS.items() if k != "refresh_token"})
        self.assertIn("HttpOnly", got.header("Set-Cookie") or "")

    async def test_hidden(self):
        """The secret is in no export, and neither is its digest."""
        guest = await self.guest()
        exported = await self.get(f"user/{guest.id}/export", by=guest, expect=200)
        self.assertNotIn(guest.password.encode(), exported.body)
        self.assertTrue(exported.json()["account"]["guest"])

    async def test_not_logged(self):
        """The secret is in no log."""
        guest = await self.guest()
        await self.enter(guest.password + "!")
        self.assertNotIn(guest.password, self.daemon.log.read_text())

    async def test_log_in_by_name(self):
        """Nobody logs in to a guest by its name."""
        guest = await self.guest()
        self.refused(await self.try_log_in(guest.username, guest.password), "invalid_grant")
        self.refused(await self.try_log_in(guest.username, ""), "invalid_request")


class OffTests(GuestCase, AccountsCase):
    """A service that takes no guests."""

    async def test_refused(self):
        """The grant is unsupported, whatever the secret is."""
        for given in (secret(), "x", ""):
            self.refused(await self.enter(given), "unsupported_grant_type")
        service = (await self.get("service", expect=200)).json()
        self.assertEqual((False, []), (service["guests"], service["guestsMay"]))

    async def test_sessions_go_on(self):
        """The sessions of guests go on when the option is turned off."""
        folder = Daemon("--guests", "yes")
        self.addCleanup(folder.stop)
        await folder.start()
        self.use(folder)
        guest = await self.guest()
        await folder.stop()
        folder._options = ()
        await folder.start()
        self.use(folder)
        guest = await self.again(guest)
        self.assertTrue(await self.is_guest(guest))
        self.refused(await self.enter(guest.password), "unsupported_grant_type")

    async def test_closed(self):
        """A service without registration takes guests, and makes none a full account."""
        closed = Daemon("--guests", "yes", "--registration", "no")
        self.addCleanup(closed.stop)
        await closed.start()
        self.use(closed)
        guest = await self.guest()
        self.problem(await self.become(guest), 403, "registration_closed")


class NameTests(GuestsCase):
    """Nobody else gets a name of the form of guests'."""

    def names(self) -> tuple[str, ...]:
        ending = secrets.token_hex(4)
        return f"guest-{ending}", f"Guest-{ending}", f"GUEST-{ending.upper()}"

    async def test_registration(self):
        """Nobody registers with one."""
        for one in self.names():
            refused = await self.post("user", self.registration(self.fresh(), one))
            self.problem(refused, 409, "username_taken")

    async def test_renaming(self):
        """Nobody gets one later, by whomever."""
        user, guest, admin = await self.user(), await self.guest(), await self.admin()
        for one in self.names():
            for whose, by in ((user, user), (guest, guest), (user, admin)):
                refused = await self.put(f"user/{whose.id}/username", {"username": one}, by=by)
                self.problem(refused, 409, "username_taken")

    async def test_near(self):
        """A name of another form is free."""
        ending = secrets.token_hex(4)
        for one in (f"guest-{ending}x", f"guest{ending}", f"guest_{ending}", f"guest-{ending[1:]}"):
            await self.post("user", self.registration(self.fresh(), one), expect=201)

    async def test_full_account(self):
        """A guest who becomes a full account may keep the name, and gets no other such."""
        guest = await self.guest()
        for one in self.names():
            refused = await self.become(guest, self.full(username=one))
            self.problem(refused, 409, "username_taken")
        await self.become(guest, self.full(username=guest.username), expect=204)
        found = (await self.get(f"user/{guest.id}", by=guest, expect=200)).json()
        self.assertEqual((guest.username, False), (found["username"], found["guest"]))

    async def test_guests_rename(self):
        """A guest may have another name, and stays one."""
        guest, chosen = await self.guest(), name()
        await self.put(f"user/{guest.id}/username", {"username": chosen}, by=guest, expect=204)
        self.assertTrue(await self.is_guest(guest))
        found = await self.get(f"user/search?q={chosen}", expect=200)
        self.assertEqual([], found.json()["items"])


class SearchTests(GuestsCase):
    """The search leaves guests out."""

    async def found(self, q: str) -> list[str]:
        """The ids that a search finds, and how many it says there are."""
        got = (await self.get(f"user/search?q={q}", expect=200)).json()
        self.assertEqual(len(got["items"]), got["total"])
        return [one["id"] for one in got["items"]]

    async def test_left_out(self):
        """A guest is found by no part of the name; its id leads to it."""
        guest = await self.guest()
        for q in (guest.username, guest.username[:10], guest.username[1:]):
            self.assertNotIn(guest.id, await self.found(q))
        listed = (await self.get(f"user?ids={guest.id}", expect=200)).json()
        self.assertEqual([guest.id], [one["id"] for one in listed])

    async def test_full(self):
        """A full account is found that was a guest."""
        guest, body = await self.guest(), self.full()
        await self.become(guest, body, expect=204)
        self.assertEqual([guest.id], await self.found(body["username"]))


class BoundTests(GuestsCase):
    """What guests cannot have."""

    async def test_password(self):
        """PUT password is for full accounts."""
        guest = await self.guest()
        body = {"current": "", "new": guid()}
        refused = await self.put(f"user/{guest.id}/password", body, by=guest)
        self.assertEqual(["rate"], self.problem(refused, 403, "guest_account")["may"])

    async def test_email(self):
        """PUT email is for full accounts, of an admin's too."""
        guest, admin = await self.guest(), await self.admin()
        body = {"email": self.fresh(), "password": ""}
        refused = await self.put(f"user/{guest.id}/email", body, by=guest)
        self.assertEqual(["rate"], self.problem(refused, 403, "guest_account")["may"])
        given = {"email": self.fresh(), "reason": "asked"}
        by_admin = await self.put(f"moderation/users/{guest.id}/email", given, by=admin)
        self.problem(by_admin, 403, "guest_account")

    async def test_role(self):
        """A guest has no role but player."""
        guest, admin = await self.guest(), await self.admin()
        for role in ("curator", "moderator", "admin"):
            refused = await self.put(f"user/{guest.id}/role", {"role": role}, by=admin)
            self.assertEqual(["rate"], self.problem(refused, 403, "guest_account")["may"])
        await self.put(f"user/{guest.id}/role", {"role": "player"}, by=admin, expect=204)
        await self.goes_on(guest)

    async def test_reset(self):
        """No mail resets the password of a guest, who has no address."""
        guest = await self.guest()
        await self.ask_reset(self.fresh())
        self.refused(await self.try_log_in(guest.username, guid()), "invalid_grant")

    async def test_quota(self):
        """Their quota is that of new users."""
        guest = await self.guest()
        found = (await self.get(f"user/{guest.id}/storage", by=guest, expect=200)).json()
        self.assertEqual(5000, found["limit"])

    async def test_quota_without_mail(self):
        """It is so without a mail server too, and only for guests."""
        silent = Daemon("--guests", "yes", "--new-user-bytes", "5000", "--guests-may", "publish")
        self.addCleanup(silent.stop)
        await silent.start()
        self.use(silent)
        guest, user = await self.guest(), await self.user()
        found = (await self.get(f"user/{guest.id}/storage", by=guest, expect=200)).json()
        self.assertEqual(5000, found["limit"])
        others = (await self.get(f"user/{user.id}/storage", by=user, expect=200)).json()
        self.assertNotEqual(5000, others["limit"])
        file = {"use": "entity", "sha256": secrets.token_hex(32), "size": 5001}
        refused = await self.post("uploads", {"files": [file]}, by=guest)
        self.assertEqual(5000, self.problem(refused, 403, "quota_exceeded")["limit"])


class LeavingTests(GuestsCase):
    """A guest's log-in is its proof."""

    async def test_deletion(self):
        """A guest leaves without a proof, and everything ends."""
        guest, admin = await self.guest(), await self.admin()
        await self.delete(f"user/{guest.id}", by=guest, expect=204)
        await self.is_over(guest)
        self.problem(await self.get(f"user/{guest.id}/info"), 404, "user_not_found")
        gone = await self.get(f"moderation/users/{guest.id}", by=admin)
        self.problem(gone, 404, "user_not_found")

    async def test_others(self):
        """Nobody else deletes a guest."""
        guest, other = await self.guest(), await self.guest()
        self.problem(await self.delete(f"user/{guest.id}", by=other), 403, "forbidden")
        await self.goes_on(guest)

    async def test_afterwards(self):
        """After a deletion the secret makes a new guest."""
        guest = await self.guest()
        await self.delete(f"user/{guest.id}", by=guest, expect=204)
        again = await self.guest(guest.password)
        self.assertNotEqual(guest.id, again.id)
        self.assertNotEqual(guest.username, again.username)

    async def test_full(self):
        """A full account needs its proof, also with a token from before."""
        guest, body = await self.guest(), self.full()
        await self.become(guest, body, expect=204)
        self.problem(await self.delete(f"user/{guest.id}", by=guest), 400, "malformed_json")
        wrong = await self.delete(f"user/{guest.id}", body={"password": guid()}, by=guest)
        self.problem(wrong, 403, "wrong_password")
        proof = {"password": body["password"]}
        await self.delete(f"user/{guest.id}", body=proof, by=guest, expect=204)
        self.refused(await self.try_log_in(body["username"], body["password"]), "invalid_grant")


class ClaimTests(GuestsCase):
    """What a token says."""

    async def test_claim(self):
        """The token of a guest names its role as any, so that older releases take it."""
        guest = await self.guest()
        self.assertEqual("user", claims(guest.token)["role"])
        self.assertEqual("guest", claims(guest.token)["account"])
        self.assertNotIn("account", claims((await self.user()).token))
