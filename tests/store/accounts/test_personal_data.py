"""Every place where a user's id may be is known, with what becomes of it."""

import re

from contentsvc.store.accounts.export import SECTIONS
from contentsvc.store.accounts.personal_data import IMPERSONAL, PERSONAL
from contentsvc.wire.accounts import Export
from tests.support.databases import StoreCase

COLUMNS = """
    select c.relname || '.' || a.attname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
"""
REFERENCES = """
    select r.conrelid::regclass || '.' || a.attname, r.confdeltype
    from pg_constraint r
    join pg_attribute a on a.attrelid = r.conrelid and a.attnum = r.conkey[1]
    where r.contype = 'f' and r.confrelid = 'users'::regclass
"""


class PersonalTests(StoreCase):
    async def test_guids(self) -> None:
        """A column of GUIDs either is that of a user, and named with its fate, or is not."""
        rows = self.sql(f"{COLUMNS} and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype)")
        there = {row[0] for row in rows}
        self.assertEqual(there - PERSONAL.keys() - IMPERSONAL, set(), "not named")
        self.assertEqual(IMPERSONAL - there, set(), "not there")
        self.assertEqual(IMPERSONAL & PERSONAL.keys(), set(), "named twice")

    async def test_named(self) -> None:
        """What is named is there."""
        self.assertLessEqual(PERSONAL.keys(), {row[0] for row in self.sql(COLUMNS)})

    async def test_references(self) -> None:
        """What refers to users goes with them, and nothing keeps them."""
        for column, deletes in self.sql(REFERENCES):
            self.assertEqual((column, PERSONAL[column].fate), (column, "goes"))
            self.assertIn(deletes, ("c", "n"), column)

    async def test_members(self) -> None:
        """What is personal is in a member of the export, or a note says why not."""
        members = {"account", *(section.name for section in SECTIONS)}
        for column, (fate, member, note) in PERSONAL.items():
            self.assertTrue(member in members or (member is None and note), column)
            self.assertTrue(note or fate in {"goes", "later"}, column)

    async def test_document(self) -> None:
        """The export's members are those of its type, in their order."""
        names = ["schema", "created", "account", *(section.name for section in SECTIONS)]
        fields = [re.sub("_(.)", lambda m: m[1].upper(), f) for f in Export.__struct_fields__]
        self.assertEqual(names, fields)
