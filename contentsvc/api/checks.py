"""Checks that several families make before they answer or change anything."""

from collections.abc import Callable
from typing import Final, TypeVar

from contentsvc.api.call import Call
from contentsvc.api.errors import (
    AddressNotMailable,
    CannotBanSelf,
    ContentNotFound,
    LastAdmin,
    MailUnavailable,
    ProtectedUser,
    TooManyRequests,
    UserNotFound,
    retry_after,
)
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Forbidden, Problem, at_parameter
from contentsvc.roles import ADMINISTER, outranks
from contentsvc.store.accounts import roles, users
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.content import items
from contentsvc.store.content.items import ContentState

T = TypeVar("T")


def required(found: T | None, problem: Callable[[], Problem]) -> T:
    """`found`. Raises the problem if it is None."""
    if found is None:
        raise problem()
    return found


def check_wait(seconds: int) -> None:
    """Raises TooManyRequests unless `seconds`, the wait for a limit, is 0."""
    if seconds:
        raise TooManyRequests(headers=retry_after(seconds))


def check_may_change(call: Call, state: ContentState) -> None:
    """Raises Forbidden unless the caller may change a content."""
    if call.user != state.author_id and not state.editor and not call.may(ADMINISTER):
        raise Forbidden("Only its author, its members and admins can change this content.")


async def check_visible(call: Call, db: Db, content: str) -> None:
    """Raises ContentNotFound unless the caller sees a content."""
    state = await items.state_of(db, content, *call.viewer)
    if state is None or not state.visible:
        raise ContentNotFound()


async def lock_to_change(call: Call, tx: Db, content: str) -> ContentState:
    """Lock a content that the caller may change. Raises ContentNotFound, also if it is hidden from
    the caller, and Forbidden."""
    locked = await items.lock_to_change(tx, content, *call.viewer, call.may(ADMINISTER))
    if locked is not None:
        return locked
    state = await items.state_of(tx, content, *call.viewer)
    if state is None or not state.visible:
        raise ContentNotFound()
    check_may_change(call, state)
    # Since the first check the author has let the caller in.
    return required(await items.lock(tx, content, *call.viewer), ContentNotFound)


def check_not_self(call: Call, user: str) -> None:
    """Raises CannotBanSelf if this is the caller."""
    if user == call.user:
        raise CannotBanSelf()


def check_outranks(call: Call, user: str, role: str) -> None:
    """Raises ProtectedUser unless a user's role is below the caller's, or it is the caller."""
    if call.user != user and not outranks(call.role, role):
        raise ProtectedUser()


async def keep_an_admin(tx: Db) -> None:
    """Raises LastAdmin if `tx`, which has taken an admin away, leaves none who is not banned."""
    # Two admins may take the role from each other at once.
    await roles.lock_admins(tx)
    if not await roles.admin_left(tx):
        raise LastAdmin()


_SOON: Final = 10
"""Seconds after which to ask for what the mail server knows."""


async def check_mailable(mails: Mails | None, address: str) -> None:
    """Raises AddressNotMailable if the service sends mail, and none can be sent to this address;
    MailUnavailable if only its mail server knows, and cannot be asked."""
    takes = True if mails is None else await mails.takes(address)
    if takes is None:
        raise MailUnavailable(
            "The mail server cannot be asked whether it takes this address. Try again.",
            headers=retry_after(_SOON),
        )
    if not takes:
        raise AddressNotMailable()


async def check_user(db: Db, user: str) -> None:
    """Raises UserNotFound if there is no such user."""
    if await users.info(db, user) is None:
        raise UserNotFound()


def trimmed(parameter: str, text: str, shortest: int, longest: int) -> str:
    """A text without the blanks at its ends. Raises InvalidQuery if it then has fewer characters
    than `shortest`, or more than `longest`."""
    text = text.strip()
    if not shortest <= len(text) <= longest:
        limits = f"{shortest} to {longest}"
        raise at_parameter(
            parameter, f"This must have {limits} characters, not counting blanks at its ends."
        )
    return text
