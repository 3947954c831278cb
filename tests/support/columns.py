"""Where in a database a text is."""

from contextlib import closing

import psycopg2

COLUMNS = """
    select c.relname, a.attname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
"""


def holding(url: str, text: str) -> set[str]:
    """The columns, as table.column, that hold a text anywhere, in any case."""
    found = set()
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        for table, column in cursor.fetchall():
            cursor.execute(
                f"select from {table} where position(%s in lower({column}::text)) > 0 limit 1",
                (text.lower(),),
            )
            if cursor.rowcount:
                found.add(f"{table}.{column}")
    return found
