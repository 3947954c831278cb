"""Text files that begin with a byte order mark, as some editors and shells write them."""

from codecs import BOM_UTF8


def without_mark(data: bytes) -> bytes:
    """What is in a file of UTF-8 text, without the mark that may be its beginning."""
    return data.removeprefix(BOM_UTF8)
