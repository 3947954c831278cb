"""What a service says of itself, as its settings have it: it is the same until the process ends."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import json, to_builtins

from contentsvc.app.context import Context
from contentsvc.config.brand import UNBRANDED, Brand
from contentsvc.config.tags import Group, TagsFile
from contentsvc.portal import face
from contentsvc.wire.service import Label, Named, ServiceInfo, ServiceIssuer, ServiceLink, TagGroup

_TYPES: Final = {
    "game": Label("Game", "Spiel"),
    "asset": Label("Asset", "Baustein"),
    "avatar_box": Label("Avatar", "Avatar"),
    "gameplay_box": Label("Game rules", "Spielregeln"),
    "scene_box": Label("Scene", "Szene"),
}
_PLATFORMS: Final = {
    "win64": Label("Windows", "Windows"),
    "osx64": Label("macOS", "macOS"),
    "linux64": Label("Linux", "Linux"),
    "android": Label("Android", "Android"),
    "ios": Label("iOS", "iOS"),
    "ps4": Label("PlayStation 4", "PlayStation 4"),
    "ps5": Label("PlayStation 5", "PlayStation 5"),
    "xbox": Label("Xbox", "Xbox"),
    "switch": Label("Nintendo Switch", "Nintendo Switch"),
    "quest": Label("Meta Quest", "Meta Quest"),
    "web": Label("Browser", "Browser"),
}
"""What types and platforms are called, unless the studio says otherwise."""


def service_info(context: Context) -> ServiceInfo:
    """The answer of GET /service, and what the portal's pages have of it."""
    settings, issuers = context.settings, context.credentials.issuers
    brand, tags = context.studio.brand, context.studio.tags or TagsFile()
    known = _labels(brand)
    return ServiceInfo(
        name=UNBRANDED if brand is None else brand.name,
        platforms=_named(settings.platforms, known["platforms"]),
        types=_named(settings.types, known["types"]),
        tag_groups=list(map(_group, tags.groups)),
        free_tags=tags.free,
        guests=settings.guests,
        guests_may=[*settings.guests_may],
        registration=settings.registration,
        issuers=[
            ServiceIssuer(each.issuer, each.name or "", each.client_id or "")
            for each in (issuer.settings for issuer in issuers.for_pages)
        ],
        markup=settings.markup,
        links=[ServiceLink(Label(*link.label), link.url) for link in brand.links] if brand else [],
        mail=context.mailing is not None,
        unsend_minutes=settings.unsend_minutes,
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


def modules(context: Context) -> dict[str, bytes]:
    """What the portal's pages have of it, by the names of their modules. The groups of tags, which
    may be many, are a module of their own. `labels` are those of types and platforms that the
    service does not have, or no more."""
    info = service_info(context)
    said: dict[str, Any] = to_builtins(info)
    groups = said.pop("tagGroups")
    said["labels"] = {
        kind: {
            name: to_builtins(label)
            for name, label in every.items()
            if name not in {one["name"] for one in said[kind]}
        }
        for kind, every in _labels(context.studio.brand).items()
    }
    terms = context.terms
    said["terms"] = None if terms.terms is None else to_builtins(terms.terms)
    said["requireTerms"] = terms.needed
    said["termsReference"] = context.settings.terms_reference
    said["requireReasons"] = context.settings.require_reasons
    said["brand"] = face.script(context.studio.brand)
    return {
        "service.js": b"export const service = %s;\n" % json.encode(said),
        "tag-groups.js": b"export const tagGroups = %s;\n" % json.encode(groups),
    }


def _labels(brand: Brand | None) -> dict[str, dict[str, Label]]:
    """Those of `types` and of `platforms`: the brand's, or else ours."""
    found = {"types": _TYPES, "platforms": _PLATFORMS}
    for kind in found if brand is not None else ():
        own = getattr(brand, kind)
        found[kind] = found[kind] | {name: Label(*label) for name, label in own.items()}
    return found


def _named(names: Iterable[str], labels: Mapping[str, Label]) -> list[Named]:
    """These names with their labels. One without a label is called as it is."""
    return [Named(name, labels.get(name) or Label(name, name)) for name in names]
