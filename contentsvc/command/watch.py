"""`contentsvc watch`: a user's notifications as they arrive, one line of JSON each."""

import os
import sys
from base64 import urlsafe_b64decode
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from msgspec import DecodeError, Struct, json
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from contentsvc.client import Client, ClientError, Received
from contentsvc.command.terminal import say_error, say_json
from contentsvc.framework.core.timers import run_monotonic
from contentsvc.wire.accounts import ConnectBody

_TIMEOUT = 5.0
"""Seconds to find the service at the start. Later the subscription connects again by itself."""


class _Claims(Struct):
    sub: str


SignIn = Callable[[Client], Awaitable[object]]


def by_password(name: str, password: str) -> SignIn:
    """Begin a session as this user."""
    return lambda client: client.log_in(name, password)


def by_token(access_token: str) -> SignIn:
    """Use an access token. A refusal is found before a socket is opened."""

    async def sign_in(client: Client) -> None:
        client.use_token(access_token, _user_of(access_token))
        await client.sessions.connect(ConnectBody(client="game"), repeat=False)

    return sign_in


def _user_of(access_token: str) -> str | None:
    """Whose it says it is. The service decides."""
    try:
        payload = access_token.split(".")[1]
        return json.decode(urlsafe_b64decode(f"{payload}=="), type=_Claims).sub
    except (IndexError, ValueError, DecodeError):
        return None


def watch(url: str, sign_in: SignIn, resume: int | None, resume_id: str | None) -> NoReturn:
    """Print the notifications that the service at `url` sends, from `resume` on, until it is
    interrupted. `resume_id` is the id of the notification with that number, if it is known.

    Exits with status 0 if it was interrupted or nobody reads its output any more. Exits with status
    1 and one line on stderr if it cannot continue, for example after a wrong password or the end of
    the session.
    """
    go_on = {"resume": resume, "resume_id": resume_id}
    react(lambda reactor: Deferred.fromCoroutine(_watch(reactor, url, sign_in, go_on)))
    raise AssertionError("react exits")


async def _watch(reactor: Any, url: str, sign_in: SignIn, go_on: dict[str, Any]) -> None:
    run_monotonic(reactor)
    client = Client(reactor, url, patience=_TIMEOUT)
    try:
        await sign_in(client)
        subscription = client.notifications.listen(
            _print, on_missed=lambda code, detail: say_error(f"{code}: {detail}"), **go_on
        )
        await subscription.ended()
    except ClientError as error:
        say_error(" ".join(str(error).split()))
        raise SystemExit(1) from None
    except BrokenPipeError:
        # Python's own last flush must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        await client.close()


def _print(received: Received) -> None:
    # The client has checked its form, and not the characters of its strings.
    notification = received.json.decode(errors="replace")
    say_json(f'{{"seq":{received.seq},"notification":{notification}}}')
