"""How the people of `contentsvc demo` get on with each other and use what there is, and what the
staff does."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from secrets import token_urlsafe
from typing import Any
from uuid import UUID, uuid4

from msgspec import json

from contentsvc.command.demo.world import WORLD, age, id_of, revision_of
from contentsvc.framework.db.query import Db, none
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store.accounts import guests
from contentsvc.store.content import (
    access_list,
    collections,
    comments,
    content_counts,
    items,
    subscriptions,
)
from contentsvc.store.moderation import appeals, audit_log, decisions, evidence, notices, reports
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.store.notifications import flags, notifications
from contentsvc.store.progress import progress
from contentsvc.store.social import follows, friends, messages, pairs, party_invites
from contentsvc.store.tasks import ReportsResolved
from contentsvc.tokens import secret_hash
from contentsvc.wire import notifications as kinds
from contentsvc.wire.base import tag_of
from contentsvc.wire.decisions import DecidedSubject, DecisionAction, GroundBody
from contentsvc.wire.library import GuestRole
from contentsvc.wire.moderation import Act, ReportedKind, ReportedSubject

People = dict[str, str]
"""The ids of users by their names."""
_MANY = 1000
"""More than the demo has of anything that is limited."""
_WEEKEND = 5
"""The first day of one. Then more is played."""


async def meet(db: Db, people: People) -> None:
    """Let them follow, become friends, write to each other and invite."""
    for follower, followed in WORLD["follows"]:
        user, other = people[follower], people[followed]
        await pairs.lock_or_make(db, user, other)
        await follows.follow(db, user, other, 0)
        await _notify(db, other, kinds.NewFollower(sender=user))
    for pair in (*WORLD["friends"], *WORLD["friend_requests"]):
        user, other = (people[name] for name in pair)
        await pairs.lock_or_make(db, user, other)
        await friends.ask(db, user, other, 0)
        await _notify(db, other, kinds.FriendRequest(sender=user))
        if pair in WORLD["friends"]:
            await friends.confirm(db, other, user)
            await _notify(db, user, kinds.FriendConfirm(sender=other))
    for sender, recipient, text in WORLD["messages"]:
        user, id = people[sender], id_of(text)
        data = _data(kinds.FriendMessage(sender=user, text=text, message=id))
        await messages.send(db, user, people[recipient], id, text, data, 0)
    sender, recipient = (people[name] for name in WORLD["party"])
    party = kinds.PartyInvite(sender=sender, party=id_of("juno's party"))
    await party_invites.invite(db, sender, recipient, party.party, 0, 0)
    await _notify(db, recipient, party)
    await _notify(db, recipient, kinds.Debug(text="Welcome to the demo."))


async def discuss(db: Db, people: People) -> None:
    """Let them comment. The authors are notified."""
    for content, author, text, replies in WORLD["comments"]:
        first = await _say(db, people, content, author, text)
        for who, reply in replies:
            await _say(db, people, content, who, reply, first)
    content, author, text = WORLD["deleted_comment"]
    comment = await _say(db, people, content, author, text)
    await comments.delete(db, people[author], id_of(content), comment)


async def _say(
    db: Db, people: People, content: str, author: str, text: str, parent: int | None = None
) -> int:
    written = await comments.create(db, id_of(content), people[author], False, parent, text, 0)
    if written is None or written.id is None:
        raise RuntimeError(f"{author} cannot comment on {content}")
    return written.id


@none("""
    with dated as (
        update revisions r set created = now() - (a.days - r.ordinal + 1) * interval '1 day'
        from unnest(:contents::uuid[], :days::integer[]) a (id, days) where r.content_id = a.id
        returning r.content_id as id, r.created
    )
    update contents c set created = d.first, updated = d.last
    from (select id, min(created) as first, max(created) as last from dated group by id) d
    where c.id = d.id
""")
async def _date_contents(db: Db, contents: list[str], days: list[int]) -> None:
    """Say how many days ago these were published, and their revisions a day after each other."""


@none("""
    update comments m set created = d.said, updated = d.said
    from (
        select m.id, c.updated + (now() - c.updated) * m.ordinal / (c.comments + 1) as said
        from comments m join contents c on c.id = m.content_id
        where c.id = any(:contents::uuid[])
    ) d
    where m.id = d.id
""")
async def _date_comments(db: Db, contents: list[str]) -> None:
    """Say that the comments on these came one after the other since the last revision."""


async def grow_old(db: Db) -> None:
    """Let it be some time since all this was published and said."""
    contents = [*map(id_of, WORLD["contents"])]
    await _date_contents(db, contents, [*map(age, WORLD["contents"])])
    await _date_comments(db, contents)


async def moderate(db: Db, queue: TaskQueue, people: People) -> None:
    """Let some annoy others, and the moderator decide. The curator features what is good."""
    moderator, curator = people[WORLD["moderator"]], people[WORLD["curator"]]
    content, author, text, reason = WORLD["advert"]
    advert = await _say(db, people, content, author, text)
    rude = await _say(db, people, *WORLD["rude"])
    for report in WORLD["reports"]:
        await _report(db, people, rude, *report)
    sent = [await _notice(db, *notice) for notice in WORLD["notices"]]

    there = await evidence.lock_comment(db, id_of(content), advert)
    await comments.delete(db, moderator, id_of(content), advert)
    if there is not None:
        about = Subject("comment", str(advert), id_of(content), people[author])
        taken = json.encode({"body": there.body}).decode()
        id = await _take(db, moderator, "remove", about, reason, there.text, taken)
        record = audit_log.record_decided
        await record(db, moderator, False, "comment_deleted", "comment", str(advert), reason, id)
        removed = kinds.CommentRemoved(
            content=id_of(content), comment=advert, reason=reason, decision=id
        )
        await _notify(db, people[author], removed)
        where = "comment", str(advert), id_of(content)
        await appeals.open_author(db, id, *where, people[author], WORLD["appeal"])
    for content in map(id_of, WORLD["featured"]):
        await items.set_featured(db, content, curator, False, True)
        await audit_log.record(db, curator, False, "content_featured", "content", content, "")
    await _lock_comments(db, moderator, id_of(WORLD["locked"]))
    content, reason = WORLD["suspended"]
    await _suspend(db, moderator, id_of(content), reason, notice=sent[0], **WORLD["ground"])
    content, reason, mistake = WORLD["restored"]
    await _suspend(db, moderator, id_of(content), reason)
    await _restore(db, moderator, id_of(content), mistake)
    for content, outcome, note in WORLD["verdicts"]:
        await _decide(db, queue, moderator, id_of(content), outcome, note)

    name, reason = WORLD["warning"]
    about = Subject("user", people[name], None, people[name])
    id = await _take(db, moderator, "warn", about, reason, None)
    await audit_log.warn(db, moderator, False, people[name], reason, None, id)
    await _notify(db, people[name], kinds.AccountWarning(reason=reason, decision=id))
    for one, other in WORLD["blocks"]:
        await pairs.lock_or_make(db, people[one], people[other])
        await friends.block(db, people[one], people[other])
    for name, muted in WORLD["muted"].items():
        await flags.mute(db, people[name], muted)


async def _suspend(db: Db, moderator: str, content: str, reason: str, **ground: str) -> None:
    there = await evidence.lock_content(db, content)
    await items.set_status(db, moderator, content, "suspended")
    if there is not None:
        about = Subject("content", content, None, there.author)
        id = await _take(db, moderator, "suspend", about, reason, there.text, **ground)
        told = kinds.ContentSuspended(content=content, reason=reason, decision=id)
        await _notify(db, there.author, told)
        act: Act = "content_suspended"
        await audit_log.record_decided(db, moderator, False, act, "content", content, reason, id)


async def _restore(db: Db, moderator: str, content: str, reason: str) -> None:
    there = await evidence.lock_content(db, content)
    taken = await decisions.standing(db, "content", content, "suspend")
    await items.set_status(db, moderator, content, "active")
    if there is not None and taken is not None:
        about = Subject("content", content, None, there.author)
        await decisions.reverse(db, moderator, False, taken.number, about, reason)
        told = kinds.ContentRestored(content=content, reason=reason, decision=taken.id)
        await _notify(db, there.author, told)
        act: Act = "content_restored"
        why = reason, taken.id
        await audit_log.record_decided(db, moderator, False, act, "content", content, *why)


async def _lock_comments(db: Db, moderator: str, content: str) -> None:
    there = await evidence.lock_content(db, content)
    await comments.lock(db, content, moderator, True, True)
    if there is not None:
        about = Subject("content", content, None, there.author)
        id = await _take(db, moderator, "lock_comments", about, "", there.text)
        subject = DecidedSubject("content", content)
        told = kinds.DecisionTaken(decision=id, action="lock_comments", subject=subject)
        await _notify(db, there.author, told)
        act: Act = "comments_locked"
        await audit_log.record_decided(db, moderator, False, act, "content", content, "", id)


async def _take(
    db: Db,
    moderator: str,
    action: DecisionAction,
    about: Subject,
    reason: str,
    facts: str | None,
    taken: str | None = None,
    **ground: Any,
) -> str:
    """Write a decision, and give its id. What `ground` does not say is as of most decisions."""
    usual = {"basis": "terms", "reference": "Terms of service", "source": "report"}
    given = GroundBody(explanation=reason, automated="no", **{**usual, **ground})
    new = New(str(uuid4()), action, about, given, facts, taken)
    await decisions.take(db, moderator, False, new)
    return new.id


async def _notice(db: Db, about: str, reason: str, text: str, name: str, email: str) -> str:
    """Have somebody send a notice of a content, and give its id."""
    content = id_of(about)
    found = await evidence.of_content(db, content, None, True)
    none: list[str | None] = [None]
    seen = [found.text if found else "{}"]
    named = ["content"], [content], none, none, none, seen, none
    return await notices.file(db, reason, text, None, name, email, None, *named)


async def _report(
    db: Db,
    people: People,
    rude: int,
    name: str,
    kind: ReportedKind,
    about: str,
    reason: str,
    text: str,
) -> None:
    """Report a person, with all messages that they have sent to the reporter; a content; or, with
    the content it is on, the rude comment."""
    reporter = people[name]
    found: evidence.Evidence | evidence.UserEvidence | None
    subject, where, sent = id_of(about), None, None
    if kind == "user":
        subject = people[about]
        last = await messages.between(db, reporter, subject, None, 20)
        theirs = [row.item.id for row in last if row.item.sender == subject]
        found = await evidence.of_user(db, subject, reporter, theirs)
        sent = found and found.messages
    elif kind == "comment":
        subject, where = str(rude), id_of(about)
        found = await evidence.of_comment(db, where, rude, reporter, False)
    else:
        found = await evidence.of_content(db, subject, reporter, False)
    if found is not None:
        given = kind, subject, where, reporter, reason, text
        await reports.file(db, *given, found.text, sent, 0)


async def _decide(
    db: Db, queue: TaskQueue, moderator: str, content: str, outcome: str, note: str
) -> None:
    reported = await reports.lock(db, "content", content, None)
    filed = await reports.of_subject(db, "content", content, None, None, 1, 1)
    if reported is None or not filed:
        return
    number, after, upto = reported.number, reported.decided, filed[0].number
    await reports.decide(db, number, after, upto, outcome, moderator)
    act: Act = "report_upheld" if outcome == "upheld" else "report_dismissed"
    await audit_log.record(db, moderator, False, act, "content", content, note)
    subject = ReportedSubject("content", content)
    given = {"number": number, "after": after, "upto": upto}
    await queue.put(db, ReportsResolved(subject=subject, outcome=outcome, **given))


async def enjoy(db: Db, people: People, now: int) -> None:
    """Let in testers and members, subscribe, collect and play. `now` is in Unix seconds."""
    for guest in WORLD["guests"]:
        await _let_in(db, people, *guest)
    today = datetime.fromtimestamp(now, UTC).date()
    for order, (name, contents) in enumerate(WORLD["subscriptions"].items()):
        for place, content in enumerate(contents):
            await subscriptions.put(db, people[name], id_of(content), None, False, 0)
            since = min(WORLD["month"], age(content))
            day = today - timedelta(days=(7 * order + 5 * place) % since)
            await _subscribed(db, id_of(content), str(today), str(day))
    for name, content, number in WORLD["pinned"]:
        revision = revision_of(content, number)
        await subscriptions.put(db, people[name], id_of(content), revision, False, 0)
    for name, contents in WORLD["favourites"].items():
        await collections.write_favourites(db, people[name])
        await _collect(db, people[name], contents)
    for name, title, description, public, contents in WORLD["collections"]:
        await collections.create(db, people[name], id_of(title), title, description, public)
        await _collect(db, id_of(title), contents)
    await _play(db, people, today)
    # Where a daemon adds up already, it does this too.
    if locked := await content_counts.lock(db, str(UUID(int=0))):
        await content_counts.add_up(db, locked)


async def play(db: Db, secret: str) -> None:
    """Let guests play, who have progress. The first has this secret, the others' nobody knows."""
    most = progress.NO_LIMIT
    for name, best in WORLD["playing"].items():
        user = await guests.make(db, name, secret_hash(secret))
        given = json.encode(best).decode()
        await progress.put(db, user, "tower/best", given, None, most, most)
        secret = token_urlsafe(48)


async def _collect(db: Db, collection: str, contents: list[str]) -> None:
    for place, content in enumerate(contents):
        await collections.put(db, collection, id_of(content), collections.GAP * place, True)


async def _let_in(
    db: Db, people: People, name: str, guest: str, role: GuestRole, accepted: bool
) -> None:
    content, user, author = id_of(name), people[guest], people[WORLD["contents"][name]["author"]]
    kind = kinds.TesterInvited if role == "tester" else kinds.MemberInvited
    await pairs.lock_or_make(db, author, user)
    await access_list.invite(db, content, author, user, role, tag_of(kind), _MANY, 0)
    await _notify(db, user, kind(content=content, sender=author))
    if accepted:
        await access_list.accept(db, content, user)


@none("""
    update content_tallies set day = :day::date, created = :day::date + time '12:00'
    where user_id = :user and play = any(:plays::uuid[])
""")
async def _date(db: Db, user: str, day: str, plays: list[str]) -> None:
    """Say on which day these plays of a user were, which have just been counted."""


@none("""
    update content_tallies set day = :day::date
    where content_id = :content and not added and subscribers > 0 and day = :today::date
""")
async def _subscribed(db: Db, content: str, today: str, day: str) -> None:
    """Say on which day somebody has subscribed who just has."""


async def _play(db: Db, people: People, today: date) -> None:
    random, month = Random("plays"), WORLD["month"]  # noqa: S311
    players = [name for name in people if name not in {"odile", "warden"}]
    played: dict[tuple[str, str], list[str]] = {}
    fetched: list[tuple[str, str, str]] = []
    for content, most in WORLD["plays"].items():
        for ago in reversed(range(min(month, age(content)))):
            day = today - timedelta(days=ago)
            # It becomes known, and at weekends there is time.
            known = 0.35 + 0.65 * (month - ago) / month
            often = most * known * (1.3 if day.weekday() >= _WEEKEND else 0.8)
            for number in range(round(random.uniform(0.4, 1) * often)):
                user = people[random.choice(players)]
                seconds, ended = random.randrange(120, 3000), random.random() < 0.4
                play = id_of(f"play {number} of {content}, {ago} days ago")
                await content_counts.add(
                    db, user, id_of(content), False, None, play, seconds, ended, 0
                )
                played.setdefault((user, str(day)), []).append(play)
                if random.random() < 0.35:
                    fetched.append((user, id_of(content), str(day)))
    for (user, on), those in played.items():
        await _date(db, user, on, those)
    users, contents, days = zip(*fetched, strict=True)
    await content_counts.add_downloads(db, [*users], [*contents], [*days])


async def _notify(db: Db, recipient: str, notification: kinds.Notification) -> None:
    # Only stored: daemons with a socket of the recipient find it within seconds.
    await notifications.insert(db, recipient, tag_of(notification), _data(notification))


def _data(notification: kinds.Notification) -> str:
    return json.encode(notification).decode()
