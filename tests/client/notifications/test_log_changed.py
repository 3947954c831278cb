"""Number and id, by which the service knows whether its log is the one that the client knew."""

from tests.client.fakes import guid
from tests.client.notifications.test_subscription import Case, resumes


class ResumeTests(Case):
    def test_resume_with_id(self) -> None:
        """So does the id, which tells the service whether its log is still the same."""
        self.subscribe(resume=41, resume_id=guid(41))
        self.assertTrue(self.world.socket.url.endswith(resumes(41)))

    def test_resume_at_none(self) -> None:
        """There is no notification 0, and so no id to resume with."""
        self.live(0)
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith("?resume=0"))

    def test_resume_after_hello(self) -> None:
        """Before the first notification it resumes with what hello said."""
        subscription, _ = self.subscribe()
        self.world.socket.hello(7, guid(7))
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(resumes(7)))
        self.assertEqual((subscription.seq, subscription.id), (7, guid(7)))

    def test_older_service(self) -> None:
        """A hello without an id, of an older service, takes nothing from what is known."""
        subscription, received = self.subscribe(resume=7, resume_id=guid(7))
        self.world.socket.say(type="hello", seq=7, unread=0, heartbeat=15)
        self.assertEqual(subscription.id, guid(7))
        self.world.socket.notify(8)
        self.assertEqual(self.seqs(received), [8])

    def test_hello_elsewhere(self) -> None:
        """The id of another number than that of hello is not kept."""
        subscription, _ = self.subscribe(resume=9, resume_id=guid(9))
        self.world.socket.hello(4, None)
        self.assertEqual((subscription.seq, subscription.id), (4, None))


class LogChangedTests(Case):
    def test_log_changed(self) -> None:
        """Where the log has become another one the application is told, and what comes then is
        handed over from the number on that the service goes on after."""
        missed: list[str] = []
        subscription, received = self.live(5, on_missed=lambda code, _: missed.append(code))
        self.world.socket.notify(6, 7)
        self.world.socket.log_changed(5, guid(50))
        self.assertEqual((subscription.seq, subscription.id), (5, guid(50)))
        self.world.socket.notify(6, 7)
        self.assertEqual((self.seqs(received), missed), ([6, 7, 6, 7], ["log_changed"]))
        self.assertEqual((subscription.repeats, subscription.gaps), (0, 0))

    def test_log_changed_to_nothing(self) -> None:
        """A log that is empty now begins at 1 again."""
        subscription, received = self.live(5)
        self.world.socket.log_changed(0, None)
        self.assertEqual((subscription.seq, subscription.id), (0, None))
        self.world.socket.notify(1)
        self.assertEqual(self.seqs(received), [1])

    def test_log_changed_at_resume(self) -> None:
        """So where the service says so as the client comes back."""
        missed: list[str] = []
        self.live(5, on_missed=lambda code, _: missed.append(code))
        self.world.socket.notify(6)
        self.world.socket.end()
        self.reconnect()
        self.world.socket.hello(9, guid(90))
        self.world.socket.log_changed(9, guid(90))
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(f"?resume=9&resumeId={guid(90)}"))
        self.assertEqual(missed, ["log_changed"])
