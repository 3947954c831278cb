"""What a service says of itself, as its settings have it: it is the same until the process ends."""

from msgspec import json

from contentsvc.app import labels
from contentsvc.app.context import Context
from contentsvc.config.tags import Group, TagsFile
from contentsvc.wire.service import Label, Named, ServiceInfo, ServiceIssuer, TagGroup


def service_info(context: Context) -> ServiceInfo:
    """The answer of GET /service, and what the portal's pages have of it."""
    settings, issuers = context.settings, context.credentials.issuers
    tags = context.studio.tags or TagsFile()
    return ServiceInfo(
        name="contentsvc",
        platforms=labels.named(settings.platforms, labels.PLATFORMS),
        types=labels.named(settings.types, labels.TYPES),
        tag_groups=list(map(_group, tags.groups)),
        free_tags=tags.free,
        guests=False,
        guests_may=[],
        registration=settings.registration,
        issuers=[
            ServiceIssuer(each.issuer, each.name or "", each.client_id or "")
            for each in (issuer.settings for issuer in issuers.for_pages)
        ],
        markup="none",
        links=[],
        mail=context.mailing is not None,
    )


def _group(group: Group) -> TagGroup:
    return TagGroup(
        group.key,
        Label(*group.label),
        [Named(tag.name, Label(*tag.label)) for tag in group.tags],
        None if group.types is None else [*group.types],
        group.most,
        group.staff,
    )


def tag_groups(context: Context) -> bytes:
    """The script with the groups, for the portal's pages."""
    tags = context.studio.tags or TagsFile()
    groups, free = json.encode(list(map(_group, tags.groups))), json.encode(tags.free)
    return b"export const tagGroups = %s;\nexport const freeTags = %s;\n" % (groups, free)
