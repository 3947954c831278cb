"""Mails, and what their links are good for (accounts#mail). The task SendMail sends a mail.

The user's row is locked before those of its mails, wherever both are.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal, NamedTuple
from uuid import uuid4

from msgspec import Struct

from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.framework.tasks.task_queue import encoded
from contentsvc.store import rate_limits
from contentsvc.store.tasks import SendMail

Purpose = Literal[
    "reset",
    "confirm",
    "change",
    "changed",
    "linked",
    "unlinked",
    "notice",
    "notice_upheld",
    "notice_dismissed",
    "banned",
    "blocked",
    "appeal_confirmed",
    "appeal_reversed",
    "notice_confirmed",
    "notice_reopened",
]

RESET_LIFETIME: Final = 3600
CONFIRM_LIFETIME: Final = 7 * 24 * 3600
"""Seconds for which a link is good."""
KEPT: Final = 14
"""Days for which a mail is stored: longer than it may wait, and longer than its link is valid."""

_MINE = "user_id = :user and not ended"


class Mail(NamedTuple):
    """A mail that is to be sent. `issuers` are those of accounts elsewhere that the mail is about,
    a line each; `decision` is the id of the decision of which it tells, and `appeal` that of the
    appeal whose answer it is. One about a `notice` is to nobody's account."""

    id: str
    purpose: Purpose
    user_id: str | None
    email: str
    issuers: str
    notice: str | None
    decision: str | None
    appeal: str | None


class Addressee(NamedTuple):
    """A user, with the address as they wrote it, and whether they have `confirmed` it."""

    id: str
    username: str
    email: str
    confirmed: bool


class Account(NamedTuple):
    """What mails about a user's address depend on. An account may have no address."""

    email: str | None
    confirmed: bool
    password_hash: str | None


class Link(NamedTuple):
    """What a link is good for."""

    user_id: str
    purpose: Purpose
    email: str


class Receipt(NamedTuple):
    """A mail about a notice, to the address of who has sent it; `appeal` is the id of the appeal
    whose answer it is."""

    purpose: Purpose
    notice: str
    email: str
    appeal: str | None = None


class Wanted(NamedTuple):
    """A mail that somebody asks for, to an address that may be another's."""

    purpose: Purpose
    email: str


async def _every(address: str) -> bool | None:
    return True


class Mails(Struct):
    """Where a cause puts its mails. `wake` begins the work in this process. `takes` says whether
    mail can be sent to an address; None if that is not known at the moment.

    Within an hour, `most` of the mails that anybody can have sent to an address go to one mailbox;
    0: any number. `mailbox` makes the GUID of the mailbox of an address.
    """

    wake: Callable[[], None]
    mailbox: Callable[[str], str] = str
    most: int = 0
    takes: Callable[[str], Awaitable[bool | None]] = _every

    async def ask(self, tx: Db, user: str, *mails: Wanted) -> int:
        """Have mails sent that a user asks for, if the limits of their mailboxes allow it. Gives 0,
        or the seconds until it may be asked again. Then no mail is sent; of several, some may have
        been counted, so `tx` must be rolled back."""
        if self.most:
            # In the order of the subjects, as all who need several.
            for mailbox in sorted(self.mailbox(mail.email) for mail in mails):
                wait = await rate_limits.take(tx, rate_limits.MAILS, mailbox, self.most)
                if wait > 0:
                    return wait
        for mail in mails:
            await self.put(tx, mail.purpose, user, mail.email)
        return 0

    async def put(
        self,
        db: Db,
        purpose: Purpose,
        user: str | None,
        email: str,
        issuers: str = "",
        decision: str | None = None,
        appeal: str | None = None,
    ) -> None:
        """Have a mail sent to a user at this address, or to whoever has it, once `db` has
        committed, whatever the limit is: nobody must be able to delay a mail that the owner of an
        address must get. `issuers` are those of accounts elsewhere that it is about, a line
        each, `decision` is the id of the decision of which it tells, and `appeal` that of the
        appeal whose answer it is."""
        id = str(uuid4())
        queue, kind, task, _ = encoded(SendMail(mail=id))
        about = None, decision, appeal
        await insert(*(db, id, purpose, user, email, issuers, *about), queue, kind, task)
        db.after_commit(self.wake)

    async def answer(
        self, tx: Db, purpose: Purpose, notice: str, email: str, appeal: str | None = None
    ) -> None:
        """Have a mail about a notice, or about an appeal of who has sent it, sent to them, unless
        the address has had as many in a day as it may."""
        mailbox = self.mailbox(email)
        if await rate_limits.take(tx, rate_limits.RECEIPTS, mailbox, rate_limits.RECEIPTS.most):
            return
        id = str(uuid4())
        queue, kind, task, _ = encoded(SendMail(mail=id))
        about = notice, None, appeal
        await insert(tx, id, purpose, None, email, "", *about, queue, kind, task)
        tx.after_commit(self.wake)

    async def answer_all(self, tx: Db, receipts: Sequence[Receipt]) -> None:
        """The same of several."""
        # In the order of the subjects, as all who need several.
        for one in sorted(receipts, key=lambda one: (self.mailbox(one.email), one.notice)):
            await self.answer(tx, *one)


@none("""
    with mail as (
        insert into mails (id, purpose, user_id, email, issuers, notice, decision, appeal)
        values (
            :id, :purpose, :user, :email, :issuers, :notice, :decision::uuid, :appeal::uuid
        )
    )
    insert into tasks (queue, kind, task) values (:queue, :kind, :task)
""")
async def insert(
    db: Db,
    id: str,
    purpose: str,
    user: str | None,
    email: str,
    issuers: str,
    notice: str | None,
    decision: str | None,
    appeal: str | None,
    queue: str,
    kind: str,
    task: str,
) -> None:
    """Add a mail, and the task that sends it."""


@maybe(f"""
    update mails
    set expires = clock_timestamp() + case purpose
        when 'reset' then interval '{RESET_LIFETIME} seconds'
        when 'confirm' then interval '{CONFIRM_LIFETIME} seconds'
        when 'change' then interval '{CONFIRM_LIFETIME} seconds' end
    where id = :id and not ended
    returning id, purpose, user_id, email, issuers, notice, decision, appeal
""")
async def attempt(db: Db, id: str) -> Mail | None:
    """A mail that is sent now: its link is good from now on. None if it has ended."""


@maybe("""
    select id, username, email, email_confirmed as confirmed from users
    where email_key = lower(:email collate "C") for no key update
""")
async def holder(db: Db, email: str) -> Addressee | None:
    """The user who has this address, locked: until the transaction ends, the address stays theirs,
    and no other mail is assigned to them."""


@maybe("""
    select id, username, coalesce(email, '') as email, email_confirmed as confirmed
    from users where id = :user
""")
async def addressee(db: Db, user: str) -> Addressee | None:
    """A user, with the present address."""


@many("""
    select id, username, email, true as confirmed from users
    where id = any(:users::uuid[]) and email is not null and email_confirmed
    order by id
""")
async def confirmed(db: Db, users: Sequence[str]) -> list[Addressee]:
    """Those of the users who have confirmed their address."""


@found("""
    update mails m set user_id = :user, email = :email
    where m.id = :id and not m.ended
    returning true
""")
async def assign(db: Db, id: str, user: str, email: str) -> bool:
    """Note whose mail it is. False if it has ended."""


@none("update mails set ended = true where id = :id")
async def give_up(db: Db, id: str) -> None:
    """Note that a mail will not be sent."""


@none("delete from mails where id = :id")
async def drop(db: Db, id: str) -> None:
    """Forget a mail that nobody is to get."""


@maybe("""
    select m.user_id, m.purpose, m.email from mails m join users u on u.id = m.user_id
    where m.id = :id and m.purpose = any(:purposes) and not m.ended and m.expires > now()
      and (m.purpose = 'change' or u.email_key = lower(m.email collate "C"))
""")
async def link(db: Db, id: str, purposes: list[str]) -> Link | None:
    """What the link of a mail is good for. None if it is good for nothing, or not any more."""


@found("""
    update mails set ended = true
    where id = :id and not ended and expires > now()
    returning true
""")
async def use(db: Db, id: str) -> bool:
    """Use a link. False if it was used before, or its time is over."""


@none(f"""
    with asked as (
        delete from mails m using users u
        where u.id = :user and m.user_id is null and lower(m.email collate "C") = u.email_key
          and m.purpose = 'reset'
    )
    update mails set ended = true where {_MINE} and purpose = 'reset'
""")
async def end_resets(db: Db, user: str) -> None:
    """End the links with which the user's password can be set, those to come too."""


@none(f"update mails set ended = true where {_MINE} and purpose = 'change'")
async def end_changes(db: Db, user: str) -> None:
    """End the links that confirm a new address of the user."""


async def end_links(tx: Db, user: str) -> None:
    """End all links that may no longer be used once the user has another password."""
    await end_resets(tx, user)
    await end_changes(tx, user)


@maybe("""
    select email, email_confirmed as confirmed, password_hash from users
    where id = :user for no key update
""")
async def lock(db: Db, user: str) -> Account | None:
    """Lock a user's account until the transaction ends."""


@maybe("""
    select m.email from mails m join users u on u.id = m.user_id
    where m.user_id = :user and m.purpose = 'change' and not m.ended
      and coalesce(m.expires > now(), true)
      and lower(m.email collate "C") is distinct from u.email_key
    order by m.created desc limit 1
""")
async def wanted(db: Db, user: str) -> str | None:
    """The new address that a user has not confirmed yet."""
