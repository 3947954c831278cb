"""The core of the JavaScript client: its tests are in clients/javascript/tests."""

from __future__ import annotations

from tests.javascript.harness import NodeCase, NpmCase, OwnServiceCase


class UnitTests(NpmCase):
    async def test_requests(self) -> None:
        """What is sent, what is sent again, and what errors say."""
        await self.run_tests("requests")

    async def test_events(self) -> None:
        """Events of the studio, whatever breaks meanwhile."""
        await self.run_tests("events")

    async def test_json(self) -> None:
        """Whole numbers beyond 2^53 are read, written, and given as text."""
        await self.run_tests("json")

    async def test_webhooks(self) -> None:
        """What a webhook is sent is taken if it is signed."""
        await self.run_tests("webhooks")

    async def test_tabs(self) -> None:
        """Of several tabs one renews."""
        await self.run_tests("tabs")

    async def test_session(self) -> None:
        """Log-ins, their renewal, and where they are kept."""
        await self.run_tests("session")


class ServiceTests(NodeCase):
    async def test_blocks(self) -> None:
        """Whom the user blocks, and what is theirs."""
        await self.run_tests("blocks")

    async def test_calls(self) -> None:
        """Operations, errors and lists, against the service."""
        await self.run_tests("calls")


class OwnServiceTests(OwnServiceCase):
    async def test_faults(self) -> None:
        """A log-in goes on through kills and lost answers, and ends where the service ends it."""
        await self.run_tests("faults")

    async def test_readme(self) -> None:
        """The examples of the package's README run, and show what they say."""
        assert self.daemon is not None
        await self.daemon.add_user("studio", "open sesame", admin=True)
        said = await self.run_node("tests/readme.js", CONTENTSVC_URL=self.url)
        calls = ["0 3 true", "precondition_failed", "progress_conflict 1", "The player went back."]
        calls += ["logout", "1 Debug", "UserRegistered true"]
        files = ["true", "entity nineteen floors", "true"]
        *found, fetched = said.split("\n")[:-1]
        self.assertEqual(calls + files, found)
        self.assertRegex(fetched, "fetch true [0-9a-f-]{36}")
