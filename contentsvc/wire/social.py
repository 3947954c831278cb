"""Party invites: spec §4.15, §4.16."""

from contentsvc.wire.base import Guid, Wire


class PartyBody(Wire):
    """The party."""

    party: Guid
