"""What a service says of itself (conventions#the-service)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Count, Record, described


class Label(Record):
    """What something is called, in each language of the portal."""

    en: str
    de: str


class Named(Record):
    """A name that requests and answers have, and what people read."""

    name: str
    label: Label


class TagGroup(Record):
    """Tags that belong together. `types` are the only types that have them, `most` is how many of
    them a content may have; null: no limit. Those of `staff` only curators give."""

    key: str
    label: Label
    tags: list[Named]
    types: list[str] | None
    most: Annotated[int, described("of how many tags at most", bits=32)] | None
    staff: bool


class ServiceIssuer(Record):
    """An issuer with which a page logs people in, as GET /issuers has it."""

    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    name: Annotated[str, Meta(examples=["Studio"])]
    client_id: Annotated[str, Meta(examples=["castle-web"])]


class ServiceLink(Record):
    """A page of the studio's."""

    label: Label
    url: Annotated[str, Meta(examples=["https://studio.example/imprint"])]


class ServiceInfo(Record):
    """What this service is and does. `platforms` and `types` are those that new packages and new
    content may have. With `freeTags` tags of no group are allowed too. `guests`: it takes guests,
    who may do what `guestsMay` names. `registration`: anyone may register. `markup` says how
    descriptions are written: `markdown` or `none`. `mail`: it sends mails, by which users confirm
    their address and reset a password. For `unsendMinutes` who has sent a message can take it away;
    0: without limit."""

    name: str
    platforms: list[Named]
    types: list[Named]
    tag_groups: list[TagGroup]
    free_tags: bool
    guests: bool
    guests_may: list[str]
    registration: bool
    issuers: list[ServiceIssuer]
    markup: str
    links: list[ServiceLink]
    mail: bool
    unsend_minutes: Count
