"""What a command asks the person who runs it, or reads from standard input."""

import argparse
import sys
from getpass import getpass

from contentsvc.command.errors import CommandError


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


def line(what: str) -> str:
    """A line of standard input. Raises CommandError."""
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    try:
        return sys.stdin.buffer.readline().rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        raise CommandError(f"the {what} is not UTF-8") from None
