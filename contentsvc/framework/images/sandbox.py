"""What a process gives up before it reads bytes that nobody has checked: files, sockets, other
processes, new code, and most of the system's calls.

The scaling process closes itself in with `close`; the daemon asks `lacking` at its start. The
filter of calls is seccomp's: a program of BPF that the kernel runs before each call. It needs
nothing but the C library's `prctl`: no binding of libseccomp is both maintained and installable
everywhere, and all that the filter compares is numbers of calls.
"""

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from typing import Final, NamedTuple

# linux/prctl.h and linux/seccomp.h.
_SET_DUMPABLE: Final = 4
_SET_SECCOMP: Final = 22
_SET_NO_NEW_PRIVS: Final = 38
_FILTER: Final = 2
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000
_ALLOW: Final = 0x7FFF0000

# linux/bpf_common.h: load a word; go on or jump if equal, or if a bit is set; end.
_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_HAS: Final = 0x45
_RETURN: Final = 0x06

# struct seccomp_data: where the number of the call is, its architecture, and the lower half of its
# third argument.
_NUMBER: Final = 0
_ARCHITECTURE: Final = 4
_PROTECTION: Final = 16 + 2 * 8
_EXEC: Final = 4
"""PROT_EXEC of mmap and mprotect."""


class _Calls(NamedTuple):
    """The numbers of the calls that are left. `protected` have a protection as third argument, and
    are left without PROT_EXEC."""

    audit: int
    plain: dict[str, int]
    protected: dict[str, int]


_CALLS: Final = {
    "x86_64": _Calls(
        0xC000003E,
        {
            **{"read": 0, "write": 1, "writev": 20},
            **{"munmap": 11, "brk": 12, "mremap": 25, "madvise": 28},
            **{"futex": 202, "sched_yield": 24, "clock_gettime": 228, "getrandom": 318},
            # The time that an image may take, and the way back from a handler.
            **{"setitimer": 38, "rt_sigreturn": 15},
            **{"exit": 60, "exit_group": 231},
            # Pillow asks for it before it writes, wherever to.
            "getcwd": 79,
        },
        {"mmap": 9, "mprotect": 10},
    ),
    "aarch64": _Calls(
        0xC00000B7,
        {
            **{"read": 63, "write": 64, "writev": 66},
            **{"munmap": 215, "brk": 214, "mremap": 216, "madvise": 233},
            **{"futex": 98, "sched_yield": 124, "clock_gettime": 113, "getrandom": 278},
            **{"setitimer": 103, "rt_sigreturn": 139},
            **{"exit": 93, "exit_group": 94},
            "getcwd": 17,
        },
        {"mmap": 222, "mprotect": 226},
    ),
}
"""By the machine's name. They are a part of each architecture, and never change."""


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def lacking() -> str | None:
    """Why the system's calls cannot be filtered here; None if they can."""
    if sys.platform != "linux":
        return f"{platform.system() or sys.platform} has no seccomp"
    if platform.machine() not in _CALLS or sys.maxsize < 2**32:
        return f"there is no list of the calls of {platform.machine()}"
    # Without a program the kernel finds no fault but that.
    if (error := _prctl(_SET_SECCOMP, _FILTER, None)) != errno.EFAULT:
        return f"the kernel, or what this runs in, has no seccomp ({os.strerror(error)})"
    return None


def close(memory: int, *, filtered: bool) -> None:
    """Give up for good all but the open files, `memory` bytes, and calls for reading, writing,
    memory and the end. `filtered` is False where the calls cannot be filtered: then limits alone
    hold. Other calls fail with EPERM; those of another architecture end the process.

    Raises OSError, ValueError: what should hold does not.
    """
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except ValueError:
        # macOS has the limit, and refuses to set it.
        if sys.platform == "linux":
            raise
    # Not 3: whoever closes one of the three could open another.
    for limit in (
        *(resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC),
        *(resource.RLIMIT_CORE, resource.RLIMIT_FSIZE),
    ):
        resource.setrlimit(limit, (0, 0))
    if sys.platform != "linux":
        return
    # Only processes with more rights can read it, and it gets none by what it runs.
    for option, value in ((_SET_DUMPABLE, 0), (_SET_NO_NEW_PRIVS, 1)):
        if error := _prctl(option, value, None):
            raise OSError(error, os.strerror(error))
    if filtered:
        program = _program(_CALLS[platform.machine()])
        held = _Program(len(program) // 8, program)
        if error := _prctl(_SET_SECCOMP, _FILTER, ctypes.byref(held)):
            raise OSError(error, os.strerror(error))


def _prctl(option: int, value: int, pointer: object) -> int:
    """The number of its error, 0 for none."""
    call = ctypes.CDLL(None, use_errno=True).prctl
    call.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)
    return 0 if call(option, value, pointer, 0, 0) == 0 else ctypes.get_errno()


def _program(calls: _Calls) -> bytes:
    """The filter. Each jump says how many instructions are passed over if it is so, and if not."""
    refuse = _instruction(_RETURN, _ERRNO | errno.EPERM)
    allow = _instruction(_RETURN, _ALLOW)
    parts = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, calls.audit, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
    ]
    for number in calls.plain.values():
        parts += _instruction(_EQUAL, number, 0, 1), allow
    for number in calls.protected.values():
        parts += (
            _instruction(_EQUAL, number, 0, 4),
            _instruction(_LOAD, _PROTECTION),
            _instruction(_HAS, _EXEC, 0, 1),
            refuse,
            allow,
        )
    return b"".join([*parts, refuse])


def _instruction(code: int, operand: int, yes: int = 0, no: int = 0) -> bytes:
    """struct sock_filter."""
    return struct.pack("=HBBI", code, yes, no, operand)
