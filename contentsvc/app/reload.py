"""The settings of a rolling restart, as the code reads them that is installed at that time.

After an upgrade the parent still runs the code of before, which knows neither the new settings nor
their values. So it asks a process of the present code, which reads the settings, tries the place of
the files, and answers with the environment of the workers.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from msgspec import MsgspecError, Struct, json
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.utils import getProcessOutputAndValue

from contentsvc import config
from contentsvc.app.from_settings import try_store
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.storage.bucket import BadStore

READ_TIMEOUT = 60.0
"""Seconds that the answer may take: as long as a new worker."""


class Question(Struct):
    """What the parent asks. `options` are those that it was given. `kept` are settings that only
    the parent can change, as a variable of the environment has them, or None. `dsn` is that of the
    database."""

    options: dict[str, str]
    kept: dict[str, str | None]
    dsn: str


class Present(Struct):
    """The present settings, as variables of the environment. `changed` are settings that have
    changed but stay as they were. `files` is what the files have that they name, for workers."""

    variables: dict[str, str]
    changed: list[str] = []
    files: bytes = b""


class _Answer(Struct):
    present: Present | None = None
    error: str = ""


def kept(settings: Settings, names: Iterable[str]) -> dict[str, str | None]:
    """These settings, for a Question."""
    return {name: config.written(getattr(settings, name)) for name in names}


async def ask(reactor: Any, command: list[str], question: Question) -> Present:
    """The answer of the program that this command starts. Raises ConfigError, with the reason not
    to begin a rolling restart."""
    program, *arguments = command
    # The environment is the parent's own: options, environment and file have their usual order.
    running: Deferred[tuple[bytes, bytes, int]] = getProcessOutputAndValue(
        program, arguments, env=os.environ, reactor=reactor, stdinBytes=json.encode(question)
    )
    try:
        output, said, _ = await running.addTimeout(READ_TIMEOUT, reactor)
        answer = json.decode(output, type=_Answer)
    except TimeoutError:
        raise ConfigError(f"the settings were not read within {READ_TIMEOUT:.0f} s") from None
    except MsgspecError:
        *_, last = said.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise ConfigError(f"the installed code does not read the settings: {last}") from None
    if answer.present is None:
        raise ConfigError(answer.error)
    return answer.present


async def answer(reactor: Any, read: Callable[[Mapping[str, str]], tuple[Settings, bytes]]) -> None:
    """Answer the question on standard input. `read` gives the settings with these options, and what
    the files have that they name. It raises ConfigError."""
    signal.alarm(int(READ_TIMEOUT))  # nobody waits for it any longer
    question = json.decode(sys.stdin.buffer.read(), type=Question)
    try:
        found = _Answer(await _present(reactor, question, *read(question.options)))
    except (ConfigError, BadStore, OSError) as error:
        found = _Answer(error=str(error))
    sys.stdout.buffer.write(json.encode(found))
    sys.stdout.flush()


async def _present(reactor: Any, question: Question, settings: Settings, files: bytes) -> Present:
    parse = {setting.name: setting.parse for setting in config.SETTINGS}
    own: dict[str, Any] = {
        name: None if value is None else parse[name](value)
        for name, value in question.kept.items()
        if name in parse
    }
    changed = [name for name, value in own.items() if getattr(settings, name) != value]
    settings = replace(settings, **own)
    await try_store(settings, reactor, question.dsn)
    return Present(config.variables(settings), changed, files)
