"""The steps of the random walk: a request, and what the model says of it."""

from __future__ import annotations

from typing import Any

from tests.spec import shapes
from tests.spec.client import Response
from tests.spec.data import Content, User
from tests.spec.social.walk.case import WalkCase
from tests.spec.social.walk.ears import Ear
from tests.spec.social.walk.logs import KINDS, NOT_MUTABLE
from tests.spec.social.walk.pairs import RETRY

FAR = 2**40
GREY = 20
"""Seconds around the end of a limited time in which the walk leaves alone what depends on it."""


class PairSteps(WalkCase):
    """Between two users: social#friends."""

    def steps(self) -> dict[Any, int]:
        return super().steps() | {
            **{self.asking: 16, self.parting: 4, self.blocking: 6, self.unblocking: 9},
            **{self.following: 9, self.unfollowing: 6, self.saying: 18, self.looking: 5},
            **{self.inviting: 6, self.answering: 6},
        }

    async def asking(self) -> None:
        user = self.someone_of()
        other, pairs = self.some_other(user), self.world.pairs
        if self.random.random() < 0.4:  # mostly nobody says yes by chance
            other = next(
                (one for way, one, _ in pairs.requests_of(user.id) if way[0] == "i"), other
            )
        response = await self.put(f"user/{user.id}/friend/{other}", by=user)
        self.answered(response, self.world.pairs.ask(user.id, other, self.now()))

    async def parting(self) -> None:
        user = self.someone_of()
        other = self.some_other(user)
        response = await self.delete(f"user/{user.id}/friend/{other}", by=user)
        self.answered(response, self.world.pairs.part(user.id, other))

    async def blocking(self) -> None:
        user = self.someone_of()
        other = self.some_other(user)
        response = await self.put(f"user/{user.id}/blocked/{other}", by=user)
        self.answered(response, self.world.pairs.block(user.id, other))

    async def unblocking(self) -> None:
        user, blocks = self.someone_of(), self.world.pairs.blocks
        other = self.some_other(user)
        if blocks and self.random.random() < 0.8:
            mine, other = self.random.choice(list(blocks))
            user = self.by_id[mine]
        response = await self.delete(f"user/{user.id}/blocked/{other}", by=user)
        self.answered(response, self.world.pairs.unblock(user.id, other))

    async def following(self) -> None:
        user = self.someone_of()
        other = self.some_other(user)
        response = await self.put(f"user/{user.id}/following/{other}", by=user)
        self.answered(response, self.world.pairs.follow(user.id, other, self.now()))

    async def unfollowing(self) -> None:
        user = self.someone_of()
        other = self.some_other(user)
        response = await self.delete(f"user/{user.id}/following/{other}", by=user)
        self.answered(response, self.world.pairs.unfollow(user.id, other))

    def known(self, n: int = 8) -> list[str]:
        """Ids of messages, whoever wrote them."""
        return [one.id for one in self.world.pairs.messages[-n:]]

    async def saying(self) -> None:
        """A message with a new id, without one, or with one that was there before."""
        pairs, user = self.world.pairs, self.someone_of()
        other, id = self.some_other(user), self.guid()
        friends = [id for id, _ in pairs.friends_of(user.id)]
        if friends and self.random.random() < 0.7:
            other = self.random.choice(friends)
        way = self.random.random()
        if way < 0.15 and pairs.messages:
            user, other, id = await self.again()
        elif way < 0.3:
            id = self.random.choice([id, *self.known()])
        text = self.random.choice(["hello", "✓ 🏰", f"text {id}"])
        body = {"text": text, "id": self.random.choice([id, id.upper()])}
        if way > 0.9:
            del body["id"]
        path = f"user/{user.id}/friend/{other}/messages"
        response = await self.post(path, body, by=user)
        if way > 0.9 and response.status == 201:
            id = (response.header("Location") or "").rpartition("/")[2]
        self.answered(response, self.world.pairs.say(user.id, other, id, text))
        if response.status == 201:
            self.assertEqual(f"/api/v1/{path}/{id}", response.header("Location"))

    async def again(self) -> tuple[User, str, str]:
        """What has been sent already, or its id in the other direction."""
        one = self.random.choice(self.world.pairs.messages[-20:])
        if self.random.random() < 0.5:
            return *self.of_two([one.sender, one.recipient]), one.id
        return self.by_id[one.sender], one.recipient, one.id

    async def looking(self) -> None:
        """One message, at the path of somebody who may not have it."""
        user, messages = self.someone_of(), self.world.pairs.messages
        other, id = self.random.choice(list(self.by_id)), self.guid()
        if messages:
            find = self.world.pairs.find
            twice = [one for one in messages if find(one.recipient, one.sender, one.id)]
            one = self.random.choice(self.random.choice([messages, twice or messages]))
            id, two = one.id, [one.sender, one.recipient]
            if self.random.random() < 0.7:
                user, other = self.of_two(two)
        response = await self.get(f"user/{user.id}/friend/{other}/messages/{id}", by=user)
        found = self.world.pairs.one(user.id, other, id)
        self.answered(response, 200 if found else (404, "message_not_found"))
        if found:
            self.same_message(found, response.json())

    def of_two(self, ids: list[str]) -> tuple[User, str]:
        """Two users, in either order; the idle one does nothing."""
        one, other = self.random.sample(ids, 2)
        return (self.by_id[one], other) if one != self.idle.id else (self.by_id[other], one)

    def grey(self, invite: tuple[str, str, str], event: str) -> bool:
        """Whether it is not clear that this is a retry."""
        last, at = self.world.pairs.parties.get(invite, ("", 0.0))
        return last == event and abs(self.now() - at - RETRY) < GREY

    async def inviting(self) -> None:
        user, party = self.someone_of(), self.random.choice(self.parties)
        other = self.some_other(user)
        if other == user.id or self.grey((user.id, other, party), "invite"):
            return
        path = f"user/{user.id}/friend/{other}/party-invite"
        response = await self.post(path, {"party": party}, by=user)
        self.answered(response, self.world.pairs.invite(user.id, other, party, self.now()))

    async def answering(self) -> None:
        user, party = self.someone_of(), self.random.choice(self.parties)
        other, pairs = self.some_other(user), self.world.pairs
        if (invites := pairs.invites_of(user.id, self.now())) and self.random.random() < 0.7:
            other, party = self.random.choice(invites)
        how = self.random.choice(["accept", "decline"])
        if other == user.id or self.grey((other, user.id, party), how):
            return
        path = f"user/{user.id}/friend/{other}/party-invite/{how}"
        response = await self.post(path, {"party": party}, by=user)
        answer = self.world.pairs.answer(user.id, other, party, how, self.now())
        self.answered(response, answer)


class LogSteps(WalkCase):
    """What users do with their notifications: notifications#notifications."""

    def steps(self) -> dict[Any, int]:
        return super().steps() | {
            **{self.muting: 4, self.flagging: 6, self.dropping: 5, self.up_to: 3},
            self.resuming: 3,
        }

    def path(self, user: User, rest: str) -> str:
        """A path of the user's notifications."""
        return f"user/{user.id}/notifications{rest}"

    def told(self, user: User) -> str:
        """The id of something that the user was told, deleted or not; or of nothing."""
        ids = [one.id for one in self.world.logs[user.id].entries]
        return self.random.choice(ids) if ids and self.random.random() < 0.9 else self.guid()

    async def muting(self) -> None:
        user, mutable = self.someone_of(), sorted(KINDS - NOT_MUTABLE)
        kinds = self.random.sample(mutable, self.random.choice([0, 0, 0, 1, 2, 4]))
        if self.random.random() < 0.15:
            kinds.append(self.random.choice(["Nothing", "Deleted", *sorted(NOT_MUTABLE)]))
        response = await self.put(self.path(user, "/settings"), {"muted": kinds}, by=user)
        self.answered(response, self.world.logs[user.id].mute(kinds))

    async def flagging(self) -> None:
        user, read = self.someone_of(), self.random.random() < 0.6
        id = self.told(user)
        response = await self.amend(self.path(user, f"/{id}"), {"read": read}, by=user)
        self.answered(response, self.world.logs[user.id].flag(id, read=read))

    async def dropping(self) -> None:
        user = self.someone_of()
        id = self.told(user)
        response = await self.delete(self.path(user, f"/{id}"), by=user)
        self.answered(response, self.world.logs[user.id].drop(id))

    async def up_to(self) -> None:
        """Marks or deletes all up to an id or a number."""
        user, deleted = self.someone_of(), self.random.random() < 0.4
        newest = len(self.world.logs[user.id].entries)
        numbers = [0, self.random.randint(0, newest), FAR]
        end: int | str = self.random.choice([self.told(user), self.told(user), *numbers])
        if deleted:
            response = await self.delete(self.path(user, f"?upTo={end}"), by=user)
        else:
            response = await self.post(self.path(user, "/read"), {"upTo": end}, by=user)
        self.answered(response, self.world.logs[user.id].up_to(end, deleted=deleted))

    async def resuming(self) -> None:
        """A socket that was here before gets what it missed, as it is now."""
        user = self.someone_of()
        log = self.world.logs[user.id]
        seq = self.random.randint(0, len(log.entries))
        id = log.entries[seq - 1].id if seq else None
        socket = await self.socket(user, resume=seq, resume_id=id)
        hello = socket.hello
        self.assertEqual((seq, id, log.unread()), (hello["seq"], hello["id"], hello["unread"]))
        ear = Ear(socket, log, seq)
        await ear.hear()
        await ear.pause()
        await socket.close()


class TalkSteps(WalkCase):
    """Comments, and the content they are on: social#friends."""

    def steps(self) -> dict[Any, int]:
        return super().steps() | {
            **{self.commenting: 18, self.changing: 3, self.removing: 5, self.locking: 3},
            **{self.suspending: 2, self.withdrawing: 2},
        }

    def somewhere(self) -> Content:
        return self.random.choice(self.contents)

    def some_comment(self, on: Content) -> int:
        """The number of a comment on this, or now and then elsewhere, or nowhere."""
        talk = self.world.talk
        here, all_ = [one.id for one in talk.of(on.id)], list(talk.remarks)
        return self.random.choice((here[-10:] * 3 or all_) + all_[-3:] + [FAR])

    async def commenting(self) -> None:
        user, on = self.someone_of(), self.somewhere()
        parent = self.some_comment(on) if self.random.random() < 0.5 else None
        body = f"Well made {self.random.random()}"
        sent = {"body": body, **({} if parent is None else {"parentId": parent})}
        response = await self.post(f"{on.path}/comments", sent, by=user)
        talk = self.world.talk
        refused = talk.refusal(user.id, on.id, parent)
        self.answered(response, refused or 201)
        if not refused:
            id = int((response.header("Location") or "").rpartition("/")[2])
            talk.write(user.id, on.id, parent, id, body)

    async def changing(self) -> None:
        user, on, body = self.someone_of(), self.somewhere(), f"Changed {self.random.random()}"
        comment = self.some_comment(on)
        if (found := self.world.talk.remarks.get(comment)) and self.random.random() < 0.7:
            user = self.by_id[found.author]
        response = await self.amend(f"{on.path}/comments/{comment}", {"body": body}, by=user)
        self.answered(response, self.world.talk.change(user.id, on.id, comment, body))

    async def removing(self) -> None:
        user, on = self.someone_of(), self.somewhere()
        comment, reason = self.some_comment(on), self.random.choice(["", "rude ✓"])
        query = {"reason": reason} if reason or self.random.random() < 0.5 else {}
        path = f"{on.path}/comments/{comment}"
        response = await self.delete(path, by=user, query=query)
        self.answered(response, self.world.talk.remove(user.id, on.id, comment, reason))

    async def locking(self) -> None:
        user, on, locked = self.someone_of(), self.somewhere(), self.random.random() < 0.35
        response = await self.put(f"{on.path}/comments-locked", {"locked": locked}, by=user)
        self.answered(response, self.world.talk.lock(user.id, on.id, locked=locked))

    async def suspending(self) -> None:
        user = self.random.choice([self.boss, self.boss, self.boss, self.someone_of()])
        on, suspended = self.somewhere(), self.random.random() < 0.35
        body = {"status": "suspended" if suspended else "active", "reason": "rules"}
        response = await self.put(f"{on.path}/status", body, by=user)
        self.answered(
            response, self.world.talk.suspend(user.id, on.id, "rules", suspended=suspended)
        )

    async def withdrawing(self) -> None:
        on, deleted = self.somewhere(), self.random.random() < 0.35
        user = self.random.choice([on.author, on.author, on.author, self.someone_of()])
        response: Response
        if deleted:
            response = await self.delete(on.path, by=user)
        else:
            response = await self.post(f"{on.path}/restore", by=user)
        self.answered(response, self.world.talk.withdraw(user.id, on.id, deleted=deleted))


class OrderSteps(TalkSteps, PairSteps):
    """Reports, decisions, warnings, bans: moderation#moderation."""

    def steps(self) -> dict[Any, int]:
        return super().steps() | {
            **{self.reporting: 14, self.deciding: 6, self.warning: 2, self.banning: 3},
        }

    async def reporting(self) -> None:
        user, now = self.someone_of(), self.now()
        reason = self.random.choice(["spam", "abuse", "other"])
        text = self.random.choice(["", "", "see ✓"])
        body: dict[str, Any] = {"reason": reason, "text": text}
        kind, on = self.random.choice(["content", "comment", "user", "user"]), self.somewhere()
        if kind == "content":
            response = await self.post(f"{on.path}/report", body, by=user)
            answer = self.world.reports.content(user.id, on.id, reason, text, now)
        elif kind == "comment":
            comment = self.some_comment(on)
            path = f"{on.path}/comments/{comment}/report"
            response = await self.post(path, body, by=user)
            answer = self.world.reports.comment(user.id, on.id, comment, reason, text, now)
        else:
            other, messages = self.some_other(user), self.evidence(user)
            if messages or self.random.random() < 0.5:
                body["messages"] = messages
            response = await self.post(f"user/{other}/report", body, by=user)
            answer = self.world.reports.user(user.id, other, reason, text, messages, now)
        self.answered(response, answer)

    def evidence(self, user: User) -> list[str]:
        """Ids of messages, mostly ones that the user has received."""
        mine = [one.id for one in self.world.pairs.messages if one.recipient == user.id]
        if self.random.random() < 0.5 or not mine:
            return []
        few = self.random.sample(mine, min(len(mine), self.random.randint(1, 3)))
        return few + self.random.choice([[]] * 8 + [[self.guid()]])

    async def deciding(self) -> None:
        """On all reports that the admin has seen by now, or on some of them."""
        reports, logs = self.world.reports, self.world.logs
        if not reports.of:
            return
        subject = self.random.choice(list(reports.of))
        if self.random.random() < 0.7:
            await self.learn(subject)
        ids = [one.id for one in reports.of[subject] if one.id]
        up_to = self.random.choice(ids[-1:] * 5 + ids + [self.guid()])
        closing = reports.closing(subject, up_to)
        muted = [one for one in closing if "ReportResolved" in logs[one.reporter].muted]
        if closing and len(muted) == len(closing):
            return  # nothing would say that all are told, so that the next step can be taken
        user = self.random.choice([self.boss] * 8 + [self.someone_of()])
        outcome, note = self.random.choice(["upheld", "upheld", "dismissed"]), "as the rules say"
        body = {"outcome": outcome, "upTo": up_to, "note": note}
        path = "moderation/reports/{}/{}".format(*subject)
        response = await self.put(path, body, by=user)
        decided = user.id, subject, outcome, up_to, note, self.now()
        self.answered(response, self.world.reports.decide(*decided))

    async def warning(self) -> None:
        user = self.random.choice([self.boss] * 6 + [self.someone_of()])
        other, reason = self.some_other(self.someone_of()), f"mind it {self.random.random()}"
        id = self.random.choice([None, self.guid(), *self.parties])
        body = {"reason": reason, **({"id": id} if id else {})}
        response = await self.post(f"user/{other}/warning", body, by=user)
        self.answered(response, self.world.memory.warn(user.id, other, reason, id))

    async def banning(self) -> None:
        """Of the idle one; and what the ban says."""
        memory, act = self.world.memory, self.random.choice(["put", "put", "delete"])
        user = self.random.choice([self.boss] * 8 + [self.someone_of()])
        other = self.random.choice([self.idle.id] * 5 + [self.guid(), self.boss.id])
        path = f"user/{other}/ban"
        if act == "put" and (user is not self.boss or other in (self.idle.id, self.boss.id)):
            reason = self.random.choice(["cheats", "rude"])
            until = self.random.choice([None, None, 4_000_000_000])
            response = await self.put(path, {"reason": reason, "until": until}, by=user)
            self.answered(response, memory.ban(user.id, other, reason, until))
        elif act == "delete":
            response = await self.delete(path, by=user)
            self.answered(response, memory.lift(user.id, other))
        response = await self.get(path, by=user)
        answer = memory.banned(user.id, other)
        self.answered(response, answer)
        if answer == 200:
            self.shape(response.json(), shapes.BAN)
            found = response.json()
            self.assertEqual(memory.bans[other], (found["reason"], found["until"]))
