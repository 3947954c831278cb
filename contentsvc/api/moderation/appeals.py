"""Appeals against decisions, and against the outcomes of reports (moderation#appeals)."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from msgspec import UNSET, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    AppealClosed,
    AppealDecided,
    AppealExists,
    AppealNotFound,
    DecisionNotFound,
    NotAppealable,
    NoticeNotFound,
    OwnDecision,
    ProtectedUser,
    ReportNotFound,
)
from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.moderation.acts import Acts
from contentsvc.api.moderation.decisions import AppealAccess
from contentsvc.api.moderation.notices import check_token
from contentsvc.api.paging import PART, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Unauthorized
from contentsvc.framework.http.permissions import ANYONE, SELF, people
from contentsvc.framework.http.reply import Created, Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE, ROLES, outranks
from contentsvc.store.moderation import appeals, audit_log, decisions
from contentsvc.store.moderation.appeals import Known, Outcome, Stored
from contentsvc.tokens import APPEAL, NOTICE
from contentsvc.wire.appeals import (
    APPEAL_PARTIES,
    Appeal,
    AppealAnswer,
    AppealAnswerBody,
    AppealBody,
    AppealsQuery,
    AppealSubject,
)
from contentsvc.wire.decisions import APPEAL_STATES
from contentsvc.wire.moderation import Act, ReportedSubject

_LIMIT: Final = 64 * 1024
"""Bytes of a body: 4,096 characters in any script, as JSON escapes them."""
_MODERATING: Final = [role for role, those in ROLES.items() if MODERATE in those]
_ACTS: Final[dict[str, Act]] = {"confirmed": "appeal_confirmed", "reversed": "appeal_reversed"}
_PATH: Final = "/moderation/appeals"


class Appeals(Struct):
    """Appeals of whom a decision concerns, of who has reported something, and of who has sent a
    notice. Without `blocks` the service has no files of its own."""

    db: Database
    acts: Acts
    blocks: FileBlocks | None
    access: AppealAccess
    part: int = PART

    @route(
        "POST",
        "/user/<guid:user>/decisions/<guid:decision>/appeal",
        allow=SELF,
        own_token=APPEAL,
        limit=_LIMIT,
        raises=(DecisionNotFound, AppealExists, AppealClosed, NotAppealable),
    )
    async def appeal_decision(
        self, call: Call, user: str, decision: str, body: AppealBody
    ) -> Created:
        """Appeal against a decision that concerns the user. A banned user sends the appeal token as
        the bearer token (moderation#appeal-tokens). The same text again changes nothing."""
        await self.access.check(call, user, decision)
        async with self.db.transaction() as tx:
            found = await appeals.lock_decision(tx, user, decision)
            found = required(found, DecisionNotFound)
            if _is_new(found.text, body.text):
                if found.late:
                    raise AppealClosed()
                if found.reversed or found.action == "warn":
                    raise NotAppealable()
                about = found.kind, found.subject, found.content
                await appeals.open_author(tx, decision, *about, user, body.text)
        return Created(f"/api/v1/user/{user}/decisions/{decision}")

    @route(
        "POST",
        "/user/<guid:user>/reports/<text:kind>/<text:id>/appeal",
        allow=SELF,
        limit=_LIMIT,
        raises=(ReportNotFound, AppealExists, AppealClosed, NotAppealable),
    )
    async def appeal_report(
        self, call: Call, user: str, kind: str, id: str, body: AppealBody
    ) -> Created:
        """Appeal against the dismissal of the user's newest report of a subject. The same text
        again changes nothing."""
        subject = id.lower()
        async with self.db.transaction() as tx:
            found = await appeals.lock_report(tx, user, kind, subject)
            found = required(found, ReportNotFound)
            await self._appeal(tx, "reporter", [found], body.text, user=user)
        return Created(f"/api/v1/user/{user}/reports/{kind}/{subject}/appeal")

    @route(
        "POST",
        "/notices/<guid:notice>/appeal",
        allow=ANYONE,
        own_token=NOTICE,
        limit=_LIMIT,
        raises=(Unauthorized, NoticeNotFound, AppealExists, AppealClosed, NotAppealable),
    )
    async def appeal_notice(self, call: Call, notice: str, body: AppealBody) -> Created:
        """Appeal against the dismissal of a notice, with its token as the bearer token. The appeal
        is about each of its subjects that was dismissed. The same text again changes nothing."""
        if call.own_token is None:
            raise Unauthorized(headers={"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        check_token(call, self.access.tokens, notice)
        async with self.db.transaction() as tx:
            found = await appeals.lock_notice(tx, notice)
            if not found:
                raise NoticeNotFound()
            await self._appeal(tx, "notifier", found, body.text, notice=notice)
        return Created(f"/api/v1/notices/{notice}")

    async def _appeal(
        self,
        tx: Db,
        party: str,
        outcomes: Sequence[Outcome],
        text: str,
        *,
        user: str | None = None,
        notice: str | None = None,
    ) -> None:
        """Appeal against those of the outcomes that are dismissals: once against each. Raises
        NotAppealable, AppealExists, AppealClosed."""
        dismissed = [one for one in outcomes if one.outcome == "dismissed"]
        if not dismissed or any(one.outcome is None for one in outcomes):
            # A repeat may come when the reports are open again, and even decided anew.
            if any(one.reversed == text for one in outcomes):
                return
            raise NotAppealable()
        new = [one for one in dismissed if one.text is None]
        if not new:
            for one in dismissed:
                _is_new(one.text, text)
            return
        made = False
        for one in new:
            # Without its record, its reports are gone too, and cannot be opened again.
            if not one.late and one.number is not None and one.upto is not None:
                about = one.kind, one.subject, one.content, one.user
                given = one.number, one.upto, *about, user, notice, text
                await appeals.open_against(tx, party, *given)
                made = True
        if not made:
            raise AppealClosed()

    @route("GET", _PATH, allow=MODERATE)
    async def list_appeals(self, call: Call, query: AppealsQuery) -> Listed[Appeal]:
        """List appeals, oldest first."""
        states = [*APPEAL_STATES] if query.state is None else [query.state]
        parties = [*APPEAL_PARTIES] if query.party is None else [query.party]
        place = position(query) or 0, query.limit, self.part
        rows = await appeals.listed(self.db, states, parties, *place)
        cut = sum(map(_size, rows)) >= self.part
        return listed(rows, query, _number, _shown, cut=cut)

    @route(
        "PUT",
        f"{_PATH}/<guid:appeal>",
        allow=people(MODERATE),
        raises=(AppealNotFound, OwnDecision, ProtectedUser, AppealDecided),
    )
    async def decide_appeal(self, call: Call, appeal: str, body: AppealAnswerBody) -> None:
        """Answer an appeal: confirm the decision, or reverse it. A reversed decision is undone with
        it; a dismissal that is reversed opens the reports of its subject again. The answer is also
        that to all other appeals against the same. The moderator who has decided does not answer,
        if another user could. The same answer again changes nothing."""
        found = required(await appeals.known(self.db, appeal), AppealNotFound)
        await self._check_own(call, found)
        if found.decision is not None:
            await self._answer_decision(call, found, found.decision, body)
        elif found.number is not None and found.upto is not None:
            await self._answer_outcome(call, found, found.number, found.upto, body)

    async def _check_own(self, call: Call, found: Known) -> None:
        """Raises OwnDecision if the caller has decided what an appeal is against, or appeals, and
        another user could answer it."""
        involved = {one for one in (found.decider, found.user_id) if one is not None}
        if call.user not in involved:
            return
        could = _MODERATING
        if found.decision is not None and found.kind == "user":
            involved.add(found.subject)
            role = await appeals.role_of(self.db, found.subject)
            could = [one for one in could if role is None or outranks(one, role)]
        if await appeals.others(self.db, could, sorted(involved)):
            raise OwnDecision()

    async def _answer_decision(
        self, call: Call, found: Known, decision: str, body: AppealAnswerBody
    ) -> None:
        known = required(await decisions.known(self.db, decision), AppealNotFound)
        reverses = body.outcome == "reversed"
        begin = partial(self._begin, call=call, appeal=found.id, body=body)
        try:
            if reverses and known.action == "block_file" and known.stands and self.blocks:
                lifted = call.actor, known.subject, body.reason, known.number
                await self.blocks.lift(*lifted, partial(self._lock, known.id, begin))
            async with self.db.transaction() as tx:
                await self.acts.lock(tx, call, known)
                await begin(tx)
                if reverses:
                    await self.acts.reverse(tx, call, known, body.reason)
                    return
                given = found.id, call.user, body.outcome, body.reason
                about = await appeals.answer(tx, *given), decision, body.outcome, body.reason
                await self.acts.answers.of_decision(tx, *about, ban=known.action == "ban")
        except _Repeated:
            pass

    async def _lock(self, decision: str, begin: Callable[[Db], Awaitable[None]], tx: Db) -> None:
        await decisions.lock(tx, decision)
        await begin(tx)

    async def _answer_outcome(
        self, call: Call, found: Known, number: int, upto: int, body: AppealAnswerBody
    ) -> None:
        content = found.content or (found.subject if found.kind == "content" else None)
        call.changes(content or "")
        try:
            async with self.db.transaction() as tx:
                await appeals.lock_subject(tx, number)
                await self._begin(tx, call=call, appeal=found.id, body=body)
                given = call.user, body.outcome, body.reason
                if body.outcome == "reversed":
                    await appeals.reopen(tx, number, upto)
                    answered = await appeals.answer_all_against(tx, number, upto, *given)
                else:
                    answered = await appeals.answer(tx, found.id, *given)
                subject = ReportedSubject(found.kind, found.subject, found.content or UNSET)
                told = answered, subject, body.outcome, body.reason
                await self.acts.answers.of_outcome(tx, *told)
        except _Repeated:
            pass

    async def _begin(self, tx: Db, *, call: Call, appeal: str, body: AppealAnswerBody) -> None:
        """Note that an appeal is answered, of which what it is about is locked. Raises
        AppealDecided; _Repeated, where it has this answer."""
        # What was read before the locks may not be so any more.
        found = required(await appeals.known(tx, appeal), AppealNotFound)
        if found.state != "open":
            if (found.state, found.reason) == (body.outcome, body.reason):
                raise _Repeated()
            raise AppealDecided()
        about = found.kind, found.subject, body.reason, found.decision
        act = _ACTS[body.outcome]
        await audit_log.record_decided(tx, *call.actor, act, *about)  # type: ignore[arg-type]


class _Repeated(Exception):
    """The appeal has this answer already."""


def _is_new(there: str | None, text: str) -> bool:
    """Whether there is no appeal yet; False of a repeat. Raises AppealExists: there is one with
    another text."""
    if there is not None and there != text:
        raise AppealExists()
    return there is None


def _size(row: Stored) -> int:
    profile = None if row.user is None else row.user.profile
    return len((profile or "").encode()) + len(row.text.encode())


def _number(row: Stored) -> int:
    return row.number


def _shown(row: Stored) -> Appeal:
    answer = None
    if row.moderator is not None and row.decided is not None:
        answer = AppealAnswer(row.moderator, row.reason or "", row.decided)
    content, user = row.content or UNSET, row.subject_user or UNSET
    subject = AppealSubject(row.kind, row.subject, content, user)
    said = row.text, row.created, row.state, answer
    return Appeal(row.appeal, row.party, row.decision, subject, row.user, row.notice, *said)
