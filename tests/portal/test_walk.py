"""Two people go through the portal."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.contract.browser import HOST, step
from tests.portal.walk import PASSWORD, Person, WalkCase, button


def lose(person: Person, path: str, times: int = 1) -> None:
    """Lose the next answers to what is sent there: the service does it all the same."""

    def handle(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch(url=route.request.url.replace(HOST, "127.0.0.1"))
            route.abort()
        else:
            route.fallback()

    person.page.route(path, handle, times=times)


def again(person: Person, name: str) -> None:
    """Press the same button again, when the page says that there was no answer."""
    expect(person.main.get_by_role("alert")).to_contain_text("does not answer")
    person.press(name)


class WalkTests(WalkCase):
    async def test_two(self) -> None:
        """An author publishes; a player comments, votes, follows and writes."""

        def journey(ada: Person, ben: Person) -> None:
            ada.register("/publish")
            path = ada.publish_here("Tilting tower")
            ada.move("/")
            ben.register(path)
            self.comment_heard(ada, ben)
            self.vote(ben)
            self.befriend(ada, ben)
            self.write(ada, ben)

        await self.walk(journey, 2)

    @step
    def comment_heard(self, ada: Person, ben: Person) -> None:
        """Who has published hears of a comment without a reload, and is led to it."""
        ben.fill(Comment="I fell off twice.")
        ben.press("Comment")
        comment = ben.main.get_by_role("article").filter(has_text="I fell off twice.")
        expect(comment).to_be_visible()
        bell = ada.header.get_by_role("link", name="Notifications (1)", exact=True)
        bell.click()
        link = ada.main.get_by_role("link", name=f"{ben.username} commented on ")
        link.click()
        expect(ada.main.get_by_text("I fell off twice.")).to_be_visible()

    @step
    def vote(self, ben: Person) -> None:
        """A vote stays over a reload."""
        up = button(ben.main, "Vote up")
        with ben.answered("PUT */rating/*"):
            up.click()
        expect(up).to_have_attribute("aria-pressed", "true")
        ben.page.reload()
        expect(up).to_have_attribute("aria-pressed", "true")

    @step
    def befriend(self, ada: Person, ben: Person) -> None:
        """A player is followed, and asked for friendship."""
        ben.main.get_by_role("link", name=ada.username).first.click()
        ben.press("Follow")
        expect(button(ben.main, "Unfollow")).to_be_visible()
        with ben.answered("PUT */friend/*"):
            ben.press("Ask for friendship")
        ada.move("/friends")
        with ada.answered("PUT */friend/*"):
            ada.press("Accept")

    @step
    def write(self, ada: Person, ben: Person) -> None:
        """Who is a friend writes, and is read live."""
        ada.main.get_by_role("link", name=f"Write: {ben.username}", exact=True).click()
        ben.move(f"/messages/{ben.page.url.rsplit('/', 1)[1]}")
        ben.fill(Message="Tower at nine?")
        ben.press("Send")
        expect(ada.main.get_by_text("Tower at nine?")).to_be_visible()

    async def test_lost(self) -> None:
        """What two people send and type is not lost, and not done twice."""

        def journey(ada: Person, ben: Person) -> None:
            self.register_again(ada)
            path = ada.publish("Windmill")
            ben.register(path)
            self.comment_again(ben)
            self.typed(ben)
            self.left_nothing(ben, path)

        await self.walk(journey, 2)

    @step
    def register_again(self, ada: Person) -> None:
        """Where the answer to a registration was lost, the same button again leads in."""
        lose(ada, "**/api/v1/user")
        ada.go("/register")
        ada.fill(Username=ada.username, Password=PASSWORD)
        ada.main.get_by_label("E-mail", exact=True).fill(f"{ada.username}@example.com")
        ada.press("Register")
        again(ada, "Register")
        ada.arrive()
        # The answer that was lost, and that the name is taken at the second try.
        ada.spare("ERR_FAILED", "409")

    @step
    def comment_again(self, ben: Person) -> None:
        """Where the answer to a comment was lost, the same button again writes it once."""
        ben.fill(Comment="It turns.")
        # The client repeats a comment three times by itself.
        lose(ben, "**/comments", times=4)
        ben.press("Comment")
        again(ben, "Comment")
        expect(ben.main.get_by_label("Comment", exact=True)).to_have_value("")
        expect(ben.main.get_by_role("article").filter(has_text="It turns.")).to_have_count(1)
        ben.spare(*["ERR_FAILED"] * 4)

    @step
    def typed(self, ben: Person) -> None:
        """What was typed outlives a reload."""
        ben.fill(Comment="Half a thought")
        ben.page.reload()
        field = ben.main.get_by_label("Comment", exact=True)
        expect(field).to_have_value("Half a thought")

    @step
    def left_nothing(self, ben: Person, path: str) -> None:
        """It goes with the log-out."""
        ben.log_out()
        ben.go(f"/log-in?then={path}")
        ben.fill(Username=ben.username, Password=PASSWORD)
        ben.press("Log in")
        ben.arrive(path)
        expect(ben.main.get_by_label("Comment", exact=True)).to_have_value("")
