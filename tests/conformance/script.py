"""The form of clients/conformance.json, and how what was sent is compared with it."""

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct, json

from tests.support.daemon import ROOT

FILE: Path = ROOT / "clients" / "conformance.json"


class Answer(Struct, forbid_unknown_fields=True):
    """An answer of the proxy's own."""

    status: int
    headers: dict[str, str] = {}
    body: Any = None


class Act(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What the proxy does to an open socket: exactly one of these."""

    say: dict[str, Any] | None = None
    close: int | None = None
    cut: Literal["clean", "within"] | None = None
    freeze: bool = False


class Fault(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What the proxy does to a request, or to a message of the service. Several faults of one thing
    are used up in their order."""

    on: str
    skip: int = 0
    times: int | None = 1
    gather: int = 0
    drop: Literal["before", "within", "after"] | None = None
    hold: bool = False
    answer: Answer | None = None
    edit: dict[str, Any] | None = None
    lose: bool = False
    twice: bool = False
    then: list[Act] = []


class Call(Struct, forbid_unknown_fields=True):
    """A call of an operation, and how it must end."""

    call: str
    given: dict[str, Any] = {}
    result: Any = None
    error: dict[str, Any] | None = None


class Seen(Struct, forbid_unknown_fields=True):
    """A request that the proxy must have seen. `times` is a number, or the least and the most;
    `after` the seconds since the end of the request before it, at least."""

    request: str
    has: dict[str, str | int | None] = {}
    times: int | tuple[int, int | None] = 1
    after: float = 0.0


class Asked(Struct, forbid_unknown_fields=True):
    """Wait until so many requests of a name have come."""

    request: str
    times: int = 1


class Step(Struct, forbid_unknown_fields=True, omit_defaults=True, rename="camel"):
    """One step: the one member that it has."""

    log_in: bool = False
    service: list[str] | None = None
    restore: bool = False
    restart: bool = False
    call: Call | None = None
    calls: list[Call] | None = None
    live: dict[str, Any] | None = None
    events: dict[str, Any] | None = None
    end_events: bool = False
    asked: Asked | None = None
    connected: int | None = None
    notify: list[str] | None = None
    hears: list[dict[str, Any]] | None = None
    socket: list[Act] | None = None
    direct: dict[str, Any] | None = None


class Case(Struct, forbid_unknown_fields=True):
    """One thing that a client must do."""

    name: str
    part: Literal["renewal", "repeats", "resuming", "live", "events", "services"]
    rule: str
    steps: list[Step]
    seen: list[Seen] = []
    faults: list[Fault] = []
    watch: list[str] = []
    timeout: float | None = None
    each: list[dict[str, Any]] = []

    @property
    def is_of_the_line(self) -> bool:
        """Whether it opens a socket, or a connection breaks or falls silent in it. The rest is the
        same whatever a program's HTTP and sockets are made of."""
        acts = [act for step in self.steps for act in step.socket or ()]
        acts += [act for fault in self.faults for act in fault.then]
        return (
            self.part == "live"
            or any(act.cut or act.freeze for act in acts)
            or any(fault.drop or fault.hold for fault in self.faults)
        )


class Webhook(Struct, forbid_unknown_fields=True):
    """A request to a webhook. `id` is its own where a client must take it, else None."""

    rule: str
    secrets: list[str]
    headers: dict[str, str]
    body: str
    now: int
    id: str | None


class Script(Struct, forbid_unknown_fields=True):
    """The whole file."""

    about: str
    operations: list[str]
    webhooks: list[Webhook]
    cases: list[Case]


class Request(NamedTuple):
    """A request as the proxy saw it. `has` is its token, and the members of its query, form and
    body. The times are seconds of one clock."""

    name: str
    has: dict[str, str]
    begun: float
    ended: float


def cases() -> list[Case]:
    """All of them; one with `each` as many as that has entries."""
    script: dict[str, Any] = json.decode(FILE.read_bytes())
    found = []
    for case in script["cases"]:
        for values in case.get("each") or [{}]:
            found.append(filled({**case, "each": []}, values))
    return json.decode(json.encode({**script, "cases": found}), type=Script).cases


def filled(form: Any, values: dict[str, Any]) -> Any:
    """`form`, with each string `$name` of these names replaced, and each `{name}` in a string."""
    match form:
        case dict():
            return {key: filled(value, values) for key, value in form.items()}
        case list():
            return [filled(each, values) for each in form]
        case str() if form[:1] == "$" and form[1:] in values:
            return values[form[1:]]
        case str():
            return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), form)
    return form


def matches(pattern: str, name: str) -> bool:
    """Whether a request has this name. `*` is one segment of a path."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", r"[^/ ]+"), name) is not None


def covers(wanted: Any, got: Any) -> bool:
    """Whether `got` has all that is wanted: objects may have more members."""
    match wanted:
        case dict():
            return isinstance(got, dict) and all(
                covers(value, got.get(key)) for key, value in wanted.items()
            )
        case list():
            return (
                isinstance(got, list) and len(got) == len(wanted) and all(map(covers, wanted, got))
            )
    return bool(wanted == got)


def fault_of(wanted: list[Seen], got: list[Request]) -> str:
    """What is wrong with the requests, or "". Strings of `has` that begin with `$` are variables:
    the first value that one meets is its own, and `!$name` is any other."""
    known: dict[str, str] = {}
    rest = list(got)
    before: Request | None = None
    for seen in wanted:
        least, most = (seen.times, seen.times) if isinstance(seen.times, int) else seen.times
        count = 0
        while rest and (most is None or count < most):
            wrong = _differs(seen, rest[0], before, known)
            if wrong and count >= least:
                break
            if wrong:
                return f"{seen.request}: {wrong}"
            before = rest.pop(0)
            count += 1
        if count < least:
            return f"{seen.request}: {count} times instead of {least}"
    return f"{rest[0].name}: not expected" if rest else ""


def _differs(seen: Seen, got: Request, before: Request | None, known: dict[str, str]) -> str:
    if not matches(seen.request, got.name):
        return f"it is {got.name}"
    for name, wanted in seen.has.items():
        value = got.has.get(name)
        match wanted:
            case str() if wanted.startswith("!$"):
                right = value is not None and value != known.get(wanted[2:])
            case str() if wanted.startswith("$"):
                right = value is not None and value == known.setdefault(wanted[1:], value)
            case None:
                right = value is None
            case _:
                right = value == str(wanted)
        if not right:
            return f"{name} is {value!r} instead of {wanted!r}"
    waited = got.begun - before.ended if before else 0.0
    if seen.after and waited < seen.after:
        return f"{waited:.3f} s after the one before, not {seen.after}"
    return ""
