"""The text of an error, for an operator who reads it in a table."""

import re

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.storage.bucket import StorageUnavailable

LENGTH = 300
"""Most characters of a text."""
_SECRETS = re.compile(r"(?<=//)[^/@\s]+(?=@)|(?<=password=)('[^']*'|\S+)", re.IGNORECASE)
"""What a URL or a DSN says before its host, and a password."""


def plain(error: Exception) -> str:
    """One line that says what went wrong, without secrets."""
    text = str(error).strip()
    if not isinstance(error, Unavailable | StorageUnavailable | Away):
        # The driver's further lines have the statement with its values.
        text = text.partition("\n")[0]
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    text = _SECRETS.sub("***", " ".join(text.split()))
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…"
