"""What every daemon does as it starts."""

import resource

from twisted.logger import globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.service import allow_files


class FileTests(SynchronousTestCase):
    """The limit of open files, which is this process's own here."""

    def setUp(self) -> None:
        self.soft, self.hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (self.soft, self.hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, self.hard))
        self.lines: list[str] = []
        observe = lambda event: self.lines.append(event["log_format"])  # noqa: E731
        globalLogPublisher.addObserver(observe)
        self.addCleanup(globalLogPublisher.removeObserver, observe)

    def limit(self) -> int:
        """The one in force."""
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    def test_raised(self) -> None:
        """It is raised to what is needed."""
        allow_files(600)
        self.assertEqual((self.limit(), self.lines), (600, []))

    def test_not_lowered(self) -> None:
        """One that is higher stays."""
        allow_files(400)
        self.assertEqual((self.limit(), self.lines), (500, []))

    def test_hard(self) -> None:
        """Where the system allows less, it is raised to that, and the log says so."""
        get, infinity = resource.getrlimit, resource.RLIM_INFINITY
        self.patch(resource, "getrlimit", lambda kind: (get(kind)[0], 550))
        self.patch(resource, "setrlimit", lambda kind, limits: self.lines.append(str(limits)))
        allow_files(600)
        self.assertEqual(self.lines[0], "(550, 550)")
        self.assertIn("docs/operating.md", self.lines[1])
        self.lines.clear()
        self.patch(resource, "getrlimit", lambda kind: (500, infinity))
        allow_files(600)
        self.assertEqual(self.lines, [f"(600, {infinity})"])
