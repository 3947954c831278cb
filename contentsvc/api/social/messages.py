"""Messages between friends: social#messages."""

from uuid import uuid4

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user, check_wait
from contentsvc.api.errors import (
    Blocked,
    MessageNotFound,
    NotFriends,
    TooLate,
    TooManyRequests,
    UserNotFound,
)
from contentsvc.api.guests import MESSAGE
from contentsvc.api.paging import PART, full, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier, data_of
from contentsvc.store.social import messages, pairs, removal
from contentsvc.store.social.messages import Unsent
from contentsvc.wire.base import Part
from contentsvc.wire.notifications import FriendMessage
from contentsvc.wire.social import Conversation, Message, MessageCreate


class Messages(Struct):
    """Messages between friends. They can be read also after the friendship has ended.

    A user may send `per_minute` new ones, 0 for any number. Who has sent one may take it away for
    `unsend_minutes`, 0 for ever.
    """

    db: Database
    notifier: Notifier
    per_minute: int
    unsend_minutes: int = 60
    part: int = PART

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:other>/messages",
        allow=SELF,
        guests=MESSAGE,
        restricts="message",
        raises=(UserNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def send_message(self, call: Call, user: str, other: str, body: MessageCreate) -> Created:
        """Send a message to a friend, and notify them. The same id again, from this user to the
        same one, changes nothing and notifies nobody."""
        if call.restricted:
            await self._check_unrestricted(call, user, other, body.id)
        id = body.id or str(uuid4())
        data = data_of(FriendMessage(sender=user, text=body.text, message=id, removed=False))
        given = user, other, id, body.text, data
        sent = await messages.send(self.db, *given, self.per_minute)
        if sent is None:
            raise UserNotFound()
        if isinstance(sent, Unsent):
            if not sent.repeated:
                check_wait(sent.wait)
                raise Blocked() if sent.blocked else NotFriends()
        elif sent.notified is not None:
            self.notifier.publish(self.db, [sent.notified])
        return Created(f"/api/v1/user/{user}/friend/{other}/messages/{id}")

    async def _check_unrestricted(
        self, call: Call, user: str, other: str, message: str | None
    ) -> None:
        """Raises AccountRestricted, UserNotFound, unless the user has sent this before."""
        found = None
        if message is not None:
            found = await messages.get(self.db, user, other, message)
        if found is None or found.sender != user:
            await check_user(self.db, other)
            await call.unrestricted(self.db)

    @route(
        "GET",
        "/user/<guid:user>/friend/<guid:other>/messages",
        allow=SELF,
        raises=(UserNotFound,),
    )
    async def list_messages(
        self, call: Call, user: str, other: str, query: Part
    ) -> Listed[Message]:
        """List the messages between the user and another, of both, newest first."""
        rows = await messages.between(self.db, user, other, position(query), query.limit)
        if not rows:
            await check_user(self.db, other)
        return numbered(rows, query)

    @route(
        "GET",
        "/user/<guid:user>/friend/<guid:other>/messages/<guid:message>",
        allow=SELF,
        raises=(UserNotFound, MessageNotFound),
    )
    async def get_message(self, call: Call, user: str, other: str, message: str) -> Message:
        """Get one message. If both users have sent one with this id, it is the user's own."""
        found = await messages.get(self.db, user, other, message)
        if found is None:
            await check_user(self.db, other)
            raise MessageNotFound()
        return found

    @route(
        "DELETE",
        "/user/<guid:user>/friend/<guid:other>/messages/<guid:message>",
        allow=SELF,
        raises=(UserNotFound, TooLate),
    )
    async def unsend_message(self, call: Call, user: str, other: str, message: str) -> None:
        """Remove a message for both users, also after the friendship has ended (social#unsending).
        Only its sender may. Both see that it was removed, and nobody sees its text. This succeeds
        too if there is no such message, or if it was removed before."""
        async with self.db.transaction() as tx:
            found = None
            if await pairs.lock(tx, user, other):
                found = await removal.find(tx, user, other, message)
            if found is None:
                await check_user(tx, other)
                return
            if not found.own:
                raise Forbidden("Only who has sent a message can take it away.")
            if found.unsent:
                return
            if self.unsend_minutes and found.age > self.unsend_minutes * 60:
                raise TooLate()
            await removal.remove(tx, found.pair, user, other, message, own=True)
        self.notifier.changed(other)

    @route("GET", "/user/<guid:user>/messages", allow=SELF)
    async def list_conversations(self, call: Call, user: str, query: Part) -> Listed[Conversation]:
        """List the users with whom this user has exchanged messages, each with the newest message,
        newest first."""
        given = position(query), query.limit, self.part
        rows = await messages.conversations(self.db, user, *given)
        return numbered(rows, query, cut=full((row.item.user for row in rows), self.part))
