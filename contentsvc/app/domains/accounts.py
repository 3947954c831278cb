"""Accounts: their families and jobs."""

from collections.abc import Iterator

from prometheus_client import Metric

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.credentials import Accounts
from contentsvc.api.accounts.deletion import AccountDeletion
from contentsvc.api.accounts.guests import FullAccounts
from contentsvc.api.accounts.identities import Identities, Issuers
from contentsvc.api.accounts.oauth import OAuth
from contentsvc.api.accounts.portal_codes import PortalCodes
from contentsvc.api.accounts.portal_session import PortalSessions
from contentsvc.api.accounts.service_accounts import ServiceAccounts
from contentsvc.api.accounts.sessions import Sessions
from contentsvc.api.accounts.terms import TermsOfUsers
from contentsvc.api.accounts.usernames import ReservedNames, Usernames
from contentsvc.api.accounts.users import Users
from contentsvc.app import metrics
from contentsvc.app.context import Context, Installed
from contentsvc.framework.http.operations import Family
from contentsvc.jobs import retention
from contentsvc.jobs.accounts import of_guests
from contentsvc.jobs.mails import MailCounts

ABOUT = "Users, log-ins, addresses, sessions, the end of an account, and service accounts."
FAMILIES = (
    Family("accounts", Users),
    Family("accounts", Usernames),
    Family("accounts", TermsOfUsers),
    Family("accounts", Sessions),
    Family("accounts", PortalCodes),
    Family("accounts", Accounts),
    Family("accounts", FullAccounts),
    Family("accounts", AccountDeletion),
    Family("accounts", Identities),
    Family("accounts", Issuers),
    Family("accounts", ServiceAccounts),
    Family("accounts", OAuth, ""),
)
PORTAL = (Family("accounts", PortalSessions, ""),)


def install(context: Context) -> Installed:
    """Install them."""
    settings, db, revocation = context.settings, context.db, context.revocation
    tokens, mail_tokens, passwords, verifiers, issuers, failed = context.credentials
    auth = Authenticator(
        db,
        passwords,
        tokens,
        verifiers,
        most_of_address=settings.failed_log_ins_per_address,
        mails_of_address=settings.mails_per_address,
        failed=failed,
    )
    reserved = ReservedNames(settings.reserved_names)
    oauth = OAuth(
        *(db, auth, tokens, revocation, mail_tokens, settings.sessions_per_user),
        *(context.maintenance, reserved),
        settings.guests_per_address if settings.guests else None,
    )
    families: list[object] = [
        Users(db, context.claims, context.acts, settings.user_updates_per_minute),
        Usernames(db, settings.username_days, reserved),
        Sessions(db, tokens, revocation, public_url=settings.public_url),
        Accounts(
            db,
            passwords,
            auth,
            revocation,
            mail_tokens,
            context.mails,
            registration=settings.registration,
            reserved=reserved,
            guests=context.guests,
            terms=context.terms,
        ),
        TermsOfUsers(db, context.terms),
        FullAccounts(
            *(db, passwords, auth, revocation, context.mails),
            registration=settings.registration,
            reserved=reserved,
        ),
        AccountDeletion(
            db, auth, revocation, context.queue, context.reactor, settings.exports_per_day
        ),
        Identities(db, auth, revocation, context.mails, reserved),
        Issuers(issuers),
        ServiceAccounts(db, revocation),
        oauth,
    ]
    if settings.portal:
        families += (
            PortalCodes(db, settings.public_url),
            PortalSessions(oauth, settings.public_url),
        )
    mailing = context.mailing

    def measure() -> Iterator[Metric]:
        yield metrics.PASSWORDS_WAITING.one(passwords.waiting)
        yield metrics.PASSWORDS_HASHING.one(passwords.running)
        counts = MailCounts() if mailing is None else mailing.counts
        yield metrics.MAILS.by(
            {"sent": counts.sent, "put off": counts.put_off, "refused": counts.refused}
        )

    jobs = [
        *retention.of_accounts(db),
        *of_guests(db, context.queue, revocation.end, settings.guest_retention),
    ]
    return Installed(families, jobs if mailing is None else [mailing.job, *jobs], [measure])
