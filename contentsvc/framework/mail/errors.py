"""Why a mail was not sent."""


class Away(Exception):
    """The mail server cannot be used at the moment, or with these settings."""


class PutOff(Exception):
    """The server does not take this mail now. `str()` does not have the address."""


class NotTaken(Exception):
    """The server will never take this mail. `str()` does not have the address."""
