"""The sizes of bodies."""

KIB = 1024
BODY_LIMIT = 256 * KIB
"""Most bytes of a body, unless the route says otherwise."""
FORM_LIMIT = 16 * KIB
"""Most bytes of a form."""
SMALL = 16 * KIB
"""Most bytes of a body that comes without a token."""
