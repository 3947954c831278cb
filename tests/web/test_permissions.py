"""Rules: who gets past each."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.roles import ADMINISTER, CURATE, MODERATE, ROLES, Permission, permissions_of
from contentsvc.web.errors import Forbidden, Problem, Unauthorized
from contentsvc.web.permissions import ANYONE, SELF, SIGNED_IN, Rule
from tests.web.support import ANN, BOB, TOKENS

OWNER, OTHER = TOKENS["ann"], TOKENS["bob"]


class RuleTests(SynchronousTestCase):
    """Each on a path of ann's: nobody, the owner, another user, who may moderate, who may all."""

    def verdicts(self, rule: Rule, owner: str | None = ANN) -> list[int]:
        """The statuses for the five."""
        found = []
        for who in (None, OWNER, OTHER, TOKENS["mod"], TOKENS["root"]):
            try:
                rule.check(who, owner)
                found.append(200)
            except Problem as problem:
                found.append(problem.status)
        return found

    def test_anyone(self) -> None:
        """ANYONE lets everybody in."""
        self.assertEqual(self.verdicts(ANYONE), [200, 200, 200, 200, 200])

    def test_signed_in(self) -> None:
        """SIGNED_IN needs a token."""
        self.assertEqual(self.verdicts(SIGNED_IN), [401, 200, 200, 200, 200])

    def test_self(self) -> None:
        """SELF lets only the owner in, whatever others may do."""
        self.assertEqual(self.verdicts(SELF), [401, 200, 403, 403, 403])

    def test_self_or_permission(self) -> None:
        """SELF with a permission lets the owner in, and who has this permission."""
        self.assertEqual(self.verdicts(SELF | MODERATE), [401, 200, 403, 200, 200])
        self.assertEqual(self.verdicts(SELF | CURATE), [401, 200, 403, 403, 200])

    def test_permission(self) -> None:
        """A permission lets in who has it, and not the owner."""
        self.assertEqual(self.verdicts(Rule(permission=MODERATE)), [401, 403, 403, 200, 200])
        self.assertEqual(self.verdicts(Rule(permission=ADMINISTER)), [401, 403, 403, 403, 200])

    def test_nobodys_path(self) -> None:
        """A path without a user has no owner."""
        self.assertEqual(self.verdicts(SELF, None), [401, 403, 403, 403, 403])
        self.assertEqual(self.verdicts(SELF, BOB), [401, 403, 200, 403, 403])

    def test_challenge(self) -> None:
        """Without a token, the answer says which kind is wanted; with one, it does not."""
        problem = self.assertRaises(Unauthorized, SELF.check, None, ANN)
        self.assertEqual(problem.headers, {"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        self.assertEqual(self.assertRaises(Forbidden, SELF.check, OTHER, ANN).headers, {})

    def test_beside(self) -> None:
        """Only SELF has a permission beside it, and one: otherwise it would let in more or fewer
        than it says."""
        for rule in (ANYONE, SIGNED_IN, SELF | CURATE, Rule(permission=CURATE)):
            self.assertRaises(TypeError, lambda rule=rule: rule | MODERATE)

    def test_names(self) -> None:
        """The list of operations has a name for each rule."""
        rules = [ANYONE, SIGNED_IN, SELF, SELF | MODERATE, Rule(permission=CURATE)]
        names = ["ANYONE", "SIGNED_IN", "SELF", "SELF|MODERATE", "CURATE"]
        self.assertEqual([rule.name for rule in rules], names)


class RoleTests(SynchronousTestCase):
    def test_admin(self) -> None:
        """An admin has every permission, and a user none."""
        self.assertEqual(ROLES, {"user": frozenset(), "admin": frozenset(Permission)})

    def test_unknown(self) -> None:
        """What is no role has no permissions."""
        for role in ("Admin", "", None, 1, ["admin"]):
            self.assertEqual(permissions_of(role), frozenset())
