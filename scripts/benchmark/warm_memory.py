"""Keeps the memory of processes warm while they idle.

The host of a virtual machine may take memory away that rests for a second. Who touches it then pays
for its way back, 1 to 20 µs for each page where 0.2 are usual, and the CPU time of what idles tells
of the host. So one byte of each page is read, four times a second.
"""

import ctypes
import errno
import os
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil

from .processes import family

_EVERY: Final = 0.25
"""Seconds between two rounds."""
_FRESH: Final = 10.0
"""Seconds for which the pages of a process are known."""
_PRESENT: Final = 63
"""The bit of an entry of `pagemap` that says whether a page has memory."""
_SOME: Final = 1024
"""Pages in one call: as many as the system allows."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class _Piece(ctypes.Structure):
    """The `iovec` of process_vm_readv(2)."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Known(NamedTuple):
    """The pages of a process for so many calls, and when they were found."""

    calls: list[Any]
    at: float


@contextmanager
def warm(pids: Sequence[int]) -> Iterator[None]:
    """Keep the memory of these processes and their descendants warm. Raises PermissionError if it
    cannot be read."""
    for pid in pids:
        _read(pid, _calls(pid)[:1])
    ended = threading.Event()
    thread = threading.Thread(target=_keep, args=(pids, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _keep(pids: Sequence[int], ended: threading.Event) -> None:
    known: dict[int, _Known] = {}
    while not ended.wait(_EVERY):
        now = time.monotonic()
        for pid in {each for root in pids for each in _living(root)}:
            with suppress(OSError):  # it has just ended
                if pid not in known or known[pid].at < now - _FRESH:
                    known[pid] = _Known(_calls(pid), now)
                _read(pid, known[pid].calls)


def _living(pid: int) -> list[int]:
    with suppress(psutil.NoSuchProcess):
        return family(pid)
    return []


def _calls(pid: int) -> list[Any]:
    pages = list(_pages(pid))
    some = (pages[place : place + _SOME] for place in range(0, len(pages), _SOME))
    return [(_Piece * len(each))(*((page, 1) for page in each)) for each in some]


def _pages(pid: int) -> Iterator[int]:
    with Path(f"/proc/{pid}/pagemap").open("rb", buffering=0) as pagemap:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            where, mode, *rest = line.split(maxsplit=5)
            if not mode.startswith("r") or rest[-1].startswith("[v"):  # vvar and vsyscall
                continue
            first, end = (int(each, 16) for each in where.split("-"))
            entries = array("Q")
            pagemap.seek(first // _PAGE * entries.itemsize)
            entries.frombytes(pagemap.read((end - first) // _PAGE * entries.itemsize))
            for place, entry in enumerate(entries):
                if entry >> _PRESENT:
                    yield first + place * _PAGE


def _read(pid: int, calls: Sequence[Any]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    into = ctypes.create_string_buffer(_SOME)
    here = _Piece(ctypes.addressof(into), _SOME)
    for pages in calls:
        # It stops at a page that has gone since.
        if libc.process_vm_readv(pid, ctypes.byref(here), 1, pages, len(pages), 0) < 0:
            error = ctypes.get_errno()
            if error == errno.EPERM:
                raise PermissionError(error, os.strerror(error))
