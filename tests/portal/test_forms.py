"""What a form says that is refused, by the page or by the service."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Request, expect

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, WalkCase, button
from tests.spec.data import User

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGLISH = "The server's own English"


def field(who: Person, label: str, within: Locator | None = None) -> Locator:
    """The field with this label."""
    return (within or who.main).get_by_label(label, exact=True)


def marked(one: Locator, text: str) -> None:
    """A field is marked, and this is said of it."""
    expect(one).to_have_attribute("aria-invalid", "true")
    expect(one).to_have_accessible_description(re.compile(re.escape(text)))


def unmarked(one: Locator) -> None:
    """Nothing is said to be wrong with a field."""
    expect(one).not_to_have_attribute("aria-invalid", re.compile(""))


@contextmanager
def unsent(who: Person) -> Iterator[None]:
    """What the block does sends nothing to the service that would change something."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.method != "GET" and "/api/" in request.url:
            sent.append(f"{request.method} {request.url}")

    who.page.on("request", note)
    yield
    who.page.remove_listener("request", note)
    assert not sent, sent


class NewcomerTests(WalkCase):
    async def test_register(self) -> None:
        """Who registers hears beside each field what is wrong, in the own language."""
        taken = await self.user()

        def journey(ada: Person) -> None:
            ada.go("/register")
            self.empty(ada)
            self.unfit(ada)
            self.taken(ada, taken)
            self.unanswered(ada)
            self.german(ada)

        await self.walk(journey)

    @step
    def empty(self, ada: Person) -> None:
        """Empty fields are marked before anything is sent, and the first has the focus; a mark goes
        with the next letter, the others stay."""
        with unsent(ada):
            ada.press("Register")
            for label in ("Username", "E-mail", "Password"):
                marked(field(ada, label), "Please fill this in.")
        expect(field(ada, "Username")).to_be_focused()
        ada.page.keyboard.type("a b")
        unmarked(field(ada, "Username"))
        marked(field(ada, "E-mail"), "Please fill this in.")

    @step
    def unfit(self, ada: Person) -> None:
        """So are values of the wrong form or length, and all stays that was typed."""
        field(ada, "E-mail").fill("nope")
        ada.fill(Password="123")
        with unsent(ada):
            ada.press("Register")
            marked(field(ada, "Username"), "No blanks or accents")
            marked(field(ada, "E-mail"), "This is not an e-mail address.")
            marked(field(ada, "Password"), "at least 8")
        expect(field(ada, "Username")).to_have_value("a b")
        expect(field(ada, "Password")).to_have_value("123")

    @step
    def taken(self, ada: Person, other: User) -> None:
        """What only the service knows is said beside the field that it is about."""
        ada.fill(Username=other.username, Password=PASSWORD)
        field(ada, "E-mail").fill("ada@example.com")
        ada.press("Register")
        marked(field(ada, "Username"), "This name is taken.")
        expect(field(ada, "Username")).to_be_focused()
        expect(field(ada, "E-mail")).to_have_value("ada@example.com")
        unmarked(field(ada, "E-mail"))
        ada.forget("409", "400")

    @step
    def unanswered(self, ada: Person) -> None:
        """Where the service does not answer, the form says that what was typed is kept; it is."""
        ada.page.route("**/api/v1/user", lambda route: route.abort())
        ada.press("Register")
        expect(ada.main.get_by_role("alert")).to_contain_text("What you typed is kept")
        expect(field(ada, "E-mail")).to_have_value("ada@example.com")
        ada.page.unroute_all()
        ada.forget("ERR_FAILED")

    @step
    def german(self, ada: Person) -> None:
        """A place in the body has words of the page's language, and no English of the service."""
        ada.page.evaluate("localStorage.setItem('contentsvc.language', 'de')")
        ada.go("/register")
        ada.fill(Benutzername="ada", Passwort=PASSWORD)
        with ada.held("**/api/v1/user") as waiting:
            ada.press("Registrieren")
        problem = {"type": "x", "title": ENGLISH, "detail": ENGLISH, "code": "invalid_body"}
        errors = [{"pointer": "/email", "detail": ENGLISH}]
        ada.refuse(waiting, status=400, **problem, errors=errors)
        marked(field(ada, "E-Mail"), "Das ist keine E-Mail-Adresse.")
        expect(ada.page.get_by_text(ENGLISH)).to_have_count(0)
        ada.forget("400")


class TypedTests(WalkCase):
    async def test_texts(self) -> None:
        """Texts that are too long are said so before they are sent, and are not cut."""
        author, player = await self.user(), await self.user()
        content = await self.content(author)
        comment = await self.comment(content, player, "Nice.")
        number = comment.rpartition("/")[2]

        def journey(ada: Person) -> None:
            ada.log_in(player, f"/content/{content.id}")
            self.long(ada)
            self.answers(ada, number)
            self.dialogs(ada)
            self.asked(ada)

        await self.walk(journey)

    @step
    def long(self, ada: Person) -> None:
        """A comment has at most as many letters as the operation takes."""
        text = "x" * 4097
        ada.fill(Comment=text)
        with unsent(ada):
            ada.press("Comment")
            marked(field(ada, "Comment"), "1 letter too long: at most 4,096.")
        expect(field(ada, "Comment")).to_have_value(text)
        expect(ada.main.get_by_role("alert")).to_contain_text("marked fields")
        ada.fill(Comment="Short.")
        expect(ada.main.get_by_role("alert")).to_have_count(0)

    @step
    def answers(self, ada: Person, number: str) -> None:
        """Reply and Edit have the focus in their field."""
        article = ada.page.locator(f"#comment-{number}")
        ada.press("Edit", article)
        expect(field(ada, "Comment", article)).to_be_focused()
        ada.press("Edit", article)
        ada.press("Reply", article)
        expect(field(ada, "Comment", article)).to_be_focused()

    @step
    def dialogs(self, ada: Person) -> None:
        """A dialog has the focus in its first field, also where that is read first."""
        ada.open("More")
        ada.main.get_by_role("button", name="Report", exact=True).first.click()
        expect(field(ada, "Reason", ada.dialog)).to_be_focused()
        ada.escape()
        ada.press("Add to collection")
        expect(ada.dialog.locator(":is(input, select)").first).to_be_focused()
        ada.escape()

    @step
    def asked(self, ada: Person) -> None:
        """A filter that an address brings is refused beside its field."""
        ada.go("/browse?game=abc")
        marked(field(ada, "Game version"), "A version is 1 to 4 numbers")
        ada.forget("400")


class PlacesTests(WalkCase):
    async def test_accounts(self) -> None:
        """Passwords and addresses are checked beside their fields too."""
        player = await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(player, "/settings")
            form = ada.main.get_by_role("region", name="Your password")
            ada.press("Change the password", form)
            marked(field(ada, "Current password", form), "Please fill this in.")
            ada.fill(form, Current_password="not this one", New_password="another one")
            ada.press("Change the password", form)
            marked(field(ada, "Current password", form), "The password is wrong.")
            expect(field(ada, "Current password", form)).to_be_focused()
            expect(field(ada, "New password", form)).to_have_value("another one")
            ada.spare("403")
            self.confirm(ada)

        await self.walk(journey)

    @step
    def confirm(self, ada: Person) -> None:
        """A dialog that asks for the password has the focus there."""
        button(ada.main, "Delete account").click()
        expect(field(ada, "Password", ada.dialog)).to_be_focused()
        ada.press("Delete account", ada.dialog.locator("form"))
        marked(field(ada, "Password", ada.dialog), "Please fill this in.")
        ada.escape()
