"""The problems that the errors of the layers below become."""

import re
from pathlib import Path
from types import ModuleType

import contentsvc.store
from contentsvc.api import errors
from contentsvc.api.files import transfer_errors
from contentsvc.app.families import OPERATIONS, PORTAL
from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.http import errors as web
from contentsvc.framework.http.errors import Problem
from contentsvc.tokens import InvalidToken
from tests.support.databases import StoreCase


def named(module: ModuleType) -> set[type[Problem]]:
    """The named problems of a module."""
    kinds = {kind for kind in vars(module).values() if isinstance(kind, type)}
    return {kind for kind in kinds if issubclass(kind, Problem) and kind is not Problem}


def problems() -> list[type[Problem]]:
    """Every named problem of the service."""
    return sorted(
        named(errors) | named(transfer_errors) | named(web), key=lambda problem: problem.code
    )


def in_modules() -> set[str]:
    """The constraints that modules of the store name as the reason of a refusal."""
    store = Path(contentsvc.store.__path__[0]).rglob("*.py")
    return {name for path in store for name in _NAMED.findall(path.read_text())}


_NAMED = re.compile(r'Refused\("(\w+)"')


class ErrorTests(StoreCase):
    async def test_constraints(self) -> None:
        """Every constraint that has a meaning is in the schema, or a function or a module names
        it."""
        rows = self.sql("""
            select conname from pg_constraint union select relname from pg_class
            union select tgname from pg_trigger
            union select (regexp_matches(prosrc, 'constraint = ''(\\w+)''', 'g'))[1] from pg_proc
        """)
        known = {*errors.CONSTRAINTS, *errors.OF_CALLER, errors.OF_OWNER}
        gone = known - in_modules() - {row[0] for row in rows}
        self.assertEqual(gone, set(), "contentsvc/api/errors.py, CONSTRAINTS: take these out")

    async def test_codes(self) -> None:
        """There is one code per cause; a token of a mail is as invalid as one of a caller."""
        codes = [(problem.code, problem.status) for problem in problems()]
        self.assertEqual(len(codes), len(set(codes)))
        words = [code for code, _ in codes]
        twice = {code for code in words if words.count(code) > 1}
        self.assertEqual(twice, {"invalid_token"})

    async def test_declared(self) -> None:
        """Every error of the families is one that some operation declares."""
        declared = {error for operation in (*OPERATIONS, *PORTAL) for error in operation.errors}
        unused = named(errors) - declared
        self.assertEqual(unused, set(), "no route raises these: contentsvc/api/errors.py has them")

    async def test_form(self) -> None:
        """A code is a word that programs may compare, a detail a sentence for people."""
        for problem in problems():
            self.assertRegex(problem.code, "^[a-z]+(_[a-z]+)*$")
            self.assertRegex(problem.detail, r"^[A-Zg].*\.$")
            self.assertTrue(400 <= problem.status < 600, problem.code)

    async def test_translate(self) -> None:
        """A refusal has its constraint's problem; a database that is away is 503."""
        for error, status in (
            (Refused("users_email"), 409),
            (BadValue("too large"), 400),
            (InvalidToken("expired"), 401),
        ):
            self.assertEqual(errors.translate(error).status, status)
        problem = errors.translate(Unavailable("x", "disk"))
        self.assertEqual((problem.status, problem.headers), (503, {"Retry-After": "1"}))
        self.assertEqual(problem.cause, "disk")
        self.assertNotIn("x", problem.detail.split())

    async def test_memory(self) -> None:
        """So is a process that gets no more memory."""
        problem = errors.translate(MemoryError())
        self.assertEqual((problem.status, problem.cause), (503, "memory"))

    async def test_unknown(self) -> None:
        """Everything else is a mistake of ours."""
        for error in (Refused("things_key"), Refused(""), KeyError("x")):
            self.assertIsNone(errors.translate(error))

    async def test_retry_after(self) -> None:
        """Retry-After is whole seconds, at least one."""
        for seconds, expected in ((0, "1"), (0.2, "1"), (1.2, "2"), (900, "900")):
            self.assertEqual(errors.retry_after(seconds), {"Retry-After": expected})
