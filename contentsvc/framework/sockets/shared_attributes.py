"""Keeping an idle socket small.

Autobahn sets some eighty attributes on every instance: two thirds of an idle socket's memory. Most
of them have the same value everywhere. So a class has these values, and an instance only
those that differ.
"""

from typing import Any

from autobahn.websocket.protocol import TrafficStats

from contentsvc.framework.core.autobahn_internals import only_for_handshake


class SharedAttributes:
    """The attributes that all idle sockets of one factory share.

    `protocol` is the class of the sockets: a subclass of `kind`, a FrameLimits, with these
    attributes. `factory` is Autobahn's, with its options set.
    """

    def __init__(self, factory: Any, kind: Any) -> None:
        self._common = _sampled(factory, kind)
        self.protocol: Any = type("Socket", (kind,), self._common)

    def slim(self, socket: Any) -> None:
        """After the handshake, keep on the instance only the attributes that differ."""
        common = self._common
        socket.__dict__ = {
            name: value
            for name, value in vars(socket).items()
            if common.get(name, socket) is not value
            and name != "handshake"
            and not only_for_handshake(name)
        }


def _sampled(factory: Any, kind: Any) -> dict[str, Any]:
    sample = kind()
    sample.factory = factory
    sample.openHandshakeTimeout = 0  # starts no timer
    sample.begin_handshake()
    factory.countConnections = 0
    flags = {k: v for k, v in vars(sample).items() if v is None or isinstance(v, int)}
    options = {name: getattr(factory, name) for name in kind.CONFIG_ATTRS}
    # As an attribute of a class a function would be a method.
    options["perMessageCompressionAccept"] = staticmethod(options["perMessageCompressionAccept"])
    emptied = {"send_queue": (), "trafficStats": TrafficStats(), "utf8validator": None}
    opened = {"inside_message": False, "current_frame": None, "websocket_version": 13}
    # Without CONFIG_ATTRS Autobahn does not copy the options to each instance, and does not format
    # them all for its log.
    return {**flags, **options, **emptied, **opened, "CONFIG_ATTRS": ()}
