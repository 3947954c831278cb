"""Names of files in a folder that is kept equal to a library: none may lead out of it."""

import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from contentsvc.command.terminal import CommandError

_ODD: Final = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f\ud800-\udfff]')
"""Characters that some file systems do not take, or take for something else."""
_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)\Z")
"""Names of devices on Windows, with whatever ending."""
_MOST: Final = 255
"""Bytes of a name."""


def fault(name: str) -> str | None:
    """Why this is no name of a file within a folder, with slashes; None if it is one."""
    faults = (_fault(part) for part in name.split("/"))
    return next((why for why in faults if why is not None), None)


def _fault(part: str) -> str | None:
    if part in {"", ".", ".."}:
        return "it leads elsewhere"
    if _ODD.search(part) or part[-1] in ". ":
        return "it has characters that some systems take for something else"
    if _RESERVED.match(part.partition(".")[0].rstrip(" ")):
        return "some systems have a device of this name"
    if len(part.encode(errors="replace")) > _MOST:
        return "it is too long"
    return None


def check(names: Iterable[str]) -> None:
    """Raises CommandError where a name is none within a folder, and where two are the same file on
    a system that knows no upper and lower case."""
    seen: dict[str, str] = {}
    for name in names:
        if (why := fault(name)) is not None:
            raise CommandError(f"{name!r} is refused as the name of a file: {why}")
        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            other = seen.setdefault(path.casefold(), path)
            if other != path:
                raise CommandError(
                    f"{path!r} and {other!r} are refused: some systems have one file for both"
                )


def is_there(path: Path) -> bool:
    """Whether anything has this name, also a link that leads nowhere. Raises OSError."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def folder(path: Path, root: Path) -> None:
    """Make this folder below `root`, which is there. Raises CommandError where a link or a file is
    in the way: through a link it would lie elsewhere; OSError."""
    walked = root
    for part in path.relative_to(root).parts:
        walked = walked / part
        try:
            mode = walked.lstat().st_mode
        except FileNotFoundError:
            walked.mkdir()
            continue
        if stat.S_ISLNK(mode):
            raise CommandError(f"{walked} is a link: nothing is written or deleted through it")
        if not stat.S_ISDIR(mode):
            raise CommandError(f"{walked} is no folder")


def is_within(path: Path, root: Path) -> bool:
    """Whether all folders from `root` to this path are folders, and no links. Raises OSError."""
    walked = root
    for part in path.relative_to(root).parts[:-1]:
        walked = walked / part
        try:
            mode = walked.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return True  # there is nothing
        if stat.S_ISLNK(mode):
            return False
    return True
