"""The bytes that bodies may have."""

KIB = 1024
BODY_LIMIT = 256 * KIB
"""Bytes of a body unless the route says otherwise."""
FORM_LIMIT = 16 * KIB
"""Bytes of a form."""
SMALL = 16 * KIB
"""Bytes of a body that comes without a token."""
