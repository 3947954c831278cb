"""The adapter of the Python client: `python -m tests.conformance.python_client`."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec import convert, json
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineReceiver

from contentsvc.client import (
    ApiError,
    Client,
    EventReader,
    Received,
    Subscription,
    SubscriptionEnded,
)
from contentsvc.client.errors import ClientError, SessionEnded, Unreachable
from contentsvc.wire.accounts import PasswordChange
from contentsvc.wire.notifications import DebugNotify
from contentsvc.wire.progress import ProgressBody
from contentsvc.wire.social import MessageCreate


def operations(client: Client) -> dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]:
    """The operations that the cases call."""
    return {
        "getNotificationState": lambda _: client.notifications.get_state(),
        "getProgress": lambda given: client.progress.get(given["key"], given.get("userId")),
        "putProgress": lambda given: client.progress.put(
            given["key"], convert(given["body"], ProgressBody)
        ),
        "deleteProgress": lambda given: client.progress.delete(given["key"]),
        "sendMessage": lambda given: client.messages.send(
            given["otherId"], convert(given["body"], MessageCreate)
        ),
        "sendDebugNotification": lambda given: client.debug.send_notification(
            convert(given["body"], DebugNotify)
        ),
        "changePassword": lambda given: client.accounts.change_password(
            convert(given["body"], PasswordChange)
        ),
    }


class Program(LineReceiver):
    """A program that uses the client as its page says, and does what the runner asks for."""

    delimiter = b"\n"
    client: Client
    kept: Path
    subscription: Subscription | None = None
    reader: EventReader

    def lineReceived(self, line: bytes) -> None:
        asked = json.decode(line)
        doing = Deferred.fromCoroutine(getattr(self, f"do_{asked['do']}")(**asked["with"]))

        def done(result: Any) -> None:
            self._say(id=asked["id"], result=json.decode(json.encode(result)))

        def failed(failure: Any) -> None:
            self._say(id=asked["id"], error=fault(failure.value))

        doing.addCallback(done).addErrback(failed)

    def _say(self, **line: Any) -> None:
        self.sendLine(json.encode(line))

    async def do_start(self, url: str, folder: str, timeout: float = 22) -> None:
        self.kept = Path(folder) / "kept.json"
        self.client = Client(
            reactor,
            url,
            timeout=timeout,
            on_tokens=lambda tokens: self._keep(refresh=tokens.refresh_token),
        )

    async def do_stop(self) -> None:
        await self.client.close()

    async def do_logIn(self, username: str, password: str) -> None:
        await self.client.log_in(username, password)

    async def do_logInAsService(self, account: str, secret: str) -> None:
        await self.client.log_in_as_service(account, secret)

    async def do_restore(self) -> None:
        await self.client.resume_session(self._read()["refresh"])

    async def do_call(self, operation: str, parameters: dict[str, Any]) -> Any:
        return await operations(self.client)[operation](parameters)

    async def do_live(
        self, resume: int | None = None, resumeId: str | None = None, kept: bool = False
    ) -> None:
        if kept:
            resume, resumeId = self._read()["seq"], self._read()["id"]

        self.subscription = self.client.notifications.listen(
            self._heard,
            resume=resume,
            resume_id=resumeId,
            on_missed=lambda code, _: self._say(event="missed", code=code),
        )
        self.subscription.ended().addCallbacks(
            lambda _: self._say(event="ended", code=1000),
            lambda failure: self._say(event="ended", code=close_code(failure.value)),
        )

    async def do_events(
        self, after: int | None = None, kinds: str | None = None, kept: bool = False
    ) -> None:
        after = self._read()["after"] if kept else after
        self.reader = self.client.events.follow(after, kinds)
        reading = Deferred.fromCoroutine(self._events())
        reading.addCallbacks(
            lambda _: self._say(event="eventsEnded", code=None),
            lambda failure: self._say(event="eventsEnded", **fault(failure.value)),
        )

    async def _events(self) -> None:
        async for event in self.reader:
            self._keep(after=self.reader.after)
            said = {"number": event.number, "kind": event.kind, "data": event.data}
            self._say(event="event", subject=event.subject.id, **said)

    async def do_endEvents(self) -> None:
        self.reader.stop()

    def _heard(self, got: Received) -> None:
        raw = json.decode(got.json)
        self._keep(seq=got.seq, id=raw["id"])
        self._say(event="notification", seq=got.seq, id=raw["id"], text=raw.get("text"))

    def _read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.decode(self.kept.read_bytes()) if self.kept.exists() else {}
        return found

    def _keep(self, **values: Any) -> None:
        self.kept.write_bytes(json.encode({**self._read(), **values}))


def fault(error: Exception) -> dict[str, Any]:
    """An error, as the cases name it."""
    match error:
        case ApiError():
            return {
                "kind": "api",
                "status": error.status,
                "code": error.code,
                "retryAfter": error.retry_after,
            }
        case Unreachable():
            return {"kind": "network"}
        case ClientError():
            return {"kind": type(error).__name__}
    return {"kind": "bug", "detail": repr(error)}


def close_code(error: Exception) -> int:
    """The code with which a subscription ended."""
    match error:
        case SubscriptionEnded():
            return error.code
        case SessionEnded():
            return 4401
    return 0


if __name__ == "__main__":
    sys.stderr.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    StandardIO(Program())
    reactor.run()
