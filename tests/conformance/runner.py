"""Runs a case: a daemon, a proxy, an adapter."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import treq
from msgspec import convert, json, to_builtins
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from tests.conformance.adapter import Adapter
from tests.conformance.proxy import Proxy
from tests.conformance.script import (
    Act,
    Call,
    Case,
    Fault,
    Seen,
    Step,
    covers,
    fault_of,
    filled,
)
from tests.support.daemon import Daemon

ALWAYS = frozenset({"notification", "missed", "ended", "event", "eventsEnded"})
"""The kinds of events that are compared in each case; others only where a step names them."""
TURN = 0.02
"""Seconds between two looks at the proxy."""


class Wrong(AssertionError):
    """The client does not do what the case says."""


class Player:
    """A user, beside the client: what is asked for goes to the daemon itself."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.name = f"u{uuid4().hex[:14]}"
        self.password = "a long password"
        self.id = self._token = ""

    async def begin(self) -> None:
        """Make the account, and log in."""
        account = {
            "username": self.name,
            "email": f"{self.name}@example.com",
            "password": self.password,
        }
        await self.ask("POST", "/api/v1/user", account)
        await self._log_in()

    async def _log_in(self) -> None:
        form = {"grant_type": "password", "username": self.name, "password": self.password}
        answer = await treq.post(f"{self._daemon.url}/oauth/token", data=form, persistent=False)
        tokens = await answer.json()
        self.id, self._token = tokens["userId"], tokens["access_token"]

    async def become_admin(self) -> None:
        """Become one, and log in again. The first one of a daemon is made by its command."""
        first = _admins.get(self._daemon.url)
        if first is None:
            first = Player(self._daemon)
            await self._daemon.add_user(first.name, first.password, admin=True)
            await first._log_in()
            _admins[self._daemon.url] = first
        await first.ask("PUT", f"/api/v1/user/{self.id}/role", {"role": "admin"})
        await self._log_in()

    async def make_service(self, scopes: list[str]) -> dict[str, str]:
        """As an admin, make a service account with these scopes: its id, and a secret."""
        await self.become_admin()
        account = str(uuid4())
        path = f"/api/v1/service-accounts/{account}"
        await self.ask("PUT", path, {"name": f"bot {account}", "scopes": scopes})
        made = await self.ask("POST", f"{path}/secrets")
        return {"account": account, "secret": made["value"]}

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The decoded answer; None where it is empty."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        answer = await treq.request(
            method,
            self._daemon.url + path,
            data=None if body is None else json.encode(body),
            headers=headers,
            persistent=False,
        )
        data = await answer.content()
        if answer.code >= 300:
            raise Wrong(f"{method} {path}: {answer.code} {data!r}")
        return json.decode(data) if data else None


_admins: dict[str, Player] = {}


class Run:
    """One case, with an adapter that is started by `command`. The folder is empty: the adapter may
    keep in it what its client lets a program keep."""

    def __init__(
        self, reactor: Any, daemon: Daemon, case: Case, command: list[str], folder: Path
    ) -> None:
        self._reactor = reactor
        self._case = case
        self._command = command
        self._folder = folder
        self._user, self._friend = Player(daemon), Player(daemon)
        self._proxy = Proxy(reactor, daemon.port)
        self._daemon = daemon
        self._adapter: Adapter | None = None
        self._start_number = 0

    async def run(self) -> None:
        """Run it. Raises Wrong, and Lost where the adapter ends by itself."""
        await self._user.begin()
        befriended = '"$friend"' in json.encode(self._case).decode()
        if befriended or self._case.part in {"events", "services"}:
            await self._friend.begin()
        if self._case.part == "events":
            await self._user.become_admin()
            self._start_number = (await self._user.ask("GET", "/api/v1/events"))["next"]
        if befriended:
            await self._user.ask("PUT", f"/api/v1/user/{self._user.id}/friend/{self._friend.id}")
            await self._friend.ask("PUT", f"/api/v1/user/{self._friend.id}/friend/{self._user.id}")
        faults = self._filled(to_builtins(self._case.faults))
        self._proxy.expect(convert(faults, list[Fault]))
        await self._start()
        for number, step in enumerate(self._case.steps, 1):
            try:
                await self._step(step)
            except Wrong as error:
                raise Wrong(f"step {number}: {error}\n{self._account()}") from None
        await self._stop()
        seen = convert(self._filled(to_builtins(self._case.seen)), list[Seen])
        fault = fault_of(seen, self._proxy.seen(self._patterns))
        if fault:
            raise Wrong(f"{fault}\n{self._account()}")

    async def end(self) -> None:
        """End the processes and connections, however it went."""
        if self._adapter is not None:
            await self._adapter.kill()
        await self._proxy.close()

    @property
    def _patterns(self) -> list[str]:
        named = [fault.on for fault in self._case.faults]
        return [*self._case.watch, *(seen.request for seen in self._case.seen), *named]

    def _account(self) -> str:
        """What has happened, for a reader of the failure."""
        lines = [f"  {each.name} {each.has}" for each in self._proxy.seen(["* *", "* * *"])]
        told = self._adapter.events if self._adapter else []
        return "\n".join(["seen:", *lines, f"events: {told}"])

    async def _start(self) -> None:
        self._adapter = Adapter(self._reactor, self._command)
        timeout = {} if self._case.timeout is None else {"timeout": self._case.timeout}
        await self._must("start", url=self._proxy.url, folder=str(self._folder), **timeout)

    async def _stop(self) -> None:
        assert self._adapter is not None
        await self._must("stop")
        for event in self._adapter.events:
            told = event["event"] in {"notification", "missed", "event"}
            if told and not self._is_foreign(event):
                raise Wrong(f"it tells {event}, which no step expects\n{self._account()}")

    async def _must(self, command: str, **given: Any) -> Any:
        assert self._adapter is not None
        said = await self._adapter.ask(command, **given)
        if "error" in said:
            raise Wrong(f"{command}: {said['error']}")
        return said.get("result")

    async def _step(self, step: Step) -> None:
        await self._of_the_program(step)
        await self._of_the_calls(step)
        await self._of_the_live(step)
        await self._of_the_events(step)

    async def _of_the_program(self, step: Step) -> None:
        if step.log_in:
            await self._must("logIn", username=self._user.name, password=self._user.password)
        if step.service is not None:
            await self._must("logInAsService", **await self._friend.make_service(step.service))
        if step.restart:
            assert self._adapter is not None
            await self._adapter.kill()
            await self._start()
        if step.restore:
            await self._must("restore")

    async def _of_the_calls(self, step: Step) -> None:
        if step.call is not None:
            await self._call(step.call)
        if step.calls is not None:
            begun = [Deferred.fromCoroutine(self._call(call)) for call in step.calls]
            await gatherResults(begun, consumeErrors=True)
        if step.direct is not None:
            await self._direct(step.direct)

    async def _of_the_events(self, step: Step) -> None:
        if step.events is not None:
            await self._must("events", **self._filled(step.events))
        if step.end_events:
            await self._must("endEvents")
        if (asked := step.asked) is not None:
            while len(self._proxy.seen([asked.request])) < asked.times:
                await deferLater(self._reactor, TURN)

    async def _of_the_live(self, step: Step) -> None:
        if step.live is not None:
            await self._must("live", **step.live)
        while step.connected is not None and self._proxy.hellos < step.connected:
            await deferLater(self._reactor, TURN)
        for text in step.notify or ():
            body = {"recipient": self._user.id, "text": text}
            await self._user.ask("POST", "/api/v1/debug/notify", body)
        if step.hears is not None:
            await self._hear(step.hears)
        if step.socket is not None:
            self._act(step.socket)

    def _filled(self, form: Any) -> Any:
        known = {"user": self._user.id, "friend": self._friend.id, "start": self._start_number}
        return filled(form, known)

    async def _call(self, call: Call) -> None:
        assert self._adapter is not None
        given = self._filled(call.given)
        said = await self._adapter.ask("call", operation=call.call, parameters=given)
        if call.error is not None:
            if not covers(call.error, said.get("error")):
                raise Wrong(f"{call.call}: {said}, not the error {call.error}")
        elif "error" in said:
            raise Wrong(f"{call.call}: {said}")
        elif call.result is not None and not covers(self._filled(call.result), said["result"]):
            raise Wrong(f"{call.call}: {said['result']}, not {call.result}")

    async def _hear(self, wanted: list[dict[str, Any]]) -> None:
        assert self._adapter is not None
        kinds = ALWAYS | {event["event"] for event in wanted}
        rest = list(wanted)
        while rest:
            while not self._adapter.events:
                await self._adapter.heard()
            event = self._adapter.events.pop(0)
            if event["event"] not in kinds or self._is_foreign(event):
                continue
            if not covers(rest[0], event):
                raise Wrong(f"it tells {event}, not {rest[0]}")
            rest.pop(0)

    def _is_foreign(self, event: dict[str, Any]) -> bool:
        """Whether it is about what another case has done."""
        return event["event"] == "event" and event["subject"] != self._friend.id

    def _act(self, acts: list[Act]) -> None:
        if not self._proxy.sockets:
            raise Wrong("no socket is open")
        for socket in list(self._proxy.sockets):
            socket.act(acts)

    async def _direct(self, direct: dict[str, Any]) -> None:
        method, _, path = self._filled(direct["request"]).partition(" ")
        got = await self._user.ask(method, path, direct.get("body"))
        if "result" in direct and not covers(self._filled(direct["result"]), got):
            raise Wrong(f"the service has {got}, not {direct['result']}")
