"""The accounts elsewhere that are linked to a user, over HTTP (extensions §8)."""

from tests.spec.accounts.exchanging import IDENTITY, ExchangeCase
from tests.spec.data import User, guid
from tests.spec.shapes import IDENTITY_OWNER
from tests.support.issuers import ID_TOKEN


class IdentityTests(ExchangeCase):
    """GET, POST and DELETE of a user's identities."""

    async def new(self) -> User:
        """A user without a password."""
        token = self.at.token(guid())
        got = await self.joined(token)
        self.proofs[got["userId"]] = {"proof_token": token, "proof_token_type": ID_TOKEN}
        return User(got["userId"], "", "", "", got["access_token"], got["refresh_token"])

    async def connect(self) -> None:
        await super().connect()
        self.proofs: dict[str, dict[str, str]] = {}

    def proof(self, user: User) -> dict[str, str]:
        """What proves who the user is."""
        return self.proofs.get(user.id, {"password": user.password})

    def body(self, user: User, subject: str, **changes: str) -> dict[str, str]:
        """What links an account elsewhere to the user."""
        return {
            "subject_token": self.at.token(subject),
            "subject_token_type": ID_TOKEN,
            **self.proof(user),
            **changes,
        }

    async def test_list(self):
        """Extensions §8: a list of {id, issuer, subject, linked}, newest first, with pages."""
        ann, subjects = await self.user(), [guid() for _ in range(3)]
        path = f"user/{ann.id}/identities"
        self.assertEqual([], await self.read(path, [IDENTITY], by=ann))
        for subject in subjects:
            await self.post(path, self.body(ann, subject), by=ann, expect=204)
        found = await self.read(path, [IDENTITY], by=ann)
        self.assertEqual(subjects[::-1], [each["subject"] for each in found])
        self.assertEqual({self.at.url}, {each["issuer"] for each in found})
        pages = await self.pages(f"{path}?limit=2", [IDENTITY], by=ann)
        self.assertEqual(found, [each for page in pages for each in page])

    async def test_first(self):
        """The account elsewhere that made the user is one of them."""
        ann = await self.new()
        (found,) = await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)
        self.assertEqual(self.at.url, found["issuer"])

    async def test_link(self):
        """Extensions §8: links; then its tokens log this user in; a repeat changes nothing."""
        ann, subject = await self.user(), guid()
        path = f"user/{ann.id}/identities"
        await self.post(path, self.body(ann, subject), by=ann, expect=204)
        before = await self.read(path, [IDENTITY], by=ann)
        await self.post(path, self.body(ann, subject), by=ann, expect=204)
        self.assertEqual(before, await self.read(path, [IDENTITY], by=ann))
        self.assertEqual(ann.id, (await self.joined(self.at.token(subject)))["userId"])

    async def test_taken(self):
        """Extensions §8: 409 identity_taken where it is another's."""
        subject = guid()
        await self.joined(self.at.token(subject))
        ann = await self.user()
        answer = await self.post(f"user/{ann.id}/identities", self.body(ann, subject), by=ann)
        self.problem(answer, 409, "identity_taken")

    async def test_bad(self):
        """Extensions §8: 400 invalid_subject_token; what is missing is invalid_body."""
        ann = await self.user()
        path = f"user/{ann.id}/identities"
        for changes in (
            {"subject_token": "x"},
            {"subject_token": self.at.token(guid(), aud="other")},
            {"subject_token_type": "jwt"},
        ):
            answer = await self.post(path, self.body(ann, guid(), **changes), by=ann)
            self.problem(answer, 400, "invalid_subject_token")
        for missing in ("subject_token", "subject_token_type"):
            body = self.body(ann, guid())
            del body[missing]
            self.problem(await self.post(path, body, by=ann), 400, "invalid_body")

    async def test_unlink(self):
        """Extensions §8: DELETE takes the link away, of an unknown id too; then the account
        elsewhere makes a new user."""
        ann, subject = await self.user(), guid()
        path = f"user/{ann.id}/identities"
        await self.post(path, self.body(ann, subject), by=ann, expect=204)
        (found,) = await self.read(path, [IDENTITY], by=ann)
        for _ in range(2):
            await self.delete(f"{path}/{found['id']}", body=self.proof(ann), by=ann, expect=204)
        await self.delete(f"{path}/{guid()}", by=ann, expect=204)
        self.assertNotEqual(ann.id, (await self.joined(self.at.token(subject)))["userId"])

    async def test_last(self):
        """Extensions §8: 409 last_identity where no password would be left, unless another is."""
        ann = await self.new()
        path = f"user/{ann.id}/identities"
        (first,) = await self.read(path, [IDENTITY], by=ann)
        by = {"body": self.proof(ann), "by": ann}
        self.problem(await self.delete(f"{path}/{first['id']}", **by), 409, "last_identity")
        await self.delete(f"{path}/{guid()}", by=ann, expect=204)
        await self.post(path, self.body(ann, guid()), by=ann, expect=204)
        await self.delete(f"{path}/{first['id']}", **by, expect=204)

    async def test_owner(self):
        """Studio §1: GET /identities finds whose an account elsewhere is, by its exact name, until
        it is unlinked."""
        ann, admin, subject = await self.user(), await self.admin(), guid()
        path = f"user/{ann.id}/identities"
        await self.post(path, self.body(ann, subject), by=ann, expect=204)
        (linked,) = await self.read(path, [IDENTITY], by=ann)
        query = {"issuer": self.at.url, "subject": subject}
        (found,) = await self.read("identities", [IDENTITY_OWNER], query=query, by=admin)
        self.assertEqual((ann.id, linked["linked"]), (found["user"]["id"], found["linked"]))
        for other in ({"subject": subject.upper()}, {"issuer": f"{self.at.url}/"}):
            found = await self.read("identities", [IDENTITY_OWNER], query=query | other, by=admin)
            self.assertEqual([], found, other)
        for by in (ann, await self.member("moderator")):
            self.problem(await self.get("identities", query=query, by=by), 403, "forbidden")
        await self.delete(f"{path}/{linked['id']}", body=self.proof(ann), by=ann, expect=204)
        found = await self.read("identities", [IDENTITY_OWNER], query=query, by=admin)
        self.assertEqual([], found)

    async def test_another_s(self):
        """The id of another's identity is as one that is not there."""
        ann, ben = await self.new(), await self.user()
        (found,) = await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)
        await self.delete(f"user/{ben.id}/identities/{found['id']}", by=ben, expect=204)
        await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)
