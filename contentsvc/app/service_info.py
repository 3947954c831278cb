"""What a service says of itself, as its settings have it: it is the same until the process ends."""

from typing import Any

from msgspec import to_builtins

from contentsvc.app import labels
from contentsvc.app.context import Context
from contentsvc.config.brand import UNBRANDED, Brand
from contentsvc.portal import face
from contentsvc.wire.service import Label, ServiceInfo, ServiceIssuer, ServiceLink


def service_info(context: Context) -> ServiceInfo:
    """The answer of GET /service, and what the portal's pages have of it."""
    settings, issuers = context.settings, context.credentials.issuers
    brand = context.studio.brand
    known = labels.all_labels(brand)
    return ServiceInfo(
        name=UNBRANDED if brand is None else brand.name,
        platforms=labels.named(settings.platforms, known["platforms"]),
        types=labels.named(settings.types, known["types"]),
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
        links=[ServiceLink(Label(*link.label), link.url) for link in brand.links] if brand else [],
        mail=context.mailing is not None,
    )


def for_pages(info: ServiceInfo, brand: Brand | None) -> dict[str, Any]:
    """The same for the portal's pages: without the groups of tags, which may be many, and with the
    `labels` of types and platforms that the service does not have, or no more."""
    found: dict[str, Any] = to_builtins(info)
    del found["tagGroups"]
    found["labels"] = {
        kind: {
            name: to_builtins(label)
            for name, label in every.items()
            if name not in {one["name"] for one in found[kind]}
        }
        for kind, every in labels.all_labels(brand).items()
    }
    found["brand"] = face.script(brand)
    return found
