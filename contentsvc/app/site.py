"""What a daemon serves: the operations, the sockets and the pages beside them, on one site."""

from collections.abc import Callable, Iterable
from functools import partial
from gzip import compress
from typing import Any

from msgspec import json
from twisted.internet.threads import deferToThreadPool

from contentsvc.api import errors
from contentsvc.api.call import Call
from contentsvc.api.restrictions import RestrictionRules
from contentsvc.app import assets
from contentsvc.app.assets import Index
from contentsvc.app.context import Context
from contentsvc.app.contract import below, document
from contentsvc.app.domains.files import transfers
from contentsvc.app.families import MIRRORED, OPERATIONS, PORTAL
from contentsvc.app.root import Root
from contentsvc.app.service_info import modules
from contentsvc.framework.http.app import Api, Authenticate, Guests, ServiceLimit, Static
from contentsvc.framework.http.assets import Asset, LazyAsset
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.errors import BadToken, Unavailable
from contentsvc.framework.http.proxies import Proxies
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.site import ApiSite, Observe
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.traffic import Traffic
from contentsvc.framework.http.urls import base_path
from contentsvc.portal import face
from contentsvc.portal.pages import make_pages
from contentsvc.portal.sitemap import Sitemap
from contentsvc.push.hub import Hub
from contentsvc.push.socket import SocketFactory
from contentsvc.store.accounts import guests
from contentsvc.tokens import Caller, InvalidToken, Tokens


def make_site(
    reactor: Any,
    context: Context,
    families: Iterable[object],
    hub: Hub,
    *,
    now: Callable[[], float],
    connections: int,
    is_restoring: Callable[[], bool],
    unavailable: Callable[[str], None],
    observe: Observe,
    slow: SlowRequests,
    prefix: str,
) -> ApiSite:
    """The site of these families and of the hub's sockets, which has `connections` at most.

    `now` gives Unix seconds, and `is_restoring` says whether the database is being restored.
    `unavailable` is called with the cause of each answer that is 503, `observe` and `slow` as
    ApiSite says. `prefix` is what requests are numbered with.
    """
    brand = context.studio.brand
    settings, tokens = context.settings, context.credentials.tokens
    base = base_path(settings.public_url)
    reply = Reply(settings.cors_origins, unavailable, base)
    services = ServiceLimit(reactor, settings.service_requests_per_minute)
    api = Api(
        _authenticate(tokens),
        errors.translate,
        reply,
        settings.public_url,
        context.maintenance,
        services,
        Call,
        Guests(settings.guests_may, partial(guests.is_guest, context.db)),
        [RestrictionRules(context.restrictions), context.terms],
    )
    api.mount((*OPERATIONS, *MIRRORED, *PORTAL), families)
    sockets = SocketFactory(reactor, hub, tokens, settings.cors_origins)
    served = [operation for operation in OPERATIONS if operation in api.operations]

    def contract() -> Asset:
        found = below(document(served, settings.types, settings.platforms), base)
        # Without the time, so that the ETag is the same from all processes.
        return Asset(compress(json.encode(found), mtime=0), "application/json", gzipped=True)

    # It takes a quarter of a second. In a thread, only its own request waits for it.
    make = partial(deferToThreadPool, reactor, reactor.getThreadPool(), contract)
    beside: dict[bytes, Static] = {
        **assets.docs(face.site_name(brand)),
        b"/": Index(settings.public_url),
    }
    beside[b"/client.js"] = assets.client()
    beside[b"/openapi.json"] = LazyAsset(make, api.fail)
    portal = None
    if settings.portal:
        issuers = context.credentials.issuers
        given = issuers, context.bucket, reply, context.studio, modules(context)
        portal = make_pages(settings, reactor, context.db, *given)
        beside |= portal.beside()
        if settings.public_url:
            beside[b"/sitemap.xml"] = Sitemap(
                reactor,
                context.db,
                reply,
                settings.public_url,
                settings.types,
                errors.translate,
                api.fail,
            )
    root = Root(
        api,
        sockets,
        beside,
        files=transfers(context, reply),
        portal=portal,
        is_restoring=is_restoring,
    )
    traffic = Traffic(
        reactor,
        memory=settings.body_memory * KIB * KIB,
        connections=connections,
        sockets=lambda: sockets.countConnections,
    )
    return ApiSite(
        root,
        reactor,
        now=now,
        judge=root.judge,
        refuse=api.refuse,
        body_timeout=settings.body_timeout,
        traffic=traffic,
        proxies=Proxies(settings.trusted_proxies),
        observe=observe,
        slow=slow,
        prefix=prefix,
    )


def _authenticate(tokens: Tokens) -> Authenticate:
    def authenticate(token: str) -> Caller:
        try:
            caller = tokens.verify(token)
        except InvalidToken as error:
            raise BadToken(str(error)) from None
        if not tokens.revoked.complete:
            raise Unavailable(cause="lock")
        return caller

    return authenticate
