"""A player who has something at every place of the portal, and what is at the console's."""

from __future__ import annotations

from dataclasses import dataclass

from tests.portal.walk import WalkCase
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import User, guid, name

VISITOR = (
    *(
        "/",
        "/browse",
        "/browse?category=gameplay_box&tags=none",
        "/search?q=tower",
        "/search?q=zzz",
    ),
    *("/challenges", "/log-in", "/register", "/account", "/notice", "/legal"),
)
"""The places of somebody without an account."""
OWN = (
    *("/notifications", "/friends", "/publish", "/settings", "/decisions"),
    *("/library", "/library/collections", "/library/memberships"),
)
"""The places of a player that have no id."""
CONSOLE = (
    *("/console/reports", "/console/users", "/console/actions", "/console/featured"),
    *("/console/tags", "/console/appeals", "/console/holds"),
    *("/console/challenges", "/console/announcements", "/console/notifications"),
    *("/console/staff", "/console/events?live=no", "/console/statistics"),
    *("/console/service-accounts", "/console/webhooks"),
)


@dataclass(frozen=True)
class World:
    """Who looks at the places, and the places that are about something."""

    player: User
    places: tuple[str, ...]
    admin: User
    console: tuple[str, ...]


class WorldCase(WalkCase, ChallengeCase):
    """Makes it."""

    async def made(self) -> World:
        """A player with content, a friend, messages, notifications, a collection; what somebody has
        reported."""
        admin, player, friend, stranger = [
            await self.admin(),
            *[await self.user() for _ in range(3)],
        ]
        own = await self.content(player, name=name("tower"))
        other = await self.content(friend, name=name("bridge"), tags=["glass", "tall"])
        both = ((player, friend), (friend, player))
        for one, of in both:
            await self.put(f"user/{one.id}/friend/{of.id}", by=one, expect=204)
        for one, of in both:
            said = f"user/{one.id}/friend/{of.id}/messages"
            await self.post(said, {"text": "Tower at nine?"}, by=one, expect=201)
        for content in (own, other):
            await self.comment(content, friend, "It leans.")
            await self.comment(content, player, "On purpose.")
        await self.put(f"user/{stranger.id}/friend/{player.id}", by=stranger, expect=204)
        await self.put(f"user/{player.id}/subscription/{other.id}", {}, by=player, expect=204)
        collection = guid()
        named = {"name": "Towers", "description": "That lean.", "public": True}
        path = f"user/{player.id}/collections/{collection}"
        await self.put(path, named, by=player, expect=204)
        for content in (own, other):
            await self.put(f"{path}/items/{content.id}", {}, by=player, expect=204)
        challenge = await self.challenge()
        await self.put(f"{other.path}/featured", {"featured": True}, by=admin, expect=204)
        report = {"reason": "spam", "text": "Again."}
        reported = ((other.path, player), (f"user/{friend.id}", player), (own.path, friend))
        for thing, by in reported:
            await self.post(f"{thing}/report", report, by=by, expect=204)
        await self.account("events", "users.read")
        hook = {"url": "https://hook.invalid/", "kinds": ["FileStored"], "enabled": False}
        await self.put(f"webhooks/{guid()}", hook, by=admin, expect=201)
        decision = await self.decided(admin, own.id)
        held = {"reason": "The police asks."}
        await self.put(f"moderation/holds/content/{other.id}", held, by=admin, expect=204)
        told = {"id": guid(), "topic": "news", "data": {}, "to": [player.id]}
        await self.post("notifications", told, by=admin, expect=202)
        return World(
            player,
            (
                *(f"/content/{own.id}", f"/content/{own.id}/statistics", f"/publish/{own.id}"),
                *(f"/content/{other.id}", f"/collections/{collection}", f"/user/{friend.id}"),
                *(f"/user/{player.id}?tab={tab}" for tab in ("collections", "emblems")),
                *(f"/messages/{friend.id}", f"/messages/{stranger.id}"),
                *(f"/challenges/{challenge.id}", f"/decisions/{decision}"),
            ),
            admin,
            (
                f"/console/users?q={friend.username}",
                f"/console/users/{friend.id}",
                f"/console/reports/content/{other.id}",
                f"/console/reports/user/{friend.id}",
                f"/console/reports/content/{own.id}",
                f"/console/holds/content/{other.id}",
            ),
        )

    async def decided(self, admin: User, content: str) -> str:
        """The id of a decision that locks the comments of content."""
        ground = {
            "basis": "terms",
            "reference": "Terms of service, 4",
            "explanation": "They quarrel.",
            "source": "report",
            "automated": "no",
        }
        subject = {"kind": "content", "id": content}
        body = {"id": guid(), "action": "lock_comments", "subject": subject, "ground": ground}
        await self.post("moderation/decisions", body, by=admin, expect=201)
        return str(body["id"])
