"""Sends the mails that wait (extensions §8).

Each mail is an effect: it is sent at least once. It is sent twice if the process or the database
dies between the mail server's reply and the note; both have one Message-ID.

While the server cannot be used, mails stay as they are, and the job fails. A mail that the server
puts off waits by itself, with growing pauses. A mail that it refuses has come to its end.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol

from attrs import define, field
from msgspec import Struct
from twisted.logger import Logger

from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.mail import errors
from contentsvc.framework.mail.errors import NotTaken
from contentsvc.framework.mail.message import compose, link, mailable
from contentsvc.jobs import effects
from contentsvc.jobs.effects import Done, Kind, Outcome, PutOff
from contentsvc.jobs.mail_texts import NOBODY, Text
from contentsvc.store import rate_limits
from contentsvc.store.accounts import identities, mails
from contentsvc.store.accounts.mails import Addressee, Mail
from contentsvc.store.rate_limits import RESETS
from contentsvc.store.tasks import SendMail

EVERY = 10.0
"""Most seconds until a mail server that is away is asked again."""
CONNECTIONS, EACH = 4, 5
"""Most connections to the mail server at a time, and mails that wait for each of them."""
MOST = 100
"""Mails that go over a connection."""
GIVE_UP_AFTER: Final = 3 * 24 * 3600.0
"""Seconds after which a mail is not tried again."""

LEASE: Final = 180
"""Seconds that a process has for a mail: more than a sending may take."""
FIRST_PAUSE: Final = 5
LAST_PAUSE: Final = 1800
"""Seconds until a mail that was put off is tried again. They double each time."""

log = Logger()


class Session(Protocol):
    """A connection to the mail server; see contentsvc.framework.mail.smtp."""

    lost: bool

    async def send(self, sender: str, recipient: str, message: bytes) -> None: ...

    async def quit(self) -> None: ...


class Server(Protocol):
    """The mail server."""

    async def connect(self) -> Session: ...


class Look(NamedTuple):
    """What all mails have: the sender, its name, the texts by the mails' purposes, and the page
    that links lead to."""

    sender: str
    sender_name: str
    texts: Mapping[str, Text]
    url: str


class Counts(Struct):
    """The mails of this process: `sent`, `put_off` by the server, and `refused` for good."""

    sent: int = 0
    put_off: int = 0
    refused: int = 0


@define(eq=False)
class MailSender:
    """Sends them. `token` makes a link's token, of a mail's purpose and id. `counts` is what this
    process has done."""

    _wall: Clock
    _db: Database
    _server: Server
    _look: Look
    _token: Callable[[str, str], str]
    _counts: Counts
    _patience: float = field(default=GIVE_UP_AFTER, kw_only=True)
    kind: Kind = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.kind = Kind(
            SendMail,
            self._begin,
            lease=LEASE,
            first_pause=FIRST_PAUSE,
            last_pause=LAST_PAUSE,
            sessions=CONNECTIONS,
            per_session=EACH,
            most=MOST,
        )

    async def _begin(self) -> effects.Session:
        """A connection to the mail server. Raises Away."""
        session = await self._server.connect()
        return effects.Session(partial(self.send, session), lambda: session.lost, session.quit)

    async def send(self, session: Session, task: SendMail, waited: float, until: float) -> Outcome:
        """Send a mail. Raises Away."""
        mail = await mails.attempt(self._db, task.mail)
        if mail is None:
            return Done()
        if waited > self._patience:
            return self._refused(mail, mail.user_id, "it has waited too long")
        user = await self._addressee(mail)
        if user is None:
            return Done(partial(mails.drop, id=mail.id))
        address = mail.email if mail.purpose != "reset" else user.email
        recipient = mailable(address, utf8=True)
        if recipient is None:
            return self._refused(mail, user.id, "no mail can be sent to such an address")
        return await self._deliver(session, mail, user, recipient)

    async def _deliver(
        self, session: Session, mail: Mail, user: Addressee, recipient: str
    ) -> Outcome:
        try:
            message = await self._message(mail, user, recipient)
            await session.send(self._look.sender, recipient, message)
        except NotTaken as error:
            return self._refused(mail, user.id, str(error))
        except errors.PutOff as error:
            self._counts.put_off += 1
            return PutOff(str(error))
        self._counts.sent += 1
        return Done()

    async def _addressee(self, mail: Mail) -> Addressee | None:
        """Who is to get a mail; None if nobody is."""
        if mail.purpose != "reset":
            user = mail.user_id and await mails.addressee(self._db, mail.user_id)
            return user or None
        async with self._db.transaction() as tx:
            holder = await mails.holder(tx, mail.email)
            if holder is None:
                return None
            # One that was put off has been counted.
            if holder.id != mail.user_id and await rate_limits.take(
                tx, RESETS, holder.id, RESETS.most
            ):
                return None
            if not await mails.assign(tx, mail.id, holder.id, holder.email):
                return None
        return holder

    def _refused(self, mail: Mail, user: str | None, why: str) -> Outcome:
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
        return Done(partial(mails.give_up, id=mail.id))

    async def _message(self, mail: Mail, user: Addressee, recipient: str) -> bytes:
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
