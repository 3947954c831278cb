"""The embedded Postgres of several processes: who starts it, adopts it, and stops it."""

from tests.framework.postgres.servers import Case, postmaster, run_sql


class HandOverTests(Case):
    """Several processes on one folder."""

    def test_adopt_after_kill(self) -> None:
        """The server of a daemon that was killed is adopted by the next one, and stopped by it."""
        data = self.data()
        first = self.user(data, "daemon")
        first.ready()
        first.kill()
        process = postmaster(data)
        server = self.server(data)
        self.assertEqual(run_sql(server.start(), "select 1"), [(1,)])
        self.assertFalse(server.started_here)
        self.assertEqual(postmaster(data), process)
        server.stop()
        self.ended(data)

    def test_tool_alone(self) -> None:
        """The tool stops the server that it started."""
        data = self.data()
        tool = self.server(data, own=False)
        tool.start()
        tool.stop()
        self.ended(data)

    def test_tool_borrows(self) -> None:
        """The tool leaves a server running that a killed daemon left."""
        data = self.data()
        daemon = self.user(data, "daemon")
        daemon.ready()
        daemon.kill()
        tool = self.server(data, own=False)
        tool.start()
        tool.stop()
        self.assertIsNotNone(postmaster(data))

    def test_tool_beside_daemon(self) -> None:
        """The tool never stops the server of a running daemon."""
        data = self.data()
        daemon = self.user(data, "daemon")
        self.assertEqual(daemon.ready(), "started")
        tool = self.server(data, own=False)
        tool.start()
        tool.stop()
        self.assertIsNotNone(postmaster(data))
        daemon.leave()
        self.ended(data)

    def test_daemon_joins_tool(self) -> None:
        """A daemon started while the tool runs keeps the server when the tool ends."""
        data = self.data()
        tool = self.user(data, "tool")
        tool.ready()
        daemon = self.server(data)
        url = daemon.start()
        tool.leave()
        self.assertEqual(run_sql(url, "select 1"), [(1,)])
        daemon.stop()
        self.ended(data)

    def test_daemon_leaves_tool(self) -> None:
        """A tool at work keeps the server when the daemon ends, and stops it when it is done."""
        data = self.data()
        daemon = self.user(data, "daemon")
        daemon.ready()
        tool = self.server(data, own=False)
        url = tool.start()
        daemon.leave()
        self.assertEqual(run_sql(url, "select 1"), [(1,)])
        tool.stop()
        self.ended(data)

    def test_killed_tool_holds_nothing(self) -> None:
        """A tool that was killed does not keep the daemon from stopping the server."""
        data = self.data()
        daemon = self.server(data)
        daemon.start()
        tool = self.user(data, "tool")
        tool.ready()
        tool.kill()
        daemon.stop()
        self.ended(data)

    def test_all_at_once(self) -> None:
        """Of several processes that start on a new folder at once, one starts the server."""
        data = self.data(made=False)
        users = [self.user(data, role) for role in ("daemon", "tool", "daemon", "tool")]
        self.assertEqual(sorted(user.ready() for user in users), ["adopted"] * 3 + ["started"])
        for user in users:
            user.leave()
        self.ended(data)
