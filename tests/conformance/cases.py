"""A test for each case."""

from collections.abc import Iterable
from pathlib import Path

from twisted.internet import reactor
from twisted.trial.unittest import TestCase

from tests.conformance.runner import Run
from tests.conformance.script import Case
from tests.support import daemon


class ConformanceCase(TestCase):
    """The cases, run with the adapter that `command` starts."""

    timeout = 60.0
    command: list[str]

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    async def check(self, case: Case) -> None:
        """Run one case."""
        # One process has ended a session when it says so, whichever connection asks next.
        service = await daemon.shared("one process", daemon.Daemon)
        run = Run(reactor, service, case, self.command, self.folder)
        self.addCleanup(run.end)
        await run.run()


def with_cases(made: type[ConformanceCase], cases: Iterable[Case]) -> None:
    """Give the class a test for each of these cases, named after it."""
    for case in cases:

        async def test(self: ConformanceCase, case: Case = case) -> None:
            await self.check(case)

        test.__doc__ = case.rule
        test.__name__ = f"test_{case.name}"
        setattr(made, test.__name__, test)
