"""Sends the mails that wait (accounts#mail).

Each mail is an effect: it is sent at least once. It is sent twice if the process or the database
dies between the mail server's reply and the note; both have one Message-ID.

While the server cannot be used, mails stay as they are, and the job fails. A mail that the server
puts off waits by itself, with growing pauses. A mail that it refuses has come to its end.

An operator can replace the texts. A text is a file: a line `Subject: …`, an empty line, and the
body. `$username` and the like are replaced; `$$` is a dollar sign. Anybody can register with the
address of somebody else, and with a name that mail programs show as a link. So a mail to an address
that its owner has not confirmed has NOBODY instead of the name.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final, NamedTuple, Protocol

from attrs import define, field
from msgspec import Struct
from twisted.logger import Logger

from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.mail import errors
from contentsvc.framework.mail.errors import NotTaken
from contentsvc.framework.mail.message import compose, link, mailable
from contentsvc.framework.tasks.task_runners import Done, EffectKind, EffectSession, Outcome, PutOff
from contentsvc.store import rate_limits
from contentsvc.store.accounts import identities, mails
from contentsvc.store.accounts.mails import Addressee, Mail
from contentsvc.store.moderation import appeals, decisions
from contentsvc.store.rate_limits import RESETS
from contentsvc.store.tasks import SendMail

EVERY = 10.0
"""Most seconds until a mail server that is away is asked again."""
CONNECTIONS, EACH = 4, 5
"""Most connections to the mail server at a time, and mails that wait for each of them."""
MOST_ON_CONNECTION = 100
"""Mails that go over a connection."""
GIVE_UP_AFTER: Final = 3 * 24 * 3600.0
"""Seconds after which a mail is not tried again."""

LEASE: Final = 180
"""Seconds that a process has for a mail: more than a sending may take."""
FIRST_PAUSE: Final = 5
LAST_PAUSE: Final = 1800
"""Seconds until a mail that was put off is tried again. They double each time."""

_ALL: Final = frozenset({"username", "email", "service"})
_LINK: Final = _ALL | {"link"}
_NOTICE: Final = frozenset({"service", "link", "redress"})
"""Without a word of whoever has sent the notice: the address may be another's."""
_ISSUERS: Final = _ALL | {"issuer", "linked"}
_DECISION: Final = _LINK | {"reason", "reference", "redress"}
"""With the link by which the decision is read, and appealed, also by who is banned."""
MAIL_TEXTS: Final[Mapping[str, frozenset[str]]] = {
    "reset": _LINK | {"linked"},
    "confirm": _LINK,
    "change": _LINK,
    "changed": _ALL,
    "linked": _ISSUERS,
    "unlinked": _ISSUERS,
    "notice": _NOTICE,
    "notice_upheld": _NOTICE,
    "notice_dismissed": _NOTICE,
    "banned": _DECISION | {"until"},
    "blocked": _DECISION,
    "appeal_confirmed": _ALL | {"reason", "redress"},
    "appeal_reversed": _ALL | {"reason", "redress"},
    "notice_confirmed": _NOTICE | {"reason"},
    "notice_reopened": _NOTICE | {"reason"},
}
"""The texts by their names, and the placeholders that each may have."""
NOBODY: Final = "player"
"""`$username` where nobody has confirmed that the address is the account's."""
MOST_TEXT_BYTES: Final = 64 * 1024
"""Most bytes of a file."""

log = Logger()


class TextsError(Exception):
    """A text cannot be used: `str()` is one line with its file and the reason."""


class MailText(NamedTuple):
    """One text."""

    subject: Template
    body: Template

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """The subject and the body with these values."""
        return self.subject.substitute(values), self.body.substitute(values)


def load_texts(folder: Path | None) -> dict[str, MailText]:
    """All texts: the files of `folder`, and ours where it has none. Raises TextsError."""
    own = {} if folder is None else _own(folder)
    return {name: own.get(name) or _ours(name) for name in MAIL_TEXTS}


def _ours(name: str) -> MailText:
    text = files(__package__).joinpath("mail_texts", f"{name}.txt").read_text("utf-8")
    return parse_text(name, text)


def _own(folder: Path) -> dict[str, MailText]:
    found = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise TextsError(f"{folder}: {error.strerror}") from None
    for path in paths:
        if path.suffix != ".txt":
            continue
        if path.stem not in MAIL_TEXTS:
            known = ", ".join(f"{name}.txt" for name in MAIL_TEXTS)
            raise TextsError(f"{path}: there is no such text; there are {known}")
        try:
            with path.open("rb") as file:
                raw = file.read(MOST_TEXT_BYTES + 1)
            if len(raw) > MOST_TEXT_BYTES:
                raise ValueError(f"it is longer than {MOST_TEXT_BYTES // 1024} KiB")
            found[path.stem] = parse_text(path.stem, raw.decode())
        except OSError as error:
            raise TextsError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise TextsError(f"{path}: it is not UTF-8") from None
        except ValueError as error:
            raise TextsError(f"{path}: {error}") from None
    return found


def parse_text(name: str, text: str) -> MailText:
    """The text of this name. Raises ValueError, whose text follows the name of the file."""
    lines = text.removeprefix("\ufeff").splitlines()
    subject = lines[0].removeprefix("Subject:").strip() if lines else ""
    if not subject or not lines[0].startswith("Subject:") or not subject.isprintable():
        raise ValueError("the first line must be `Subject: …`")
    body = "\n".join(lines[1:]).strip()
    made = MailText(Template(subject), Template(f"{body}\n"))
    for template in made:
        if not template.is_valid():
            raise ValueError("it has a $ without the name of a placeholder; $$ is a dollar sign")
        if unknown := sorted({*template.get_identifiers()} - MAIL_TEXTS[name]):
            known = ", ".join(f"${word}" for word in sorted(MAIL_TEXTS[name]))
            raise ValueError(f"it has the unknown placeholder ${unknown[0]}; there are {known}")
    if "link" in MAIL_TEXTS[name] and "link" not in made.body.get_identifiers():
        raise ValueError("the body must have $link")
    return made


class MailSession(Protocol):
    """A connection to the mail server; see contentsvc.framework.mail.smtp."""

    lost: bool

    async def send(self, sender: str, recipient: str, message: bytes) -> None: ...

    async def quit(self) -> None: ...


class Server(Protocol):
    """The mail server."""

    async def connect(self) -> MailSession: ...


class MailForm(NamedTuple):
    """What all mails have: the sender, its name, the texts by the mails' purposes, the page that
    links lead to, what the service is called, the page of notices, and the operator's text of what
    can be done about a decision."""

    sender: str
    sender_name: str
    texts: Mapping[str, MailText]
    url: str
    service: str
    notices: str = ""
    redress: str = ""


class MailCounts(Struct):
    """The mails of this process: `sent`, `put_off` by the server, and `refused` for good."""

    sent: int = 0
    put_off: int = 0
    refused: int = 0


@define(eq=False)
class MailSender:
    """Sends them. `token` makes a link's token, of a mail's purpose and id, and `appeal` that of a
    decision and a user. `counts` is what this process has done."""

    _wall: Clock
    _db: Database
    _server: Server
    _form: MailForm
    _token: Callable[[str, str], str]
    _appeal: Callable[[str, str], str]
    _counts: MailCounts
    _patience: float = field(default=GIVE_UP_AFTER, kw_only=True)
    kind: EffectKind = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.kind = EffectKind(
            SendMail,
            self._begin,
            lease=LEASE,
            first_pause=FIRST_PAUSE,
            last_pause=LAST_PAUSE,
            sessions=CONNECTIONS,
            per_session=EACH,
            most=MOST_ON_CONNECTION,
        )

    async def _begin(self) -> EffectSession:
        """A connection to the mail server. Raises Away."""
        session = await self._server.connect()
        return EffectSession(partial(self.send, session), lambda: session.lost, session.quit)

    async def send(
        self, session: MailSession, task: SendMail, waited: float, until: float
    ) -> Outcome:
        """Send a mail. Raises Away."""
        mail = await mails.attempt(self._db, task.mail)
        if mail is None:
            return Done()
        if waited > self._patience:
            return self._refused(mail, mail.user_id, "it has waited too long")
        user = await self._addressee(mail)
        if user is None or await self._is_idle(mail):
            return Done(partial(mails.drop, id=mail.id))
        address = mail.email if mail.purpose != "reset" else user.email
        recipient = mailable(address, utf8=True)
        if recipient is None:
            return self._refused(mail, user.id or None, "no mail can be sent to such an address")
        return await self._deliver(session, mail, user, recipient)

    async def _deliver(
        self, session: MailSession, mail: Mail, user: Addressee, recipient: str
    ) -> Outcome:
        try:
            message = await self._message(mail, user, recipient)
            await session.send(self._form.sender, recipient, message)
        except NotTaken as error:
            return self._refused(mail, user.id or None, str(error))
        except errors.PutOff as error:
            self._counts.put_off += 1
            return PutOff(str(error))
        self._counts.sent += 1
        return Done()

    async def _addressee(self, mail: Mail) -> Addressee | None:
        """The recipient of a mail; None if nobody is to get it."""
        if mail.notice is not None:
            return Addressee("", NOBODY, mail.email, False)
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

    async def _is_idle(self, mail: Mail) -> bool:
        """Whether a mail tells of a decision that was reversed meanwhile."""
        if mail.decision is None:
            return False
        decision = await decisions.get(self._db, mail.decision)
        return decision is None or decision.reversed is not None

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
        if mail.notice is not None:
            about = self._of_notice(mail.notice) | await self._answered(mail)
            return self._composed(mail, recipient, about)
        # The address in such a mail is not yet the account's, whatever it has confirmed before.
        known = user.confirmed and mail.purpose not in {"confirm", "change"}
        values = {
            "username": user.username if known else NOBODY,
            "email": recipient,
            "service": self._form.service,
            "link": link(self._form.url, self._token(mail.purpose, mail.id)),
            "issuer": _listed(mail.issuers),
        }
        if mail.purpose == "reset":
            values["linked"] = _listed(await identities.staying(self._db, user.id))
        elif mail.purpose in {"linked", "unlinked"}:
            values["linked"] = _listed(await identities.issuers(self._db, user.id))
        elif mail.decision is not None:
            values |= await self._decided(mail.decision)
            values["link"] = link(self._form.url, self._appeal(mail.decision, user.id))
        values |= await self._answered(mail)
        return self._composed(mail, recipient, values)

    def _of_notice(self, notice: str) -> dict[str, str]:
        page = f"{self._form.notices}{'&' if '?' in self._form.notices else '?'}notice={notice}"
        return {
            "service": self._form.service,
            "link": link(page, self._token("notice", notice)),
            "redress": self._form.redress,
        }

    def _composed(self, mail: Mail, recipient: str, values: Mapping[str, str]) -> bytes:
        subject, body = self._form.texts[mail.purpose].fill(values)
        return compose(
            sender=self._form.sender,
            sender_name=self._form.sender_name,
            recipient=recipient,
            subject=subject,
            body=body,
            id=mail.id,
            date=self._wall.seconds(),
        )

    async def _answered(self, mail: Mail) -> dict[str, str]:
        """The placeholders of the answer to an appeal, if the mail is of one."""
        if mail.appeal is None:
            return {}
        found = await appeals.told(self._db, mail.appeal)
        reason = "" if found is None else found.reason
        return {"reason": reason or "-", "redress": self._form.redress}

    async def _decided(self, decision: str) -> dict[str, str]:
        """The placeholders of what was decided."""
        found = await decisions.get(self._db, decision)
        if found is None:
            return {"reason": "-", "reference": "-", "redress": self._form.redress, "until": "-"}
        return {
            "reason": found.ground.explanation or "-",
            "reference": found.ground.reference,
            "redress": self._form.redress,
            "until": _until(found.until),
        }


def _until(seconds: int | None) -> str:
    """The placeholder for the end of a ban."""
    if seconds is None:
        return "without an end"
    return f"until {datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _listed(lines: str) -> str:
    """The placeholders for lines in a mail."""
    return ", ".join(lines.splitlines()) or "-"
