"""Users change their names (accounts#names)."""

import re
import secrets
import string
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, check_wait, required
from contentsvc.api.errors import ProtectedUser, TooManyRequests, UsernameTaken, UserNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store import rate_limits
from contentsvc.store.accounts import credentials
from contentsvc.store.events import events
from contentsvc.store.moderation import audit_log
from contentsvc.store.rate_limits import DAY, RENAMES
from contentsvc.wire.accounts import LONGEST_NAME, SHORTEST_NAME, UsernameChange

_LEFT_OUT: Final = str.maketrans("", "", "_.-")


class ReservedNames:
    """The names that nobody chooses, whatever the case, and with whatever of `_`, `.` and `-` in
    them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(map(_plain, names))

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._names


def _plain(name: str) -> str:
    return name.lower().translate(_LEFT_OUT)


NO_NAMES: Final = ReservedNames(())


_DIGITS: Final = (4, 4, 4, 8, 8, 8)
"""How many digits a made-up name has, each time that another one is."""
_NAME: Final = re.compile(rf"[A-Za-z0-9_.-]{{{SHORTEST_NAME},{LONGEST_NAME}}}")


def names(proposed: str | None, reserved: ReservedNames = NO_NAMES) -> Iterator[str]:
    """Names that may be free, the best one first. The last ones are free but for bad luck. The one
    that an issuer has `proposed` comes first if it is a valid name as it is, and none of the
    `reserved`. Otherwise it is not used at all: everybody would read what may be an address, or
    somebody's real name."""
    if proposed is not None and _NAME.fullmatch(proposed) and proposed not in reserved:
        yield proposed
    for digits in _DIGITS:
        yield f"player-{secrets.randbelow(10**digits):0{digits}}"


_LETTERS: Final = string.ascii_lowercase + string.digits
_GUEST_NAMES: Final = 6
"""How many names are tried for a guest: each is free but for bad luck."""


def guest_names() -> Iterator[str]:
    """Names of guests. Nobody else gets one of their form: see schema/functions/leave.sql."""
    for _ in range(_GUEST_NAMES):
        yield "guest-" + "".join(secrets.choice(_LETTERS) for _ in range(8))


class Usernames(Struct):
    """The names of users. Users who are no staff may change their name once in so many `days`, 0
    for any number of times. Nobody gets a `reserved` one."""

    db: Database
    days: int
    reserved: ReservedNames = NO_NAMES

    @route(
        "PUT",
        "/user/<guid:user>/username",
        allow=SELF | MODERATE,
        raises=(UserNotFound, ProtectedUser, UsernameTaken, TooManyRequests),
    )
    async def set_username(self, call: Call, user: str, body: UsernameChange) -> None:
        """Change a user's name (accounts#names). It is shown everywhere from then on, and the user
        logs in with it. For 30 days, nobody else can have the old one. Users who are not moderators
        can change their own name once in 30 days, or as often as the option `username_days` says.
        The present name again changes nothing."""
        async with self.db.transaction() as tx:
            named = required(
                await credentials.lock_for_username(tx, user, body.username), UserNotFound
            )
            check_outranks(call, user, named.role)
            if named.username == body.username:
                return
            if body.username in self.reserved and not named.same:
                raise UsernameTaken("This username is reserved.")
            if named.taken:
                raise UsernameTaken()
            # First, so that a name that nobody can have uses nothing up: it is undone with the
            # rest.
            await credentials.rename(tx, user, body.username)
            if not call.may(MODERATE):
                limit = RENAMES._replace(span=self.days * DAY)
                most = RENAMES.most if self.days else 0
                check_wait(await rate_limits.take(tx, limit, user, most))
            if call.user != user:
                await audit_log.record(tx, *call.actor, "user_renamed", "user", user, "")
            await events.note(tx, "UserRenamed", call.user, "user", user)
