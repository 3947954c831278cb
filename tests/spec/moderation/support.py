"""Cases about reports and what admins decide about them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from tests.spec.data import Content, User, guid
from tests.spec.shapes import APPEAL, DECISION, QUEUED, REPORT, USER_DECISION
from tests.spec.social.support import SocialCase


class ReportingCase(SocialCase):
    """Things to report, and an admin."""

    async def report(
        self, what: str, by: User, reason: str = "spam", *, expect: int | None = 204, **more: Any
    ) -> Any:
        """A report of what has this path."""
        body = {"reason": reason, **more}
        return await self.post(f"{what}/report", body, by=by, expect=expect)

    async def reports(self, kind: str, id: object, **query: Any) -> list[dict[str, Any]]:
        """The reports of a subject."""
        path = f"moderation/reports/{kind}/{id}?{urlencode(query)}"
        return list(await self.read(path, [REPORT], by=await self.admin()))

    async def one(self, kind: str, id: str) -> dict[str, Any]:
        """The only report of a subject."""
        (found,) = await self.reports(kind, id)
        return found

    async def states(self, kind: str, id: str) -> list[str]:
        """The states of the reports of a subject, newest first."""
        return [one["state"] for one in await self.reports(kind, id)]

    async def queued(self, kind: str, id: object, /, **query: Any) -> dict[str, Any] | None:
        """What the queue says of a subject."""
        path = f"moderation/reports?{urlencode({'limit': 200, **query})}"
        parts = await self.pages(path, [QUEUED], by=await self.admin())
        found = [
            each
            for part in parts
            for each in part
            if (each["subject"]["kind"], each["subject"]["id"]) == (kind, str(id))
        ]
        self.assertLess(len(found), 2)
        return found[0] if found else None

    async def decide(
        self, kind: str, id: str, upto: str, outcome: str = "upheld", *, expect: int = 204, **more
    ) -> Any:
        """A decision of an admin."""
        body = {"outcome": outcome, "upTo": upto, **more}
        path = f"moderation/reports/{kind}/{id}"
        return await self.put(path, body, by=await self.admin(), expect=expect)

    async def judge(self, kind: str, id: Any, outcome: str = "upheld", **more: Any) -> None:
        """A decision of an admin about all that is open."""
        newest, *_ = await self.reports(kind, id)
        await self.decide(kind, id, newest["id"], outcome, **more)

    async def resolved(self, user: User, count: int) -> list[str]:
        """The outcomes that a user is told, once there are `count`; nothing else is told."""
        socket = await self.socket(user, resume=0)
        found = [(await self.pushed(socket))["notification"] for _ in range(count)]
        await socket.quiet()
        await socket.close()
        self.assertEqual(found, await self.notifications(user))
        self.assertEqual({"ReportResolved"}, {each["kind"] for each in found})
        return [each["outcome"] for each in found]

    async def castle(self) -> Content:
        """Some content, of somebody new."""
        return await self.content(await self.user())

    async def subjects(self) -> tuple[User, list[tuple[str, str, str]]]:
        """A user, and of all that can be reported of theirs: the path, the kind and the id."""
        made = await self.castle()
        comment = await self.comment(made, made.author)
        user = made.author
        return user, [
            (made.path, "content", made.id),
            (comment, "comment", comment.rpartition("/")[2]),
            (f"user/{user.id}", "user", user.id),
        ]


GROUND = {
    "basis": "illegal",
    "reference": "Art. 5",
    "explanation": "It insults people",
    "source": "report",
    "automated": "no",
}


class DecidingCase(ReportingCase):
    """Decisions, by an admin or a moderator."""

    def order(self, action: str, subject: dict[str, Any], **more: Any) -> dict[str, Any]:
        """The body of a decision."""
        return {"id": guid(), "action": action, "subject": subject, "ground": GROUND, **more}

    async def take(
        self,
        action: str,
        subject: dict[str, Any],
        *,
        by: Any = None,
        expect: int | None = 201,
        **more: Any,
    ) -> Any:
        """A decision. Gives its id, or the answer if another one is expected."""
        body = self.order(action, subject, **more)
        by = by or await self.admin()
        answer = await self.post("moderation/decisions", body, by=by, expect=expect)
        return body["id"] if expect == 201 else answer

    async def decision(self, id: str) -> dict[str, Any]:
        """A decision, as moderators see it."""
        path = f"moderation/decisions/{id}"
        return dict(await self.read(path, DECISION, by=await self.admin()))

    async def decisions(self, **query: Any) -> list[dict[str, Any]]:
        """The decisions that fit, as moderators see them."""
        path = f"moderation/decisions?{urlencode(query)}"
        return list(await self.read(path, [DECISION], by=await self.admin()))

    async def own(self, user: User) -> list[dict[str, Any]]:
        """The decisions that concern a user, as the user sees them."""
        return list(await self.read(f"user/{user.id}/decisions", [USER_DECISION], by=user))

    async def reverse(
        self, id: str, reason: str = "a mistake", *, by: Any = None, expect: int | None = 204
    ) -> Any:
        """The reversal of a decision."""
        path, by = f"moderation/decisions/{id}/reversal", by or await self.admin()
        return await self.post(path, {"reason": reason}, by=by, expect=expect)

    async def told(self, user: User, kind: str) -> list[dict[str, Any]]:
        """What of a kind a user was told, newest first."""
        return [each for each in await self.notifications(user) if each["kind"] == kind]


class AppealingCase(DecidingCase):
    """Appeals, and their answers."""

    async def appeal(
        self, user: User, decision: str, text: str = "I disagree", *, by: Any = None, expect=201
    ) -> Any:
        """The appeal of a user against a decision."""
        path = f"user/{user.id}/decisions/{decision}/appeal"
        return await self.post(path, {"text": text}, by=by or user, expect=expect)

    async def object(
        self, user: User, kind: str, id: str, text: str = "Look again", *, expect: int | None = 201
    ) -> Any:
        """The appeal of a user against the dismissal of their report."""
        path = f"user/{user.id}/reports/{kind}/{id}/appeal"
        return await self.post(path, {"text": text}, by=user, expect=expect)

    async def appeals(self, **query: Any) -> list[dict[str, Any]]:
        """The appeals that fit, as moderators see them."""
        path = f"moderation/appeals?{urlencode({'limit': 200, **query})}"
        parts = await self.pages(path, [APPEAL], by=await self.admin())
        return [one for part in parts for one in part]

    async def against(self, **members: Any) -> list[dict[str, Any]]:
        """The appeals with these members."""
        found = await self.appeals()
        return [one for one in found if members == {name: one[name] for name in members}]

    async def answer(
        self,
        appeal: str,
        outcome: str = "confirmed",
        reason: str = "We looked again",
        *,
        by: User,
        expect: int | None = 204,
    ) -> Any:
        """The answer of a moderator."""
        body = {"outcome": outcome, "reason": reason}
        return await self.put(f"moderation/appeals/{appeal}", body, by=by, expect=expect)

    async def suspended(self, by: User | None = None) -> tuple[Content, str]:
        """Some content that is suspended, and the decision."""
        made = await self.castle()
        return made, await self.take("suspend", content_of(made), by=by)


def content_of(made: Content) -> dict[str, Any]:
    """A content, as the subject of a decision."""
    return {"kind": "content", "id": made.id}


def user_of(user: User) -> dict[str, Any]:
    """A user, as the subject of a decision."""
    return {"kind": "user", "id": user.id}


def comment_of(path: str) -> dict[str, Any]:
    """The comment at this path, as the subject of a decision."""
    _, content, _, comment = path.split("/")[-4:]
    return {"kind": "comment", "id": comment, "content": content}
