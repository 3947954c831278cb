"""What a service says of itself, as its settings have it: it is the same until the process ends."""

from contentsvc.app import labels
from contentsvc.app.context import Context
from contentsvc.wire.service import ServiceInfo, ServiceIssuer


def service_info(context: Context) -> ServiceInfo:
    """The answer of GET /service, and what the portal's pages have of it."""
    settings, issuers = context.settings, context.credentials.issuers
    return ServiceInfo(
        name="contentsvc",
        platforms=labels.named(settings.platforms, labels.PLATFORMS),
        types=labels.named(settings.types, labels.TYPES),
        tag_groups=[],
        free_tags=True,
        guests=False,
        guests_may=[],
        registration=settings.registration,
        issuers=[
            ServiceIssuer(each.issuer, each.name or "", each.client_id or "")
            for each in (issuer.settings for issuer in issuers.for_pages)
        ],
        markup=settings.markup,
        links=[],
        mail=context.mailing is not None,
    )
