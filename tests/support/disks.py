"""A file system that refuses what others do."""

import os
import stat
from collections.abc import Callable


def refuse_flush(code: int, *, files: bool = False) -> Callable[[int], None]:
    """A stand-in for os.fsync that fails with this number of errno for folders, or for files
    too."""
    flush = os.fsync

    def fsync(descriptor: int) -> None:
        if files or stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))
        flush(descriptor)

    return fsync
