"""The families of the domains, and the bodies, forms and queries of their operations."""

import inspect
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, get_args, get_origin

from msgspec import Struct, structs
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.api.accounts.portal_codes import PortalCodes
from contentsvc.api.accounts.portal_session import PortalSessions
from contentsvc.api.events.events import Events
from contentsvc.api.events.webhooks import Webhooks
from contentsvc.api.files.downloads import Downloads
from contentsvc.api.files.files import Files
from contentsvc.api.health import Health
from contentsvc.api.notifications.notifications import DebugTools
from contentsvc.api.service import Legal, Service
from contentsvc.app.context import Context, Credentials
from contentsvc.app.domains.accounts import PORTAL
from contentsvc.app.families import DOMAINS, FAMILIES, OPERATIONS
from contentsvc.app.observations import Observations
from contentsvc.app.signals import Signals
from contentsvc.config.studio_files import StudioFiles
from contentsvc.framework.http.type_descriptions import wanted
from contentsvc.wire.notifications import (
    StudioNotificationToAudience,
    StudioNotificationToUsers,
)
from contentsvc.wire.progress import ProgressText
from tests.support import lists

Steps = tuple[str | int, ...]
BUCKET = SimpleNamespace(reach=None, delete_broken_uploads=None)


def members(hint: Any, steps: Steps = ()) -> Iterator[Steps]:
    """The places in a type's values, each as names and indexes."""
    if inspect.isclass(hint) and issubclass(hint, Struct):
        for field in structs.fields(hint):
            yield (*steps, field.encode_name)
            yield from members(field.type, (*steps, field.encode_name))
    elif get_origin(hint) is list:
        yield (*steps, 0)
        yield from members(get_args(hint)[0], (*steps, 0))
    else:
        for part in get_args(hint):
            yield from members(part, steps)


def installed(bucket: object, **settings: str) -> list[type]:
    """The classes of what the domains install with these settings. The parts are stand-ins: to
    install a family only hands them over."""
    part: Any = object()
    place: Any = bucket
    reactor: Any = Clock()
    hub: Any = SimpleNamespace(users=part, send_announcements=part)
    context = Context(
        settings=config.read(settings, {}),
        studio=StudioFiles(),
        reactor=reactor,
        wall=part,
        db=part,
        signals=Signals(),
        observed=Observations(),
        hub=hub,
        notifier=part,
        queue=part,
        maintenance=part,
        revocation=SimpleNamespace(end=part),
        restrictions=part,
        credentials=Credentials(part, part, part, part, part, part),
        mailing=None,
        bucket=place,
        terms=part,
    )
    return [type(family) for domain in DOMAINS for family in domain.install(context).families]


def qual(kind: type) -> str:
    """The name of a class, with its module."""
    return f"{kind.__module__}.{kind.__name__}"


class InstallTests(SynchronousTestCase):
    def test_all(self) -> None:
        """The domains install all families but health and the service's own, each once."""
        families = (*FAMILIES, *PORTAL)
        classes = [one.handlers for one in families if one.handlers not in {Health, Legal, Service}]
        found = installed(
            BUCKET,
            files="local",
            **{"debug-notify": "on"},
        )
        place = "`install` of contentsvc/app/domains/DOMAIN.py"
        lists.same(self, place, map(qual, found), map(qual, classes))
        self.assertEqual(len(found), len(classes))

    def test_off(self) -> None:
        """What the settings turn off is not installed."""
        every = set(
            installed(
                BUCKET,
                files="local",
                **{"debug-notify": "on"},
            )
        )
        off = {"debug-notify": "off", "events": "off", "portal": "no"}
        found = set(installed(None, files="external", **off))
        expected = {Files, Downloads, DebugTools, Events, Webhooks, PortalCodes, PortalSessions}
        self.assertEqual(every - found, expected)


RAW = {
    (ProgressText, ("value",)),
    (StudioNotificationToUsers, ("data",)),
    (StudioNotificationToAudience, ("data",)),
}
"""Members that have a check of their own."""


class WordsTests(SynchronousTestCase):
    def test_members(self) -> None:
        """For each member, the words of its type can follow "This must be"."""
        inputs = {
            hint: None
            for operation in OPERATIONS
            for hint in (*operation.route.bodies, operation.route.form, operation.route.query)
            if hint is not None
        }
        for hint in inputs:
            for steps in members(hint):
                if (hint, steps) not in RAW:
                    words = wanted(hint, steps) or ""
                    self.assertRegex(words, r'^(an? |one of |true or false|")', (hint, steps))
