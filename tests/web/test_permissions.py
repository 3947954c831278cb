"""Permissions: who gets past each."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.web.errors import Forbidden, Problem, Unauthorized
from contentsvc.web.permissions import ADMIN, ANYONE, SELF, SELF_OR_ADMIN, SIGNED_IN, Permission
from tests.web.support import ANN, BOB, TOKENS

OWNER, OTHER, ROOT = TOKENS["ann"], TOKENS["bob"], TOKENS["root"]


class PermissionTests(SynchronousTestCase):
    """Each on a path of ann's: nobody, the owner, another user, an admin."""

    def verdicts(self, permission: Permission, owner: str | None = ANN) -> list[int]:
        """The statuses for the four."""
        found = []
        for who in (None, OWNER, OTHER, ROOT):
            try:
                permission.check(who, owner)
                found.append(200)
            except Problem as problem:
                found.append(problem.status)
        return found

    def test_anyone(self) -> None:
        """ANYONE lets everybody in."""
        self.assertEqual(self.verdicts(ANYONE), [200, 200, 200, 200])

    def test_signed_in(self) -> None:
        """SIGNED_IN needs a token."""
        self.assertEqual(self.verdicts(SIGNED_IN), [401, 200, 200, 200])

    def test_self(self) -> None:
        """SELF lets only the owner in, not even an admin."""
        self.assertEqual(self.verdicts(SELF), [401, 200, 403, 403])

    def test_self_or_admin(self) -> None:
        """SELF_OR_ADMIN lets the owner and admins in."""
        self.assertEqual(self.verdicts(SELF_OR_ADMIN), [401, 200, 403, 200])

    def test_admin(self) -> None:
        """ADMIN lets admins in, and not the owner."""
        self.assertEqual(self.verdicts(ADMIN), [401, 403, 403, 200])

    def test_nobodys_path(self) -> None:
        """A path without a user has no owner."""
        self.assertEqual(self.verdicts(SELF, None), [401, 403, 403, 403])
        self.assertEqual(self.verdicts(SELF, BOB), [401, 403, 200, 403])

    def test_challenge(self) -> None:
        """Without a token, the answer says which kind is wanted; with one, it does not."""
        problem = self.assertRaises(Unauthorized, SELF.check, None, ANN)
        self.assertEqual(problem.headers, {"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        self.assertEqual(self.assertRaises(Forbidden, SELF.check, OTHER, ANN).headers, {})
