"""The function that decides for every statement who sees a content."""

from typing import ClassVar

from psycopg2.errors import CheckViolation

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


class StatusTests(StoreCase):
    """What the trigger of the status keeps, for there is no check of the columns."""

    COPY = """
        insert into contents (id, revision_id, author_id, type, name, description, screenshots,
                              tags, visibility, status)
        select gen_random_uuid(), revision_id, author_id, type, name, description, screenshots,
               tags, %s, %s
        from contents where id = %s
        returning status
    """

    async def test_visibility(self) -> None:
        """What is no visibility is refused, of new content and of what is there."""
        content = await self.content(await self.user())
        with self.assertRaises(CheckViolation):
            self.sql(self.COPY, "nobody", "active", content)
        with self.assertRaises(CheckViolation):
            self.sql("update contents set visibility = 'nobody' where id = %s", content)

    async def test_status(self) -> None:
        """A status that does not follow from what was decided is not stored."""
        content = await self.content(await self.user())
        inserted = self.sql(self.COPY, "public", "nobody", content)
        changed = "update contents set status = 'nobody' where id = %s returning status"
        self.assertEqual([*inserted, *self.sql(changed, content)], [("active",), ("active",)])
