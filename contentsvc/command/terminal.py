"""What a command asks the person who runs it, reads from standard input, or prints.

All that commands print goes through `say` and `say_json`. Names, texts and errors that others have
written may hold characters that a terminal obeys, or that show a line as something else than it is.
These are printed as their escapes in JSON, such as \\u001b.
"""

import argparse
import re
import signal
import sys
from datetime import UTC, date, datetime
from getpass import getpass
from typing import Final, TextIO

from contentsvc.framework.core.utf8 import without_mark

_MARKS: Final = (
    "\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff"
)
"""DEL and C1; what has no width; separators of lines; what changes the direction of text; tags; and
the characters that stand for bytes that are not UTF-8."""
_UNSAFE: Final = re.compile(f"[\x00-\x1f{_MARKS}]")
_UNSAFE_JSON: Final = re.compile(f"[{_MARKS}]")
_SPACE: Final = re.compile("[\x00-\x1f]")
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")


def is_text(value: str) -> bool:
    """Whether what a command was given can be stored: it has no NUL, which the API accepts nowhere,
    and none of the characters that argv has for bytes that are not UTF-8."""
    return not _NO_TEXT.search(value)


def safe(text: str) -> str:
    """A text as one line, which a terminal shows as it is."""
    return _UNSAFE.sub(_escaped, text)


def safe_json(text: str) -> str:
    """JSON as one line, with the same value. In its strings, the characters below the space are
    escapes already, so elsewhere they are only space."""
    return _UNSAFE_JSON.sub(_escaped, _SPACE.sub(" ", text))


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines, to standard output if nothing else is said. A line break within one of them is
    shown, and does not begin another."""
    print(*map(safe, lines), sep="\n", file=to or sys.stdout, flush=True)


def say_error(reason: str) -> None:
    """Print why a command fails: one line on stderr."""
    say(f"contentsvc: {reason}", to=sys.stderr)


def say_json(text: str, *, end: str = "\n") -> None:
    """Print JSON, or a part of it that does not end within a string."""
    print(safe_json(text), end=end, flush=bool(end))


def day(option: str, text: str) -> date:
    """The day that an option names. Raises CommandError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{option} {text}: write a day such as 2026-11-22") from None


def password(arguments: argparse.Namespace, *, new: bool = True) -> str:
    """From standard input if the command says so, or else from the terminal; a new one twice.
    Raises CommandError."""
    if arguments.password_stdin:
        return line("password")
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    if not sys.stdin.isatty():
        raise CommandError("cannot ask for a password without a terminal: use --password-stdin")
    try:
        given = getpass("Password: ")
        if new and getpass("Once more: ") != given:
            raise CommandError("the two passwords differ")
    except EOFError:
        raise CommandError("no password was given") from None
    return given


def agrees(question: str) -> bool:
    """Whether somebody at the terminal says yes; no without a terminal. The process waits for
    them, and an interrupt is a no."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    say(f"{question} [y/N]", to=sys.stderr)
    # The reactor's own handler would leave the question there until the next line.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline().strip().lower() in {"y", "yes"}
    except KeyboardInterrupt:
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def line(what: str) -> str:
    """A line of standard input. Raises CommandError."""
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        return without_mark(sys.stdin.buffer.readline()).rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        raise CommandError(f"the {what} is not UTF-8") from None


class CommandError(Exception):
    """The command failed. `str()` is one line with the reason."""


def span(seconds: int) -> str:
    """A time in the largest unit that fits, and the next."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next((n for n, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2])


def size(count: int) -> str:
    """A number of bytes in the largest unit that fits."""
    scaled = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if scaled < 1024:
            return f"{scaled:.0f} {unit}" if unit == "B" else f"{scaled:.1f} {unit}"
        scaled /= 1024
    return f"{scaled:.1f} TiB"


def some(number: int, noun: str) -> str:
    """1 file, 2 files."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def moment(seconds: int) -> str:
    """A time in Unix seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
