"""docs/guides/players.md does what it says."""

import re

from tests.support import daemon
from tests.test_readme import PasteCase

PAGE = (daemon.ROOT / "docs/guides/players.md").read_text()
SAID = [
    # Registered; asked, seen, agreed, listed.
    *(201, 201, 204, 200, 204, 200),
    # A message sent, sent again, answered, shown; the older part; the conversations.
    *(201, 201, 201, 200, 200, 200),
    # One more, taken back, shown.
    *(201, 204, 200),
    # The badge, marked, the badge.
    *(200, 204, 200),
    # Muted, shown; deleted, gone.
    *(204, 200, 204, 200),
    # Blocked; a message refused, a repeat not; no friends; the list; the block lifted.
    *(204, 403, 201, 200, 200, 204),
]


class TranscriptTests(PasteCase):
    async def test_transcript(self) -> None:
        """Pasted from top to bottom, the commands go from a friend request over messages and the
        badge to a block."""
        answers, said = await self.follow(PAGE, daemon.Daemon())
        self.assertEqual(answers, SAID, said)
        for shown in ('"direction":"incoming"', '"code":"blocked"', '"muted":["NewFollower"]'):
            self.assertIn(shown, said)
        # In the thread and in its older part; in the thread and as the last of the conversation.
        for text in ("Tower at nine?", "Nine it is."):
            self.assertEqual(said.count(f'"text":"{text}"'), 2, said)
        self.assertEqual(re.findall(r'"unread":(\d+)', said), ["3", "0"], said)
        self.assertIn('"text":"","created"', said)
