"""Party invites: spec §4.15, §4.16."""

from contentsvc.wire.base import Guid, Wire


class PartyBody(Wire):
    """Body of the party-invite operations."""

    party: Guid
