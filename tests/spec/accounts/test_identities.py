"""GET, POST and DELETE of /user/{user}/identities: accounts#other-services."""

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import User, guid
from tests.spec.shapes import IDENTITY, IDENTITY_OWNER
from tests.support.issuers import ID_TOKEN, JWT


class IdentityCase(AccountsCase):
    """Links between users and subjects."""

    def token(self, subject: str, issuer: str = "studio") -> str:
        """A good token of a subject."""
        return self.issuer(issuer).token(subject)

    async def linked(self, user: User, subject: str, issuer: str = "studio") -> str:
        """The id of a new identity of the user."""
        await self.link(user, self.token(subject, issuer), expect=204)
        return str((await self.identities(user))[0]["id"])

    async def unlink(self, user: User, id: str, *, proof=None, **more):
        """DELETE of an identity, with a good proof if none is given."""
        body = self.proof(user) if proof is None else proof
        return await self.delete(f"user/{user.id}/identities/{id}", body=body, by=user, **more)


class ListTests(IdentityCase):
    """GET identities."""

    async def test_none(self):
        """A user with a password alone has none."""
        self.assertEqual([], await self.identities(await self.user()))

    async def test_first(self):
        """Who came by exchange has that one: {id, issuer, subject, linked}."""
        subject = guid()
        user = await self.arrive(subject)
        (found,) = await self.identities(user)
        self.assertEqual((self.issuer().url, subject), (found["issuer"], found["subject"]))

    async def test_newest_first(self):
        """The list is newest first, in parts by `limit` and `after`."""
        user, subjects = await self.user(), [guid() for _ in range(5)]
        for subject in subjects:
            await self.link(user, self.token(subject), expect=204)
        found = await self.identities(user)
        self.assertEqual(subjects[::-1], [one["subject"] for one in found])
        path = f"user/{user.id}/identities?limit=2"
        pages = await self.pages(path, [IDENTITY], by=user)
        self.assertEqual(found, [one for page in pages for one in page])
        self.assertEqual([2, 2, 1], [len(page) for page in pages][:3])
        for wrong in ("0", "201", "x"):
            response = await self.get(f"user/{user.id}/identities?limit={wrong}", by=user)
            self.invalid_query(response, "limit")


class LinkTests(IdentityCase):
    """POST identities."""

    async def test_link(self):
        """From the link on the subject is this user, and the password goes on."""
        user, subject = await self.user(), guid()
        await self.link(user, self.token(subject), expect=204)
        self.assertEqual(user.id, await self.is_who(subject))
        await self.try_log_in(user.username, user.password, expect=200)

    async def test_repeat(self):
        """A repeat is 204 again, and leaves one identity, as it was."""
        user, subject = await self.user(), guid()
        await self.link(user, self.token(subject), expect=204)
        before = await self.identities(user)
        await self.link(user, self.token(subject), expect=204)
        await self.link(user, self.token(subject), JWT, expect=204)
        self.assertEqual(before, await self.identities(user))

    async def test_at_once(self):
        """The same at once is one identity."""
        user, token = await self.user(), self.token(guid())
        await self.together(*(self.link(user, token, expect=204) for _ in range(4)))
        self.assertEqual(1, len(await self.identities(user)))

    async def test_several(self):
        """A user may have several, of one issuer and of more."""
        user, subject = await self.user(), guid()
        for issuer, one in (("studio", subject), ("studio", guid()), ("shop", subject)):
            await self.link(user, self.token(one, issuer), expect=204)
        self.assertEqual(3, len(await self.identities(user)))
        self.assertEqual(user.id, await self.is_who(subject, "shop"))

    async def test_taken(self):
        """Another user's is 409 `identity_taken`; nothing changes."""
        user, subject = await self.user(), guid()
        other = await self.arrive(subject)
        self.problem(await self.link(user, self.token(subject)), 409, "identity_taken")
        self.assertEqual([], await self.identities(user))
        self.assertEqual(other.id, await self.is_who(subject))

    async def test_race(self):
        """Of two users who link one subject at once, one gets it."""
        users, token = [await self.user() for _ in range(2)], self.token(guid())
        got = await self.together(*(self.link(user, token) for user in users))
        self.assertEqual([204, 409], sorted(one.status for one in got))
        found = [len(await self.identities(user)) for user in users]
        self.assertEqual([int(one.status == 204) for one in got], found)

    async def test_not_by_address(self):
        """Nothing of the token but issuer and subject matters."""
        user, other = await self.user(), await self.confirmed()
        token = self.issuer().token(guid(), email=other.email, preferred_username="x")
        await self.link(user, token, expect=204)
        found = await self.record(user)
        self.assertEqual((user.email, user.username), (found["email"], found["username"]))

    async def test_invalid(self):
        """A bad subject token, or type, is 400 `invalid_subject_token`."""
        user = await self.user()
        for wrong in ("", "x", "a.b.c", self.issuer().token(exp=1), user.token, "a" * 5_000):
            self.problem(await self.link(user, wrong), 400, "invalid_subject_token")
        for kind in ("urn:x", "jwt"):
            answer = await self.link(user, self.token(guid()), kind)
            self.problem(answer, 400, "invalid_subject_token")

    async def test_body(self):
        """Members that are missing or no strings are 400 `invalid_body`."""
        user, token = await self.user(), self.token(guid())
        path = f"user/{user.id}/identities"
        for body in ({}, {"subject_token": token}, {"subject_token_type": ID_TOKEN}, []):
            self.problem(await self.post(path, body, by=user), 400, "invalid_body")
        for wrong in (7, None):
            self.invalid(await self.link(user, wrong), "/subject_token")
        self.invalid(await self.link(user, token, None), "/subject_token_type")  # type: ignore[arg-type]


class UnlinkTests(IdentityCase):
    """DELETE of an identity."""

    async def test_unlink(self):
        """An unlink is 204, again too; the subject is somebody else from then on, and sessions go
        on."""
        user, subject = await self.user(), guid()
        id = await self.linked(user, subject)
        for _ in range(2):
            await self.unlink(user, id, expect=204)
        self.assertEqual([], await self.identities(user))
        self.assertNotEqual(user.id, await self.is_who(subject))
        await self.goes_on(user)

    async def test_unknown(self):
        """An unknown id is 204, also where it would be the last."""
        for user in (await self.user(), await self.arrive()):
            await self.unlink(user, guid(), expect=204)
            await self.delete(f"user/{user.id}/identities/{guid()}", by=user, expect=204)
        self.problem(await self.unlink(user, "no-guid"), 400, "invalid_path")

    async def test_anothers(self):
        """Another's id is unknown, and stays theirs."""
        user, other, subject = await self.user(), await self.user(), guid()
        id = await self.linked(other, subject)
        await self.unlink(user, id, expect=204)
        self.assertEqual(other.id, await self.is_who(subject))

    async def test_last(self):
        """The last one of an account without password is 409 `last_identity`."""
        subject = guid()
        user = await self.arrive(subject)
        (found,) = await self.identities(user)
        self.problem(await self.unlink(user, found["id"]), 409, "last_identity")
        self.assertEqual(user.id, await self.is_who(subject))

    async def test_last_of_two(self):
        """One of two may go, whichever, the other not."""
        first, second = guid(), guid()
        user = await self.arrive(first)
        await self.link(user, self.token(second, "shop"), expect=204)
        newer, older = [one["id"] for one in await self.identities(user)]
        await self.unlink(user, older, expect=204)
        # It proves nothing any more, and the other one not yet.
        self.problem(await self.unlink(user, newer), 403, "wrong_password")
        self.assertEqual(user.id, await self.is_who(second, "shop"))
        user = await self.arrive(guid())
        await self.link(user, self.token(guid(), "shop"), expect=204)
        newer, older = [one["id"] for one in await self.identities(user)]
        await self.unlink(user, newer, expect=204)
        self.problem(await self.unlink(user, older), 409, "last_identity")

    async def test_links_again(self):
        """What was unlinked can be linked again, by another too."""
        user, other, subject = await self.user(), await self.user(), guid()
        await self.unlink(user, await self.linked(user, subject), expect=204)
        await self.link(other, self.token(subject), expect=204)
        self.assertEqual(other.id, await self.is_who(subject))


class OwnerTests(IdentityCase):
    """GET /identities: studio#roles."""

    async def owners(self, subject: str, **changes: str) -> list[dict]:
        """Whose this account elsewhere is, as an admin reads it."""
        query = {"issuer": self.issuer().url, "subject": subject, **changes}
        by = await self.admin()
        return list(await self.read("identities", [IDENTITY_OWNER], query=query, by=by))

    async def test_owner(self):
        """It finds whose an account elsewhere is, by its exact name, until it is unlinked."""
        user, subject = await self.user(), f"a{guid()}"
        id = await self.linked(user, subject)
        (linked,) = await self.identities(user)
        (found,) = await self.owners(subject)
        self.assertEqual((user.id, linked["linked"]), (found["user"]["id"], found["linked"]))
        self.assertEqual([], await self.owners(subject.upper()))
        self.assertEqual([], await self.owners(subject, issuer=f"{self.issuer().url}/"))
        await self.unlink(user, id, expect=204)
        self.assertEqual([], await self.owners(subject))

    async def test_refused(self):
        """It is for who has the permission `users.read`, which moderators have not."""
        query = {"issuer": self.issuer().url, "subject": guid()}
        for by in (await self.user(), await self.member("moderator")):
            self.problem(await self.get("identities", query=query, by=by), 403, "forbidden")
