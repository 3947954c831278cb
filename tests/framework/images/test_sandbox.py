"""What code can still do that has broken into the scaling process."""

import errno
import os
import platform
import re
import struct
import sys
from pathlib import Path
from unittest import skipUnless

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.framework.images import sandbox
from contentsvc.framework.images.scaler import (
    Late,
    Scaler,
    ScalingFailed,
    Time,
    TooLong,
    Unscalable,
)
from tests.support.pictures import PNG

BROKEN = """
import ctypes, errno, mmap, os, resource, signal, socket, sys
from contentsvc.framework.images import program

libc = ctypes.CDLL(None, use_errno=True)

room = ctypes.create_string_buffer(120)
libc.mmap.restype = ctypes.c_void_p
page = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(4096), 3, 0x22, -1, 0))

def numbers(*given):
    return (ctypes.c_ulong * len(given))(*given)

read = program.scaled

def obey(data, *others):
    if not data.isascii():
        return read(data, *others)
    names = dict(globals())
    try:
        exec(data, names)
    except (OSError, ValueError) as error:
        raise program.Unreadable(f"refused: {error}") from None
    raise program.Unreadable(str(names.get("said", "done")))

program.scaled = obey
*widths, pixels, memory, filtered = map(int, sys.argv[1:])
program.main(widths, pixels, memory, filtered)
"""
"""The real program, whose reader does what its image says."""
CALL = """
given = libc.syscall({})
if given == -1:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
"""
"""A call of the system's without the C library's help."""
X86 = {
    **{"open": '2, b"/etc/passwd", 0', "openat": '257, -100, b"/etc/passwd", 0'},
    **{"creat": '85, b"/tmp/x", 0o600', "dup": "32, 0", "pipe": "22, room"},
    **{"socket": "41, 2, 1, 0", "socketpair": "53, 1, 1, 0, room"},
    **{"connect": "42, 0, room, 16", "fcntl": "72, 0, 0, 100"},
    **{"fork": "57", "vfork": "58", "clone": "56, 17, 0, 0, 0, 0", "clone3": "435, 0, 64"},
    **{"execve": '59, b"/bin/true", 0, 0', "execveat": '322, -100, b"/bin/true", 0, 0, 0'},
    **{"ptrace": "101, 16, os.getppid(), 0, 0", "kill": "62, os.getppid(), 0"},
    **{"tgkill": "234, os.getpid(), os.getpid(), 0", "pidfd_open": "434, os.getppid(), 0"},
    **{"process_vm_readv": "310, os.getppid(), 0, 0, 0, 0, 0", "memfd_create": '319, b"x", 0'},
    **{"process_vm_writev": "311, os.getppid(), 0, 0, 0, 0, 0", "unlink": '87, b"/tmp/x"'},
    **{"prlimit64": "302, 0, 7, numbers(64, 64), 0", "setrlimit": "160, 7, numbers(64, 64)"},
    **{"io_uring_setup": "425, 8, room", "bpf": "321, 0, 0, 0"},
    **{"unshare": "272, 0x10000000", "seccomp": "317, 0, 0, 0", "prctl": "157, 4, 1, 0, 0, 0"},
    **{"mprotect to run": "10, page, 4096, 5", "mmap to run": "9, 0, 4096, 7, 0x22, -1, 0"},
    **{"shmget": "29, 0, 4096, 0o1600", "rename": '82, b"/tmp/x", b"/tmp/y"'},
    # The same by the numbers of the other way to call the kernel, which is x32's.
    **{"open of x32": '0x40000002, b"/etc/passwd", 0', "socket of x32": "0x40000029, 2, 1, 0"},
}
"""Calls of x86-64, with their numbers and arguments."""
FREED = (
    "libc.close(0); os.open('/etc/passwd', 0)",
    "libc.close(2); socket.socket()",
    "libc.close(0); os.open('/dev/null', 1)",
    "libc.close(0); libc.close(2); os.pipe()",
)
"""What opens something in the place of what was open."""
REFUSED = f"[Errno {errno.EPERM}] {os.strerror(errno.EPERM)}"
TOO_MANY = f"refused: [Errno {errno.EMFILE}] {os.strerror(errno.EMFILE)}"
FILTERS = sandbox.lacking() is None


class BrokenCase(TestCase):
    timeout = 600

    def setUp(self) -> None:
        self.file = Path(self.mktemp())
        self.file.write_text(BROKEN)

    def scaler(self) -> Scaler:
        """One whose process obeys."""
        made = Scaler(reactor, (1,), 1, program=self.file)
        self.addCleanup(lambda: Deferred.fromCoroutine(made.stop()))
        return made

    async def said(self, scaler: Scaler, code: str) -> str:
        """What comes of this code there."""
        with self.assertRaises((Unscalable, ScalingFailed)) as caught:
            await scaler.scale(code.encode(), PNG)
        return str(caught.exception)


@skipUnless(FILTERS, "the kernel filters no calls")
class FilteredTests(BrokenCase):
    async def test_calls(self) -> None:
        """No call gets it a file, a socket, a process, another's memory, code or a right."""
        if platform.machine() != "x86_64":
            raise self.skipTest("the numbers are those of x86-64")
        scaler = self.scaler()
        for name, call in X86.items():
            said = await self.said(scaler, CALL.format(call))
            self.assertEqual(said, f"refused: {REFUSED}", name)

    async def test_library(self) -> None:
        """Neither does what Python has for the same."""
        scaler = self.scaler()
        for code in (
            "open('/etc/passwd')",
            "open('/proc/self/mem', 'wb')",
            "socket.socket(fileno=0).connect(('127.0.0.1', 5432))",
            "socket.socket(socket.AF_UNIX)",
            "os.fork()",
            "os.execv('/bin/true', ['true'])",
            "os.posix_spawn('/bin/true', ['true'], {})",
            "os.kill(os.getppid(), signal.SIGTERM)",
            "os.listdir('/')",
            "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
        ):
            said = await self.said(scaler, code)
            self.assertTrue(said.startswith(f"refused: {REFUSED}"), (code, said))

    async def test_freed(self) -> None:
        """Whoever closes its pipes can open nothing in their place."""
        for code in FREED:
            said = await self.said(self.scaler(), code)
            self.assertTrue(said.startswith(f"refused: {REFUSED}"), (code, said))

    async def test_other_architecture(self) -> None:
        """A call of another architecture, whose numbers mean something else, ends it."""
        if platform.machine() != "x86_64":
            raise self.skipTest("other processors have none")
        # int 0x80: the calls of 32 bits. The code lies in a page that is there before it is closed
        # in, for none can be made to run later.
        text = BROKEN.replace(
            "program.scaled = obey",
            "page = mmap.mmap(-1, 4096, prot=7)\n"
            "page.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n"
            "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
            "old = ctypes.CFUNCTYPE(ctypes.c_int)(at)\nprogram.scaled = obey",
        )
        self.file.write_text(text)
        self.assertEqual(
            await self.said(self.scaler(), "old()"), "its reader has crashed with signal 31"
        )

    async def test_time(self) -> None:
        """Code that runs on is ended by the system, and if it gives itself more time, by the
        daemon."""
        for code, kind, time in (
            ("while True: pass", TooLong, Time(cpu=0.1, wall=300.0)),
            ("signal.setitimer(signal.ITIMER_PROF, 0)\nwhile True: pass", Late, Time(9.0, 1.0)),
        ):
            with self.assertRaises(kind):
                await self.scaler().scale(code.encode(), PNG, time)

    async def test_memory(self) -> None:
        """It gets no more memory than it may have."""
        code = "try: said = len(bytearray(600 * 1024 * 1024))\nexcept MemoryError: said = 'refused'"
        self.assertEqual(await self.said(self.scaler(), code), "refused")


class UnfilteredTests(BrokenCase):
    """Where the kernel filters no calls, limits are left."""

    def setUp(self) -> None:
        super().setUp()
        self.patch(sandbox, "lacking", lambda: "the kernel has no seccomp")

    async def test_limits(self) -> None:
        """It can open nothing more, and nothing in the place of its pipes."""
        for code in (*FREED, "os.open('/etc/passwd', 0)", "socket.socket()", "os.pipe()"):
            said = await self.said(self.scaler(), code)
            self.assertTrue(said.startswith(TOO_MANY), (code, said))

    async def test_nothing_there(self) -> None:
        """It has no environment but what Python adds, and nothing open but its pipes."""
        code = (
            "def opened(n):\n    try: os.fstat(n)\n    except OSError: return False\n"
            "    return True\n"
            "said = os.environ.keys() - {'LC_CTYPE'}, [n for n in range(1000) if opened(n)]"
        )
        self.assertEqual(await self.said(self.scaler(), code), "(set(), [0, 1, 2])")

    @skipUnless(sys.platform == "linux", "what Linux has")
    async def test_marks(self) -> None:
        """It is not dumpable, so nobody looks into it, and no program gives it new rights."""
        code = "said = [libc.prctl(option, 0, 0, 0, 0) for option in (3, 39, 21)]"
        self.assertEqual(await self.said(self.scaler(), code), "[0, 1, 0]")


class LackingTests(SynchronousTestCase):
    """What is said where calls cannot be filtered."""

    def test_system(self) -> None:
        """Another system has nothing of the kind."""
        self.patch(sys, "platform", "darwin")
        self.patch(platform, "system", lambda: "Darwin")
        self.assertEqual(sandbox.lacking(), "Darwin has no seccomp")

    def test_processor(self) -> None:
        """Of another processor nobody has listed the calls."""
        self.patch(sys, "platform", "linux")
        self.patch(platform, "machine", lambda: "riscv64")
        self.assertEqual(sandbox.lacking(), "there is no list of the calls of riscv64")

    def test_kernel(self) -> None:
        """A kernel without it, or a container that forbids it, is asked."""
        self.patch(sys, "platform", "linux")
        self.patch(platform, "machine", lambda: "x86_64")
        for error in (errno.EINVAL, errno.EPERM, errno.ENOSYS):
            self.patch(sandbox, "_prctl", lambda *call, error=error: error)
            self.assertIn(os.strerror(error), sandbox.lacking() or "")


class FilterTests(SynchronousTestCase):
    """The filter, for each processor, as the kernel runs it."""

    def fate(self, machine: str, number: int, protection: int = 3, audit: int = 0) -> int:
        """What it says of a call."""
        calls = sandbox._CALLS[machine]
        program = sandbox._program(calls)
        words = struct.pack("=IIQQQQ", number, audit or calls.audit, 0, 0, 0, protection)
        loaded, at = 0, 0
        while True:
            code, yes, no, operand = struct.unpack_from("=HBBI", program, 8 * at)
            at += 1
            if code == 0x06:
                return int(operand)
            if code == 0x20:
                (loaded,) = struct.unpack_from("=I", words, operand)
            else:
                holds = loaded == operand if code == 0x15 else bool(loaded & operand)
                at += yes if holds else no

    def test_left(self) -> None:
        """The calls of the list are left, those for memory without code, and all others fail."""
        refused, allowed = 0x00050000 | errno.EPERM, 0x7FFF0000
        for machine, calls in sandbox._CALLS.items():
            for number in range(600):
                left = number in {*calls.plain.values(), *calls.protected.values()}
                self.assertEqual(self.fate(machine, number), allowed if left else refused, number)
            for number in calls.protected.values():
                self.assertEqual(self.fate(machine, number, 7), refused)
            self.assertEqual(self.fate(machine, 0x40000000), refused)

    def test_other_architecture(self) -> None:
        """A call of another architecture ends the process."""
        for machine, calls in sandbox._CALLS.items():
            for number in calls.plain.values():
                self.assertEqual(self.fate(machine, number, audit=0x40000003), 0x80000000)

    def test_processors(self) -> None:
        """Both processors keep the same calls, by the numbers of the kernel's headers."""
        intel, arm = (sandbox._CALLS[machine] for machine in ("x86_64", "aarch64"))
        self.assertEqual((*intel.plain, *intel.protected), (*arm.plain, *arm.protected))
        header = Path("/usr/include/asm-generic/unistd.h")
        if not header.exists():
            raise self.skipTest("the kernel's headers are not installed")
        numbers = dict(re.findall(r"__NR(?:3264)?_(\w+) (\d+)", header.read_text()))
        for name, number in {**arm.plain, **arm.protected}.items():
            self.assertEqual(numbers[name], str(number), name)
