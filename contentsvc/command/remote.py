"""The commands that are clients of a running service: watch, publish, fetch and sync."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from contentsvc.command import terminal
from contentsvc.command.terminal import CommandError
from contentsvc.config import Settings
from contentsvc.framework.core.host_names import ascii_url
from contentsvc.wire.base import GUID_PATTERN
from contentsvc.wire.packages import is_platform

if TYPE_CHECKING:
    from contentsvc.command.watch import SignIn

Add = Callable[..., Any]
"""Makes the parser of a command: its name, its function, its help, and the parsers that it shares
with others."""
_URL = "URL of the service, like http://127.0.0.1:8080"


def add(command: Add, password: Any) -> None:
    """Add these commands. `password` is the parser of --password-stdin."""
    live = command("watch", _watch, "print a user's notifications as they arrive", password)
    live.add_argument("url", metavar="URL", help=_URL)
    _who(live, required=True)
    live.add_argument(
        "--resume", metavar="SEQ", type=_seq, help="begin after the notification with this number"
    )
    live.add_argument(
        "--resume-id", metavar="ID", type=_guid, help="id of the notification with that number"
    )
    out = command("publish", _publish, "publish the content in a folder, or a revision", password)
    out.add_argument("folder", metavar="FOLDER", type=Path, help="folder with a content.toml")
    out.add_argument("--url", metavar="URL", required=True, help=_URL)
    _who(out, required=True)
    into = command("fetch", _fetch, "download the files of content into a folder", password)
    into.add_argument("content", metavar="CONTENT", type=_guid, help="id of the content")
    into.add_argument("folder", metavar="FOLDER", type=Path, help="folder for the files")
    into.add_argument("--url", metavar="URL", required=True, help=_URL)
    into.add_argument(
        "--platform",
        metavar="PLATFORM",
        type=_platform,
        help="get the packages of this platform only",
    )
    into.add_argument(
        "--revision", metavar="ID", type=_guid, help="get this revision, not the current one"
    )
    _most(into)
    _who(into, required=False)
    same = command("sync", _sync, "keep a folder equal to the library of a user", password)
    same.add_argument("folder", metavar="FOLDER", type=Path, help="folder for the library")
    same.add_argument("--url", metavar="URL", required=True, help=_URL)
    same.add_argument(
        "--watch", action="store_true", help="go on, and follow each change as it comes"
    )
    same.add_argument(
        "--game", metavar="VERSION", help="version of the game: get revisions that fit it"
    )
    same.add_argument(
        "--platform",
        metavar="PLATFORM",
        type=_platform,
        help="get revisions and packages for this platform only",
    )
    same.add_argument(
        "--features", metavar="LIST", help="what the game has, with commas; '' for nothing"
    )
    _most(same)
    _who(same, required=True)


def _most(parser: Any) -> None:
    parser.add_argument(
        "--most-bytes",
        metavar="SIZE",
        type=_bytes,
        help="refuse content that needs more on the disk, like 20GiB; without it, more than 10 GiB "
        "is asked for",
    )


def _who(parser: Any, *, required: bool) -> None:
    whose = parser.add_mutually_exclusive_group(required=required)
    whose.add_argument("--user", metavar="NAME", help="log in as this user: name or e-mail address")
    whose.add_argument(
        "--token-stdin", action="store_true", help="read an access token from standard input"
    )


def _check_url(arguments: argparse.Namespace) -> None:
    """Raise CommandError if the URL can be none of a service."""
    try:
        known = urlsplit(ascii_url(arguments.url)).scheme in {"http", "https"}
        why = "" if known else ": it begins with neither http:// nor https://"
    except ValueError as error:
        known, why = False, f": {error}"
    if not known:
        # The text before an @ may be a password.
        shown = re.sub("//[^/]*@", "//…@", arguments.url)
        raise CommandError(f"{shown} is not like http://127.0.0.1:8080{why}")


def _sign_in(arguments: argparse.Namespace) -> "SignIn":
    # The commands for operators do not need the client's libraries, which take a second to import.
    from contentsvc.command.watch import by_password, by_token

    if not arguments.token_stdin:
        return by_password(arguments.user, terminal.password(arguments, new=False))
    if arguments.password_stdin:
        raise CommandError("a token needs no password: give --token-stdin or --password-stdin")
    return by_token(terminal.line("token"))


def _watch(settings: Settings, arguments: argparse.Namespace) -> None:
    from contentsvc.command.watch import watch

    _check_url(arguments)
    if arguments.resume_id is not None and arguments.resume is None:
        raise CommandError("--resume-id needs --resume, the number of that notification")
    watch(arguments.url, _sign_in(arguments), arguments.resume, arguments.resume_id)


def _publish(settings: Settings, arguments: argparse.Namespace) -> int:
    from contentsvc.command.publish import publish, read

    _check_url(arguments)
    # Report errors before asking for a password.
    wanted = read(arguments.folder)
    return publish(arguments.folder, wanted, arguments.url, _sign_in(arguments))


def _fetch(settings: Settings, arguments: argparse.Namespace) -> int:
    from contentsvc.command.fetch import fetch

    _check_url(arguments)
    anybody = arguments.user is None and not arguments.token_stdin
    if anybody and arguments.password_stdin:
        raise CommandError("a password needs --user")
    return fetch(
        arguments.content,
        arguments.folder,
        arguments.url,
        None if anybody else _sign_in(arguments),
        arguments.revision,
        arguments.platform,
        arguments.most_bytes,
    )


def _sync(settings: Settings, arguments: argparse.Namespace) -> int:
    from contentsvc.command.sync import Has, sync

    _check_url(arguments)
    has = Has(arguments.game, arguments.platform, arguments.features, arguments.most_bytes)
    sign_in = _sign_in(arguments)
    return sync(arguments.folder, arguments.url, sign_in, has, watch=arguments.watch)


def _seq(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError("must be a whole number, 0 or more")
    return int(text)


def _bytes(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,18})(?:([KMGT])iB)?", text)
    if found is None:
        raise argparse.ArgumentTypeError("must be a number of bytes, or of KiB, MiB, GiB or TiB")
    return int(found[1]) << 10 * " KMGT".index(found[2] or " ")


def _platform(text: str) -> str:
    if not is_platform(text):
        raise argparse.ArgumentTypeError("must be a platform: 1 to 32 of a-z, 0-9 and _")
    return text


def _guid(text: str) -> str:
    if not re.match(GUID_PATTERN, text):
        raise argparse.ArgumentTypeError("must be a GUID with dashes")
    return text.lower()
