"""Notifies those who have reported something of what admins have decided, and takes away what a
user has made, for a moderator (moderation#moderation)."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final
from uuid import uuid4

from msgspec import json

from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import put_all
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.accounts import mails as mail_store
from contentsvc.store.accounts.mails import Mails, Receipt
from contentsvc.store.fragments import LAST, NIL
from contentsvc.store.moderation import audit_log, clearance, decisions, evidence, notices, reports
from contentsvc.store.moderation.clearance import Place
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.wire.decisions import DecidedSubject, DecisionAction, GroundBody
from contentsvc.wire.notifications import (
    CommentRemoved,
    ContentSuspended,
    DecisionReversed,
    DecisionTaken,
    Notification,
    ReportResolved,
)

CLEARED_AT_ONCE: Final = 50
"""Content whose rows a batch locks at once."""

_Notices = list[tuple[str, Notification]]
_Take = Callable[..., Awaitable[str]]
"""Writes the decision about one thing that goes."""


async def reports_resolved(
    tx: Db, task: tasks.ReportsResolved, place: str | None, most: int, mails: Mails | None = None
) -> Batch:
    """The next reporters, with what admins have decided. `place` is the number of the last report
    whose reporter was notified. Who has sent a notice gets a mail once all of it is decided."""
    notification = ReportResolved(subject=task.subject, outcome=task.outcome)
    after = task.after if place is None else int(place)
    rows = await reports.reporters(tx, task.number, after, task.upto, most)
    last = str(rows[-1].number) if len(rows) == most else None
    answered = [await _answered(tx, row.notice) for row in rows if row.notice is not None]
    if mails is not None:
        await mails.answer_all(tx, [one for one in answered if one is not None])
    told = [(row.user_id, notification) for row in rows if row.user_id is not None]
    return Batch([*told], last)


async def _answered(tx: Db, notice: str) -> Receipt | None:
    """The mail to who has sent a notice of what was decided, if nothing of it is open."""
    await notices.lock(tx, notice)
    answered = await notices.answer(tx, notice)
    if answered is None or answered.email is None:
        return None
    upheld = answered.outcome == "upheld"
    return Receipt("notice_upheld" if upheld else "notice_dismissed", notice, answered.email)


async def block_decided(
    tx: Db, task: tasks.BlockDecided, place: str | None, most: int, *, mails: Mails | None = None
) -> Batch:
    """The next users whom the block of a file concerns, or its end; those who have confirmed their
    address are told of a block by mail too. `place` is the last user who was notified."""
    after = place or NIL
    if task.reversed:
        found = await decisions.concerned(tx, task.number, after, most)
        appealed = {*await decisions.told_reversed(tx, task.number, found)}
        told: Notification = DecisionReversed(decision=task.decision, reason=task.reason)
    else:
        found = await decisions.concern_users(tx, task.number, task.paths, after, most)
        appealed = set()
        subject = DecidedSubject("file", task.sha256)
        told = DecisionTaken(decision=task.decision, action="block_file", subject=subject)
        if mails is not None:
            for one in await mail_store.confirmed(tx, found):
                await mails.put(tx, "blocked", one.id, one.email, decision=task.decision)
    last = found[-1] if len(found) == most else None
    return Batch([(user, told) for user in found if user not in appealed], last)


async def user_clearance(
    tx: Db, task: tasks.UserClearance, place: str | None, most: int, *, reference: str = ""
) -> Batch:
    """The next batch of what a user has made, which a moderator takes away. `place` names the part
    that it is of, and has the numbers of a Place. The last one notes what was done, if anything
    was."""
    parts = [part for part in _CLEARED if part in task.what]
    name, *numbers = (place or parts[0]).split()
    reached = Place(*map(int, numbers)) if numbers else Place(LAST, LAST)
    take = partial(_take, tx, task, reference)
    few = min(most, CLEARED_AT_ONCE)
    notices, reached, done = await _CLEARED[name](tx, task, reached, few, take)
    later = parts[parts.index(name) + 1 :]
    if not done or later:
        next = " ".join([later[0] if done else name, *map(str, reached)])
        return Batch(notices, next)
    counts = {"content": reached.content, "comments": reached.comment}
    counts = {**counts, "collections": reached.collection}
    if any(counts.values()):
        asked = {each: counts[each] for each in parts}
        actor = audit_log.OPERATOR if task.admin is None else (task.admin, task.service)
        given = task.user, task.reason, json.encode(asked).decode()
        await audit_log.record_counted(tx, *actor, "user_cleared", "user", *given)
    return Batch(notices, None)


async def _take(
    tx: Db,
    task: tasks.UserClearance,
    reference: str,
    action: DecisionAction,
    subject: Subject,
    facts: str,
    taken: str | None = None,
) -> str:
    """Write the decision about one thing that a clearance takes away. Gives its id."""
    ground = GroundBody(
        basis="terms",
        reference=reference,
        explanation=task.reason,
        source="own",
        automated="no",
    )
    new = New(str(uuid4()), action, subject, ground, facts, taken)
    await decisions.take(tx, task.admin or NIL, task.service, new)
    return new.id


async def _clear_contents(
    tx: Db, task: tasks.UserClearance, place: Place, most: int, take: _Take
) -> tuple[_Notices, Place, bool]:
    rows = await clearance.next_contents(tx, task.user, place.contents, most)
    locked = await clearance.lock(tx, [row.content for row in rows])
    before = {content.id: content.before for content in locked}
    suspended = await clearance.suspend(tx, task.admin, [*before])
    actor = task.admin or NIL
    await put_all(
        tx,
        [
            tasks.DependencyChanged(
                dependency=one.id, status=one.status, actor=actor, by_author=False
            )
            for one in suspended
            if one.used
        ],
    )
    kept = [one.id for one in suspended if one.kept]
    await put_all(tx, [tasks.LibraryChanged(content=one, before=before[one]) for one in kept])
    notices: _Notices = []
    for one in suspended:
        facts = await evidence.lock_content(tx, one.id)
        if facts is not None:
            subject = Subject("content", one.id, None, facts.author)
            decision = await take("suspend", subject, facts.text)
            told = ContentSuspended(content=one.id, reason=task.reason, decision=decision)
            notices.append((task.user, told))
    reached = place._replace(content=place.content + len(suspended))
    if rows:
        reached = reached._replace(contents=rows[-1].number)
    return notices, reached, len(rows) < most


async def _clear_comments(
    tx: Db, task: tasks.UserClearance, place: Place, most: int, take: _Take
) -> tuple[_Notices, Place, bool]:
    rows = await clearance.next_comments(tx, task.user, place.comments, most)
    await clearance.lock(tx, sorted({row.content for row in rows}))
    before = {row.number: await evidence.lock_comment(tx, row.content, row.number) for row in rows}
    removed = await clearance.remove(tx, task.admin, [row.number for row in rows])
    notices: _Notices = []
    for one in removed:
        facts = before[one.comment]
        if facts is not None:
            subject = Subject("comment", str(one.comment), one.content, facts.author)
            taken = json.encode({"body": facts.body}).decode()
            decision = await take("remove", subject, facts.text, taken)
            told = CommentRemoved(
                content=one.content, comment=one.comment, reason=task.reason, decision=decision
            )
            notices.append((task.user, told))
    reached = place._replace(comment=place.comment + len(removed))
    if rows:
        reached = reached._replace(comments=rows[-1].number)
    return notices, reached, len(rows) < most


async def _clear_collections(
    tx: Db, task: tasks.UserClearance, place: Place, most: int, take: _Take
) -> tuple[_Notices, Place, bool]:
    gone = await clearance.delete_collections(tx, task.user)
    done = gone < clearance.COLLECTIONS
    if done and await clearance.hide_favourites(tx, task.user):
        gone += 1
    return [], place._replace(collection=place.collection + gone), done


_CLEARED: dict[
    str,
    Callable[[Db, tasks.UserClearance, Place, int, _Take], Awaitable[tuple[_Notices, Place, bool]]],
] = {"content": _clear_contents, "comments": _clear_comments, "collections": _clear_collections}
"""What is taken away, in this order. Each gives the notifications of a batch, the place that it has
reached, and whether that is the end."""
