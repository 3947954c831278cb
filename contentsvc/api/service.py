"""What this service is, for clients that shall fit it (conventions#the-service)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.wire.service import ServiceInfo


class Service(Struct):
    """What the settings say, and no database: it is answered while that is away."""

    info: ServiceInfo

    @route("GET", "/service", allow=ANYONE)
    async def get_service(self, call: Call) -> ServiceInfo:
        """Get what this service is and does."""
        return self.info
