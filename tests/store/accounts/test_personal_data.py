"""Every place where a user's id may be is known, with what becomes of it."""

import re

from contentsvc.store.accounts.export import SECTIONS
from contentsvc.store.accounts.personal_data import IMPERSONAL, PERSONAL
from contentsvc.wire.accounts import Export
from tests.support import lists
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
PLACE = "contentsvc/store/accounts/personal_data.py"


def _line(column: str) -> str:
    """What to say of a column."""
    return (
        f'        "{column}",\n'
        "or, if it has ids of users, to PERSONAL, with what a deletion does and a member of the "
        f'export\n    "{column}": Column("goes", "account"),'
    )


class PersonalTests(StoreCase):
    async def test_guids(self) -> None:
        """A column of GUIDs either is that of a user, and named with its fate, or is not."""
        rows = self.sql(f"{COLUMNS} and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype)")
        there = {row[0] for row in rows} - PERSONAL.keys()
        lists.same(self, f"{PLACE}, IMPERSONAL", IMPERSONAL, there, _line)

    async def test_named(self) -> None:
        """What is named is there."""
        there = PERSONAL.keys() & {row[0] for row in self.sql(COLUMNS)}
        lists.same(self, f"{PLACE}, PERSONAL", PERSONAL, there)

    async def test_references(self) -> None:
        """What refers to users goes with them, and nothing keeps them."""
        for column, deletes in self.sql(REFERENCES):
            fate = PERSONAL[column].fate if column in PERSONAL else "not there"
            self.assertEqual(fate, "goes", f"{PLACE}, PERSONAL: {column}")
            self.assertIn(deletes, ("c", "n"), f"{column} must say on delete cascade or set null")

    async def test_members(self) -> None:
        """What is personal is in a member of the export, or a note says why not."""
        members = {"account", *(section.name for section in SECTIONS)}
        for column, (fate, member, note) in PERSONAL.items():
            place = f"{PLACE}, PERSONAL: {column} needs a note"
            self.assertTrue(member in members or (member is None and note), f"{place} or a member")
            self.assertTrue(note or fate in {"goes", "later"}, place)

    async def test_document(self) -> None:
        """The export's members are those of its type, in their order."""
        names = ["schema", "created", "account", *(section.name for section in SECTIONS)]
        fields = [re.sub("_(.)", lambda m: m[1].upper(), f) for f in Export.__struct_fields__]
        place = "Export of contentsvc/wire/accounts.py has the sections of store/accounts/export.py"
        self.assertEqual(names, fields, place)
