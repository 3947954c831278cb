"""`contentsvc watch`: a user's notifications as they come, one line of JSON each."""

import os
import sys
from typing import Any, NoReturn

from twisted.internet.defer import Deferred
from twisted.internet.task import react

from contentsvc.client import Client, ClientError, Received
from contentsvc.clocks import run_monotonic


def watch(
    url: str, name: str, password: str, resume: int | None, resume_id: str | None
) -> NoReturn:
    """Log in at the service at `url` and print, from `resume` on, until interrupted. `resume_id`
    is the id of the notification with that number, where it is known.

    Exits with status 0 where it was interrupted or nobody reads any more, and with 1 and one
    line on stderr where it cannot go on: a wrong password, a session that was ended.
    """
    go_on = {"resume": resume, "resume_id": resume_id}
    react(lambda reactor: Deferred.fromCoroutine(_watch(reactor, url, name, password, go_on)))
    raise AssertionError("react exits")


async def _watch(
    reactor: Any, url: str, name: str, password: str, go_on: dict[str, Any]
) -> None:
    run_monotonic(reactor)
    client = Client(reactor, url)
    try:
        await client.log_in(name, password)
        subscription = client.notifications.listen(_print, on_missed=_missed, **go_on)
        await subscription.ended()
    except ClientError as error:
        print(f"contentsvc: {' '.join(str(error).split())}", file=sys.stderr)
        raise SystemExit(1) from None
    except BrokenPipeError:
        # Python's own last flush must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        await client.close()


def _print(received: Received) -> None:
    print(f'{{"seq":{received.seq},"notification":{received.json.decode()}}}', flush=True)


def _missed(code: str, detail: str) -> None:
    print(f"contentsvc: {code}: {detail}", file=sys.stderr)
