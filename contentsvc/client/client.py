"""A client of one service, for one user."""

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Self

from twisted.web.client import HTTPConnectionPool
from twisted.web.iweb import IAgent

from contentsvc.client.accounts import (
    AccountDeletion,
    Accounts,
    Emails,
    Identities,
    ServiceAccounts,
    Sessions,
    Users,
)
from contentsvc.client.calls import Calls, Family
from contentsvc.client.challenges import Challenges, Entries, Rewards
from contentsvc.client.connections import Verifying
from contentsvc.client.content import (
    Collections,
    Comments,
    Content,
    Dependents,
    Guests,
    Names,
    Plays,
    Ratings,
    Revisions,
    Search,
    Subscriptions,
    UploadPrecheck,
    Visibility,
    Withdrawal,
)
from contentsvc.client.files import Downloads, Files
from contentsvc.client.files.transfers import Transfers
from contentsvc.client.http import Http
from contentsvc.client.library import FileStore, Library, Store
from contentsvc.client.login import LogIn, OAuth
from contentsvc.client.moderation import (
    AuditLog,
    Bans,
    Decisions,
    Holds,
    ModeratedUsers,
    Notices,
    Reports,
    Statistics,
)
from contentsvc.client.notifications import Announcements, Debug, Notifications, StudioNotifications
from contentsvc.client.notifications.socket import AutobahnConnector, Connector
from contentsvc.client.notifications.subscription import Subscription
from contentsvc.client.progress import Progress
from contentsvc.client.social import Messages, Social
from contentsvc.client.social.friends import Friends
from contentsvc.client.studio import Events, Webhooks
from contentsvc.framework.core.http_client import agent_of
from contentsvc.framework.core.http_proxy import Proxies
from contentsvc.wire.legal import LegalInfo
from contentsvc.wire.oauth import ServiceToken, TokenAnswer
from contentsvc.wire.packages import Platform
from contentsvc.wire.searches import ClientQuery
from contentsvc.wire.service import ServiceInfo

TIMEOUT = 22.0
"""Seconds for one attempt. The service itself takes at most 5 for a database connection and 15 for
a statement."""
DEFAULT_PATIENCE = 30.0
"""Seconds within which the last attempt begins."""
_CONNECT = 30.0
"""Seconds for a connection, unless an attempt has fewer."""
_IDLE = 20
"""Seconds that an unused connection stays open. The service would close it after 60."""


class Health(Family):
    """Health checks. The client does not repeat them."""

    async def check_liveness(self) -> None:
        """Returns if the process of the service answers."""
        await self._calls.call("GET", "/health/live", repeat=False)

    async def check_readiness(self) -> None:
        """Returns if the service can do its work, or can at least be read. Raises ApiError
        `not_ready`, with the reasons, if it cannot."""
        await self._calls.call("GET", "/health/ready", repeat=False)


class Service(Family):
    """What the service says about itself."""

    async def get(self) -> ServiceInfo:
        """Get the service's name, platforms, types, tags and rules (conventions#the-service)."""
        return await self._calls.get("/service", ServiceInfo)

    async def get_legal(self) -> LegalInfo:
        """Get the contacts for legal matters, and the terms of the service (notices#legal)."""
        return await self._calls.get("/legal", LegalInfo)


class Client:
    """The service at `base_url`. Its operations are the methods of the families, such as
    `client.comments.create(content, CommentCreate(body="Well made"))`. Operations on the user's own
    data take the user from the log-in.

    One attempt of a request takes at most `timeout` seconds. If a request may be repeated, the
    client repeats it for `patience` seconds, with pauses from `random`. `agent` and `connector` are
    for tests; uploads of files use neither. All connections go through the proxies that HTTP_PROXY
    and HTTPS_PROXY name, except to the hosts that NO_PROXY names. The client calls `on_tokens` with
    the new tokens of each log-in and renewal: each refresh token replaces the one before.

    Raises ValueError if `base_url` is no URL.

    The operations raise ApiError, whose `code` is the cause, and its subclasses SessionEnded and
    ProgressConflict. They also raise NotSignedIn and Unreachable.
    """

    def __init__(
        self,
        reactor: Any,
        base_url: str,
        *,
        timeout: float = TIMEOUT,
        patience: float = DEFAULT_PATIENCE,
        random: Random | None = None,
        agent: IAgent | None = None,
        connector: Connector | None = None,
        on_tokens: Callable[[TokenAnswer], object] | None = None,
    ) -> None:
        random = random or SystemRandom()
        self._reactor, self._random = reactor, random
        self._pool = HTTPConnectionPool(reactor)
        self._pool.cachedConnectionTimeout = _IDLE
        # Http decides which requests to send again: it knows the operation.
        self._pool.retryAutomatically = False
        # Transfers of files go through it too, and bodies have limits of their own.
        proxies = Proxies()
        agent = agent or agent_of(
            reactor, self._pool, _CONNECT, policy=Verifying(), most=None, proxies=proxies
        )
        http = Http(
            reactor,
            base_url,
            agent=agent,
            random=random,
            timeout=timeout,
            patience=patience,
        )
        self.oauth = OAuth(http)
        self._log_in = LogIn(reactor, self.oauth, on_tokens)
        self._calls = calls = Calls(http, self._log_in)
        self.accounts, self.emails = Accounts(calls), Emails(calls)
        self.actions, self.decisions, self.holds = AuditLog(calls), Decisions(calls), Holds(calls)
        self.bans, self.announcements = Bans(calls), Announcements(calls)
        self.challenges = Challenges(calls)
        self.collections, self.plays = Collections(calls), Plays(calls)
        self.comments = Comments(calls)
        self.content = Content(calls)
        self.debug = Debug(calls)
        self.departures = AccountDeletion(calls)
        self.dependents = Dependents(calls)
        self.downloads = Downloads(calls)
        self.studio_notifications = StudioNotifications(calls)
        self.search = Search(calls)
        self.entries = Entries(calls)
        self.events = Events(reactor, calls, random)
        self.files = Files(calls)
        self.health, self.service = Health(calls), Service(calls)
        self.identities = Identities(calls)
        self.messages = Messages(calls)
        self.moderated_users, self.notices = ModeratedUsers(calls), Notices(calls)
        self.precheck = UploadPrecheck(calls)
        self.progress = Progress(calls)
        self.ratings = Ratings(calls)
        self.reports = Reports(calls)
        self.revisions = Revisions(calls)
        self.rewards = Rewards(calls)
        self.service_accounts = ServiceAccounts(calls)
        self.sessions = Sessions(calls)
        self.statistics = Statistics(calls)
        self.social = Social(calls)
        self.subscriptions = Subscriptions(calls)
        self.friends = Friends(calls)
        self.users = Users(calls)
        self.webhooks = Webhooks(calls)
        self.guests, self.visibility, self.names = Guests(calls), Visibility(calls), Names(calls)
        self.withdrawal = Withdrawal(calls)
        self.transfers = Transfers(
            reactor, self.files, self.downloads, agent, random, proxies=proxies
        )
        connector = connector or AutobahnConnector(reactor, proxies)
        self.notifications = Notifications(reactor, calls, self.sessions, connector, random)

    def library(
        self,
        store: Path | Store,
        *,
        game: str | None = None,
        platform: Platform | None = None,
        features: Iterable[str] | None = None,
        live: Subscription | None = None,
        confirm: bool = False,
    ) -> Library:
        """The changes by which this device gets what its user keeps: see Library
        (content#library-map). `store` remembers what the device has: it is the path of a file, or
        an object that reads and writes a text. `game`, `platform` and `features` say what the
        device has: with them, the revisions are those that fit (content#fitting-revisions). `live`
        is the result of `client.notifications.listen`."""
        text = None if features is None else ",".join(features)
        return Library(
            self._reactor,
            self._calls,
            self._random,
            FileStore(store) if isinstance(store, Path) else store,
            ClientQuery(game=game, platform=platform, features=text),
            live,
            confirm,
        )

    @property
    def user(self) -> str:
        """The id of the user who is signed in. Raises NotSignedIn, also for a service account."""
        return self._log_in.user

    @property
    def tokens(self) -> TokenAnswer:
        """The present tokens. `resume_session` takes their refresh token. Raises NotSignedIn."""
        return self._log_in.tokens

    async def log_in(self, name: str, password: str) -> TokenAnswer:
        """Begin a session, by user name or e-mail address.

        Raises ApiError (`invalid_grant`, `account_banned`, `slow_down`), Unreachable.
        """
        return await self._log_in.begin(name, password)

    async def log_in_with(self, subject_token: str, token_type: str) -> TokenAnswer:
        """Begin a session with the token of another service, such as the studio's own accounts, or
        Steam (accounts#other-services). `token_type` is a URN of RFC 8693 §3. The first log-in with
        an account makes a user.

        Raises ApiError (`invalid_request`, `account_banned`, `slow_down`), Unreachable.
        """
        return await self._log_in.exchange(subject_token, token_type)

    async def log_in_as_guest(self, secret: str) -> TokenAnswer:
        """Begin a session as a guest, where the service takes guests (accounts#guests). The first
        log-in with a secret makes a guest; later ones log in to the same guest. Make the secret
        with `guest_secret`, and store it before you send it. Keep it until `accounts.put_account`
        or `identities.link` has made the guest a full account, or until this raises
        `invalid_grant`.

        Raises ApiError (`unsupported_grant_type`, `invalid_grant`, `account_banned`, `slow_down`),
        Unreachable.
        """
        return await self._log_in.begin_guest(secret)

    async def log_in_as_service(
        self, account: str, secret: str, scope: str | None = None
    ) -> ServiceToken:
        """Act as a service account, by its id and one of its secrets (studio#service-accounts).
        `scope` names some of its scopes, separated by spaces; None means all. The client renews the
        token by itself.

        Raises ApiError (`invalid_client`, `invalid_scope`), Unreachable.
        """
        return await self._log_in.begin_service(account, secret, scope)

    async def resume_session(self, refresh_token: str) -> TokenAnswer:
        """Continue the session of a refresh token, for example one that an earlier process stored.
        The token cannot be used again. Raises SessionEnded, ApiError, Unreachable."""
        return await self._log_in.renew(refresh_token)

    def use_token(self, access_token: str, user: str | None = None) -> None:
        """Use an access token of another program. When it has expired, operations raise
        SessionEnded. `user` is the id of the user, which operations on the user's own data need.
        """
        self._log_in.use(access_token, user)

    async def log_out(self) -> None:
        """End the session. Raises NotSignedIn, ApiError, Unreachable."""
        await self._log_in.end()

    async def __aenter__(self) -> Self:
        """Leaving the block closes the client."""
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the subscriptions and the readers of events, and close all connections. This does
        not end the session."""
        self.events.stop()
        await self.notifications.stop()
        await self._pool.closeCachedConnections()
