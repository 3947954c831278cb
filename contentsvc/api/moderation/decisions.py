"""Decisions of moderators, and their reversal (moderation#decisions)."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, Raw, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_not_self, check_outranks, check_user, required
from contentsvc.api.errors import (
    CannotBanSelf,
    CommentNotFound,
    ContentNotFound,
    DecisionExists,
    DecisionNotFound,
    FilesExternal,
    MessageNotFound,
    NothingChanged,
    ProtectedUser,
    ReportNotFound,
    UserNotFound,
)
from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.moderation.acts import Acts, Order
from contentsvc.api.moderation.reports import close_reports
from contentsvc.api.paging import PART, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_pointer, bad_token
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.paths import is_digest
from contentsvc.roles import MODERATE
from contentsvc.store.accounts import roles
from contentsvc.store.fragments import Numbered
from contentsvc.store.moderation import appeals, decisions, reports
from contentsvc.store.moderation.appeals import APPEALABLE
from contentsvc.store.moderation.decisions import Known, Stored
from contentsvc.tokens import APPEAL, MailTokens
from contentsvc.wire.base import Part
from contentsvc.wire.decisions import (
    DECIDED_KINDS,
    DecidedSubject,
    Decision,
    DecisionBody,
    DecisionsQuery,
    Reversal,
    ReversalBody,
    UserDecision,
    UserReversal,
)

DAY: Final = 86_400
"""Seconds."""
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}\Z")
_BANNING: Final = frozenset({"ban", "restrict"})
"""The actions that have an end, and that nobody takes against themselves."""
_PATH: Final = "/moderation/decisions"


class AppealAccess(Struct):
    """Judges the appeal tokens of decisions: that of a ban, for a player who cannot log in and has
    nothing but its token (moderation#appeals)."""

    db: Database
    tokens: MailTokens

    async def check(self, call: Call, user: str, decision: str) -> None:
        """Raises BadToken if the request has an appeal token that is not that of this user's
        decision, or not any more: its time is over, or the user has left."""
        token = call.own_token
        if token is None:
            return
        if not self.tokens.opens(token, decision, user):
            raise bad_token("The token is not that of this decision.")
        if not await appeals.is_young(self.db, user, decision):
            raise bad_token("The token is not good any more.")


class Decisions(Struct):
    """The decisions of moderators. Without `blocks` the service has no files of its own."""

    db: Database
    acts: Acts
    blocks: FileBlocks | None
    redress: str
    part: int = PART

    @route(
        "POST",
        _PATH,
        allow=MODERATE,
        raises=(
            FilesExternal,
            ContentNotFound,
            CommentNotFound,
            UserNotFound,
            ReportNotFound,
            MessageNotFound,
            ProtectedUser,
            DecisionExists,
            NothingChanged,
            CannotBanSelf,
        ),
    )
    async def create_decision(self, call: Call, body: DecisionBody) -> Created:
        """Make a decision about a content item, a comment, a user, a file or a message, and carry
        it out. It replaces the decision of this action that stands, if there is one. Those whom it
        concerns are notified, with the reason. The same `id`, action and subject again changes
        nothing. A message can be decided about only if a report or a notice names it."""
        id, content = _checked(body)
        self.acts.check_explained(body.ground.explanation)
        known = await decisions.known(self.db, body.id)
        if known is None:
            try:
                async with self.db.transaction() as tx:
                    await self._check_report(tx, body, id)
                    await self._decide(tx, call, body, id, content)
                    if body.up_to is not None:
                        about = body.subject.kind, id, body.subject.user
                        outcome = body.up_to, "upheld", body.ground.explanation
                        await close_reports(tx, self.acts.queue, call, *about, *outcome)  # type: ignore[arg-type]
            except (Refused, NothingChanged):
                # The same may have come at the same time, and was first.
                known = await decisions.known(self.db, body.id)
                if known is None:
                    raise
        if known is not None and not _same(known, body, id, content):
            raise DecisionExists()
        return Created(f"/api/v1{_PATH}/{body.id}")

    async def _check_report(self, tx: Db, body: DecisionBody, id: str) -> None:
        """Raises ReportNotFound."""
        about = body.subject.kind, id, body.subject.user
        if body.up_to is not None and not await reports.has(tx, *about, body.up_to):
            raise ReportNotFound()

    async def _decide(
        self, tx: Db, call: Call, body: DecisionBody, id: str, content: str | None
    ) -> None:
        """Do what is decided."""
        order = Order(body.ground, body.id, body.until, tuple(sorted({*(body.what or ())})))
        actor, acts = call.actor, self.acts
        if body.subject.kind == "user":
            if body.action in _BANNING:
                check_not_self(call, id)
            check_outranks(call, id, required(await roles.lock(tx, id), UserNotFound))
        match body.action:
            case "suspend":
                call.changes(id)
                await acts.suspend(tx, actor, id, order)
            case "lock_comments":
                call.changes(id)
                await acts.lock_comments(tx, actor, id, order)
            case "remove" if body.subject.kind == "message":
                await acts.remove_message(tx, actor, body.subject.user or "", id, order)
            case "remove":
                call.changes(content or "")
                await acts.remove(tx, actor, content or "", int(id), order)
            case "clear_profile":
                await acts.clear_profile(tx, actor, id, order)
            case "warn":
                await acts.warn(tx, actor, id, order, None)
            case "ban":
                await acts.ban(tx, actor, id, order)
            case "restrict":
                await acts.restrict(tx, actor, id, order)
            case "block_file":
                if self.blocks is None:
                    raise FilesExternal()
                await self.blocks.block(tx, actor, id, order)

    @route("GET", _PATH, allow=MODERATE)
    async def list_decisions(self, call: Call, query: DecisionsQuery) -> Listed[Decision]:
        """List decisions, newest first."""
        place = query.action, query.open, position(query), query.limit
        if query.subject is not None:
            rows = await decisions.of_subject(self.db, query.subject, query.user, *place)
        elif query.user is not None:
            rows = await decisions.of_user(self.db, query.user, *place)
        else:
            rows = await decisions.all(self.db, *place)
        return listed(rows, query, _number, _item, cut=_cut(rows, self.part))

    @route("GET", f"{_PATH}/<guid:decision>", allow=MODERATE, raises=(DecisionNotFound,))
    async def get_decision(self, call: Call, decision: str) -> Decision:
        """Get one decision."""
        return shown(required(await decisions.get(self.db, decision), DecisionNotFound))

    @route(
        "POST",
        f"{_PATH}/<guid:decision>/reversal",
        allow=MODERATE,
        raises=(DecisionNotFound, ProtectedUser),
    )
    async def reverse_decision(self, call: Call, decision: str, body: ReversalBody) -> None:
        """Reverse a decision, and undo its effects that still last: a comment gets its text again,
        and a profile the members that are empty now. Those whom it concerned are notified. A
        decision that was replaced or is over has no effects: its reversal is only recorded. A
        repeat changes nothing."""
        known = required(await decisions.known(self.db, decision), DecisionNotFound)
        if known.reversed:
            return
        if known.action == "block_file" and known.stands and self.blocks is not None:
            await self.blocks.lift(call.actor, known.subject, body.reason, only=known.number)
        async with self.db.transaction() as tx:
            await self.acts.reverse(tx, call, known, body.reason)


class UserDecisions(Struct):
    """The decisions that concern a user, for that user."""

    db: Database
    redress: str
    access: AppealAccess
    part: int = PART

    @route("GET", "/user/<guid:user>/decisions", allow=SELF | MODERATE, raises=(UserNotFound,))
    async def list_user_decisions(self, call: Call, user: str, query: Part) -> Listed[UserDecision]:
        """List what moderators have decided about a user, and about what the user has made, newest
        first."""
        given = user, position(query), query.limit
        rows = await decisions.concerning(self.db, *given)
        if not rows:
            await check_user(self.db, user)
        return listed(rows, query, _number, self._item, cut=_cut(rows, self.part))

    @route(
        "GET",
        "/user/<guid:user>/decisions/<guid:decision>",
        allow=SELF | MODERATE,
        own_token=APPEAL,
        raises=(UserNotFound, DecisionNotFound),
    )
    async def get_user_decision(self, call: Call, user: str, decision: str) -> UserDecision:
        """Get one decision that concerns a user. A banned user sends the appeal token as the bearer
        token, until `appealUntil` (moderation#appeal-tokens)."""
        await self.access.check(call, user, decision)
        found = await decisions.get_of_user(self.db, user, decision)
        if found is None:
            await check_user(self.db, user)
            raise DecisionNotFound()
        return self._shown(found)

    def _item(self, row: Numbered[Stored]) -> UserDecision:
        return self._shown(row.item)

    def _shown(self, found: Stored) -> UserDecision:
        reversed = None
        if found.reversed is not None:
            reversed = UserReversal(found.reversal or "", found.reversed)
        return UserDecision(
            found.id,
            found.action,
            _subject(found),
            found.user_id,
            found.what or None,
            found.ground,
            found.created,
            found.until,
            _facts(found),
            reversed,
            found.replaced,
            "everywhere",
            found.appeals,
            found.created + APPEALABLE * DAY,
            self.redress,
        )


def shown(found: Stored) -> Decision:
    """A decision as moderators see it."""
    reversed = None
    if found.reversed is not None and found.reverser is not None:
        reversed = Reversal(found.reverser, found.reversal or "", found.reversed)
    return Decision(
        found.id,
        found.action,
        _subject(found),
        found.user_id,
        found.what or None,
        found.ground,
        found.moderator,
        found.created,
        found.until,
        _facts(found),
        reversed,
        found.replaced,
        "everywhere",
        found.appeals,
    )


def _subject(found: Stored) -> DecidedSubject:
    content = UNSET if found.content is None else found.content
    sender = found.user_id if found.kind == "message" else None
    return DecidedSubject(found.kind, found.subject, content, UNSET if sender is None else sender)


def _facts(found: Stored) -> Raw | None:
    return None if found.facts is None else Raw(found.facts.encode())


def _number(row: Numbered[Stored]) -> int:
    return row.number


def _item(row: Numbered[Stored]) -> Decision:
    return shown(row.item)


def _cut(rows: Sequence[Numbered[Stored]], part: int) -> bool:
    """Whether the page has as many bytes of facts as one may have."""
    return sum(len((row.item.facts or "").encode()) for row in rows) >= part


def _same(known: Known, body: DecisionBody, id: str, content: str | None) -> bool:
    """Whether a decision is that of the body: a repeat."""
    about = known.action, known.kind, known.subject, known.content
    same = about == (body.action, body.subject.kind, id, content)
    return same and (known.kind != "message" or known.user_id == body.subject.user)


def _checked(body: DecisionBody) -> tuple[str, str | None]:
    """The id of the subject, as it is kept, and the content of a comment. Raises InvalidBody."""
    subject, action = body.subject, body.action
    kinds = DECIDED_KINDS[action]
    if subject.kind not in kinds:
        raise at_pointer("/subject/kind", f"For {action} this must be {' or '.join(kinds)}.")
    id = subject.id.lower()
    if subject.kind == "comment":
        right, what = _NUMBER.match(id) is not None, "the number of a comment"
    elif subject.kind == "file":
        right, what = is_digest(id), "the sha256 of a file in hex"
    else:
        right, what = is_guid(id), "a GUID with dashes"
    if not right:
        raise at_pointer("/subject/id", f"This must be {what}.")
    if (subject.content is None) == (subject.kind == "comment"):
        raise at_pointer("/subject/content", "A comment needs this, and nothing else has it.")
    if (subject.user is None) == (subject.kind == "message"):
        raise at_pointer("/subject/user", "A message needs this, and nothing else has it.")
    if (body.what is None) == (action == "restrict"):
        raise at_pointer("/what", "A restriction needs this, and nothing else has it.")
    if body.until is not None and action not in _BANNING:
        raise at_pointer("/until", "Only a ban and a restriction have an end.")
    return id, subject.content
