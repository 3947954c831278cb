"""The function that decides for every statement who sees a content."""

from typing import ClassVar

from contentsvc.db.query import Db, Statements
from tests.support.databases import StoreCase, guid


class VisibleTests(StoreCase):
    AUTHOR, OTHER = guid(), guid()
    CONTENT = guid()
    """Which is not there: so it is shown to nobody else."""
    EXPECTED: ClassVar = {
        # A content's status, who looks, and whether they have the permission `moderate`.
        ("active", None, False): True,
        ("active", OTHER, False): True,
        ("active", AUTHOR, False): True,
        ("active", OTHER, True): True,
        ("suspended", None, False): False,
        ("suspended", OTHER, False): False,
        ("suspended", AUTHOR, False): True,
        ("suspended", OTHER, True): True,
        ("deleted", None, False): False,
        ("deleted", OTHER, False): False,
        ("deleted", AUTHOR, False): True,
        ("deleted", OTHER, True): True,
        ("friends", None, False): False,
        ("private", OTHER, False): False,
        ("unlisted", AUTHOR, False): True,
        ("private", OTHER, True): True,
    }

    async def test_rule(self) -> None:
        """Everybody sees what is active; what is suspended or deleted only its author and admins
        do."""

        @Statements().one(
            "select visible(:status, :content::uuid, :author::uuid, :viewer::uuid, :moderate)"
        )
        async def visible(
            db: Db, status: str, content: str, author: str, viewer: str | None, moderate: bool
        ) -> bool: ...

        found = {
            (status, viewer, moderate): await visible(
                self.db, status, self.CONTENT, self.AUTHOR, viewer, moderate
            )
            for status, viewer, moderate in self.EXPECTED
        }
        self.assertEqual(found, self.EXPECTED)
