"""What a service says of itself (conventions#the-service)."""

from contentsvc.wire.base import Record


class ServiceInfo(Record):
    """What this service is and does. `mail`: it sends mails, by which users confirm their address
    and reset a password."""

    mail: bool
