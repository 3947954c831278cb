"""What clients need to know about this service (conventions#the-service), and the operator's legal
texts (notices#legal)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.framework.http.errors import InvalidHost
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.wire.legal import LegalInfo, Terms
from contentsvc.wire.service import ServiceInfo


class Service(Struct):
    """What the settings say, and no database: it is answered while that is away."""

    info: ServiceInfo

    @route("GET", "/service", allow=ANYONE)
    async def get_service(self, call: Call) -> ServiceInfo:
        """Get the service's name, platforms, types, tags and rules (conventions#the-service)."""
        return self.info


class Legal(Struct):
    """What the file of the operator says. `public_url` is where clients reach the service. Without
    the `portal`, nobody can fill in its form."""

    contacts: dict[str, str]
    terms: Terms | None
    public_url: str | None
    portal: bool

    @route("GET", "/legal", allow=ANYONE, raises=(InvalidHost,))
    async def get_legal(self, call: Call) -> LegalInfo:
        """Get the contacts for legal matters, the terms of the service, and the page where anyone
        reports illegal content (notices#legal)."""
        notices = None
        if self.portal:
            notices = f"{(self.public_url or call.base_url).rstrip('/')}/notice"
        return LegalInfo(self.contacts, self.terms, notices)
