"""Names and texts that are made to do harm (docs/portal.md)."""

from __future__ import annotations

from tests.portal.walk import Person, WalkCase
from tests.spec.challenges.support import ChallengeCase
from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import word

BIDI = "\u202eevil\u2066"
WIDE = "W" * 128
TEXT = f"{BIDI}<img src=x onerror=alert(1)> <script>alert(1)</script> javascript:alert(1) {WIDE}"
NAME = f"{BIDI}<b>javascript:alert(1)</b>{WIDE}"
TAG = f"{BIDI[:5]}{'W' * 24}"
FIND = """
(mark) => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth)
        found.push(`scrolls: ${document.documentElement.scrollWidth} of ${innerWidth}`);
    for (const one of document.querySelectorAll("main script, main img[onerror], .text b"))
        found.push(`markup: ${one.outerHTML}`);
    for (const one of document.querySelectorAll("a[href]"))
        if (new URL(one.href).origin !== location.origin) found.push(`link: ${one.href}`);
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const { data, parentElement } = walk.currentNode;
        if (data.includes(mark) && !parentElement.closest("[dir=auto], bdi"))
            found.push(`direction: ${parentElement.outerHTML.slice(0, 200)}`);
    }
    return found;
}
"""
PLAIN = (
    *("/settings", "/notifications", "/console/reports", "/console/actions"),
    *("/console/staff", "/console/statistics"),
)
"""Places that show no texts of other players."""


class HostileTests(WalkCase, ChallengeCase):
    async def test_texts(self) -> None:
        """Wherever players' texts are shown, they are texts that break, at any width."""
        user = await self.user(f"{'W' * 15}{word()}"[:32])
        other, admin = await self.user(), await self.admin()
        profile = {"profile": TEXT}
        body = {"avatar": None, "emblem": None, "fullProfile": profile, "publicProfile": profile}
        await self.put(f"user/{user.id}", body, by=user, expect=204)
        content = await self.content(
            user,
            name=NAME,
            description=TEXT,
            tags=[TAG],
            version=TEXT[:32],
            revisionDescription=TEXT,
        )
        first = await self.comment(content, user, TEXT)
        parent = int(first.rpartition("/")[2])
        await self.comment(content, other, TEXT, parentId=parent)
        for way in ((user, other), (other, user)):
            await self.put(f"user/{way[0].id}/friend/{way[1].id}", by=way[0], expect=204)
        at = f"user/{user.id}/friend/{other.id}/messages"
        await self.post(at, {"text": TEXT}, by=user, expect=201)
        made = await self.challenge(**challenge(name=NAME, description=TEXT, theme=TEXT))
        await self.enter(made, content)
        report = {"reason": "spam", "text": TEXT}
        for what in (content.path, f"user/{user.id}"):
            await self.post(f"{what}/report", report, by=other, expect=204)
        places = (
            ("/", f"/browse?author={user.id}", f"/content/{content.id}", f"/user/{user.id}"),
            ("/challenges", f"/challenges/{made.id}", "/friends", f"/messages/{user.id}"),
            ("/notifications", "/settings"),
        )
        console = (
            ("/console/reports", f"/console/reports/content/{content.id}"),
            (f"/console/reports/user/{user.id}", "/console/challenges", "/console/actions"),
            (f"/console/users/{user.id}", "/console/events?live=no", "/console/staff"),
            ("/console/statistics",),
        )

        def journey(player: Person, moderator: Person) -> None:
            player.log_in(other)
            moderator.log_in(admin)
            found: list[str] = []
            for who in (player, moderator):
                who.page.on("dialog", lambda dialog: found.append(dialog.message))
            for who, paths in ((player, places), (moderator, console)):
                for path in (path for some in paths for path in some):
                    with self.step(path):
                        found += self.look(who, path)
            self.assertEqual([], found)

        await self.walk(journey, 2)

    def look(self, who: Person, path: str) -> list[str]:
        """What is wrong with a place, wide and narrow."""
        who.page.set_viewport_size({"width": 1280, "height": 900})
        with who.read():
            who.move(path)
            if path not in PLAIN:
                who.main.get_by_text(BIDI).first.wait_for()
        found: list[str] = []
        for width in (1280, 320):
            who.page.set_viewport_size({"width": width, "height": 900})
            found += [f"{path} {width}: {one}" for one in who.page.evaluate(FIND, BIDI)]
        return found
