"""The daemon is killed in the middle of what a player does (portal §4).

After it has started, what they did is done once: by itself, or by the same button again. What they
typed is there until then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tests.portal.walk import PASSWORD
from tests.spec.data import Content, User, guid
from tests.spec.portal.severing import MOMENTS, Moment, SeveredCase
from tests.spec.portal.visitor import Visitor
from tests.support.pictures import png

UPLOADED = 4_000_000
"""Bytes of a file that is sent in several requests."""
PICTURE = {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}


class KillTests(SeveredCase):
    async def each(self, act: Callable[[Visitor, Moment], None], by: User | None = None) -> None:
        """Let one person, who is logged in as `by`, act at each moment."""

        def steps(who: Visitor) -> None:
            if by:
                who.arrive(by)
            for moment in MOMENTS:
                act(who, moment)

        await self.walk(steps)

    async def json(self, path: str, by: User | None = None) -> Any:
        """What the service answers."""
        return (await self.get(path, by=by, expect=200)).json()

    async def test_register(self) -> None:
        """A registration makes one account, and logs in."""

        def act(who: Visitor, moment: Moment) -> None:
            username = f"{who.username}-{moment}"
            who.go("/register")
            typed = {"Username": username, "E-mail": f"{username}@example.com"}
            for label, text in {**typed, "Password": PASSWORD}.items():
                who.main.get_by_label(label, exact=True).fill(text)

            async def done() -> bool:
                form = {"grant_type": "password", "username": username, "password": PASSWORD}
                return (await self.request("POST", "/oauth/token", data=form)).status == 200

            log_out = who.header.get_by_role("button", name="Log out", exact=True)
            button = who.main.get_by_role("button", name="Register", exact=True)
            request = "POST /api/v1/user "
            self.severed(who, button, request, moment, typed=typed, shown=log_out, done=done)
            log_out.click()
            log_out.wait_for(state="detached")

        await self.each(act)

    async def test_log_in(self) -> None:
        """A log-in logs in."""
        user = await self.user()

        def act(who: Visitor, moment: Moment) -> None:
            who.go("/log-in")
            typed = {"Username": user.username, "Password": user.password}
            who.fill(**typed)

            async def done() -> bool:
                return True

            log_out = who.header.get_by_role("button", name="Log out", exact=True)
            button = who.main.get_by_role("button", name="Log in", exact=True)
            request = "POST /portal/session "
            self.severed(who, button, request, moment, typed=typed, shown=log_out, done=done)
            log_out.click()
            log_out.wait_for(state="detached")

        await self.each(act)

    async def test_publish(self) -> None:
        """A publication makes one content."""
        user = await self.user()
        titles: list[str] = []

        def act(who: Visitor, moment: Moment) -> None:
            titles.append(title := f"Tower {moment}")
            typed = {"Name": title, "Description": "Climb it.", "Tags": "tall"}
            who.go("/publish")
            who.fill(**typed)
            file = {"name": "level.bin", "mimeType": "", "buffer": guid().encode()}
            who.main.get_by_label("File", exact=True).set_input_files(file)  # type: ignore[arg-type]
            who.main.get_by_label("Screenshots", exact=True).set_input_files(PICTURE)  # type: ignore[arg-type]

            async def done() -> bool:
                made = await self.json(f"user/{user.id}/content", user)
                return sorted(one["name"] for one in made) == sorted(titles)

            shown = who.main.get_by_role("heading", name=title, exact=True)
            button = who.main.get_by_role("button", name="Publish", exact=True)
            request = "PUT /api/v1/content/"
            self.severed(who, button, request, moment, typed=typed, shown=shown, done=done)

        await self.each(act, user)

    async def test_upload(self) -> None:
        """A file whose upload was cut is sent again, and published."""
        user = await self.user()

        def act(who: Visitor, moment: Moment) -> None:
            title = f"Mountain {moment}"
            who.go("/publish")
            who.fill(Name=title)
            file = {"name": "level.bin", "mimeType": "", "buffer": os.urandom(UPLOADED)}
            who.main.get_by_label("File", exact=True).set_input_files(file)  # type: ignore[arg-type]
            who.main.get_by_label("Screenshots", exact=True).set_input_files(PICTURE)  # type: ignore[arg-type]

            async def done() -> bool:
                made = await self.json(f"user/{user.id}/content", user)
                return title in [one["name"] for one in made]

            shown = who.main.get_by_role("heading", name=title, exact=True)
            button = who.main.get_by_role("button", name="Publish", exact=True)
            request, typed = "PUT /files/", {"Name": title}
            self.severed(who, button, request, moment, typed=typed, shown=shown, done=done)

        await self.each(act, user)

    async def test_revise(self) -> None:
        """A revision is published once."""
        user = await self.user()
        content = await self.content(user)
        versions = [content.sent["version"]]

        def act(who: Visitor, moment: Moment) -> None:
            versions.append(version := f"2-{moment}")
            typed = {"Version": version, "Change notes": "Higher."}
            who.go(f"/publish/{content.id}")
            for label, text in typed.items():
                who.main.get_by_label(label, exact=True).fill(text)
            file = {"name": "level.bin", "mimeType": "", "buffer": guid().encode()}
            who.main.get_by_label("File", exact=True).set_input_files(file)  # type: ignore[arg-type]

            async def done() -> bool:
                made = await self.json(f"{content.path}/revisions", user)
                return sorted(one["version"] for one in made) == sorted(versions)

            shown = who.main.get_by_role("heading", name=content.sent["name"], exact=True)
            button = who.main.get_by_role("button", name="Publish", exact=True)
            request = "PO?[SU]T /api/v1/content/[^/ ]+/revisions "
            self.severed(who, button, request, moment, typed=typed, shown=shown, done=done)

        await self.each(act, user)

    async def test_comment(self) -> None:
        """A comment is written once."""
        user, content = await self.user(), await self.content(await self.user())
        bodies: list[str] = []

        def act(who: Visitor, moment: Moment) -> None:
            bodies.append(body := f"Tall {moment}")
            self.say(who, content, bodies, moment, body)

        await self.each(act, user)

    async def test_reply(self) -> None:
        """An answer is written once."""
        user, content = await self.user(), await self.content(await self.user())
        await self.comment(content, user, "Tall")
        bodies = ["Tall"]

        def act(who: Visitor, moment: Moment) -> None:
            bodies.append(body := f"Indeed {moment}")
            self.say(who, content, bodies, moment, body, reply=True)

        await self.each(act, user)

    def say(
        self,
        who: Visitor,
        content: Content,
        bodies: list[str],
        moment: Moment,
        body: str,
        *,
        reply: bool = False,
    ) -> None:
        """Write the last of these comments."""
        who.go(f"/content/{content.id}")
        within = who.main.get_by_role("article").filter(has_text="Tall") if reply else who.main
        if reply:
            who.press("Reply", within)
        # Until the list is there, the page does not know a comment of before.
        who.main.get_by_role("article").or_(
            who.main.get_by_text("No comments yet")
        ).first.wait_for()
        within.get_by_label("Comment", exact=True).fill(body)

        async def done() -> bool:
            made = await self.json(f"{content.path}/comments")
            return sorted(one["body"] for one in made["items"]) == sorted(bodies)

        self.severed(
            who,
            within.get_by_role("button", name="Send" if reply else "Comment", exact=True),
            "POST /api/v1/content/[^/ ]+/comments ",
            moment,
            typed={"Comment": body},
            shown=who.main.get_by_role("article").filter(has_text=body),
            done=done,
        )

    async def test_vote(self) -> None:
        """A vote counts once."""
        user = await self.user()

        def act(who: Visitor, moment: Moment) -> None:
            made = self.wait(self.new_content)
            who.go(f"/content/{made.id}")

            async def done() -> bool:
                return bool((await self.json(made.path))["votes"] == {"up": 1, "down": 0})

            button = who.main.get_by_role("button", name="Vote up", exact=True)
            shown = who.main.locator("[aria-pressed=true]")
            request = "PUT /api/v1/user/[^/ ]+/rating/"
            self.severed(who, button, request, moment, typed={}, shown=shown, done=done)

        await self.each(act, user)

    async def new_content(self) -> Content:
        """Content of somebody else."""
        return await self.content(await self.user())

    async def test_follow(self) -> None:
        """A player is followed."""
        user = await self.user()

        def act(who: Visitor, moment: Moment) -> None:
            other = self.wait(self.user)
            who.go(f"/user/{other.id}")

            async def done() -> bool:
                found = await self.json(f"user/{other.id}/followers", other)
                return [one["id"] for one in found] == [user.id]

            button = who.main.get_by_role("button", name="Follow", exact=True)
            shown = who.main.get_by_role("button", name="Unfollow", exact=True)
            request = "PUT /api/v1/user/[^/ ]+/following/"
            self.severed(who, button, request, moment, typed={}, shown=shown, done=done)

        await self.each(act, user)

    async def test_ask(self) -> None:
        """Friendship is asked for once."""
        user = await self.user()

        def act(who: Visitor, moment: Moment) -> None:
            other = self.wait(self.user)
            who.go(f"/user/{other.id}")

            async def done() -> bool:
                found = await self.notifications(other)
                return [one["kind"] for one in found] == ["FriendRequest"]

            button = who.main.get_by_role("button", name="Ask for friendship", exact=True)
            shown = who.main.get_by_role("button", name="Take back", exact=True)
            request = "PUT /api/v1/user/[^/ ]+/friend/"
            self.severed(who, button, request, moment, typed={}, shown=shown, done=done)

        await self.each(act, user)

    async def test_send(self) -> None:
        """A message is sent once."""
        user, other = await self.user(), await self.user()
        await self.put(f"user/{user.id}/friend/{other.id}", by=user, expect=204)
        await self.put(f"user/{other.id}/friend/{user.id}", by=other, expect=204)
        texts: list[str] = []

        def act(who: Visitor, moment: Moment) -> None:
            texts.append(text := f"At nine {moment}")
            who.go(f"/messages/{other.id}")
            who.fill(Message=text)

            async def done() -> bool:
                found = await self.json(f"user/{user.id}/friend/{other.id}/messages", user)
                return sorted(one["text"] for one in found) == sorted(texts)

            button = who.main.get_by_role("button", name="Send", exact=True)
            request = "POST /api/v1/user/[^/ ]+/friend/[^/ ]+/messages "
            shown = who.main.get_by_role("listitem").filter(has_text=text)
            typed = {"Message": text}
            self.severed(who, button, request, moment, typed=typed, shown=shown, done=done)

        await self.each(act, user)
