"""The operator's legal information: contacts, and the terms (notices#legal, notices#terms)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Record, Seconds, Wire, described

Version = Annotated[
    str,
    Meta(min_length=1, max_length=64, description="a version of the terms", examples=["2026-11"]),
]


class TermsAcceptance(Wire):
    """The version of the terms that the user accepts (notices#terms). It must be the present
    one."""

    version: Version


class AcceptedTerms(Record):
    """The version of the terms that a user accepted last, and when (notices#terms)."""

    version: str
    accepted: Seconds


class Terms(Record):
    """The terms of the service: the present version, and where to read them (notices#terms)."""

    version: Annotated[str, Meta(examples=["2026-11"])]
    url: Annotated[str, Meta(examples=["https://studio.example/terms"])]


class LegalInfo(Record):
    """The operator's legal information (notices#legal). The operator chooses the names in
    `contacts`. `notices` is the URL of the portal's page where anyone reports illegal content; null
    without the portal."""

    contacts: Annotated[
        dict[str, str],
        described("whom to write to", examples=[{"authorities": "legal@studio.example"}]),
    ]
    terms: Terms | None
    notices: Annotated[str | None, Meta(examples=["https://content.example/notice"])]
