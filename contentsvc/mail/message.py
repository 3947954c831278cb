"""The form of mails (RFC 5322), and the addresses that they can be sent to."""

import re
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate
from typing import Final
from urllib.parse import urlsplit

_ATOM: Final = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_LOCAL: Final = re.compile(rf"{_ATOM}(\.{_ATOM})*")
_DOMAIN: Final = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_ENCODED: Final = re.compile(r"=\?.*\?.*\?.*\?=")
"""A word of RFC 2047. Some programs would put what it stands for in its place."""
_AMBIGUOUS: Final = re.compile("[\xdf\u1e9e\u03c2\u200c\u200d]")
"""Characters of domains that IDNA 2003, which Python has, turns into others, and IDNA 2008 does
not (UTS 46 §4). The mail could go to somebody else's domain."""
_LONGEST_LOCAL, _LONGEST = 64, 254
_LINE: Final = 900
"""Most characters of a line that goes as it is. RFC 5321 allows 998."""


def mailable(address: str) -> str | None:
    """An address in ASCII, as a mail server takes it. None if mail cannot be sent there.

    Users may register with any text that has an @. What is none of the plain addresses of RFC 5321
    could be read as something else on its way, so it gets no mail. SMTPUTF8 is not spoken.
    """
    local, _, domain = address.rpartition("@")
    if _ENCODED.search(local) or _AMBIGUOUS.search(domain):
        return None
    try:
        domain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    plain = f"{local}@{domain}"
    if len(local) > _LONGEST_LOCAL or len(plain) > _LONGEST:
        return None
    return plain if _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(domain) else None


def mailbox(address: str) -> str:
    """What addresses of one mailbox have in common, for a limit. Most providers take `Ann+x@` for
    `ann@`, and some ignore dots. Where they do not, two mailboxes share a limit."""
    plain = mailable(address) or address
    local, _, domain = plain.lower().rpartition("@")
    bare = local.partition("+")[0].replace(".", "")
    return f"{bare or local}@{domain}"


def link(url: str, token: str) -> str:
    """A URL with a token, which comes last in its query."""
    parts = urlsplit(url)
    query = f"{parts.query}&token={token}" if parts.query else f"token={token}"
    return parts._replace(query=query).geturl()


def compose(
    *,
    sender: str,
    sender_name: str,
    recipient: str,
    subject: str,
    body: str,
    id: str,
    date: float,
) -> bytes:
    """A mail in plain text. `recipient` is `mailable`; `id` is the same when the mail is made
    again, so that who gets it twice can tell. `date` is in Unix seconds."""
    message = EmailMessage(policy=SMTP)
    local, _, domain = sender.rpartition("@")
    message["From"] = Address(sender_name, local, domain)
    message["To"] = recipient
    message["Subject"] = subject
    message["Date"] = formatdate(date, usegmt=True)
    message["Message-ID"] = f"<{id}@{domain}>"
    # No answer of a machine to a machine (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    # A link in plain ASCII is not broken up.
    plain = body.isascii() and all(len(line) <= _LINE for line in body.splitlines())
    message.set_content(body, cte="7bit" if plain else "quoted-printable")
    return message.as_bytes()
