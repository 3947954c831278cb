"""`twistd contentsvc`: the one module that knows every part. It reads the options, chooses between
a daemon and the parent of several, and has the domains install what a daemon serves."""

import gc
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NoReturn

from twisted.application.service import Service
from twisted.internet import task
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.python import usage

from contentsvc import config
from contentsvc.app import command_hint, logs, reload
from contentsvc.app.daemon import Daemon
from contentsvc.app.families import INSTALLS
from contentsvc.app.lifecycle import Lifecycle, say_hello
from contentsvc.app.reload import Present, Question
from contentsvc.app.workers import Workers
from contentsvc.config import ConfigError, Settings
from contentsvc.config.studio_files import StudioFiles, read_files
from contentsvc.framework.config.toml_files import Files
from contentsvc.framework.core import build, utf8
from contentsvc.framework.core.timers import run_monotonic
from contentsvc.framework.identity import file as issuers
from contentsvc.framework.process import json_log
from contentsvc.framework.process.worker import Worker, handed_files
from contentsvc.jobs.mails import TextsError, load_texts
from contentsvc.tokens import Keys, KeysError


class Options(usage.Options):
    """The settings of `contentsvc.config` as options, and the option for their file."""

    optParameters = [
        ["config", "c", None, "TOML file with settings"],
        *([s.option, None, None, s.usage] for s in config.SETTINGS),
    ]

    studio: StudioFiles
    """What the TOML files say that settings name."""

    def __init__(self) -> None:
        super().__init__()
        self.files = Files()
        """They themselves, as this process has read them."""

    def parseOptions(self, options: Any = None) -> None:
        """Answer a wrong configuration with one line and status 1, not with the whole usage."""
        utf8.require()
        wrong = ""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            # No option has been read.
            wrong, words = str(error), list(options or ())
            if ("--log-format", "json") in pairwise(words) or "--log-format=json" in words:
                self["log-format"] = "json"
        if config.log_format(self, os.environ) == "json":
            json_log.begin()
        try:
            self.files = Files(handed_files(os.environ))
            self.settings = self.read()
        except ConfigError as error:
            wrong = wrong or str(error)
        if wrong:
            self.exit(wrong)

    def opt_version(self) -> NoReturn:
        """Print which build this is: version and commit."""
        print(f"contentsvc {build.name()}")
        raise SystemExit(0)

    def exit(self, reason: str) -> NoReturn:
        """End the process: it cannot start."""
        if config.log_format(self, os.environ) == "json":
            json_log.say(f"contentsvc: {reason}")
        else:
            print(f"contentsvc: {reason}", file=sys.stderr)
        raise SystemExit(1)

    def read(self) -> Settings:
        """The present settings. Raises ConfigError."""
        settings = config.read(self, os.environ)
        if settings.files == "s3":
            config.store_of(settings)
        if config.mail_of(settings) is not None:
            try:
                load_texts(settings.mail_templates)
            except TextsError as error:
                raise ConfigError(f"mail_templates {error}") from None
        if settings.secret_file is not None or os.path.exists(settings.keys_path):
            try:
                Keys.load(settings.keys_path)
            except KeysError as error:
                raise ConfigError(f"secret_file {error}") from None
        if settings.issuers is not None:
            try:
                issuers.read(settings.issuers)
            except issuers.FileError as error:
                raise ConfigError(f"issuers {error}") from None
        self.studio = read_files(settings, self.files)
        return settings


def makeService(options: Options) -> Service:
    """The service of one process, on the reactor that twistd runs."""
    from twisted.internet import reactor

    logs.say_build()
    # A thread that computes, such as the one that makes /openapi.json, lets the reactor go on after
    # 1 ms, and not after 5: a request takes some ten turns.
    sys.setswitchinterval(0.001)
    # What the imports have made stays for good. The collections of the start need not visit it.
    gc.freeze()
    run_monotonic(reactor)
    settings = options.settings
    worker = Worker.of(reactor, os.environ)
    parse = partial(serverFromString, reactor) if worker is None else worker.endpoint
    endpoint = _endpoint(options, "listen", settings.listen, parse)
    admin = None
    if settings.admin is not None:
        admin = _endpoint(options, "admin", settings.admin, partial(serverFromString, reactor))
    if worker is not None:
        daemon = Daemon(
            reactor, settings, endpoint, INSTALLS, worker.ready, studio=options.studio, worker=True
        )
        worker.answers(daemon.status.answer)
        service: Lifecycle = daemon
    else:
        file = options["config"] or os.environ.get("CONTENTSVC_CONFIG")
        command = command_hint.command(sys.argv[0], file, settings)
        announce = partial(say_hello, settings, command)
        service = (
            _parent(reactor, options, endpoint, announce, admin)
            if settings.workers > 1
            else Daemon(
                reactor,
                settings,
                endpoint,
                INSTALLS,
                announce,
                studio=options.studio,
                admin=admin,
            )
        )
    try:
        service.observer = logs.observer(settings.log_format, options.parent or {}, reactor)
    except (ConfigError, OSError) as error:
        options.exit(str(error))
    return service


def _endpoint(options: Options, name: str, text: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text)
    except Exception as error:  # a TLS endpoint reads files, and a plugin's may do anything
        options.exit(f"{name} {text}: {str(error) or type(error).__name__}")


def _parent(
    reactor: Any,
    options: Options,
    endpoint: Any,
    announce: Callable[[Any], None],
    admin: Any,
) -> Workers:
    twistd: Any = options.parent or {}
    chosen = [f"--reactor={twistd['reactor']}"] if twistd.get("reactor") else []
    given = {name: value for name, value in options.items() if value is not None}

    async def present(kept: dict[str, str | None], dsn: str) -> Present:
        # The folder of this process is no place for modules.
        asked = [sys.executable, "-P", "-m", "contentsvc.tap"]
        return await reload.ask(reactor, asked, Question(given, kept, dsn))

    return Workers(
        reactor,
        options.settings,
        present,
        endpoint,
        files=options.files.packed(),
        command=[
            *(sys.executable, os.path.abspath(sys.argv[0]), "--nodaemon", "--pidfile="),
            *(*chosen, "contentsvc"),
        ],
        # The workers write to standard output too. Another log cannot have several writers.
        piped=not logs.to_stdout(twistd),
        announce=announce,
        admin=admin,
    )


def answer_settings() -> None:
    """The process that a parent asks for the present settings: see contentsvc.app.reload."""
    utf8.require()

    def read(given: Mapping[str, str]) -> tuple[Settings, bytes]:
        options = Options()
        options.update(given)
        return options.read(), options.files.packed()

    task.react(lambda reactor: Deferred.fromCoroutine(reload.answer(reactor, read)))


if __name__ == "__main__":
    answer_settings()
