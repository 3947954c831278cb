"""Sends the mails that wait (extensions §8).

A mail is claimed by one process, sent without a transaction, and then noted as sent. So each mail
is sent at least once. It is sent twice if the process or the database dies between the mail
server's reply and the note; both have one Message-ID.

While the server cannot be used, mails stay as they are, and the job fails. A mail that the server
puts off waits by itself, with growing pauses. A mail that it refuses has come to its end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.core.timers import Bell
from contentsvc.db.database import Database
from contentsvc.mail.errors import Away, NotTaken, PutOff
from contentsvc.mail.message import compose, link, mailable
from contentsvc.mail.texts import NOBODY, Text
from contentsvc.store.accounts import identities, mails
from contentsvc.store.accounts.mails import Addressee, Claimed

EVERY = 10.0
"""Seconds between two looks for mails that were put off, or whose process has died. While the mail
server is away, it is asked as often."""
CONNECTIONS, EACH = 4, 5
"""Most connections to the mail server at a time, and mails that wait for each of them."""
MOST = 100
"""Mails that go over a connection."""
MOST_RESETS = 10
"""Mails with a link to set a password that an account gets in an hour. Nobody is told of those
beyond."""
GIVE_UP_AFTER: Final = 3 * 24 * 3600.0
"""Seconds after which a mail is not tried again."""

FAREWELL: Final = 10.0
"""Seconds that a mail under way may take when the process stops. Else it would be sent again."""

log = Logger()


class Session(Protocol):
    """A connection to the mail server; see contentsvc.mail.smtp."""

    lost: bool

    async def send(self, sender: str, recipient: str, message: bytes) -> None: ...

    async def quit(self) -> None: ...


class Server(Protocol):
    """The mail server."""

    async def connect(self) -> Session: ...


class Wall(Protocol):
    """A clock of Unix seconds."""

    def seconds(self) -> float: ...


class Look(NamedTuple):
    """What all mails have: the sender, its name, the texts by the mails' purposes, and the page
    that links lead to."""

    sender: str
    sender_name: str
    texts: Mapping[str, Text]
    url: str


@dataclass
class Counts:
    """The mails of this process: `sent`, `put_off` by the server, and `refused` for good."""

    sent: int = 0
    put_off: int = 0
    refused: int = 0


class Sending:
    """Sends them. `token` makes a link's token, of a mail's purpose and id. `counts` is what this
    process has done."""

    def __init__(
        self,
        reactor: IReactorTime,
        wall: Wall,
        db: Database,
        server: Server,
        look: Look,
        token: Callable[[str, str], str],
        counts: Counts,
        *,
        patience: float = GIVE_UP_AFTER,
    ) -> None:
        self._wall = wall
        self._db = db
        self._server = server
        self._look = look
        self._token = token
        self._counts = counts
        self._patience = patience
        self._working = 0
        self._stopping = False
        self._ended = Bell(reactor)

    async def run(self) -> float | None:
        """Send those that are due. Raises Away."""
        self._ended.silence()
        due = await mails.due(self._db, CONNECTIONS * EACH)
        if not due:
            return None
        begun = [Deferred.fromCoroutine(self._work()) for _ in range(0, due, EACH)]
        # One that fails does not end the others.
        for _, result in await DeferredList(begun, consumeErrors=True):
            if isinstance(result, Failure):
                result.raiseException()
        return 0.0

    async def stop(self) -> None:
        """Take no more mails, and wait for those under way, but not for long."""
        self._stopping = True
        if self._working:
            await self._ended.wait(FAREWELL)

    async def _work(self) -> None:
        """Send what is due over one connection."""
        self._working += 1
        try:
            await self._send_all()
        finally:
            self._working -= 1
            if not self._working:
                self._ended.ring()

    async def _send_all(self) -> None:
        session = await self._server.connect()
        try:
            for _ in range(MOST):
                mail = None if self._stopping else await mails.claim(self._db)
                if mail is None:
                    return
                await self._send(session, mail)
                if session.lost:
                    return
        finally:
            await session.quit()

    async def _send(self, session: Session, mail: Claimed) -> None:
        """Send a mail, and note what came of it. Raises Away."""
        if mail.age > self._patience:
            return await self._refused(mail, mail.user_id, "it has waited too long")
        user = await self._addressee(mail)
        if user is None:
            return await mails.drop(self._db, mail.id, mail.tries)
        recipient = mailable(mail.email if mail.purpose != "reset" else user.email)
        if recipient is None:
            return await self._refused(mail, user.id, "no mail can be sent to such an address")
        try:
            message = await self._message(mail, user, recipient)
            await session.send(self._look.sender, recipient, message)
        except NotTaken as error:
            await self._refused(mail, user.id, str(error))
        except PutOff as error:
            self._counts.put_off += 1
            await mails.put_off(self._db, mail.id, mail.tries, str(error))
        except Away as error:
            await mails.put_off(self._db, mail.id, mail.tries, str(error))
            raise
        else:
            self._counts.sent += 1
            await mails.sent(self._db, mail.id, mail.tries)

    async def _addressee(self, mail: Claimed) -> Addressee | None:
        """Who is to get a mail; None if nobody is."""
        if mail.purpose != "reset":
            user = mail.user_id and await mails.addressee(self._db, mail.user_id)
            return user or None
        async with self._db.transaction() as tx:
            holder = await mails.holder(tx, mail.email)
            if holder is None or not await mails.assign(
                tx, mail.id, mail.tries, holder.id, holder.email, MOST_RESETS
            ):
                return None
        return holder

    async def _refused(self, mail: Claimed, user: str | None, why: str) -> None:
        self._counts.refused += 1
        # Log: the mail server has refused this mail for good, with this code; or no mail can be
        # sent to such an address; or it has waited for 3 days. The line does not have the address.
        # Do: if there are many, look at the server's log.
        log.warn(
            "Could not send a mail ({purpose}) to user {user}: {reason}",
            purpose=mail.purpose,
            user=user or "unknown",
            reason=why,
        )
        await mails.give_up(self._db, mail.id, mail.tries, why)

    async def _message(self, mail: Claimed, user: Addressee, recipient: str) -> bytes:
        # The address in such a mail is not yet the account's, whatever it has confirmed before.
        known = user.confirmed and mail.purpose not in {"confirm", "change"}
        values = {
            "username": user.username if known else NOBODY,
            "email": recipient,
            "link": link(self._look.url, self._token(mail.purpose, mail.id)),
            "issuer": _listed(mail.issuers),
        }
        if mail.purpose == "reset":
            values["linked"] = _listed(await identities.staying(self._db, user.id))
        elif mail.purpose in {"linked", "unlinked"}:
            values["linked"] = _listed(await identities.issuers(self._db, user.id))
        subject, body = self._look.texts[mail.purpose].fill(values)
        return compose(
            sender=self._look.sender,
            sender_name=self._look.sender_name,
            recipient=recipient,
            subject=subject,
            body=body,
            id=mail.id,
            date=self._wall.seconds(),
        )


def _listed(lines: str) -> str:
    """What stands for lines in a mail."""
    return ", ".join(lines.splitlines()) or "-"
