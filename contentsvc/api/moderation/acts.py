"""What moderators do to users and to what they have made, by decisions (moderation#decisions).

Every restricting act is here once, for the operation of its own and for that of all decisions. It
writes its decision in its own transaction, which has locked the subject first. What takes an act
back reverses its decision, in the same way.
"""

from functools import partial
from typing import Final, NamedTuple
from uuid import uuid4

from msgspec import UNSET, Struct, json

from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, required
from contentsvc.api.errors import (
    CommentNotFound,
    ContentNotFound,
    MessageNotFound,
    NothingChanged,
    ProtectedUser,
    UserNotFound,
)
from contentsvc.api.moderation.answers import Answers
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.call import Actor
from contentsvc.framework.http.errors import at_parameter, at_pointer
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.notifier import Notifier
from contentsvc.push.restrictions import Restrictions
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts import mails as mail_store
from contentsvc.store.accounts import sessions, users
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.challenges import rewards
from contentsvc.store.content import comments, items
from contentsvc.store.content.library_audience import notify_subscribers
from contentsvc.store.content.visibility import announce
from contentsvc.store.files import references
from contentsvc.store.moderation import audit_log, bans, decisions, evidence, messages
from contentsvc.store.moderation.decisions import Known, New, Standing, Subject
from contentsvc.store.notifications import notifications
from contentsvc.store.tasks import BlockDecided, DependencyChanged
from contentsvc.wire.decisions import DecidedSubject, DecisionAction, GroundBody
from contentsvc.wire.moderation import Act
from contentsvc.wire.notifications import (
    AccountWarning,
    CommentRemoved,
    ContentRestored,
    ContentSuspended,
    DecisionReversed,
    DecisionTaken,
)

_UNDONE: Final[dict[DecisionAction, Act]] = {
    "suspend": "content_restored",
    "remove": "comment_restored",
    "lock_comments": "comments_unlocked",
    "clear_profile": "profile_restored",
    "warn": "warning_withdrawn",
    "ban": "ban_lifted",
    "restrict": "restriction_lifted",
    "block_file": "file_unblocked",
}
"""What the reversal of each is called in the list of what admins did."""


class Order(NamedTuple):
    """Why a moderator does something, until when, in Unix seconds, and of what it shuts a user out.
    `id` is that of the decision, if the moderator has decided so; None by an operation that does
    nothing where nothing changes."""

    ground: GroundBody
    id: str | None = None
    until: int | None = None
    what: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """What the user is told."""
        return self.ground.explanation


class Undone(NamedTuple):
    """A decision that is reversed now, and the users to whom that was the answer to an appeal:
    nothing else tells them."""

    decision: Standing
    told: frozenset[str]


class Taken(Struct, rename="camel"):
    """What a decision has taken away, for whoever gives it back."""

    body: str | None = None
    avatar: str | None = None
    emblem: str | None = None
    full_profile: str | None = None
    public_profile: str | None = None


_NO_REASON: Final = "This service wants a reason: see its setting `require_reasons`."
_PROFILE: Final = ("avatar", "emblem", "full_profile", "public_profile")


class Acts(Struct):
    """The acts. Without `mails` the service sends none. `reference` is the clause that an act of an
    operation of its own refers to, and `require_reasons` says whether it needs a reason."""

    notifier: Notifier
    queue: TaskQueue
    revocation: Revocation
    restrictions: Restrictions
    mails: Mails | None
    reference: str
    require_reasons: bool = False

    # Of all.

    @property
    def answers(self) -> Answers:
        """What tells those who have appealed."""
        return Answers(self.notifier, self.mails)

    def order(self, reason: str) -> Order:
        """That of an operation whose body has nothing but a reason. Raises InvalidBody if it needs
        one."""
        if self._lacks(reason):
            raise at_pointer("/reason", _NO_REASON)
        return self._order(reason)

    def check_explained(self, explanation: str) -> None:
        """Raises InvalidBody if a decision needs a reason and its ground has none."""
        if self._lacks(explanation):
            raise at_pointer("/ground/explanation", _NO_REASON)

    def order_of_query(self, reason: str) -> Order:
        """The same of one whose query has it. Raises InvalidQuery."""
        if self._lacks(reason):
            raise at_parameter("reason", _NO_REASON)
        return self._order(reason)

    def _lacks(self, reason: str) -> bool:
        return self.require_reasons and not reason.strip()

    def _order(self, reason: str) -> Order:
        # The explanation may be empty, as this operation allows.
        ground = GroundBody(
            basis="terms",
            reference=self.reference,
            explanation=reason,
            source="own",
            automated="no",
        )
        return Order(ground)

    async def decide(
        self,
        tx: Db,
        actor: Actor,
        order: Order,
        action: DecisionAction,
        subject: Subject,
        facts: str | None,
        *,
        act: Act | None,
        changed: bool,
        taken: Taken | None = None,
    ) -> str | None:
        """Write the decision of an act, which has `changed` something or not, of a subject that is
        locked; and, but for None, what the `act` is called. Gives the decision's id, None if there
        is none: nothing has changed, and the moderator did not decide anew.

        Raises NothingChanged: the moderator did, and there is no decision to replace.
        """
        before: Standing | None = None
        if not changed:
            if order.id is None:
                return None
            about = subject.kind, subject.id
            before = await decisions.standing(tx, *about, action, subject.part)
            if before is None:
                raise NothingChanged()
        elif action == "clear_profile":
            before = await decisions.standing(tx, subject.kind, subject.id, action)
        id = order.id or str(uuid4())
        kept = None if taken is None else json.encode(taken).decode()
        if before is not None:
            # What was taken away can be given back by whoever reverses the later one.
            kept = _together(before.taken, kept)
            facts = facts if changed else before.facts
            if action == "clear_profile":
                await references.keep_on(tx, before.id, id)
        new = New(
            id, action, subject, order.ground, facts, kept, until=order.until, what=order.what
        )
        await decisions.take(tx, *actor, new)
        if act is not None:
            about = subject.kind, subject.id
            await audit_log.record_decided(tx, *actor, act, *about, order.reason, id)
        return id

    async def _tell(self, tx: Db, id: str, action: DecisionAction, subject: Subject) -> None:
        """Tell whom a decision concerns, of which no other kind tells."""
        if subject.user is not None:
            taken = DecisionTaken(decision=id, action=action, subject=shown(subject))
            await self.notifier.send_many(tx, [(subject.user, taken)])

    async def undo(
        self,
        tx: Db,
        actor: Actor,
        action: DecisionAction,
        kind: str,
        subject: str,
        reason: str,
        *,
        content: str | None = None,
    ) -> Undone | None:
        """Reverse the decision that stands for a subject, which is locked, and answer the appeals
        against it."""
        found = await decisions.standing(tx, kind, subject, action)
        if found is None:
            return None
        about = Subject(kind, subject, content, found.user_id)  # type: ignore[arg-type]
        return Undone(found, await self._end(tx, actor, found, about, action, reason))

    async def _end(
        self,
        tx: Db,
        actor: Actor,
        decision: Standing | Known,
        about: Subject,
        action: DecisionAction,
        reason: str,
    ) -> frozenset[str]:
        """Note that a decision is reversed, and tell those who have appealed. Gives them."""
        answered = await decisions.reverse(tx, *actor, decision.number, about, reason)
        # An author who takes a lock off knows it.
        others = [one for one in answered if one.user_id != actor.id]
        given = tx, others, decision.id, "reversed", reason
        return await self.answers.of_decision(*given, ban=action == "ban")

    async def tell_reversed(
        self, tx: Db, actor: Actor, user: str | None, id: str, reason: str, told: frozenset[str]
    ) -> None:
        """Tell whom a decision concerned, unless they have reversed it themselves, or were told
        what came of their appeal."""
        if user is not None and user != actor.id and user not in told:
            reversed = DecisionReversed(decision=id, reason=reason)
            await self.notifier.send_many(tx, [(user, reversed)])

    # Content.

    async def suspend(self, tx: Db, actor: Actor, content: str, order: Order) -> None:
        """Suspend a content. Raises ContentNotFound, NothingChanged."""
        facts = required(await evidence.lock_content(tx, content), ContentNotFound)
        act = required(await items.set_status(tx, actor.id, content, "suspended"), ContentNotFound)
        subject = Subject("content", content, None, facts.author)
        id = await self.decide(
            *(tx, actor, order, "suspend", subject, facts.text),
            act="content_suspended",
            changed=act.changed,
        )
        if id is None:
            return
        if act.changed:
            await self._status_changed(tx, actor, content, act)
        told = ContentSuspended(content=content, reason=order.reason, decision=id)
        # Unless the author has left.
        await self.notifier.send_many(tx, [(facts.author, told)])

    async def restore(self, tx: Db, actor: Actor, content: str, reason: str) -> None:
        """Take back the suspension of a content. Raises ContentNotFound."""
        required(await evidence.lock_content(tx, content), ContentNotFound)
        act = required(await items.set_status(tx, actor.id, content, "active"), ContentNotFound)
        undone = await self.undo(tx, actor, "suspend", "content", content, reason)
        if not act.changed and undone is None:
            return
        id = None if undone is None else undone.decision.id
        await audit_log.record_decided(
            tx, *actor, "content_restored", "content", content, reason, id
        )
        if act.changed:
            await self._status_changed(tx, actor, content, act)
            if undone is None or act.author_id not in undone.told:
                told = ContentRestored(content=content, reason=reason, decision=id)
                await self.notifier.send_many(tx, [(act.author_id, told)])

    async def _status_changed(self, tx: Db, actor: Actor, content: str, act: items.Act) -> None:
        changed = DependencyChanged(
            dependency=content, status=act.status, actor=actor.id, by_author=False
        )
        await self.queue.put(tx, changed)
        await notify_subscribers(tx, self.queue, content, act.before)
        await announce(tx, self.queue, content)

    async def lock_comments(self, tx: Db, actor: Actor, content: str, order: Order) -> None:
        """Lock the comments on a content, as a moderator. Raises ContentNotFound,
        NothingChanged."""
        facts = required(await evidence.lock_content(tx, content), ContentNotFound)
        required(await comments.lock(tx, content, actor.id, True, True), ContentNotFound)
        subject = Subject("content", content, None, facts.author)
        id = await self.decide(
            *(tx, actor, order, "lock_comments", subject, facts.text),
            act="comments_locked",
            changed=not facts.locked,
        )
        if id is not None:
            await self._tell(tx, id, "lock_comments", subject)

    async def unlock_comments(
        self, tx: Db, actor: Actor, content: str, reason: str, *, act: bool
    ) -> None:
        """Reverse the lock of the comments on a content that are unlocked now. `act`: a moderator
        has unlocked them, not their content's author."""
        undone = await self.undo(tx, actor, "lock_comments", "content", content, reason)
        id = None if undone is None else undone.decision.id
        if act:
            await audit_log.record_decided(
                tx, *actor, "comments_unlocked", "content", content, reason, id
            )
        if undone is not None:
            decision, told = undone
            await self.tell_reversed(tx, actor, decision.user_id, decision.id, reason, told)

    async def remove(self, tx: Db, actor: Actor, content: str, comment: int, order: Order) -> None:
        """Leave a tombstone of a comment, as a moderator. Raises CommentNotFound,
        NothingChanged."""
        facts = required(await evidence.lock_comment(tx, content, comment), CommentNotFound)
        changed = await comments.delete(tx, actor.id, content, comment)
        subject = Subject("comment", str(comment), content, facts.author)
        id = await self.decide(
            *(tx, actor, order, "remove", subject, facts.text),
            act="comment_deleted",
            changed=changed,
            taken=Taken(body=facts.body) if changed else None,
        )
        if id is not None:
            told = CommentRemoved(
                content=content, comment=comment, reason=order.reason, decision=id
            )
            await self.notifier.send_many(tx, [(facts.author, told)])

    async def remove_message(
        self, tx: Db, actor: Actor, sender: str, message: str, order: Order
    ) -> None:
        """Take the messages away from both sides that this user has sent with this id, those that
        somebody has named. Raises MessageNotFound, NothingChanged."""
        found = await messages.lock(tx, sender, message)
        if not found:
            raise MessageNotFound()
        gone = messages.standing(found)
        # Those of recipients and that of the sender, who is told.
        await notifications.lock(tx, [sender, *(one.recipient for one in gone)])
        changed = await messages.remove(tx, sender, message, gone)
        subject = Subject("message", message, None, sender)
        id = await self.decide(
            *(tx, actor, order, "remove", subject, messages.facts(sender, message, found)),
            act="message_removed",
            changed=bool(changed),
        )
        self._messages_changed(tx, changed)
        if id is not None:
            await self._tell(tx, id, "remove", subject)

    def _messages_changed(self, tx: Db, recipients: list[str]) -> None:
        for each in recipients:
            tx.after_commit(partial(self.notifier.changed, each))

    # Users.

    async def ban(self, tx: Db, actor: Actor, user: str, order: Order) -> None:
        """Ban a user, and end all their log-ins. Raises UserNotFound, NothingChanged."""
        facts = required(await evidence.lock_user(tx, user), UserNotFound)
        subject = Subject("user", user, None, user)
        if order.id is not None:
            there = await bans.of_user(tx, user)
            so = there is not None and there.reason is not None and there.until == order.until
            if so and await decisions.standing(tx, "user", user, "ban") is None:
                raise NothingChanged()
        changed = await bans.put(tx, actor.id, user, order.reason, order.until)
        ended = await sessions.revoke_all(tx, user, None)
        # A ban that is over, put again, ends the sessions of the time since.
        id = await self.decide(
            *(tx, actor, order, "ban", subject, facts.text),
            act="user_banned",
            changed=changed or bool(ended),
        )
        self.revocation.end(tx, ended)
        if id is not None:
            await self._tell(tx, id, "ban", subject)
            if self.mails is not None:
                for one in await mail_store.confirmed(tx, [user]):
                    await self.mails.put(tx, "banned", user, one.email, decision=id)

    async def unban(self, tx: Db, actor: Actor, user: str, reason: str) -> None:
        """End a ban of a user who is locked. Raises UserNotFound."""
        lifted = required(await bans.lift(tx, actor.id, user), UserNotFound)
        undone = await self.undo(tx, actor, "ban", "user", user, reason)
        if lifted or undone is not None:
            id = None if undone is None else undone.decision.id
            await audit_log.record_decided(tx, *actor, "ban_lifted", "user", user, reason, id)
        if undone is not None:
            await self.tell_reversed(tx, actor, user, undone.decision.id, reason, undone.told)

    async def warn(
        self, tx: Db, actor: Actor, user: str, order: Order, warning: str | None
    ) -> None:
        """Warn a user, unless they have had the `warning` with this id. Raises UserNotFound."""
        facts = required(await evidence.lock_user(tx, user), UserNotFound)
        id = order.id or str(uuid4())
        if not await audit_log.warn(tx, *actor, user, order.reason, warning, id):
            return
        subject = Subject("user", user, None, user)
        order = order._replace(id=id)
        await self.decide(*(tx, actor, order, "warn", subject, facts.text), act=None, changed=True)
        await self.notifier.send(tx, user, AccountWarning(reason=order.reason, decision=id))

    async def restrict(self, tx: Db, actor: Actor, user: str, order: Order) -> None:
        """Shut a user out of something. Raises UserNotFound."""
        facts = required(await evidence.lock_user(tx, user), UserNotFound)
        subject = Subject("user", user, None, user)
        id = await self.decide(
            *(tx, actor, order, "restrict", subject, facts.text),
            act="user_restricted",
            changed=True,
        )
        self.restrictions.note(tx, user)
        if id is not None:
            await self._tell(tx, id, "restrict", subject)

    async def clear_profile(self, tx: Db, actor: Actor, user: str, order: Order) -> None:
        """Take away a user's avatar, emblem and profiles. Raises UserNotFound, NothingChanged."""
        before = required(await evidence.lock_user(tx, user), UserNotFound)
        given = tx, actor, user, order, before
        if await self.profile_taken(*given, Taken(), act="profile_cleared") is None:
            return
        await users.update_earned(tx, user, None, None, None, None)
        if before.avatar:
            await references.release(tx, user, "user", [before.avatar])

    async def profile_taken(
        self,
        tx: Db,
        actor: Actor,
        user: str,
        order: Order,
        before: evidence.ProfileFacts,
        after: Taken,
        *,
        act: Act,
    ) -> str | None:
        """Write the decision of a change of a user's record, if it takes something away that was
        there `before`. The user is locked, and the record not changed yet. Gives the decision's id,
        None if there is none. Raises NothingChanged."""
        gone = takes_away(before, after)
        subject = Subject("user", user, None, user)
        id = await self.decide(
            *(tx, actor, order, "clear_profile", subject, before.text),
            act=act,
            changed=bool(gone),
            taken=Taken(**gone) if gone else None,
        )
        if id is not None:
            if "avatar" in gone:
                await references.keep(tx, id, user, gone["avatar"])
            await self._tell(tx, id, "clear_profile", subject)
        return id

    # What takes back a decision.

    async def reverse(self, tx: Db, call: Call, decision: Known, reason: str) -> bool:
        """Reverse a decision about anything but a file, and undo what still stands of it. False if
        it was reversed before. Raises ProtectedUser."""
        actor = call.actor
        await self.lock(tx, call, decision)
        # What was read before the locks may not be so any more.
        known = await decisions.known(tx, decision.id)
        if known is None or known.reversed:
            return False
        if not known.stands:
            await self.note_reversal(tx, actor, known, reason)
            return True
        match known.action:
            case "suspend":
                await self._restored(tx, actor, known, reason)
            case "ban":
                await self._unbanned(tx, actor, known, reason)
            case _:
                await self._reversed(tx, actor, known, reason)
        return True

    async def note_reversal(self, tx: Db, actor: Actor, known: Known, reason: str) -> None:
        """Note that a decision is reversed which has no effect any more."""
        told = await self._end(tx, actor, known, known.about, known.action, reason)
        await audit_log.record_decided(
            tx, *actor, "reversal_noted", known.kind, known.subject, reason, known.id
        )
        if known.user_id is not None:
            await self.tell_reversed(tx, actor, known.user_id, known.id, reason, told)
        elif known.kind == "file":
            task = BlockDecided(
                decision=known.id,
                number=known.number,
                sha256=known.subject,
                paths=[],
                reversed=True,
                reason=reason,
            )
            await self.queue.put(tx, task)

    async def lock(self, tx: Db, call: Call, known: Known) -> None:
        """Lock the subject of a decision, if it is still there, and the decision. Raises
        ProtectedUser."""
        if known.kind == "user":
            # Nobody frees themselves of what others have decided.
            if known.subject == call.user:
                raise ProtectedUser()
            user = await evidence.lock_user(tx, known.subject)
            if user is not None:
                check_outranks(call, known.subject, user.role)
        elif known.kind == "comment" and known.content is not None:
            await evidence.lock_comment(tx, known.content, int(known.subject))
        elif known.kind == "content":
            await evidence.lock_content(tx, known.subject)
        elif known.kind == "message" and known.user_id is not None:
            await messages.hold(tx, known.user_id, known.subject)
        await decisions.lock(tx, known.id)

    async def _restored(self, tx: Db, actor: Actor, known: Known, reason: str) -> None:
        try:
            await self.restore(tx, actor, known.subject, reason)
        except ContentNotFound:
            await self.note_reversal(tx, actor, known, reason)

    async def _unbanned(self, tx: Db, actor: Actor, known: Known, reason: str) -> None:
        try:
            await self.unban(tx, actor, known.subject, reason)
        except UserNotFound:
            await self.note_reversal(tx, actor, known, reason)

    async def _reversed(self, tx: Db, actor: Actor, known: Known, reason: str) -> None:
        if known.kind == "message" and known.user_id is not None:
            await self._give_back_message(tx, known.user_id, known.subject)
        elif known.action == "remove":
            await self._give_back_comment(tx, known)
        elif known.action == "lock_comments":
            await comments.lock(tx, known.subject, actor.id, True, False)
        elif known.action == "clear_profile":
            await self._give_back_profile(tx, known)
        told = await self._end(tx, actor, known, known.about, known.action, reason)
        act = "message_restored" if known.kind == "message" else _UNDONE[known.action]
        await audit_log.record_decided(tx, *actor, act, known.kind, known.subject, reason, known.id)
        await self.tell_reversed(tx, actor, known.user_id, known.id, reason, told)

    async def _give_back_comment(self, tx: Db, known: Known) -> None:
        taken = _taken(known)
        if taken.body is not None and known.content is not None:
            await comments.give_back(tx, known.content, int(known.subject), taken.body)

    async def _give_back_message(self, tx: Db, sender: str, message: str) -> None:
        taken = await messages.lock_removed(tx, sender, message)
        await notifications.lock(tx, [sender, *taken])
        self._messages_changed(tx, await messages.give_back(tx, sender, message))

    async def _give_back_profile(self, tx: Db, known: Known) -> None:
        """Give back what of it is null or empty now."""
        user, taken = known.subject, _taken(known)
        now = await evidence.lock_user(tx, user)
        if now is None:
            return
        avatar = None if now.avatar else taken.avatar
        # One that is no file of the service's own is a path, and nothing else.
        if avatar and await references.give_back(tx, known.id, user, avatar) is False:
            avatar = None
        emblem = None if now.emblem else taken.emblem
        if (
            emblem is not None
            and await rewards.is_reward(tx, emblem)
            and not await rewards.has_earned(tx, user, emblem)
        ):
            emblem = None
        await users.fill(tx, user, avatar, emblem, taken.full_profile, taken.public_profile)
        await references.release_kept(tx, known.id)


def takes_away(before: evidence.ProfileFacts, after: Taken) -> dict[str, str]:
    """What a change of a user's record takes away: what was there before and is not any more, also
    where something else has taken its place. By the members of Taken."""
    there = ((name, getattr(before, name)) for name in _PROFILE)
    return {name: value for name, value in there if value and value != getattr(after, name)}


def shown(subject: Subject) -> DecidedSubject:
    """A subject as it is shown."""
    content = UNSET if subject.content is None else subject.content
    return DecidedSubject(subject.kind, subject.id, content, subject.sender)


def _taken(known: Known) -> Taken:
    return Taken() if known.taken is None else json.decode(known.taken, type=Taken)


def _together(before: str | None, later: str | None) -> str | None:
    """What two decisions have taken away: of each member the later one."""
    if before is None or later is None:
        return later or before
    return json.encode({**json.decode(before), **_present(json.decode(later))}).decode()


def _present(members: dict[str, str | None]) -> dict[str, str | None]:
    return {name: value for name, value in members.items() if value is not None}
