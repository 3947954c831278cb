"""The form of mails (RFC 5322, RFC 6532), and the addresses that they can be sent to."""

import re
import unicodedata
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import formatdate
from typing import Final
from urllib.parse import urlsplit

_ATOM: Final = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_LOCAL: Final = re.compile(rf"{_ATOM}(\.{_ATOM})*")
_WIDE_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_WIDE_LOCAL: Final = re.compile(rf"{_WIDE_ATOM}(\.{_WIDE_ATOM})*")
"""With characters beyond ASCII (RFC 6531 §3.3)."""
_DOMAIN: Final = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_ENCODED: Final = re.compile(r"=\?.*\?.*\?.*\?=")
"""A word of RFC 2047. Some programs would show its decoded text instead."""
_AMBIGUOUS: Final = re.compile("[\xdf\u1e9e\u03c2\u200c\u200d]")
"""Characters of domains that IDNA 2003, which Python has, turns into others, and IDNA 2008 does
not (UTS 46 §4). The mail could go to somebody else's domain."""
_LONGEST_LOCAL, _LONGEST = 64, 254
_LINE: Final = 900
"""Most characters of a line that goes as it is. RFC 5321 allows 998."""


def mailable(address: str, *, utf8: bool = False) -> str | None:
    """An address as a mail server takes it, its domain in ASCII. None if mail cannot be sent there.

    Without mail, users may register with any text that has an @. What is none of the plain
    addresses of RFC 5321 could be read as something else on its way, so it gets no mail. With
    `utf8`, the server has SMTPUTF8 (RFC 6531): then what is before the @ may have visible
    characters beyond ASCII too.
    """
    local, _, domain = address.rpartition("@")
    if utf8 and not local.isascii():
        # As mail servers compare them (RFC 6532 §3.1).
        local = unicodedata.normalize("NFC", local)
        if not local.isprintable():
            return None
    if _ENCODED.search(local) or _AMBIGUOUS.search(domain):
        return None
    try:
        domain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    plain = f"{local}@{domain}"
    if _octets(local) > _LONGEST_LOCAL or _octets(plain) > _LONGEST:
        return None
    form = _WIDE_LOCAL if utf8 else _LOCAL
    return plain if form.fullmatch(local) and _DOMAIN.fullmatch(domain) else None


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def mailbox(address: str) -> str:
    """What addresses of one mailbox have in common, for a limit. Most providers take `Ann+x@` for
    `ann@`, and some ignore dots. Where they do not, two mailboxes share a limit."""
    plain = mailable(address, utf8=True) or address
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
    """A mail in plain text. `recipient` is `mailable`, and then perhaps for SMTPUTF8 alone; `id` is
    the same when the mail is made again, so that a mail that comes twice is known as one. `date` is
    in Unix seconds."""
    message = EmailMessage(policy=SMTP if recipient.isascii() else SMTPUTF8)
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
