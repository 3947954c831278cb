"""The daemon is killed in the middle of what a player does (docs/portal.md).

After it has started, what they did is done once: by itself, or by the same button again. What they
typed is there until then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, button
from tests.spec.data import Content, User, guid
from tests.spec.portal.severing import MOMENTS, Moment, SeveredCase
from tests.support.pictures import png

UPLOADED = 4_000_000
"""Bytes of a file that is sent in several requests."""
PICTURE = {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}


class KillCase(SeveredCase):
    def each(self, act: Callable[[Moment], None]) -> None:
        """Have it done with a kill at each moment."""
        for moment in MOMENTS:
            with self.step(f"Killed {moment}"):
                act(moment)

    async def json(self, path: str, by: User | None = None) -> Any:
        """What the service answers."""
        return (await self.get(path, by=by, expect=200)).json()

    async def new_content(self) -> Content:
        """Content of somebody else."""
        return await self.content(await self.user())

    def choose(self, who: Person, **files: Any) -> None:
        """Choose these files, by the labels of their fields."""
        for label, file in files.items():
            who.main.get_by_label(label, exact=True).set_input_files(file)


def level(data: bytes) -> dict[str, Any]:
    """A file of a level."""
    return {"name": "level.bin", "mimeType": "", "buffer": data}


class AccountKillTests(KillCase):
    async def test_account(self) -> None:
        """A player registers, and another logs in."""
        user = await self.user()

        def journey(who: Person) -> None:
            self.register(who)
            self.log_in(who, user)

        await self.walk(journey)

    @step
    def register(self, who: Person) -> None:
        """A registration makes one account, and logs in."""

        def act(moment: Moment) -> None:
            username = f"{who.username}-{moment}"
            who.go("/register")
            typed = {"Username": username, "E-mail": f"{username}@example.com"}
            for label, text in {**typed, "Password": PASSWORD}.items():
                who.main.get_by_label(label, exact=True).fill(text)

            async def done() -> bool:
                form = {"grant_type": "password", "username": username, "password": PASSWORD}
                return (await self.request("POST", "/oauth/token", data=form)).status == 200

            shown, request = button(who.header, "Log out"), "POST /api/v1/user "
            press = button(who.main, "Register")
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)
            who.log_out()

        self.each(act)

    @step
    def log_in(self, who: Person, user: User) -> None:
        """A log-in logs in."""

        def act(moment: Moment) -> None:
            who.go("/log-in")
            typed = {"Username": user.username, "Password": user.password}
            who.fill(**typed)

            async def done() -> bool:
                return True

            shown, request = button(who.header, "Log out"), "POST /portal/session "
            press = button(who.main, "Log in")
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)
            who.log_out()

        self.each(act)


class AuthorKillTests(KillCase):
    async def test_author(self) -> None:
        """An author publishes, uploads a large file, and revises."""
        user = await self.user()
        content = await self.content(user)

        def journey(who: Person) -> None:
            who.log_in(user, "/publish")
            self.publish(who, user)
            self.upload(who, user)
            self.revise(who, content)

        await self.walk(journey)

    async def titles(self, user: User) -> list[str]:
        """What the user's contents are called."""
        return [one["name"] for one in await self.json(f"user/{user.id}/content", user)]

    @step
    def publish(self, who: Person, user: User) -> None:
        """A publication makes one content."""
        titles = self.wait(self.titles(user))

        def act(moment: Moment) -> None:
            titles.append(title := f"Tower {moment}")
            typed = {"Name": title, "Description": "Climb it.", "Tags": "tall"}
            who.go("/publish")
            who.fill(**typed)
            self.choose(who, File=level(guid().encode()), Screenshots=PICTURE)

            async def done() -> bool:
                return sorted(await self.titles(user)) == sorted(titles)

            shown = who.main.get_by_role("heading", name=title, exact=True)
            press, request = button(who.main, "Publish"), "PUT /api/v1/content/"
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)

        self.each(act)

    @step
    def upload(self, who: Person, user: User) -> None:
        """A file whose upload was cut is sent again, and published."""

        def act(moment: Moment) -> None:
            title = f"Mountain {moment}"
            who.go("/publish")
            who.fill(Name=title)
            self.choose(who, File=level(os.urandom(UPLOADED)), Screenshots=PICTURE)

            async def done() -> bool:
                return title in await self.titles(user)

            shown = who.main.get_by_role("heading", name=title, exact=True)
            press, request, typed = button(who.main, "Publish"), "PUT /files/", {"Name": title}
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)

        self.each(act)

    @step
    def revise(self, who: Person, content: Content) -> None:
        """A revision is published once."""
        versions = [content.sent["version"]]

        def act(moment: Moment) -> None:
            versions.append(version := f"2-{moment}")
            typed = {"Version": version, "Change notes": "Higher."}
            who.go(f"/publish/{content.id}")
            for label, text in typed.items():
                who.main.get_by_label(label, exact=True).fill(text)
            self.choose(who, File=level(guid().encode()))

            async def done() -> bool:
                made = await self.json(f"{content.path}/revisions", content.author)
                return sorted(one["version"] for one in made) == sorted(versions)

            shown = who.main.get_by_role("heading", name=content.sent["name"], exact=True)
            request = "PO?[SU]T /api/v1/content/[^/ ]+/revisions "
            press = button(who.main, "Publish")
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)

        self.each(act)


class ReaderKillTests(KillCase):
    async def test_reader(self) -> None:
        """A player comments, answers and votes."""
        user, content = await self.user(), await self.new_content()

        def journey(who: Person) -> None:
            who.log_in(user, f"/content/{content.id}")
            bodies = list[str]()
            self.comment_once(who, content, bodies)
            self.reply(who, content, bodies)
            self.vote(who)

        await self.walk(journey)

    @step
    def comment_once(self, who: Person, content: Content, bodies: list[str]) -> None:
        """A comment is written once."""

        def act(moment: Moment) -> None:
            bodies.append(body := f"Tall {moment}")
            self.say(who, content, bodies, moment, body)

        self.each(act)

    @step
    def reply(self, who: Person, content: Content, bodies: list[str]) -> None:
        """An answer is written once."""

        def act(moment: Moment) -> None:
            bodies.append(body := f"Indeed {moment}")
            self.say(who, content, bodies, moment, body, reply="Tall before")

        self.each(act)

    def say(
        self,
        who: Person,
        content: Content,
        bodies: list[str],
        moment: Moment,
        body: str,
        *,
        reply: str = "",
    ) -> None:
        """Write the last of these comments, in reply to another."""
        who.go(f"/content/{content.id}")
        within = who.main.get_by_role("article").filter(has_text=reply) if reply else who.main
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
            button(within, "Send" if reply else "Comment"),
            "POST /api/v1/content/[^/ ]+/comments ",
            moment,
            typed={"Comment": body},
            shown=who.main.get_by_role("article").filter(has_text=body),
            done=done,
        )

    @step
    def vote(self, who: Person) -> None:
        """A vote counts once."""

        def act(moment: Moment) -> None:
            made = self.wait(self.new_content())
            who.go(f"/content/{made.id}")

            async def done() -> bool:
                return bool((await self.json(made.path))["votes"] == {"up": 1, "down": 0})

            press, shown = button(who.main, "Vote up"), who.main.locator("[aria-pressed=true]")
            request = "PUT /api/v1/user/[^/ ]+/rating/"
            self.severed(who, press, request, moment, typed={}, shown=shown, done=done)

        self.each(act)


class FriendKillTests(KillCase):
    async def test_friend(self) -> None:
        """A player follows others, asks for their friendship, and writes to a friend."""
        user, friend = await self.user(), await self.user()
        for one, other in ((user, friend), (friend, user)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)

        def journey(who: Person) -> None:
            who.log_in(user, f"/messages/{friend.id}")
            self.follow(who, user)
            self.ask(who)
            self.send(who, user, friend)

        await self.walk(journey)

    @step
    def follow(self, who: Person, user: User) -> None:
        """A player is followed."""

        def act(moment: Moment) -> None:
            other = self.wait(self.user())
            who.go(f"/user/{other.id}")

            async def done() -> bool:
                found = await self.json(f"user/{other.id}/followers", other)
                return [one["id"] for one in found] == [user.id]

            press, shown = button(who.main, "Follow"), button(who.main, "Unfollow")
            request = "PUT /api/v1/user/[^/ ]+/following/"
            self.severed(who, press, request, moment, typed={}, shown=shown, done=done)

        self.each(act)

    @step
    def ask(self, who: Person) -> None:
        """Friendship is asked for once."""

        def act(moment: Moment) -> None:
            other = self.wait(self.user())
            who.go(f"/user/{other.id}")

            async def done() -> bool:
                found = await self.notifications(other)
                return [one["kind"] for one in found] == ["FriendRequest"]

            press = button(who.main, "Ask for friendship")
            shown = button(who.main, "Cancel the request")
            request = "PUT /api/v1/user/[^/ ]+/friend/"
            self.severed(who, press, request, moment, typed={}, shown=shown, done=done)

        self.each(act)

    @step
    def send(self, who: Person, user: User, friend: User) -> None:
        """A message is sent once."""
        texts: list[str] = []

        def act(moment: Moment) -> None:
            texts.append(text := f"At nine {moment}")
            who.go(f"/messages/{friend.id}")
            who.fill(Message=text)

            async def done() -> bool:
                found = await self.json(f"user/{user.id}/friend/{friend.id}/messages", user)
                return sorted(one["text"] for one in found) == sorted(texts)

            request = "POST /api/v1/user/[^/ ]+/friend/[^/ ]+/messages "
            shown = who.main.get_by_role("listitem").filter(has_text=text)
            typed, press = {"Message": text}, button(who.main, "Send")
            self.severed(who, press, request, moment, typed=typed, shown=shown, done=done)

        self.each(act)
