"""Commands for operators. They work on the database, whether or not the daemon runs."""

import argparse
import hashlib
import os
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import msgspec
import psycopg2
from twisted.logger import ILogObserver, LogEvent, formatEvent, globalLogPublisher
from zope.interface import provider

from contentsvc import config
from contentsvc.command import (
    backup,
    files,
    legal,
    maintenance,
    remote,
    restore,
    service,
    status,
    terminal,
)
from contentsvc.command.database import database, migrated, server
from contentsvc.command.terminal import CommandError
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.core import build, disk, utf8
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.core.utf8 import trimmed
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.db.pooler_check import PoolerError
from contentsvc.framework.db.query import Db
from contentsvc.framework.identity.passwords import HASHER, normal
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.mail.message import mailable
from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.tasks import task_queue
from contentsvc.roles import ADMIN, PLAYER, ROLES, outranks
from contentsvc.store import schema_marks
from contentsvc.store.accounts import (
    addresses,
    credentials,
    deletion,
    guests,
    log_in_attempts,
    mails,
    roles,
    sessions,
)
from contentsvc.store.accounts import export as exports
from contentsvc.store.events import events
from contentsvc.store.migrate import MigrationError
from contentsvc.store.moderation import audit_log
from contentsvc.store.sections import PAGE
from contentsvc.store.tasks import Departure, UserClearance
from contentsvc.tokens import ACCESS_LIFETIME, Keys, KeysError, Tokens, new_secret
from contentsvc.wire.accounts import CLIENT, Registration
from contentsvc.wire.events import EventData
from contentsvc.wire.moderation import CLEARABLE
from contentsvc.wire.moderation import UserClearance as Clearance

_OPTIONS = ("database", "data_dir", "secret_file")
_RULES = {
    "username": "a username must have 3 to 32 characters of A-Z, a-z, 0-9, _, . and -",
    "email": "an e-mail address must be like ada@example.com, with at most 254 characters",
    "password": "a password must have 8 to 128 characters and no NUL",
}
_TAKEN = {
    "users_username": "another user already has the name {}",
    "users_email": "another user already has this e-mail address",
}
_STAFF = [role for role in ROLES if role != PLAYER]
_DATABASE_ERRORS = (
    *(EmbeddedError, MigrationError, PoolerError, Unavailable, BadValue),
    *(psycopg2.Error, OSError, StorageUnavailable),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and give the exit status. An error is one line on stderr, and status 1.
    A command may give another status of its own."""
    if argv is None:
        utf8.require()
    arguments = parser().parse_args(argv)
    globalLogPublisher.addObserver(_warn)
    try:
        done: int | None = arguments.act(config.read(vars(arguments), os.environ), arguments)
    except (CommandError, ConfigError, KeysError, *_DATABASE_ERRORS) as error:
        about = "secret_file " if isinstance(error, KeysError) else ""
        terminal.say_error(f"{about}{' '.join(str(error).split())}")
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        globalLogPublisher.removeObserver(_warn)
    return done or 0


class _Version(argparse.Action):
    """Prints which build this is."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> NoReturn:
        terminal.say(f"contentsvc {build.name()}")
        parser.exit()


@provider(ILogObserver)
def _warn(event: LogEvent) -> None:
    """Print what the log of a daemon says of the disk. Nobody reads the log of a command."""
    if event.get("log_namespace") == disk.__name__:
        terminal.say_error(formatEvent(event))


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(1, terminal.safe(f"{self.prog}: {message}; see {self.prog} --help") + "\n")


def _named(common: _Parser) -> _Parser:
    made = _Parser(prog="contentsvc", description=__doc__, parents=[common])
    about = "print which build this is: version and commit"
    made.add_argument("--version", action=_Version, nargs=0, help=about)
    return made


def parser() -> argparse.ArgumentParser:
    # Without defaults, so that an option before the subcommand survives the subcommand's parser.
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--config", metavar="FILE", help="TOML file with settings")
    for setting in config.SETTINGS:
        if setting.name in _OPTIONS:
            common.add_argument(f"--{setting.option}", dest=setting.option, help=setting.usage)
    place = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    for setting in config.SETTINGS:
        if setting.name in files.SETTINGS:
            place.add_argument(f"--{setting.option}", dest=setting.option, help=setting.usage)
    password = _Parser(add_help=False)
    password.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )

    named = _Parser(add_help=False)
    named.add_argument("name", metavar="NAME", type=trimmed)

    root = _named(common)
    commands = root.add_subparsers(metavar="COMMAND", required=True)

    def command(into: Any, name: str, act: Any, text: str, *more: _Parser) -> _Parser:
        made: _Parser = into.add_parser(name, help=text, description=text, parents=[common, *more])
        made.set_defaults(act=act)
        return made

    command(commands, "migrate", _migrate, "update the database schema")
    save = command(commands, "backup", backup.run, "write the database into a file")
    save.add_argument("file", metavar="FILE", help="a file that is not there yet")
    back = command(commands, "restore", restore.run, "put the database back from a file")
    back.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="what contentsvc backup has written; nobody "
        "else may have changed it, for a restore runs its SQL, which can run programs",
    )
    back.add_argument("--replace", action="store_true", help="replace all that the database has")
    back.add_argument(
        "--finish", action="store_true", help="look at what other tools have restored, and serve it"
    )
    for part in (maintenance, service, legal):
        part.add(commands, common, command)
    look = command(commands, "status", _status, "print how the service is")
    look.add_argument("--json", action="store_true", help="print it as a JSON object")
    status.add(command(commands, "statistics", status.run, "print what happened on each day"))
    _add_user_commands(commands, common, command, password, named)
    about = commands.add_parser("files", help="look after files", parents=[common])
    files.add(about.add_subparsers(metavar="COMMAND", required=True), command, place)
    text = "begin a session of a user who is no admin, and print its access token"
    command(commands, "token", _token, text, named)
    text = "create a small world of users and content"
    made = command(commands, "demo", _demo, text, password, place)
    made.add_argument(
        "--url",
        metavar="URL",
        help="where the daemon answers, for what is printed; by default as the settings say",
    )
    remote.add(partial(command, commands), password)
    return root


def _add_user_commands(
    commands: Any,
    common: _Parser,
    command: Callable[..., _Parser],
    password: _Parser,
    named: _Parser,
) -> None:
    user = commands.add_parser("user", help="add or change a user", parents=[common])
    user_commands = user.add_subparsers(metavar="COMMAND", required=True)
    add = command(user_commands, "add", _add, "add a user", password, named)
    add.add_argument("--email", metavar="E", required=True, help="e-mail address")
    # By another name, for there is a setting `admin`.
    add.add_argument("--admin", dest="is_admin", action="store_true", help="make the user an admin")
    command(user_commands, "promote", _promote, "give a user a role", named).add_argument(
        "--role", choices=_STAFF, default=ADMIN, help="which; by default admin"
    )
    command(user_commands, "demote", _demote, "make a user a player again", named)
    command(user_commands, "password", _reset, "give a user a new password", password, named)
    text = "print all that is held of a user, as JSON"
    command(user_commands, "export", _export, text, named)
    text = "delete a user's account, for good"
    delete = command(user_commands, "delete", _delete, text, named)
    delete.add_argument("--yes", action="store_true", help="do it: it cannot be undone")
    delete.add_argument(
        "--free-address",
        action="store_true",
        help="let others have the e-mail address at once, not after 30 days",
    )
    text = "suspend or remove what a user has made"
    clear = command(user_commands, "clear", _clear, text, named)
    clear.add_argument(
        "--what",
        metavar="KIND",
        nargs="+",
        action="extend",
        required=True,
        help=f"one or more of {', '.join(CLEARABLE)}",
    )
    clear.add_argument(
        "--reason", metavar="TEXT", required=True, help="why: the user and moderators read it"
    )


# The commands.


def _migrate(settings: Settings, arguments: argparse.Namespace) -> None:
    with server(settings) as dsn:
        names = migrated(dsn)
    terminal.say(f"Applied {', '.join(names)}." if names else "The schema is up to date.")


def _status(settings: Settings, arguments: argparse.Namespace) -> int:
    with server(settings, existing=True) as dsn:
        look = partial(
            status.look,
            files=settings.files,
            files_off=settings.files_off,
            restoring=schema_marks.restoring(dsn),
        )
        found = in_transaction(dsn, look)
    if arguments.json:
        terminal.say_json(msgspec.json.encode(found).decode())
    else:
        terminal.say(*status.lines(found))
    return found.exit_status


def _add(settings: Settings, arguments: argparse.Namespace) -> None:
    name, email = arguments.name, trimmed(arguments.email)
    # Report errors before asking for a password.
    _check(username=name, email=email, password="-" * 8)
    _check_mailable(settings, email)
    password = terminal.password(arguments)
    _check(username=name, email=email, password=password)
    encoded = HASHER.hash(normal(password))

    async def add(db: Db) -> str:
        await addresses.free(db, email)
        await addresses.release(db, email)
        user = await credentials.register(
            db, name, email, encoded, ADMIN if arguments.is_admin else PLAYER
        )
        await addresses.vouch(db, user)
        return user

    with database(settings) as dsn:
        try:
            user = in_transaction(dsn, add)
        except Refused as refused:
            raise CommandError(_TAKEN[refused.constraint].format(name)) from None
    terminal.say(f"Added {'admin' if arguments.is_admin else 'user'} {name}, id {user}.")


def _promote(settings: Settings, arguments: argparse.Namespace) -> None:
    _give_role(settings, arguments, arguments.role)


def _demote(settings: Settings, arguments: argparse.Namespace) -> None:
    _give_role(settings, arguments, PLAYER)


def _give_role(settings: Settings, arguments: argparse.Namespace, role: str) -> None:
    changed = False

    async def give(db: Db, account: credentials.Credentials) -> None:
        nonlocal changed
        changed = await roles.lock(db, account.id) != role
        if changed:
            await _check_full(db, arguments.name, account.id)
            await roles.put(db, account.id, role)
            await sessions.revoke_all(db, account.id, None)
            if settings.events:
                await events.note(db, "RoleChanged", None, "user", account.id, EventData(role=role))

    _on_account(settings, arguments, give)
    if changed:
        terminal.say(
            f"{arguments.name} has the role {role}. All sessions of this user end within seconds."
        )
    else:
        terminal.say(f"{arguments.name} has the role {role} already.")


def _reset(settings: Settings, arguments: argparse.Namespace) -> None:
    password = terminal.password(arguments)
    _check(username="any", email="any@example.com", password=password)
    encoded = HASHER.hash(normal(password))

    async def reset(db: Db, account: credentials.Credentials) -> None:
        await _check_full(db, arguments.name, account.id)
        if not await credentials.set_password(db, account.id, account.password_hash, encoded):
            raise CommandError(f"{arguments.name} has just changed the password; try again")
        actor = audit_log.OPERATOR
        await audit_log.record(db, *actor, "password_set", "user", account.id, "")
        await mails.end_links(db, account.id)
        await log_in_attempts.forget(db, account.id)
        await sessions.revoke_all(db, account.id, None)

    _on_account(settings, arguments, reset)
    terminal.say(
        f"{arguments.name} has a new password. All sessions of this user end within seconds."
    )


def _export(settings: Settings, arguments: argparse.Namespace) -> None:
    async def write(db: Db, known: credentials.Credentials) -> None:
        account = await exports.account(db, known.id)
        if account is None:
            raise CommandError(f"{arguments.name} has just left")
        before = "{"
        async for text in exports.whole(db, account, *PAGE):
            terminal.say_json(before + text, end="")
            before = ","
        terminal.say_json("}")

    _on_account(settings, arguments, write)


def _delete(settings: Settings, arguments: argparse.Namespace) -> None:
    async def delete(db: Db, account: credentials.Credentials) -> None:
        if not arguments.yes:
            raise CommandError(f"this deletes {arguments.name} for good; say --yes")
        keep = not arguments.free_address
        if await deletion.leave(db, account.id, account.password_hash, keep_address=keep) is None:
            raise CommandError(f"{arguments.name} has just changed the password; try again")
        await task_queue.put(db, Departure(user=account.id))

    _on_account(settings, arguments, delete)
    terminal.say(
        f"{arguments.name} is deleted. All sessions of this user end within seconds. The daemon"
        " deletes content, votes and messages, as soon as it runs."
    )


def _clear(settings: Settings, arguments: argparse.Namespace) -> None:
    name, reason = arguments.name, arguments.reason
    given = [word for each in arguments.what for word in each.split(",") if word]
    try:
        msgspec.convert({"what": [*dict.fromkeys(given)], "reason": reason}, Clearance)
    except msgspec.ValidationError:
        about = f"--what takes one or more of {', '.join(CLEARABLE)}, --reason 1 to 4096 characters"
        raise CommandError(about) from None
    if not terminal.is_text(reason):
        raise CommandError("--reason is no text")
    what: list[str] = [each for each in CLEARABLE if each in given]

    async def clear(db: Db, account: credentials.Credentials) -> None:
        _check_outranks(name, account.role, f"contentsvc user demote {name} takes the role away")
        task = UserClearance(user=account.id, what=what, reason=reason, admin=None)
        await task_queue.put(db, task)

    _on_account(settings, arguments, clear)
    terminal.say(
        f"The daemon takes away what {name} has made ({', '.join(what)}), as soon as it runs."
    )


async def _check_full(db: Db, name: str, user: str) -> None:
    """Raises CommandError if the account is a guest's."""
    if await guests.is_guest(db, user):
        raise CommandError(f"{name} is a guest: the player has to register first")


def _check_outranks(name: str, role: str, advice: str) -> None:
    """Raises CommandError unless an admin may act on an account with this role: a command may no
    more than an admin over HTTP."""
    if not outranks(ADMIN, role):
        raise CommandError(f"{name} is an admin; {advice}")


def _token(settings: Settings, arguments: argparse.Namespace) -> None:
    # Nobody knows the refresh token of this session, so it ends with its access token.
    nobodys = hashlib.sha256(secrets.token_bytes(32)).hexdigest()

    async def begin(db: Db) -> tuple[credentials.Credentials, str, bool]:
        account = await _account(db, arguments.name)
        # Until the commit it stays so: the token names the role.
        role = await roles.share(db, account.id)
        if role is None:
            raise CommandError(f"there is no user {arguments.name}")
        advice = (
            "nobody acts as one: log in with the password, or set one with"
            f" contentsvc user password {arguments.name}"
        )
        _check_outranks(arguments.name, role, advice)
        session = await sessions.begin(db, account.id, nobodys, ACCESS_LIFETIME, None, CLIENT)
        if session is None:
            raise CommandError(f"{arguments.name} is banned")
        actor = audit_log.OPERATOR
        await audit_log.record(db, *actor, "token_issued", "user", account.id, "")
        return account._replace(role=role), session, await guests.is_guest(db, account.id)

    # A required file is read first, so that its absence is the error.
    keys = None if settings.secret_file is None else Keys.load(settings.secret_file)
    with database(settings, existing=True) as dsn:
        keys = keys or Keys.load_or_generate(settings.keys_path)
        account, session, guest = in_transaction(dsn, begin)
    tokens = Tokens(keys, WallClock())
    terminal.say(tokens.issue(account.id, session, account.role, guest=guest))


def _demo(settings: Settings, arguments: argparse.Namespace) -> None:
    # Much of the store, and Pillow, which no other command needs.
    from contentsvc.command.demo import build as demo
    from contentsvc.command.demo import place, world
    from contentsvc.command.demo.files import DemoFiles, screenshots
    from contentsvc.command.reactor import on_database

    password = (
        terminal.password(arguments) if arguments.password_stdin else secrets.token_urlsafe(12)
    )
    _check(username="demo", email="demo@example.com", password=password)
    base = _base(settings) if arguments.url is None else _root(arguments.url)
    secret, guest = new_secret(), secrets.token_urlsafe(48)
    media: str | None = None
    said = arguments.url is not None or settings.public_url is not None
    process = None if arguments.url is None and said else place.process_at(base)
    given = process if arguments.url is not None else None
    if settings.database is None and not (settings.data_dir / "postgres").exists():
        place.check(base, given, settings, None)
    with database(settings) as dsn:
        place.check(base, given, settings, dsn)
        built = not in_transaction(dsn, demo.is_there)
        if built:
            made = DemoFiles(make=settings.files != "external")

            async def build(db: Db) -> bool:
                now = int(WallClock().seconds())
                return await demo.build(
                    db, lambda: HASHER.hash(normal(password)), secret, guest, now, made
                )

            try:
                if made.bytes:
                    in_transaction(dsn, made.announce)
                    media = on_database(dsn, lambda reactor, db: made.lay(reactor, db, settings))
                    media = media if "://" in media else base + media
                    media = f"{media}/{made.path(screenshots('tower')[0])}"
                built = in_transaction(dsn, build)
                other = not given and place.is_other(process, dsn)
            except Refused as refused:
                raise CommandError(f"the demo conflicts with existing data: {refused}") from None
    if built:
        elsewhere = [] if said else [f"If your daemon is not at {base}, put its address there."]
        if settings.tags is None:
            elsewhere.append(
                f"Its tags are in groups if the daemon has the option tags: {world.TAGS}"
            )
        if other:
            elsewhere.insert(0, f"The daemon that answers at {base} has another database.")
        guide = world.guide(base, media, secret, guest, portal=settings.portal)
        terminal.say(*guide, *elsewhere, f"Password of each: {password}")
    else:
        # An earlier release may have made it, without what the guide names.
        terminal.say(
            f"The demo world exists already. Users: {world.names()}",
            "A new password for one of them: contentsvc user password NAME",
        )


def _root(url: str) -> str:
    if not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", url):
        raise CommandError(f"--url {url}: write a URL such as http://127.0.0.1:8080")
    return url.rstrip("/")


_TCP = re.compile(r"(?:haproxy:)?(tcp|ssl):(\d+)\b(?:.*\binterface=([\w.]+))?")


def _base(settings: Settings) -> str:
    """The URL of a daemon with these settings."""
    if settings.public_url is not None:
        return settings.public_url
    found = _TCP.match(settings.listen)
    if found is None:
        return "http://127.0.0.1:8080"
    kind, port, host = found.groups()
    host = "127.0.0.1" if host in {None, "0.0.0.0"} else host  # noqa: S104
    return f"{'https' if kind == 'ssl' else 'http'}://{host}:{port}"


# Parts that the commands share.


def _check(**registration: str) -> None:
    try:
        msgspec.convert(registration, Registration)
    except msgspec.ValidationError as error:
        member = str(error).rpartition("$.")[2].rstrip("`")
        raise CommandError(_RULES[member]) from None
    for member, value in registration.items():
        if not terminal.is_text(value):
            raise CommandError(_RULES[member])


def _check_mailable(settings: Settings, email: str) -> None:
    """Raises CommandError if the service sends mail, and none can be sent to this address."""
    if settings.smtp is None or mailable(email) is not None:
        return
    refused = CommandError(f"no mail can be sent to {email}")
    mail = config.mail_of(settings)
    if mail is None or mailable(email, utf8=True) is None:
        raise refused
    # Their import asks for the name of the machine.
    from contentsvc.command.reactor import on_reactor
    from contentsvc.framework.mail.smtp import MailServer, server_of

    try:
        has_utf8 = on_reactor(lambda reactor: MailServer(reactor, server_of(mail)).has_utf8())
    except Away as error:
        raise CommandError(str(error)) from None
    if not has_utf8:
        raise refused


def _on_account(
    settings: Settings,
    arguments: argparse.Namespace,
    act: Callable[[Db, credentials.Credentials], Awaitable[None]],
) -> None:
    """Act on the account that the command names, in a transaction."""

    async def on_account(db: Db) -> None:
        await act(db, await _account(db, arguments.name))

    with database(settings, existing=True) as dsn:
        in_transaction(dsn, on_account)


async def _account(db: Db, name: str) -> credentials.Credentials:
    account = await credentials.by_name(db, name)
    if account is None:
        raise CommandError(f"there is no user {name}")
    return account
