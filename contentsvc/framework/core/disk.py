"""Files that outlive a failure of the power, and errors that name them."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from twisted.logger import Logger

REFUSED: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
"""What file systems say that write no folder by itself, such as some of networks and of FUSE."""
_warned: set[str] = set()

log = Logger()


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """An OSError of the block has this path, unless it has one: the system does not say which file
    it is where it knows it by a descriptor."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise


def sync_file(path: Path) -> None:
    """Have a file's bytes outlive a failure of the power. Raises OSError."""
    with naming(path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Have the names of what is in a folder outlive a failure of the power. Where its file system
    cannot do that, a warning says so, once for each file system. Raises OSError."""
    try:
        sync_file(folder)
    except OSError as error:
        if error.errno not in REFUSED:
            raise
        device = str(os.stat(folder).st_dev)
        if device not in _warned:
            _warned.add(device)
            # Log: the file system of this folder does not write a folder to the disk when it is
            # asked to. All works; but after a failure of the power, a file that has just come may
            # be missing. The line comes once. Do: nothing, or put the folder on a local disk.
            log.warn(
                "{folder}: its file system cannot flush a folder ({reason}): the names of new "
                "files may be lost with the power",
                folder=str(folder),
                reason=error.strerror,
            )
