"""Proofs of who links and unlinks accounts elsewhere, and what resets leave: accounts#proofs."""

from tests.spec.accounts.test_identities import IdentityCase
from tests.spec.data import User, guid
from tests.support.issuers import ID_TOKEN


def by_token(token: str) -> dict[str, str]:
    """A proof by a token of another service."""
    return {"proof_token": token, "proof_token_type": ID_TOKEN}


class ProofTests(IdentityCase):
    """The proof, of POST and DELETE."""

    async def both(self, user: User, proof: dict, status: int, code: str) -> None:
        """Assert that a link and an unlink with this proof are refused so, without effect."""
        await self.link(user, self.token(guid()), expect=204)
        before = await self.identities(user)
        path = f"user/{user.id}/identities"
        for prefix in ("", "/methods/v1/"):
            body = {"subject_token": self.token(guid()), "subject_token_type": ID_TOKEN, **proof}
            self.problem(await self.post(f"{prefix}{path}", body, by=user), status, code)
            at = f"{prefix}{path}/{before[0]['id']}"
            self.problem(await self.delete(at, body=proof, by=user), status, code)
        self.assertEqual(before, await self.identities(user))

    async def test_missing(self):
        """A proof that is missing is 400; so are two, half of one, and no body."""
        for user in (await self.user(), await self.arrive()):
            token = self.token(guid())
            for proof in (
                {},
                {"proof_token": token},
                {"proof_token_type": ID_TOKEN},
                {"password": None},
                {"password": "x", **by_token(token)},
            ):
                await self.both(user, proof, 400, "invalid_body")
            (found, *_) = await self.identities(user)
            path = f"user/{user.id}/identities/{found['id']}"
            self.problem(await self.delete(path, by=user), 400, "malformed_json")

    async def test_wrong(self):
        """A wrong one is 403 `wrong_password`."""
        ann, ben, other = await self.user(), await self.arrive(), await self.arrive()
        for user in (ann, ben):
            for proof in (
                {"password": "wrong"},
                {"password": other.password},
                by_token("x"),
                by_token(self.token(guid())),
                by_token(self.first[other.id]),
                by_token(user.token),
                {"proof_token": self.token(guid()), "proof_token_type": "urn:x"},
            ):
                await self.both(user, proof, 403, "wrong_password")

    async def test_stolen(self):
        """Who has an access token of an account without a password cannot take it over by an
        account of their own."""
        user, thief = await self.arrive(), self.token(guid())
        body = {"subject_token": thief, "subject_token_type": ID_TOKEN}
        path = f"user/{user.id}/identities"
        self.problem(await self.post(path, body, by=user), 400, "invalid_body")
        for proof in (by_token(thief), {"password": ""}):
            self.problem(await self.post(path, body | proof, by=user), 403, "wrong_password")
        body["email"] = self.fresh()
        answer = await self.put(f"user/{user.id}/email", body, by=user)
        self.problem(answer, 403, "wrong_password")
        (found,) = await self.identities(user)
        self.problem(await self.unlink(user, found["id"], proof=by_token(thief)), 403)

    async def test_young(self):
        """One that was linked logs in at once, and proves nothing in its first 3 days, here and
        elsewhere."""
        user, token = await self.arrive(), self.token(guid())
        await self.link(user, token, expect=204)
        self.assertEqual(user.id, (await self.exchange(token, expect=200)).json()["userId"])
        await self.both(user, by_token(token), 403, "wrong_password")
        body = {"subject_token": token, "subject_token_type": ID_TOKEN}
        self.problem(await self.leave(user, None, **body), 403, "wrong_password")
        body["email"] = self.fresh()
        answer = await self.put(f"user/{user.id}/email", body, by=user)
        self.problem(answer, 403, "wrong_password")

    async def test_repeat(self):
        """What is linked here already is 204 without a proof, whatever comes with it; what is
        another's is not."""
        user, subject = await self.user(), guid()
        await self.link(user, self.token(subject), expect=204)
        for proof in ({}, {"password": "wrong"}, by_token("x")):
            await self.link(user, self.token(subject), proof=proof, expect=204)
        self.assertEqual(1, len(await self.identities(user)))
        other = await self.user()
        answer = await self.link(other, self.token(subject), proof={})
        self.problem(answer, 400, "invalid_body")
        answer = await self.link(other, self.token(subject), proof={"password": "wrong"})
        self.problem(answer, 403, "wrong_password")

    async def test_order(self):
        """A bad subject token comes before the proof, the proof before whose it is."""
        user, subject = await self.user(), guid()
        for proof in ({}, {"password": "wrong"}):
            answer = await self.link(user, "x", proof=proof)
            self.problem(answer, 400, "invalid_subject_token")
        await self.arrive(subject)
        self.problem(await self.link(user, self.token(subject)), 409, "identity_taken")


class MailTests(IdentityCase):
    """What the mailbox learns."""

    async def test_told(self):
        """A mail to the confirmed address says what was linked or unlinked."""
        user = await self.confirmed()
        id = await self.linked(user, guid())
        self.assertIn(self.issuer().url, (await self.mail(user.email, 2)).text)
        await self.link(user, self.token(guid(), "shop"), expect=204)
        self.assertIn(self.issuer("shop").url, (await self.mail(user.email, 3)).text)
        await self.unlink(user, id, expect=204)
        await self.unlink(user, id, expect=204)
        mail = await self.mail(user.email, 4)
        self.assertIn(self.issuer().url, mail.text)
        self.assertNotIn("token=", mail.text)
        await self.ask_reset(user.email)
        await self.mail(user.email, 5)
        self.assertEqual(5, len(self.mails.mails(user.email)))

    async def test_reset(self):
        """A reset unlinks what was linked since the last proof of the mailbox; the mail before
        names what stays, the one after it what went."""
        user, subject = await self.confirmed(), guid()
        await self.link(user, self.token(subject, "shop"), expect=204)
        moved = self.fresh()
        await self.change(user, moved, expect=204)
        await self.confirm((await self.mail(moved)).token)
        await self.linked(user, guid())
        await self.mail(moved, 2)
        await self.ask_reset(moved)
        mail = await self.mail(moved, 3)
        self.assertIn(self.issuer("shop").url, mail.text)
        self.assertNotIn(self.issuer().url, mail.text)
        await self.reset(mail.token, expect=204)
        after = await self.mail(moved, 4)
        self.assertIn(self.issuer().url, after.text)
        self.assertEqual(user.id, await self.is_who(subject, "shop"))
        got = await self.try_log_in(user.username, "a new password", expect=200)
        path = f"user/{user.id}/identities"
        found = (await self.get(path, by=got.json()["access_token"], expect=200)).json()
        self.assertEqual([self.issuer("shop").url], [one["issuer"] for one in found])

    async def test_first(self):
        """The one that the account was made with is named, and stays."""
        subject = guid()
        user, email = await self.arrive(subject), self.fresh()
        await self.link(user, self.token(guid(), "shop"), expect=204)
        body = {"email": email, "subject_token": self.first[user.id]}
        body["subject_token_type"] = ID_TOKEN
        await self.put(f"user/{user.id}/email", body, by=user, expect=204)
        await self.confirm((await self.mail(email)).token)
        await self.ask_reset(email)
        mail = await self.mail(email, 2)
        self.assertIn(self.issuer().url, mail.text)
        self.assertNotIn(self.issuer("shop").url, mail.text)
        await self.reset(mail.token, expect=204)
        self.assertEqual(user.id, await self.is_who(subject))
