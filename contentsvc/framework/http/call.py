"""The request, as a handler sees it."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from werkzeug.http import dump_cookie
from werkzeug.sansio.http import parse_cookie

from contentsvc.framework.http.errors import InvalidHost, Unauthorized
from contentsvc.framework.http.permissions import Permission, Who
from contentsvc.framework.http.preconditions import Changed, Precondition
from contentsvc.framework.http.request import ApiRequest

_HOST = re.compile(r"(?:[A-Za-z0-9_.\-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?\Z")


class Actor(NamedTuple):
    """The author of an action, for the record: a GUID, and whether it is of a service account."""

    id: str
    service: bool


class Call:
    """One call of an operation. `caller` is None without a token."""

    __slots__ = ("_given", "_judge", "_precondition", "_request", "_restriction", "caller")

    def __init__(
        self,
        request: ApiRequest,
        caller: Who | None,
        judge: Callable[[ApiRequest], object] = lambda request: None,
    ) -> None:
        self._request = request
        self._judge = judge
        self.caller = caller
        self._given: Callable[[], object] | None = None
        self._precondition: Precondition | None = None
        self._restriction: Callable[[Any], Awaitable[None]] | None = None

    @property
    def restricted(self) -> bool:
        """Whether the caller may be shut out of this. Next to nobody is who has accepted the terms,
        so it may cost something then to find out whether this is a repeat."""
        return self._restriction is not None

    def restrict(self, check: Callable[[Any], Awaitable[None]]) -> None:
        """Say what finds out, with a database, whether the caller is shut out of this."""
        self._restriction = check

    async def unrestricted(self, db: Any) -> None:
        """Check that the caller is not shut out of this, before something changes. A repeat goes
        on, which changes nothing. Costs nothing where nobody has shut the caller out of anything.

        Raises AccountRestricted, TermsRequired.
        """
        if self._restriction is not None:
            await self._restriction(db)

    @property
    def conditional(self) -> bool:
        """Whether the client demands that what it replaces has not changed since it has read it."""
        return self._precondition is not None

    def demand(self, precondition: Precondition) -> None:
        """Say what the client demands."""
        self._precondition = precondition

    async def unchanged(self, db: Any, changed: Changed = None) -> None:
        """Check what the client demands, with the transaction that has locked what it replaces.
        Costs nothing where it demands nothing. `changed` says when that was last changed, where
        the answer of its GET does not.

        Raises PreconditionFailed.
        """
        if self._precondition is not None:
            await self._precondition.check(self, db, changed)

    @property
    def user(self) -> str:
        """The GUID of the calling user, or of the service account: nobody has that of another.
        Raises Unauthorized if there is none."""
        return self._signed_in.user

    @property
    def service(self) -> bool:
        """Whether a service account calls. Raises Unauthorized if nobody does."""
        return self._signed_in.service

    @property
    def actor(self) -> Actor:
        """Who calls. Raises Unauthorized if there is none."""
        return Actor(self._signed_in.user, self._signed_in.service)

    @property
    def session(self) -> str:
        """The GUID of the calling log-in. Raises Unauthorized if there is none."""
        return self._signed_in.session

    @property
    def guest(self) -> bool:
        """Whether the caller was a guest when the token was issued. Raises Unauthorized if there is
        none."""
        return self._signed_in.guest

    @property
    def role(self) -> str:
        """The role of the calling log-in. Raises Unauthorized if there is none."""
        return self._signed_in.role

    @property
    def _signed_in(self) -> Who:
        if self.caller is None:
            raise Unauthorized()
        return self.caller

    @property
    def viewer(self) -> Any:
        """The caller, where the answer depends on who asks. An application may say it in its own
        way."""
        return self.caller

    @property
    def permissions(self) -> frozenset[Permission]:
        """What the caller may do. Raises Unauthorized if there is none."""
        return self._signed_in.permissions

    def may(self, permission: Permission) -> bool:
        """Whether the caller has a permission."""
        return self.caller is not None and permission in self.caller.permissions

    @property
    def address(self) -> str:
        """The client's address, without a port: IPv4 or IPv6, "unix" on a Unix socket, "-" if it is
        not known."""
        return self._request.client

    @property
    def network(self) -> str:
        """The network that limits count by: the client's address, or the /64 of an IPv6 address."""
        return self._request.network

    def check_again(self) -> None:
        """Raises the problem for which the call would be refused now: a call that waits may outlast
        its token, or its caller's permission."""
        self._judge(self._request)

    def waited(self, seconds: float) -> None:
        """Note that so many seconds of this answer are a wait that the client has asked for."""
        self._request.asked += seconds

    def when_given(self, callback: Callable[[], object]) -> None:
        """Call `callback` if the answer turns out to be what a GET asked for: 200 and its body."""
        self._given = callback

    def answered(self) -> None:
        """The answer was written."""
        request = self._request
        if (
            self._given is not None
            and request.startedWriting
            and request.code == 200
            and request.method == b"GET"
        ):
            self._given()

    @property
    def head(self) -> bool:
        """Whether the client asks for the head of the answer alone."""
        return self._request.method == b"HEAD"

    @property
    def gone(self) -> bool:
        """Whether the client has gone: nobody reads the answer."""
        return self._request.gone

    def when_gone(self, act: Callable[[], object]) -> None:
        """Call `act` if the client goes before it has its answer, or has gone."""
        if self._request.gone:
            act()
        else:
            self._request.notifyFinish().addErrback(lambda _: act())

    def changes(self, content: str) -> None:
        """Put the GUID of the content that this request changes into its log line, where its path
        does not have it."""
        self._request.changes = content

    def note(self, word: str) -> None:
        """Add a word to the log line of this request."""
        self._request.note += f" {word}"

    def cookies(self, name: str) -> list[str]:
        """The values of the cookies of this name, each once: another subdomain may have set one
        beside ours."""
        sent = self._request.header_values(b"Cookie")
        text = b"; ".join(sent).decode("ascii", "replace")
        return [*dict.fromkeys(parse_cookie(text).getlist(name))]

    def set_cookie(self, name: str, value: str, *, path: str, lifetime: int, secure: bool) -> None:
        """Set a cookie that scripts cannot read and that other sites' pages do not send, for
        `lifetime` seconds; 0 takes it away."""
        cookie = dump_cookie(
            name,
            value,
            max_age=lifetime,
            path=path,
            secure=secure,
            httponly=True,
            samesite="Strict",
        )
        self._request.setHeader(b"Set-Cookie", cookie.encode())

    @property
    def authorization(self) -> str | None:
        """The header Authorization, where it is not our token: RFC 6749 §2.3.1 has a client's name
        and secret there."""
        return self._request.header(b"Authorization")

    @property
    def own_token(self) -> str | None:
        """The bearer token that opens this operation alone, which its handler must judge; None if
        the caller was judged by the rule of the route."""
        return self._request.own_token

    @property
    def user_agent(self) -> str | None:
        """The header User-Agent, whatever it has."""
        return self._request.header(b"User-Agent")

    @property
    def base_url(self) -> str:
        """The scheme and host that the client addressed, without a path.

        Raises InvalidHost.
        """
        request = self._request
        host = request.authority
        if not _HOST.match(host):
            raise InvalidHost()
        return f"{request.scheme}://{host}"
