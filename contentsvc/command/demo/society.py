"""How the people of `contentsvc demo` get on with each other, and what the staff does."""

from msgspec import json

from contentsvc.command.demo import world
from contentsvc.command.demo.world import Complaint, Remark, id_of
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store.content import comments, items
from contentsvc.store.moderation import audit_log, evidence, reports
from contentsvc.store.notifications import flags, notifications
from contentsvc.store.social import follows, friends, messages, pairs, party_invites
from contentsvc.store.tasks import ReportsResolved
from contentsvc.wire.base import tag_of
from contentsvc.wire.moderation import Act, ReportedSubject
from contentsvc.wire.notifications import (
    AccountWarning,
    CommentRemoved,
    ContentSuspended,
    Debug,
    FriendConfirm,
    FriendMessage,
    FriendRequest,
    NewFollower,
    Notification,
    PartyInvite,
)

People = dict[str, str]
"""The ids of users by their names."""


async def meet(db: Db, people: People) -> None:
    """Let them follow, become friends, write to each other and invite."""
    for follower, followed in world.FOLLOWS:
        user, other = people[follower], people[followed]
        await pairs.hold(db, user, other)
        await follows.follow(db, user, other, 0)
        await notify(db, other, NewFollower(sender=user))
    for one, other in world.FRIENDS:
        asker, asked = people[one], people[other]
        await _ask(db, asker, asked)
        await friends.confirm(db, asked, asker)
        await notify(db, asker, FriendConfirm(sender=asked))
    for one, other in world.REQUESTS:
        await _ask(db, people[one], people[other])
    for sender, other, text in world.MESSAGES:
        user, id = people[sender], id_of(text)
        data = _data(FriendMessage(sender=user, text=text, message=id))
        await messages.send(db, user, people[other], id, text, data, 0)
    party = PartyInvite(sender=people["juno"], party=id_of("juno's party"))
    await party_invites.invite(db, people["juno"], people["mira"], party.party, 0, 0)
    await notify(db, people["mira"], party)
    await notify(db, people["mira"], Debug(text="Welcome to the demo."))


async def _ask(db: Db, user: str, other: str) -> None:
    await pairs.hold(db, user, other)
    await friends.ask(db, user, other, 0)
    await notify(db, other, FriendRequest(sender=user))


async def discuss(db: Db, people: People) -> None:
    """Let them comment. The authors are told."""
    for remark in world.REMARKS:
        first = await _say(db, people, remark)
        for author, text in remark.replies:
            await _say(db, people, Remark(remark.item, author, text), first)
    deleted = world.DELETED
    comment = await _say(db, people, deleted)
    await comments.delete(db, people[deleted.author], id_of(deleted.item), comment)


async def _say(db: Db, people: People, remark: Remark, parent: int | None = None) -> int:
    given = id_of(remark.item), people[remark.author], False, parent, remark.text
    written = await comments.create(db, *given, 0)
    if written is None or written.id is None:
        raise RuntimeError(f"{remark.author} cannot comment on {remark.item}")
    return written.id


async def moderate(db: Db, queue: TaskQueue, people: People) -> None:
    """Let some annoy others, and the moderator decide. The curator features what is good."""
    keeper, host, advert = people[world.KEEPER], people[world.HOST], world.ADVERT
    comment = await _say(db, people, advert)
    rude = await _say(db, people, world.RUDE)
    for complaint in world.COMPLAINTS:
        await _complain(db, people, complaint, rude)

    await comments.delete(db, keeper, id_of(advert.item), comment)
    removed = CommentRemoved(
        content=id_of(advert.item), comment=comment, reason=world.ADVERT_REASON
    )
    await notify(db, people[advert.author], removed)
    reason = world.ADVERT_REASON
    await audit_log.record(db, keeper, False, "comment_deleted", "comment", str(comment), reason)

    for item in world.FEATURED:
        await items.set_featured(db, id_of(item), host, False, True)
        await audit_log.record(db, host, False, "content_featured", "content", id_of(item), "")
    await comments.lock(db, id_of(world.LOCKED), keeper, True, True)
    await audit_log.record(db, keeper, False, "comments_locked", "content", id_of(world.LOCKED), "")

    suspended, reason = id_of(world.SUSPENDED), world.REASON
    await items.set_status(db, keeper, suspended, "suspended")
    await notify(db, people["kestrel"], ContentSuspended(content=suspended, reason=reason))
    await audit_log.record(db, keeper, False, "content_suspended", "content", suspended, reason)
    for item, outcome, note in world.VERDICTS:
        await _decide(db, queue, keeper, id_of(item), outcome, note)

    warned, reason = world.WARNING
    await audit_log.warn(db, keeper, False, people[warned], reason, None)
    await notify(db, people[warned], AccountWarning(reason=reason))
    for one, other in world.BLOCKS:
        await pairs.hold(db, people[one], people[other])
        await friends.block(db, people[one], people[other])
    for name, kinds in world.MUTED:
        await flags.mute(db, people[name], kinds)


async def _complain(db: Db, people: People, complaint: Complaint, rude: int) -> None:
    reporter = people[complaint.reporter]
    found: evidence.Evidence | evidence.UserEvidence | None
    where, sent = None, None
    match complaint.kind:
        case "user":
            subject = people[complaint.subject]
            told = await messages.between(db, reporter, subject, None, 20)
            theirs = [row.item.id for row in told if row.item.sender == subject]
            found = await evidence.of_user(db, subject, reporter, theirs)
            sent = found and found.messages
        case "comment":
            subject, where = str(rude), id_of(complaint.subject)
            found = await evidence.of_comment(db, where, rude, reporter, False)
        case "content":
            subject = id_of(complaint.subject)
            found = await evidence.of_content(db, subject, reporter, False)
    if found is not None:
        given = complaint.kind, subject, where, reporter, complaint.reason, complaint.text
        await reports.file(db, *given, found.text, sent, 0)


async def _decide(db: Db, queue: TaskQueue, admin: str, item: str, outcome: str, note: str) -> None:
    held = await reports.hold(db, "content", item)
    filed = await reports.of_subject(db, "content", item, None, 1, 1)
    if held is None or not filed:
        return
    upto = filed[0].number
    await reports.decide(db, held.number, held.decided, upto, outcome)
    act: Act = "report_upheld" if outcome == "upheld" else "report_dismissed"
    await audit_log.record(db, admin, False, act, "content", item, note)
    await queue.put(
        db,
        ReportsResolved(
            subject=ReportedSubject("content", item),
            number=held.number,
            after=held.decided,
            upto=upto,
            outcome=outcome,
        ),
    )


async def notify(db: Db, recipient: str, notification: Notification) -> None:
    """Store a notification."""
    # Only stored: daemons with a socket of the recipient find it within seconds.
    await notifications.insert(db, recipient, tag_of(notification), _data(notification))


def _data(notification: Notification) -> str:
    return json.encode(notification).decode()
