"""The sending of mail by a daemon, by its settings."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from contentsvc.config import Settings, mail_of
from contentsvc.core.clocks import WallClock
from contentsvc.core.timers import Bell, NextTurn
from contentsvc.db.database import Database
from contentsvc.mail import texts
from contentsvc.mail.message import mailbox
from contentsvc.store.accounts.mails import Mails
from contentsvc.tasks import mails as job
from contentsvc.tasks.effects import EffectRunner
from contentsvc.tasks.mails import Counts, Look, MailSender
from contentsvc.tasks.runner import Job
from contentsvc.tokens import EMAIL, RESET, Keys, MailTokens


class Mailing(NamedTuple):
    """What sends mail: the queue, the job, and what the job has done in this process. `stop` is to
    be called before the database is closed."""

    queue: Mails
    job: Job
    counts: Counts
    stop: Callable[[], Awaitable[None]]


def open_mailing(
    settings: Settings,
    keys: Keys,
    reactor: Any,
    wall: WallClock,
    db: Database,
    pseudonym: Callable[[str], str],
) -> Mailing | None:
    """What the settings of mail ask for; None if no mail is sent. `pseudonym` makes the GUID that
    stands for a text."""
    mail = mail_of(settings)
    if mail is None:
        return None
    # Its import asks for the name of the machine, which takes long where DNS does not answer.
    from contentsvc.mail.smtp import MailServer, Server

    tokens, bell, counts = MailTokens(keys), Bell(reactor), Counts()
    server = Server(
        host=mail.host,
        port=mail.port,
        implicit_tls=mail.implicit_tls,
        user=mail.user,
        password=None if mail.password is None else mail.password.value,
        name=mail.sender.rpartition("@")[2],
    )
    look = Look(mail.sender, mail.sender_name, texts.load(mail.templates), mail.reset_url)

    def token(purpose: str, id: str) -> str:
        return tokens.make(RESET if purpose == "reset" else EMAIL, id)

    sender = MailSender(wall, db, MailServer(reactor, server), look, token, counts)
    runner = EffectRunner(reactor, db, sender.kind)
    return Mailing(
        Mails(
            NextTurn(reactor, bell.ring).ask,
            lambda email: pseudonym(f"mailbox {mailbox(email)}"),
            settings.mails_per_recipient,
        ),
        Job("send mail", job.EVERY, runner.run, bell),
        counts,
        runner.stop,
    )
