"""Text outside the process is UTF-8: paths, arguments, settings and output.

Python reads and writes all that in the encoding of the locale, and some of it only in ASCII. Where
the locale has another encoding, the program is replaced by itself in Python's UTF-8 mode.
"""

import locale
import os
import sys
from io import TextIOWrapper

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
