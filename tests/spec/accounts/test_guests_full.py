"""Guests become full accounts: accounts#guests."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import ensureDeferred, gatherResults

from tests.spec.accounts.test_guests import GuestsCase
from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.support.deferreds import together
from tests.support.issuers import ID_TOKEN


class FullTests(GuestsCase):
    """With a name, an address and a password."""

    async def test_becomes(self):
        """It keeps the id, has the name and address, and logs in with the password."""
        guest, body = await self.guest(), self.full()
        await self.become(guest, body, expect=204)
        record = (await self.get(f"user/{guest.id}", by=guest, expect=200)).json()
        expected = body["username"], body["email"], False, False
        members = ("username", "email", "emailVerified", "guest")
        self.assertEqual(expected, tuple(record[each] for each in members))
        self.assertFalse(await self.is_guest(guest))
        again = await self.logged_in(body["username"], body["email"], body["password"])
        self.assertEqual(guest.id, again.id)

    async def test_keeps(self):
        """It keeps what the guest had."""
        guest = await self.guest()
        body: dict[str, Any] = {"value": {"level": 7}}
        await self.put(f"user/{guest.id}/progress/save", body, by=guest, expect=204)
        content = await self.content(await self.someone())
        await self.rate(guest, content, "1")
        await self.become(guest, expect=204)
        kept = (await self.get(f"user/{guest.id}/progress/save", by=guest, expect=200)).json()
        self.assertEqual({"level": 7}, kept["value"])
        ratings = (await self.get(f"user/{guest.id}/ratings", by=guest, expect=200)).json()
        self.assertEqual({content.id: "1"}, ratings)

    async def test_sessions(self):
        """The log-in goes on that asked, and all others end."""
        guest = await self.guest()
        other = await self.guest(guest.password)
        await self.become(guest, expect=204)
        await self.goes_on(guest)
        await self.is_over(other)
        await self.again(guest)

    async def test_secret(self):
        """The secret is good for nothing any more, and makes no other guest."""
        guest = await self.guest()
        await self.become(guest, expect=204)
        self.refused(await self.enter(guest.password), "invalid_grant")

    async def test_no_guest_anywhere(self):
        """From the answer on no process takes the user for a guest, whose token is from before."""
        for _ in range(4):
            guest = await self.guest()
            other = await self.someone()
            path = f"user/{guest.id}/following/{other.id}"
            self.problem(await self.put(path, by=guest), 403, "guest_account")
            await self.become(guest, expect=204)
            for _ in range(6):
                await self.put(path, by=guest, expect=204)

    async def test_mail(self):
        """A mail confirms the address."""
        guest, body = await self.guest(), self.full()
        await self.become(guest, body, expect=204)
        await self.confirm((await self.mail(body["email"])).token)
        self.assertEqual((body["email"], True), await self.address_of(guest))

    async def test_taken(self):
        """A name or an address that is taken is refused, and it stays a guest."""
        guest, user = await self.guest(), await self.user()
        by_name = await self.become(guest, self.full(username=user.username.upper()))
        self.problem(by_name, 409, "username_taken")
        by_email = await self.become(guest, self.full(email=user.email.upper()))
        self.problem(by_email, 409, "email_taken")
        reserved = await self.become(guest, self.full(username="Ad-Min"))
        self.problem(reserved, 409, "username_taken")
        self.assertTrue(await self.is_guest(guest))
        self.assertEqual(guest.id, (await self.guest(guest.password)).id)

    async def test_invalid(self):
        """What a registration may not have is refused as there."""
        guest = await self.guest()
        self.invalid(await self.become(guest, self.full(username="a b")), "/username")
        self.invalid(await self.become(guest, self.full(email="nobody")), "/email")
        self.invalid(await self.become(guest, self.full(password="short")), "/password")
        unmailable = await self.become(guest, self.full(email="ä@example.com"))
        self.problem(unmailable, 422, "address_not_mailable")

    async def test_others(self):
        """Nobody makes another's guest a full account."""
        guest, other = await self.guest(), await self.guest()
        refused = await self.put(f"user/{guest.id}/account", self.full(), by=other)
        self.problem(refused, 403, "forbidden")
        await self.is_guest(guest)

    async def test_repeat(self):
        """The same again is 204, and changes nothing."""
        guest, body = await self.guest(), self.full()
        await self.become(guest, body, expect=204)
        later = await self.logged_in(body["username"], body["email"], body["password"])
        await self.become(guest, body, expect=204)
        await self.goes_on(later)

    async def test_not_a_guest(self):
        """Other values are 409 for a full account, whatever is taken or free."""
        user, other = await self.user(), await self.user()
        own = {"username": user.username, "email": user.email, "password": user.password}
        changes = (
            {"username": name()},
            {"username": other.username},
            {"email": self.fresh()},
            {"email": other.email},
            {"password": guid()},
        )
        for change in changes:
            self.problem(await self.become(user, own | change), 409, "not_a_guest")
        await self.become(user, own, expect=204)

    async def test_guesses(self):
        """A wrong password counts as a failed log-in."""
        user = await self.user()
        own = {"username": user.username, "email": user.email, "password": user.password}
        for _ in range(10):
            self.problem(await self.become(user, own | {"password": guid()}), 409, "not_a_guest")
        self.problem(await self.become(user, own), 429, "too_many_attempts")

    async def test_same_at_once(self):
        """The same twice at once is once."""
        guest, body = await self.guest(), self.full()
        answers = await self.at_once(guest, body, body)
        self.assertEqual([204, 204], [one.status for one in answers])
        self.assertEqual(guest.id, (await self.logged_in(**body)).id)

    async def test_two_at_once(self):
        """Of two at once with different names one succeeds, whole."""
        guest, bodies = await self.guest(), [self.full(), self.full()]
        answers = await self.at_once(guest, *bodies)
        self.assertEqual([204, 409], sorted(one.status for one in answers))
        done = [one.status == 204 for one in answers].index(True)
        self.problem(answers[1 - done], 409, "not_a_guest")
        self.assertEqual(guest.id, (await self.logged_in(**bodies[done])).id)
        lost = bodies[1 - done]
        self.refused(await self.try_log_in(lost["username"], lost["password"]), "invalid_grant")

    async def test_log_in_at_once(self):
        """A log-in with the secret at the same time is either ended or refused."""
        for _ in range(4):
            guest, body = await self.guest(), self.full()
            became, entered = await gatherResults(
                [
                    ensureDeferred(self.become(guest, body)),
                    ensureDeferred(self.enter(guest.password)),
                ]
            )
            self.assertEqual(204, became.status, repr(became))
            if entered.status == 200:
                got = entered.json()
                tokens = got["access_token"], got["refresh_token"]
                await self.is_over(User(guest.id, "", "", "", *tokens))
            else:
                self.refused(entered, "invalid_grant")

    async def at_once(self, guest: User, *bodies: dict[str, str]) -> list[Response]:
        """The answers to these bodies at once."""
        return list(
            await gatherResults([ensureDeferred(self.become(guest, body)) for body in bodies])
        )


class IdentityTests(GuestsCase):
    """With an account elsewhere."""

    async def join(
        self, guest: User, subject: str, username: str | None = None, **more: Any
    ) -> Response:
        """POST identities of a guest."""
        body = {"subject_token": self.issuer().token(subject), "subject_token_type": ID_TOKEN}
        named = {} if username is None else {"username": username}
        return await self.post(f"user/{guest.id}/identities", body | named, by=guest, **more)

    async def test_becomes(self):
        """It needs no proof, has the name, and logs in there from then on."""
        guest, subject, chosen = await self.guest(), guid(), name()
        other = await self.guest(guest.password)
        await self.join(guest, subject, chosen, expect=204)
        record = await self.record(guest)
        self.assertEqual(
            (chosen, False, ""), (record["username"], record["guest"], record["email"])
        )
        self.assertEqual(guest.id, await self.is_who(subject))
        await self.goes_on(guest)
        await self.is_over(other)
        self.refused(await self.enter(guest.password), "invalid_grant")

    async def test_without_name(self):
        """Without a name it gets one as at a first log-in."""
        guest, proposed = await self.guest(), name()
        token = self.issuer().token(guid(), preferred_username=proposed)
        body = {"subject_token": token, "subject_token_type": ID_TOKEN}
        await self.post(f"user/{guest.id}/identities", body, by=guest, expect=204)
        self.assertEqual(proposed, (await self.record(guest))["username"])
        plain = await self.guest()
        await self.join(plain, guid(), expect=204)
        self.assertRegex((await self.record(plain))["username"], "^player-[0-9]+$")

    async def test_proves(self):
        """The identity counts as the one that the account was made with: it proves at once."""
        guest, subject = await self.guest(), guid()
        await self.join(guest, subject, expect=204)
        proof = {"subject_token": self.issuer().token(subject), "subject_token_type": ID_TOKEN}
        await self.delete(f"user/{guest.id}", body=proof, by=guest, expect=204)

    async def test_linked(self):
        """It says when it was linked, and is the last one."""
        guest, subject = await self.guest(), guid()
        await self.join(guest, subject, expect=204)
        (identity,) = await self.identities(guest)
        self.assertEqual((self.issuer().url, subject), (identity["issuer"], identity["subject"]))
        token = self.issuer().token(subject)
        proof = {"proof_token": token, "proof_token_type": ID_TOKEN}
        path = f"user/{guest.id}/identities/{identity['id']}"
        self.problem(await self.delete(path, body=proof, by=guest), 409, "last_identity")

    async def test_taken(self):
        """An identity of another's is refused, and nothing is moved."""
        guest, subject = await self.guest(), guid()
        owner = await self.is_who(subject)
        self.problem(await self.join(guest, subject, name()), 409, "identity_taken")
        self.assertTrue(await self.is_guest(guest))
        self.assertEqual(owner, await self.is_who(subject))

    async def test_name_taken(self):
        """A name that is taken is refused, and it stays a guest."""
        guest, user = await self.guest(), await self.user()
        for one in (user.username, "admin", f"guest-{guid()[:8]}"):
            self.problem(await self.join(guest, guid(), one), 409, "username_taken")
        self.assertTrue(await self.is_guest(guest))
        self.invalid(await self.join(guest, guid(), "a b"), "/username")

    async def test_repeat(self):
        """The same again is 204."""
        guest, subject, chosen = await self.guest(), guid(), name()
        await self.join(guest, subject, chosen, expect=204)
        await self.join(guest, subject, chosen, expect=204)

    async def test_then_proof(self):
        """Another identity then needs a proof."""
        guest = await self.guest()
        await self.join(guest, guid(), expect=204)
        self.invalid(await self.join(guest, guid()), "/password")

    async def test_both_at_once(self):
        """At once with a name, an address and a password, one of the two makes the account."""
        for _ in range(3):
            guest, subject, body = await self.guest(), guid(), self.full()
            both = [self.join(guest, subject, name()), self.become(guest, body)]
            joined, became = await together(*both)
            self.assertEqual(1, [joined.status, became.status].count(204))
            record = await self.record(guest)
            self.assertEqual(became.status == 204, record["email"] == body["email"])

    async def test_bad_token(self):
        """A token that proves nothing is refused."""
        guest = await self.guest()
        body = {"subject_token": "x", "subject_token_type": ID_TOKEN}
        refused = await self.post(f"user/{guest.id}/identities", body, by=guest)
        self.problem(refused, 400, "invalid_subject_token")
