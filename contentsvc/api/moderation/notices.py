"""Notices of what is against the law, from anybody (notices#notices)."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec import UNSET, Struct, UnsetType

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import NoticeNotFound, TooManyRequests, UnknownSubject
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.errors import at_pointer, bad_token
from contentsvc.framework.http.guids import GUID, is_guid
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.proxies import UNIX, UNKNOWN
from contentsvc.framework.http.reply import Made
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.paths import is_digest
from contentsvc.roles import MODERATE
from contentsvc.store import rate_limits
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.fragments import NIL
from contentsvc.store.moderation import evidence, messages
from contentsvc.store.moderation import notices as store
from contentsvc.store.rate_limits import NOTICES
from contentsvc.tokens import NOTICE, MailTokens, Tokens
from contentsvc.wire.notices import (
    Notice,
    NoticeAppeal,
    NoticeBody,
    NoticeReceipt,
    NoticeSubject,
    NoticeTarget,
)

_UNSIGNED: Final = {"illegal", "child", "trademark", "personal"}
_NUMBER: Final = re.compile("[0-9]{1,18}")
_PATHS: Final = (
    (
        "comment",
        re.compile(rf"(?:/content/(?P<content>{GUID}))?/comments/(?P<id>[0-9]{{1,18}})(?=/|\Z)"),
    ),
    ("content", re.compile(rf"/content/(?P<id>{GUID})(?=/|\Z)")),
    ("user", re.compile(rf"/user/(?P<id>{GUID})(?=/|\Z)")),
    ("file", re.compile(r"/(?P<id>[0-9a-fA-F]{64})(?:[.-][0-9A-Za-z.-]*)?\Z")),
)
"""What a URL leads to, by its path: the first that fits."""
_COMMENT: Final = re.compile(r"comment-([0-9]{1,18})")
"""The fragment by which an address of the portal leads to a comment on its content."""


class _Subject(NamedTuple):
    kind: str
    id: str
    content: str | None = None
    user: str | None = None


class _Known(NamedTuple):
    """A subject that there is, and its text as JSON. Of a message, `messages` is what was sent, as
    a JSON array."""

    subject: _Subject
    text: str
    messages: str | None = None


async def _content(db: Db, subject: _Subject) -> _Known | None:
    if not is_guid(subject.id):
        return None
    found = await evidence.of_content(db, subject.id, None, True)
    return None if found is None else _Known(_Subject("content", subject.id), found.text)


async def _comment(db: Db, subject: _Subject) -> _Known | None:
    if not _NUMBER.fullmatch(subject.id):
        return None
    number = int(subject.id)
    content = subject.content or await evidence.content_of_comment(db, number)
    if content is None:
        return None
    found = await evidence.of_comment(db, content, number, None, True)
    known = _Subject("comment", str(number), content)
    return None if found is None else _Known(known, found.text)


async def _user(db: Db, subject: _Subject) -> _Known | None:
    if not is_guid(subject.id):
        return None
    found = await evidence.of_user(db, subject.id, NIL, [])
    return None if found is None else _Known(_Subject("user", subject.id), found.text)


async def _file(db: Db, subject: _Subject) -> _Known | None:
    if not is_digest(subject.id):
        return None
    found = await evidence.of_file(db, subject.id)
    return None if found is None else _Known(_Subject("file", subject.id), found.text)


async def _message(db: Db, subject: _Subject) -> _Known | None:
    if not is_guid(subject.id) or subject.user is None:
        return None
    found = await messages.evidence(db, subject.user, subject.id)
    known = _Subject("message", subject.id, None, subject.user)
    return None if found is None else _Known(known, *found)


_FINDERS: Mapping[str, Callable[[Db, _Subject], Awaitable[_Known | None]]] = {
    "content": _content,
    "comment": _comment,
    "user": _user,
    "file": _file,
    "message": _message,
}
"""What finds a subject of each kind, hidden or not. Of another kind none is known."""


class Notices(Struct):
    """Notices, of which a client's address may send `per_address` in a day, 0 for any number.
    `tokens` makes the pseudonyms of addresses. Without `mails` the service sends none. `redress` is
    the operator's text of what can be done about a decision."""

    db: Database
    tokens: Tokens
    mail_tokens: MailTokens
    mails: Mails | None
    per_address: int
    redress: str

    @route(
        "POST",
        "/notices",
        allow=ANYONE,
        limit=SMALL,
        raises=(UnknownSubject, TooManyRequests),
    )
    async def create_notice(self, call: Call, body: NoticeBody) -> Made[NoticeReceipt]:
        """Send a notice of illegal content, without an account (notices#notices). Each subject is
        reported to the moderators at once. If an address is given and the service sends mail, a
        mail confirms the notice, and another reports the decision. The token in the answer reads
        the state of the notice."""
        _check(body)
        given = [_given(at, target) for at, target in enumerate(body.subjects)]
        async with self.db.transaction() as tx:
            found = [
                await _FINDERS[one.kind](tx, one) if one.kind in _FINDERS else None for one in given
            ]
            known: dict[_Subject, tuple[_Known, str | None]] = {}
            for one, target in zip(found, body.subjects, strict=True):
                if one is not None:
                    known.setdefault(one.subject, (one, target.url))
            unknown = [at for at, one in enumerate(found) if one is None]
            if unknown:
                raise UnknownSubject(subjects=unknown)
            check_wait(await self._wait(tx, call))
            notice = await store.file(
                tx,
                body.reason,
                body.explanation,
                body.law,
                body.name,
                body.email,
                body.signature,
                [one.kind for one in known],
                [one.id for one in known],
                [one.content for one in known],
                [one.user for one in known],
                [url for _, url in known.values()],
                [one.text for one, _ in known.values()],
                [one.messages for one, _ in known.values()],
            )
            if self.mails is not None and body.email is not None:
                await self.mails.answer(tx, "notice", notice, body.email)
        receipt = NoticeReceipt(notice, self.mail_tokens.make(NOTICE, notice))
        return Made(f"/api/v1/notices/{notice}", receipt)

    async def _wait(self, tx: Db, call: Call) -> int:
        if call.network in {UNIX, UNKNOWN}:
            return 0
        address = self.tokens.pseudonym(f"address {call.network}")
        return await rate_limits.take(tx, NOTICES, address, self.per_address)

    @route(
        "GET",
        "/notices/<guid:notice>",
        allow=MODERATE,
        own_token=NOTICE,
        raises=(NoticeNotFound,),
    )
    async def get_notice(self, call: Call, notice: str) -> Notice:
        """Get the state of a notice, with its own token as the bearer token, or as a moderator, who
        sees all that was sent."""
        check_token(call, self.mail_tokens, notice)
        found = required(await store.of_id(self.db, notice), NoticeNotFound)
        subjects = await store.subjects(self.db, notice)
        states = {one.state for one in subjects}
        state = next(each for each in ("open", "upheld", "dismissed") if each in states)
        for_sender = call.own_token is not None
        shown = [_shown(one, for_sender=for_sender) for one in subjects]
        answer = Notice(found.id, state, found.created, found.due, shown, self.redress)
        newest = max(subjects, key=lambda one: one.appeal_number)
        answer.appeal = _appeal(newest)
        answer.appeal_until = max(one.appeal_until or 0 for one in subjects) or UNSET
        if not for_sender:
            answer.reason, answer.explanation, answer.law = (
                found.reason,
                found.explanation,
                found.law,
            )
            answer.name, answer.email, answer.signature = found.name, found.email, found.signature
        return answer


def check_token(call: Call, tokens: MailTokens, notice: str) -> None:
    """Raises BadToken if the request has a notice's token that is not that of this one."""
    if call.own_token is not None and tokens.read(NOTICE, call.own_token) != notice:
        raise bad_token("The token is not that of this notice.")


def _check(body: NoticeBody) -> None:
    """Raises InvalidBody if something is missing that this reason needs."""
    if not body.good_faith:
        raise at_pointer("/goodFaith", "This must be true.")
    missing = []
    if body.reason != "child":
        missing += [name for name in ("name", "email") if getattr(body, name) is None]
    if body.reason not in _UNSIGNED and body.signature is None:
        missing.append("signature")
    if missing:
        raise at_pointer(f"/{missing[0]}", f"This is required with the reason {body.reason}.")


def _given(at: int, target: NoticeTarget) -> _Subject:
    """What a notice names. Raises InvalidBody."""
    if (target.url is None) == (target.kind is None or target.id is None):
        raise at_pointer(f"/subjects/{at}", "Give either a url, or a kind and an id.")
    if target.url is not None:
        return _led_to(target.url)
    if target.user is None and target.kind == "message":
        raise at_pointer(f"/subjects/{at}/user", "A message needs this: who has sent it.")
    id = (target.id or "").strip().lower()
    return _Subject(target.kind or "", id, target.content, target.user)


def _led_to(url: str) -> _Subject:
    """What a URL leads to, on any host; of no kind if to nothing."""
    try:
        parts = urlsplit(url.strip())
        path, fragment = unquote(parts.path), parts.fragment
    except ValueError:
        path = fragment = ""
    for kind, pattern in _PATHS:
        found = pattern.search(path)
        if found is not None:
            content, comment = found.groupdict().get("content"), _COMMENT.fullmatch(fragment)
            if kind == "content" and comment is not None:
                return _Subject("comment", comment[1], found["id"].lower())
            return _Subject(kind, found["id"].lower(), content.lower() if content else None)
    return _Subject("", "")


def _shown(one: store.Named, *, for_sender: bool) -> NoticeSubject:
    # The number of a comment must not lead a stranger to content that needs its id to be seen.
    hides = for_sender and not one.public and not _names_content(one.url)
    return NoticeSubject(
        one.kind,
        one.id,
        one.state,
        UNSET if hides or one.content is None else one.content,
        UNSET if one.user is None else one.user,
        UNSET if for_sender or one.url is None else one.url,
        _appeal(one),
        UNSET if one.appeal_until is None else one.appeal_until,
    )


def _names_content(url: str | None) -> bool:
    """Whether who has sent a URL has named the content of a comment by it."""
    return url is not None and _led_to(url).content is not None


def _appeal(one: store.Named) -> NoticeAppeal | UnsetType:
    if one.appeal is None:
        return UNSET
    return NoticeAppeal(one.appeal, one.appeal_state, one.reason)
