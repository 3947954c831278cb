"""Friends, requests, blocks, follows, messages and party invites: social#friends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from tests.spec.social.walk.logs import Answer, Logs

UNKNOWN = 404, "user_not_found"
BLOCKED = 403, "blocked"
DAY = 86_400
RETRY, HOUR = 60, 3_600
"""Seconds within which the same party invite or answer is a retry, and for which an invite is
open (social#party-invites)."""

Two = tuple[str, str]
Party = tuple[str, str, str]


@dataclass
class Message:
    """A message, with what orders all of them."""

    sender: str
    recipient: str
    id: str
    text: str


class Pairs:
    """What is between each two users. Dicts keep the order of what was made last."""

    def __init__(self, logs: Logs) -> None:
        self.logs = logs
        self.friends: dict[frozenset[str], int] = {}
        self.requests: dict[Two, int] = {}
        self.blocks: dict[Two, int] = {}
        self.follows: dict[Two, int] = {}
        self.messages: list[Message] = []
        self.parties: dict[Party, tuple[str, float]] = {}
        self.told: dict[tuple[str, str, str], float] = {}
        self.numbers: Iterator[int] = count()

    def blocked(self, one: str, other: str) -> bool:
        """Whether either has blocked the other."""
        return (one, other) in self.blocks or (other, one) in self.blocks

    def refusal(self, user: str, other: str, itself: str) -> Answer | None:
        """Why nothing can be begun with this user."""
        if other not in self.logs:
            return UNKNOWN
        if user == other:
            return 422, itself
        return BLOCKED if self.blocked(user, other) else None

    def tell_once(self, kind: str, sender: str, to: str, now: float) -> None:
        """Tell what is told once in 24 hours."""
        last = self.told.get((kind, sender, to))
        if (last is None or now - last >= DAY) and self.logs.tell(to, kind, sender=sender):
            self.told[kind, sender, to] = now

    # -- friends, blocks, follows

    def ask(self, user: str, other: str, now: float) -> Answer:
        """PUT friend."""
        if refused := self.refusal(user, other, "cannot_friend_self"):
            return refused
        if frozenset((user, other)) in self.friends or (user, other) in self.requests:
            return 204
        if self.requests.pop((other, user), None) is not None:
            self.friends[frozenset((user, other))] = next(self.numbers)
            self.logs.tell(other, "FriendConfirm", sender=user)
            return 204
        self.requests[user, other] = next(self.numbers)
        self.tell_once("FriendRequest", user, other, now)
        return 204

    def part(self, user: str, other: str) -> Answer:
        """DELETE friend."""
        if other not in self.logs:
            return UNKNOWN
        self.friends.pop(frozenset((user, other)), None)
        for two in ((user, other), (other, user)):
            self.requests.pop(two, None)
        return 204

    def block(self, user: str, other: str) -> Answer:
        """PUT blocked."""
        if other not in self.logs:
            return UNKNOWN
        if user == other:
            return 422, "cannot_block_self"
        if (user, other) not in self.blocks:
            self.blocks[user, other] = next(self.numbers)
        self.part(user, other)
        for two in ((user, other), (other, user)):
            self.follows.pop(two, None)
        return 204

    def unblock(self, user: str, other: str) -> Answer:
        """DELETE blocked."""
        if other not in self.logs:
            return UNKNOWN
        self.blocks.pop((user, other), None)
        return 204

    def follow(self, user: str, other: str, now: float) -> Answer:
        """PUT following."""
        if refused := self.refusal(user, other, "cannot_follow_self"):
            return refused
        if (user, other) not in self.follows:
            self.follows[user, other] = next(self.numbers)
            self.tell_once("NewFollower", user, other, now)
        return 204

    def unfollow(self, user: str, other: str) -> Answer:
        """DELETE following."""
        if other not in self.logs:
            return UNKNOWN
        self.follows.pop((user, other), None)
        return 204

    def friends_of(self, user: str) -> list[tuple[str, int]]:
        """The user's friends, newest first, each with its number."""
        mine = [(pair, n) for pair, n in self.friends.items() if user in pair]
        return [(next(iter(pair - {user})), n) for pair, n in reversed(mine)]

    def requests_of(self, user: str) -> list[tuple[str, str, int]]:
        """Direction and other user of each request, newest first."""
        return [
            ("outgoing" if two[0] == user else "incoming", two[two[0] == user], n)
            for two, n in reversed(self.requests.items())
            if user in two
        ]

    def first_of(self, of: dict[Two, int], user: str, place: int = 0) -> list[tuple[str, int]]:
        """Who is with the user at this place of the twos, newest first."""
        return [(two[1 - place], n) for two, n in reversed(of.items()) if two[place] == user]

    # -- messages

    def find(self, sender: str, recipient: str, id: str) -> Message | None:
        """The message of this id."""
        three = sender, recipient, id
        found = (one for one in self.messages if (one.sender, one.recipient, one.id) == three)
        return next(found, None)

    def say(self, user: str, other: str, id: str, text: str) -> Answer:
        """POST a message."""
        if other not in self.logs:
            return UNKNOWN
        if self.find(user, other, id):
            return 201
        if self.blocked(user, other):
            return BLOCKED
        if frozenset((user, other)) not in self.friends:
            return 403, "not_friends"
        self.messages.append(Message(user, other, id, text))
        self.logs.tell(other, "FriendMessage", sender=user, text=text, message=id, removed=False)
        return 201

    def one(self, user: str, other: str, id: str) -> Message | None:
        """The message at a path: one's own first."""
        return self.find(user, other, id) or self.find(other, user, id)

    def between(self, user: str, other: str) -> list[Message]:
        """The messages of two users, newest first."""
        two = {user, other}
        return [one for one in reversed(self.messages) if {one.sender, one.recipient} == two]

    def conversations(self, user: str) -> list[tuple[str, Message]]:
        """Each other user with the newest message, newest first."""
        found: dict[str, Message] = {}
        for one in reversed(self.messages):
            if user in (one.sender, one.recipient):
                other = one.recipient if one.sender == user else one.sender
                found.setdefault(other, one)
        return list(found.items())

    # -- parties

    def party(self, invite: Party, event: str, now: float) -> bool:
        """An invite, or an answer to it. False if that is what was last, and not long ago."""
        last, at = self.parties.pop(invite, ("", 0.0))
        again = last == event and now - at < RETRY
        self.parties[invite] = event, at if again else now
        return not again

    def invite(self, user: str, other: str, party: str, now: float) -> Answer:
        """POST party-invite."""
        if other not in self.logs:
            return UNKNOWN
        if self.blocked(user, other):
            return BLOCKED
        if self.party((user, other, party), "invite", now):
            self.logs.tell(other, "PartyInvite", sender=user, party=party)
        return 204

    def answer(self, user: str, other: str, party: str, how: str, now: float) -> Answer:
        """POST party-invite/accept or decline."""
        if other not in self.logs:
            return UNKNOWN
        if self.blocked(user, other):
            return BLOCKED
        if self.party((other, user, party), how, now):
            kind = {"accept": "PartyInviteAccept", "decline": "PartyInviteDecline"}[how]
            self.logs.tell(other, kind, sender=user, party=party)
        return 204

    def invites_of(self, user: str, now: float) -> list[Two]:
        """Sender and party of the open invites, newest first."""
        found = sorted(self.parties.items(), key=lambda one: -one[1][1])
        return [
            (sender, party)
            for (sender, recipient, party), (event, at) in found
            if recipient == user and event == "invite" and now - at < HOUR
        ]
