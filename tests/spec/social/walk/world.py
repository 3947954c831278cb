"""All of it together."""

from __future__ import annotations

from collections.abc import Iterable

from tests.spec.social.walk.logs import Log, Logs
from tests.spec.social.walk.moderation import Memory
from tests.spec.social.walk.pairs import Pairs
from tests.spec.social.walk.reports import Reports
from tests.spec.social.walk.talk import Talk


class World:
    """Some users, of whom some are admins."""

    def __init__(self, users: Iterable[str], admins: set[str]) -> None:
        self.logs = Logs((user, Log()) for user in users)
        self.memory = Memory(self.logs, admins)
        self.pairs = Pairs(self.logs)
        self.talk = Talk(self.logs, self.pairs, self.memory)
        self.reports = Reports(self.logs, self.pairs, self.talk, self.memory)
