"""Somebody who goes through the portal, and finds each thing once by role and exact name."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import Locator, TimeoutError

from tests.portal.walk import Person, WalkCase
from tests.spec.data import User

_INSIDE = """
(found, scope) => found.filter((one) => one.closest("article, dialog, main, header.top") === scope)
    .filter((one) => one.checkVisibility()).length
"""


class Visitor(Person):
    """A person who looks at one part of the page: its header, main, an open dialog, an article."""

    def arrive(self, user: User, then: str = "/") -> None:
        """Log in as this user, who has an account."""
        self.username = user.username
        self.go(f"/log-in?then={then}")
        self.fill(Username=user.username, Password=user.password)
        self.press("Log in")
        self.page.wait_for_url(self.base + then)

    @property
    def dialog(self) -> Locator:
        """The dialog that is open."""
        return self.page.locator("dialog[open]")

    def find(self, scope: Locator, role: str, name: str) -> Locator:
        """What has this role and name in `scope`; `field` is any role that has a label."""
        if role == "field":
            return scope.get_by_label(name, exact=True)
        return scope.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]

    def count(self, scope: Locator, role: str, name: str) -> int:
        """How many there are in `scope`, without those of an inner article or dialog."""
        found = self.find(scope, role, name)
        return int(found.evaluate_all(_INSIDE, scope.element_handle()))

    def miscounted(self, scope: Locator, role: str, *names: str) -> list[str]:
        """Those of these names that are not there exactly once, when the first of each has come."""
        wrong = []
        for name in names:
            # What does not come is counted as 0.
            with suppress(TimeoutError):
                self.find(scope, role, name).first.wait_for(timeout=5_000)
            if (count := self.count(scope, role, name)) != 1:
                wrong.append(f"{self.page.url}: {count} of {role} {name}")
        return wrong


class VisitCase(WalkCase):
    """Tests in which visitors use the portal."""

    person: type[Person] = Visitor
