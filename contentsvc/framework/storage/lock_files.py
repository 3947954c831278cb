"""Names that say which process writes a file: so others can see when it has died (files#sending).

::

    <boot id>.<pid namespace>.<pid>.<start>.<random>

Daemons of several machines and containers may share a folder, so a pid alone says nothing. It
counts within one boot of one kernel and one pid namespace; the inode of a namespace is not used
again while a process lives in it. The start is in ticks since the boot, as psutil does not give it:
the wall clock may jump.
"""

import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from attrs import define, field

_NAME: Final = re.compile(
    r"([0-9a-f-]{36}\.[1-9]\d{0,19})\.([1-9]\d{0,8})\.(\d{1,20})\.[0-9a-f]{32}", re.ASCII
)
_NAMESPACE: Final = re.compile(r"pid:\[(\d+)\]", re.ASCII)
_ENDED = {"Z", "X", "x"}


@define(eq=False)
class LockFiles:
    """This process, and the others in its pid namespace.

    `proc` is where procfs is mounted, `pid` gives this process' number, and `kill` is that of os.
    Where the facts cannot be read, names have no owner, and no owner is ever gone.
    """

    _proc: Path = Path("/proc")
    _pid: Callable[[], int] = field(default=os.getpid, kw_only=True)
    _kill: Callable[[int, int], None] = field(default=os.kill, kw_only=True)

    def name(self) -> str:
        """A new name for a file that this process writes."""
        unique = secrets.token_hex(16)
        # Read each time, because a fork is another process.
        try:
            pid = self._pid()
            return f"{self._place(pid)}.{pid}.{self._stat(pid)[1]}.{unique}"
        except (OSError, ValueError):
            return unique

    def gone(self, name: str) -> bool:
        """Whether the process that made this name runs no more. False if that is unknown."""
        match = _NAME.fullmatch(name)
        if match is None:
            return False
        place, pid, start = match[1], int(match[2]), int(match[3])
        try:
            if self._place(self._pid()) != place:
                return False
            return self._ended(pid, start)
        except (OSError, ValueError):
            return False

    def _place(self, pid: int) -> str:
        """Where the pids count. Raises OSError, ValueError."""
        # The procfs of another namespace has other numbers.
        if os.readlink(self._proc / "self") != str(pid):
            raise ValueError(pid)
        boot = (self._proc / "sys/kernel/random/boot_id").read_text("ascii").strip()
        namespace = _NAMESPACE.fullmatch(os.readlink(self._proc / "self/ns/pid"))
        if namespace is None:
            raise ValueError(pid)
        return f"{boot}.{namespace[1]}"

    def _ended(self, pid: int, start: int) -> bool:
        try:
            state, began = self._stat(pid)
        except (FileNotFoundError, ProcessLookupError):
            # procfs may hide the processes of other users.
            return not self._exists(pid)
        # A pid is used again. A zombie waits for its parent only.
        return began != start or state in _ENDED

    def _exists(self, pid: int) -> bool:
        try:
            self._kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True

    def _stat(self, pid: int) -> tuple[str, int]:
        """State and start. Raises OSError, ValueError."""
        text = (self._proc / str(pid) / "stat").read_text("utf-8", "replace")
        # The name of the program, in brackets, may have any characters.
        fields = text.rpartition(")")[2].split()
        if len(fields) < 20:
            raise ValueError(text)
        return fields[0], int(fields[19])
