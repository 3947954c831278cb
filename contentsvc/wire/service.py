"""What a service says about itself (conventions#the-service)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Count, Record, described


class Label(Record):
    """What something is called, in each language of the portal."""

    en: str
    de: str


class Named(Record):
    """The `name` that requests and answers have, and the label that people read."""

    name: str
    label: Label


class TagGroup(Record):
    """A group of tags (content#tags). Only content of these `types` can have them; null: of any
    type. A content can have at most `most` of them; null: any number. If `staff` is true, only
    curators give them."""

    key: str
    label: Label
    tags: list[Named]
    types: list[str] | None
    most: Annotated[int, described("of how many tags at most", bits=32)] | None
    staff: bool


class ServiceIssuer(Record):
    """An issuer with which a page can log users in, as GET /issuers has it
    (accounts#other-services)."""

    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    name: Annotated[str, Meta(examples=["Studio"])]
    client_id: Annotated[str, Meta(examples=["castle-web"])]


class ServiceLink(Record):
    """A link to a page of the studio."""

    label: Label
    url: Annotated[str, Meta(examples=["https://studio.example/imprint"])]


class ServiceInfo(Record):
    """What this service is and does (conventions#the-service). `platforms` and `types` are those
    that new packages and new content may have. If `freeTags` is true, tags of no group are allowed
    too. If `guests` is true, the service takes guests, who may do what `guestsMay` names. If
    `registration` is true, anyone may register. `markup` says how descriptions are written:
    `markdown` or `none`. If `mail` is true, the service sends mails, by which users confirm their
    address and reset a password. For `unsendMinutes` after a message was sent, its sender can take
    it away; 0: without limit."""

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
