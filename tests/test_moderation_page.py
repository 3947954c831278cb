"""docs/guides/moderation.md does what it says."""

import json
import re

from tests.support import daemon
from tests.test_readme import PasteCase

PAGE = (daemon.ROOT / "docs/guides/moderation.md").read_text()
SAID = [
    # Registered; published; friends; a message.
    *(201, 201, 201, 204, 204, 204, 201),
    # Reported by two, and the author with the message.
    *(204, 204, 204),
    # The queue; the reports of two subjects.
    *(200, 200, 200),
    # Suspended by a decision, which its author reads; the reports closed; the queue.
    *(201, 200, 204, 200),
    # Warned, warned again, which is told; banned, looked up, no longer signed in; the ban lifted.
    *(204, 204, 200, 204, 200, 401, 204),
    # All actions, and those about one subject.
    *(200, 200),
]
ACTIONS = ["ban_lifted", "user_banned", "user_warned"]
"""What was done to the author, last first."""


class TranscriptTests(PasteCase):
    async def test_transcript(self) -> None:
        """Pasted from top to bottom, the commands go from reports over the queue to a decision that
        the reporters hear of, and to the memory of what was done."""
        answers, said = await self.follow(PAGE, daemon.Daemon())
        self.assertEqual(answers, SAID, said)
        (heard,) = [json.loads(line) for line in re.findall(r'^{"seq":.*$', said, re.M)]
        resolved = heard["notification"]
        self.assertEqual((resolved["kind"], resolved["outcome"]), ("ReportResolved", "upheld"))
        (queue,) = re.findall(r'^\[{"subject":.*"upTo".*\]$', said, re.M)
        first = json.loads(queue)[0]
        self.assertEqual((first["subject"]["kind"], first["reports"]), ("content", 2))
        self.assertIn("Your password, or you will be sorry.", said)
        (mine, lists, acts) = re.findall(r'^(\[{.*"action":.*\]) -> 200$', said, re.M)
        self.assertEqual([one["action"] for one in json.loads(mine)], ["suspend"])
        self.assertEqual([act["action"] for act in json.loads(acts)], ACTIONS)
        self.assertLess(len(ACTIONS), len(json.loads(lists)))
