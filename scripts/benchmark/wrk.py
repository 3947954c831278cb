"""Driving wrk: scripts in Lua, results as JSON."""

import shutil
import subprocess
from pathlib import Path

import msgspec

from . import BenchError

_MARK = "RESULT "
_TIMEOUT = 30
"""Seconds after which wrk counts a request as an error."""

_REQUESTS = """
-- All requests are made before the clock runs, and sent in this order, again and again.
local ready, at = {}, 0
function init(args)
    for number, it in ipairs(requests) do
        local headers = {}
        for name, value in pairs(it.headers) do headers[name] = value end
        headers["Host"] = wrk.headers["Host"]
        ready[number] = wrk.format(it.method, it.path, headers, it.body)
    end
    requests = nil
end
function request()
    at = at % #ready + 1
    return ready[at]
end
"""
_MADE = """
-- Each request is another: `make()` gives it.
function init(args)
    math.randomseed(seed)
    host = wrk.headers["Host"]
end
function guid()
    local random = math.random
    return string.format("%08x-%04x-4%03x-8%03x-%06x%06x", random(0, 0x7fffffff), random(0, 0xffff),
        random(0, 0xfff), random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
end
function pick(list) return list[math.random(#list)] end
function request()
    local method, path, token, body = make()
    return wrk.format(method, path, {["Host"] = host, ["Authorization"] = "Bearer " .. token,
        ["Content-Type"] = "application/json"}, body)
end
"""
_CHECKED = """
function setup(thread) checked = thread end
wrong, example = 0, 0
function response(status, headers, body)
    if status ~= expected then wrong = wrong + 1; example = status end
end
"""
_DONE = """
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        'RESULT {"requests":%d,"seconds":%.6f,"errors":%d,"p50":%.3f,"p99":%.3f,' ..
        '"wrong":%d,"example":%d}\\n',
        summary.requests, summary.duration / 1e6,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        checked and checked:get("wrong") or 0, checked and checked:get("example") or 0))
end
"""


class Result(msgspec.Struct):
    """What one run gave; the percentiles of latency in milliseconds.

    `wrong` counts answers of another status than `expected`, `example` is one such. Only a run with
    `expected` fills these.
    """

    requests: int
    seconds: float
    errors: int
    p50: float
    p99: float
    wrong: int
    example: int


class Request(msgspec.Struct, frozen=True):
    """One request of a script."""

    method: str
    path: str
    headers: dict[str, str] = {}
    body: str | None = None


def of_requests(requests: list[Request]) -> str:
    """A script that sends these in turn."""
    rows = ",\n".join(lua(msgspec.to_builtins(request)) for request in requests)
    return f"requests = {{\n{rows}\n}}\n{_REQUESTS}"


def of_maker(make: str, seed: int, **tables: object) -> str:
    """A script whose requests the Lua function body `make` gives: method, path, token, body.

    `tables` are there as globals of their names.
    """
    given = "".join(f"{name} = {lua(value)}\n" for name, value in tables.items())
    return f"seed = {seed}\n{given}function make()\n{make}\nend\n{_MADE}"


def lua(value: object) -> str:
    """A value as Lua text."""
    if isinstance(value, dict):
        pairs = (f"[{lua(key)}] = {lua(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "{" + ", ".join(map(lua, value)) + "}"
    if value is None:
        return "nil"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def run(
    url: str,
    script: str,
    connections: int,
    folder: Path,
    seconds: int,
    expected: int | None = None,
) -> Result:
    """Drive a server for whole `seconds`; the script is written to `folder`.

    With `expected` the status of each answer is looked at, which takes time of wrk's. Raises
    BenchError.
    """
    checked = "" if expected is None else f"expected = {expected}\n{_CHECKED}"
    file = folder / "wrk.lua"
    file.write_text(f"{script}\n{checked}\n{_DONE}")
    words = ["-t1", f"-c{connections}", f"-d{seconds}s", f"--timeout={_TIMEOUT}s", "-s", str(file)]
    done = subprocess.run(  # noqa: S603
        [found(), *words, url], capture_output=True, text=True, check=False
    )
    for line in done.stdout.splitlines():
        if line.startswith(_MARK):
            return msgspec.json.decode(line.removeprefix(_MARK), type=Result)
    raise BenchError(f"wrk ended with {done.returncode}: {done.stderr or done.stdout}")


def found() -> str:
    """Its path. Raises BenchError."""
    path = shutil.which("wrk")
    if path is None:
        raise BenchError("wrk is needed: scripts/debian-packages wrk")
    return path
