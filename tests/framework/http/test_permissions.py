"""Rules: who gets past each."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.errors import Forbidden, InsufficientScope, Problem, Unauthorized
from contentsvc.framework.http.permissions import (
    ANYONE,
    EVERY_CALLER,
    SAME_ORIGIN,
    SELF,
    SIGNED_IN,
    Rule,
    people,
)
from contentsvc.roles import (
    ADMINISTER,
    CURATE,
    MODERATE,
    PLAYS,
    PROGRESS,
    ROLES,
    SCOPES,
    USERS_READ,
    Permission,
    of_scopes,
    role_of,
    scopes_of,
)
from tests.framework.http.support import ANN, BOB, TOKENS

OWNER, OTHER = TOKENS["ann"], TOKENS["bob"]


class RuleTests(SynchronousTestCase):
    """Each on a path of ann's: nobody, the owner, another user, who may moderate, who may all, a
    service with the scopes `moderate` and `progress`."""

    def verdicts(self, rule: Rule, owner: str | None = ANN) -> list[int]:
        """The statuses for the six."""
        found = []
        for who in (None, OWNER, OTHER, TOKENS["mod"], TOKENS["root"], TOKENS["bot"]):
            try:
                rule.check(who, owner)
                found.append(200)
            except Problem as problem:
                found.append(problem.status)
        return found

    def test_anyone(self) -> None:
        """ANYONE lets everybody in."""
        self.assertEqual(self.verdicts(ANYONE), [200, 200, 200, 200, 200, 200])

    def test_signed_in(self) -> None:
        """SIGNED_IN needs the token of a user, of whatever role."""
        self.assertEqual(self.verdicts(SIGNED_IN), [401, 200, 200, 200, 200, 403])

    def test_every_caller(self) -> None:
        """EVERY_CALLER needs a token, of a user or a service."""
        self.assertEqual(self.verdicts(EVERY_CALLER), [401, 200, 200, 200, 200, 200])

    def test_signed_in_or_scope(self) -> None:
        """SIGNED_IN with a permission lets every user in, and services that have it."""
        self.assertEqual(self.verdicts(SIGNED_IN | MODERATE), [401, 200, 200, 200, 200, 200])
        self.assertEqual(self.verdicts(SIGNED_IN | CURATE), [401, 200, 200, 200, 200, 403])

    def test_self(self) -> None:
        """SELF lets only the owner in, whatever others may do."""
        self.assertEqual(self.verdicts(SELF), [401, 200, 403, 403, 403, 403])

    def test_self_or_permission(self) -> None:
        """SELF with a permission lets the owner in, and who has this permission."""
        self.assertEqual(self.verdicts(SELF | MODERATE), [401, 200, 403, 200, 200, 200])
        self.assertEqual(self.verdicts(SELF | CURATE), [401, 200, 403, 403, 200, 403])

    def test_permission(self) -> None:
        """A permission lets in who has it, and not the owner."""
        moderators, admins = Rule(permissions=(MODERATE,)), Rule(permissions=(ADMINISTER,))
        self.assertEqual(self.verdicts(moderators), [401, 403, 403, 200, 200, 200])
        self.assertEqual(self.verdicts(admins), [401, 403, 403, 403, 200, 403])

    def test_people(self) -> None:
        """Users with a permission alone: no scope opens it to a service."""
        rule = people(MODERATE)
        self.assertEqual(self.verdicts(rule), [401, 403, 403, 200, 200, 403])
        self.assertEqual((rule.name, rule.needed, rule.scopes), ("MODERATE", (MODERATE,), ()))

    def test_several(self) -> None:
        """Of several permissions, one is enough."""
        rule = Rule(permissions=(MODERATE, PROGRESS))
        self.assertEqual(self.verdicts(rule), [401, 403, 403, 200, 200, 200])
        self.assertEqual(rule.name, "MODERATE|PROGRESS")

    def test_nobodys_path(self) -> None:
        """A path without a user has no owner."""
        self.assertEqual(self.verdicts(SELF, None), [401, 403, 403, 403, 403, 403])
        self.assertEqual(self.verdicts(SELF, BOB), [401, 403, 200, 403, 403, 403])

    def test_challenge(self) -> None:
        """Without a token, the answer says which kind is wanted; with one, it does not."""
        problem = self.assertRaises(Unauthorized, SELF.check, None, ANN)
        self.assertEqual(problem.headers, {"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        self.assertEqual(self.assertRaises(Forbidden, SELF.check, OTHER, ANN).headers, {})

    def test_beside(self) -> None:
        """Only SELF and SIGNED_IN have a permission beside them, and one: otherwise it would let in
        more or fewer than it says."""
        with_one = SELF | CURATE, SIGNED_IN | CURATE, Rule(permissions=(CURATE,))
        for rule in (ANYONE, SAME_ORIGIN, EVERY_CALLER, *with_one):
            self.assertRaises(TypeError, lambda rule=rule: rule | MODERATE)

    def test_names(self) -> None:
        """The list of operations has a name for each rule."""
        rules = [ANYONE, SAME_ORIGIN, SIGNED_IN, SELF, SELF | MODERATE, Rule(permissions=(CURATE,))]
        names = ["ANYONE", "SAME_ORIGIN", "SIGNED_IN", "SELF", "SELF|MODERATE", "CURATE"]
        rules += [EVERY_CALLER, SIGNED_IN | MODERATE]
        names += ["SIGNED_IN|SERVICE", "SIGNED_IN|MODERATE"]
        self.assertEqual([rule.name for rule in rules], names)


class ServiceTests(SynchronousTestCase):
    """A service account's token where it does not get past."""

    def challenge(self, rule: Rule, owner: str | None = None) -> str:
        """The header WWW-Authenticate of the refusal."""
        problem = self.assertRaises(InsufficientScope, rule.check, TOKENS["bot"], owner)
        header = problem.headers["WWW-Authenticate"]
        scope = problem.members.get("scope")
        self.assertEqual(f', scope="{scope}"' in header, "scope=" in header)
        self.assertIn(scope or "No scope", problem.detail)
        return header

    def test_scope(self) -> None:
        """The refusal names a scope that would do, in the header and in the body, if there is one;
        of two, the one that opens less."""
        begin = 'Bearer realm="contentsvc", error="insufficient_scope"'
        several = Rule(permissions=(CURATE, USERS_READ))
        self.assertEqual(self.challenge(several), f'{begin}, scope="users.read"')
        self.assertEqual(self.challenge(SIGNED_IN | CURATE), f'{begin}, scope="curate"')
        for rule in (SELF, SIGNED_IN, Rule(permissions=(ADMINISTER,))):
            self.assertEqual(self.challenge(rule), begin)

    def test_no_owner(self) -> None:
        """A service is not the user of the path, not even with that user's id."""
        self.challenge(SELF, TOKENS["bot"].user)


class RoleTests(SynchronousTestCase):
    def test_roles(self) -> None:
        """A player has no permission, a curator and a moderator have what their names say, and an
        admin has every permission but those to write others' progress and plays."""
        expected = {
            "player": set(),
            "curator": {CURATE},
            "moderator": {CURATE, MODERATE},
            "admin": {*Permission} - {PROGRESS, PLAYS},
        }
        self.assertEqual(ROLES, expected)

    def test_scopes(self) -> None:
        """A scope has the permission of its name, and none lets a program administer."""
        self.assertEqual(SCOPES, {each: {each} for each in Permission if each != ADMINISTER})

    def test_of_scopes(self) -> None:
        """The scopes of a token give their permissions, and those give the scopes; what is none
        gives nothing."""
        self.assertEqual(of_scopes("progress curate"), {PROGRESS, CURATE})
        self.assertEqual(scopes_of(of_scopes("progress curate")), ["curate", "progress"])
        for claim in ("", "administer", "Curate", None, 1, ["curate"]):
            self.assertEqual(of_scopes(claim), frozenset())

    def test_unknown(self) -> None:
        """What is no role has no permissions."""
        for role in ("Admin", "", None, 1, ["admin"]):
            self.assertEqual(ROLES[role_of(role)], frozenset())
