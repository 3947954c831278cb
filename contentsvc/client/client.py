"""A client of one service, for one user."""

from collections.abc import Callable
from random import Random, SystemRandom
from typing import Any

from twisted.web.client import Agent, HTTPConnectionPool
from twisted.web.iweb import IAgent

from contentsvc.client.http import Http
from contentsvc.client.rest import Operations
from contentsvc.client.session import Session
from contentsvc.client.socket import AutobahnConnector, Connector
from contentsvc.client.subscription import Received, Subscription
from contentsvc.wire.accounts import TokenAnswer
from contentsvc.wire.sessions import ClientType, ConnectAnswer, ConnectBody

TIMEOUT = 22.0
"""Seconds of one attempt: the service's own limits, 5 for a connection and 15 for a statement,
and some for the way."""
PATIENCE = 30.0
"""Seconds of all attempts, but for the last one's own time."""
_IDLE = 20
"""Seconds that an unused connection is kept; the service closes its end after 60."""


class Client(Operations):
    """The service at `base_url`.

    One attempt of a request takes at most `timeout` seconds; what may be repeated is for
    `patience` seconds, with pauses from `random`. `agent` and `connector` are for tests and
    proxies.
    """

    def __init__(
        self,
        reactor: Any,
        base_url: str,
        *,
        timeout: float = TIMEOUT,
        patience: float = PATIENCE,
        random: Random | None = None,
        agent: IAgent | None = None,
        connector: Connector | None = None,
    ) -> None:
        self._reactor = reactor
        self._random = random or SystemRandom()
        self._pool = HTTPConnectionPool(reactor)
        self._pool.cachedConnectionTimeout = _IDLE
        # What may be sent again is decided in Http, where the operation is known.
        self._pool.retryAutomatically = False
        http = Http(
            reactor,
            base_url,
            agent=agent or Agent(reactor, pool=self._pool),
            random=self._random,
            timeout=timeout,
            patience=patience,
        )
        super().__init__(http, Session(reactor, http))
        self._connector = connector or AutobahnConnector(reactor)
        self._subscriptions: list[Subscription] = []

    @property
    def tokens(self) -> TokenAnswer:
        """The tokens of now, whose refresh token `resume_session` takes. Raises NotSignedIn."""
        return self._session.tokens

    async def log_in(self, name: str, password: str) -> TokenAnswer:
        """Begin a session, by user name or e-mail address.

        Raises ApiError (`invalid_grant`, `account_banned`, `slow_down`), Unreachable.
        """
        return await self._session.log_in(name, password)

    async def resume_session(self, refresh_token: str) -> TokenAnswer:
        """Go on with the session that an earlier process kept the refresh token of; it is
        spent by this. Raises SessionEnded, ApiError, Unreachable."""
        return await self._session.renew(refresh_token)

    async def log_out(self) -> None:
        """End the session. Raises NotSignedIn, ApiError, Unreachable."""
        await self._session.log_out()

    def notifications(
        self,
        on_notification: Callable[[Received], object],
        *,
        resume: int | None = None,
        resume_id: str | None = None,
        on_missed: Callable[[str, str], object] | None = None,
        client: ClientType = "game",
    ) -> Subscription:
        """Have the user's notifications handed over as they come, from `resume` on: the `seq` of
        an earlier subscription, whose `id` as `resume_id` tells the service whether its log is
        still the same.

        See Subscription; it has begun when this returns.
        """

        async def connect() -> ConnectAnswer:
            # The subscription has its own pauses between attempts.
            return await self.connect(ConnectBody(client=client), repeat=False)

        subscription = Subscription(
            self._reactor,
            connect=connect,
            connector=self._connector,
            random=self._random,
            on_notification=on_notification,
            on_missed=on_missed,
            resume=resume,
            resume_id=resume_id,
        )
        self._subscriptions = [each for each in self._subscriptions if not each.over]
        self._subscriptions.append(subscription)
        subscription.start()
        return subscription

    async def close(self) -> None:
        """Stop the subscriptions and close all connections. The session goes on."""
        for subscription in self._subscriptions:
            await subscription.stop()
        await self._pool.closeCachedConnections()
