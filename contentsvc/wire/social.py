"""Party invites: spec §4.15, §4.16; extensions §4."""

from contentsvc.wire.base import Guid, Id, Record, Seconds, Wire
from contentsvc.wire.users import UserInfo


class PartyBody(Wire):
    """The party."""

    party: Guid


class PendingInvite(Record):
    """An invite to a party that has no answer."""

    sender: UserInfo
    party: Id
    created: Seconds
