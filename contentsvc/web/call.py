"""The request, as a handler sees it."""

import re
from typing import NamedTuple

from contentsvc.roles import MODERATE, Permission
from contentsvc.web.errors import InvalidHost, Unauthorized
from contentsvc.web.permissions import Who
from contentsvc.web.proxies import network
from contentsvc.web.request import ApiRequest

_HOST = re.compile(r"(?:[A-Za-z0-9_.\-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?\Z")


class Viewer(NamedTuple):
    """The caller, as far as this decides which content is visible. `user` is a GUID, None without
    a token; `moderate` says whether they have this permission."""

    user: str | None
    moderate: bool


_STRANGER = Viewer(None, False)


class Call:
    """One call of an operation. `caller` is None without a token."""

    __slots__ = ("_request", "caller")

    def __init__(self, request: ApiRequest, caller: Who | None) -> None:
        self._request = request
        self.caller = caller

    @property
    def user(self) -> str:
        """The calling user's GUID. Raises Unauthorized if there is none."""
        return self._signed_in.user

    @property
    def session(self) -> str:
        """The GUID of the calling log-in. Raises Unauthorized if there is none."""
        return self._signed_in.session

    @property
    def _signed_in(self) -> Who:
        if self.caller is None:
            raise Unauthorized()
        return self.caller

    @property
    def viewer(self) -> Viewer:
        """The caller: which content is visible depends on it."""
        caller = self.caller
        return _STRANGER if caller is None else Viewer(caller.user, MODERATE in caller.permissions)

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
        return network(self._request.client)

    def note(self, word: str) -> None:
        """Add a word to the log line of this request."""
        self._request.note += f" {word}"

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
