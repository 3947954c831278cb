"""Files with secrets, which nobody but their owner may read or write."""

import os
import stat
import struct
from pathlib import Path

from contentsvc.framework.core.utf8 import without_mark

_OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
_ACL_GROUP_OBJ, _ACL_GROUP, _ACL_MASK, _ACL_OTHER = 0x04, 0x08, 0x10, 0x20
_ACL_READ_WRITE = 0x06


class PrivateError(Exception):
    """The file is missing, no ASCII, or others may read or write it. `str()` says which."""


def read_private(path: Path) -> str:
    """The text of such a file. Raises PrivateError."""
    try:
        with path.open("rb") as file:
            # Check the file that is read, not the one that has the name a moment later.
            if _others_may(file.fileno()):
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                raise PrivateError(
                    f"users other than its owner may read or write it (mode {mode:04o}); run "
                    "chmod 600"
                )
            return without_mark(file.read()).decode("ascii")
    except OSError as error:
        raise PrivateError(error.strerror) from error
    except UnicodeDecodeError as error:
        raise PrivateError(str(error)) from error


def _others_may(descriptor: int) -> bool:
    """Whether a file's group or others may read or write it.

    If the file has an access control list, the group's bits of the mode are the list's mask.
    systemd's LoadCredential gives the service's user a right in this way, and the group none.
    """
    mode = os.fstat(descriptor).st_mode
    if not mode & _OTHERS:
        return False
    try:
        acl = os.getxattr(descriptor, "system.posix_acl_access")
    except OSError:
        return True
    entries = [(tag, rights) for tag, rights, _ in struct.iter_unpack("<HHI", acl[4:])]
    mask = dict(entries).get(_ACL_MASK, _ACL_READ_WRITE)
    return any(
        rights & _ACL_READ_WRITE & (_ACL_READ_WRITE if tag == _ACL_OTHER else mask)
        for tag, rights in entries
        if tag in {_ACL_GROUP_OBJ, _ACL_GROUP, _ACL_OTHER}
    )
