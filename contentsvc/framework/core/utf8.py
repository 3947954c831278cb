"""Text outside the process is UTF-8: paths, arguments, settings and output.

Python reads and writes all that in the encoding of the locale, and some of it only in ASCII. Where
the locale has another encoding, the program is replaced by itself in Python's UTF-8 mode.
"""

import locale
import os
import re
import sys
from codecs import BOM_UTF8
from io import TextIOWrapper
from typing import Final

_VARIABLE = "PYTHONUTF8"


def require() -> None:
    """Go on in UTF-8, whatever the locale is. If that needs another mode of Python, this does not
    return: the process begins anew, with the same number and the same descriptors.

    Call it before anything is read or opened.
    """
    encoding = locale.getencoding().lower().replace("-", "").replace("_", "")
    again = os.environ.get(_VARIABLE) == "1"
    if not (sys.flags.utf8_mode or encoding == "utf8" or again) and sys.executable:
        os.environ[_VARIABLE] = "1"  # for the workers too
        # -X works where Python ignores the environment.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606
    for stream in (sys.stdout, sys.stderr):
        # PYTHONIOENCODING may still name another encoding. What that lacks must not end a program.
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors="backslashreplace")


def without_mark(data: bytes) -> bytes:
    """What is in a file of UTF-8 text, without the mark that may be its beginning."""
    return data.removeprefix(BOM_UTF8)


_BLANKS: Final = re.compile(
    r"^[\t \u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]+"
    r"|[\t \u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]+\Z"
)


def trimmed(text: str) -> str:
    """A name or an address without the blanks at its ends: what a phone's keyboard or a copied cell
    adds. A line break is none."""
    return _BLANKS.sub("", text)
