"""The numbers that the database stores beside the rows that they count.

Triggers and statements maintain them. They are wrong where somebody wrote while a trigger was
missing, as in a database that was restored by hand under a daemon. `mend` counts them again.
Everything here reads whole tables, and blocks: it is for `contentsvc restore --finish`.
"""

from typing import Any, Final

_MENDS: Final = {
    "contents with another number of votes": """
        with right_ as (
            select c.id, count(*) filter (where r.up) as up,
                   count(*) filter (where not r.up) as down
            from contents c left join ratings r on r.content_id = c.id group by c.id
        ), mended as (
            update contents c set up = n.up, down = n.down from right_ n
            where n.id = c.id and (c.up, c.down) is distinct from (n.up, n.down)
            returning c.id
        ), ranked as (
            update content_ranks r
            set top = wilson(n.up::integer, n.down::integer), net = v.net, trending = trend(v.net)
            from mended m join right_ n on n.id = m.id
            cross join lateral (select net_of(m.id) as net offset 0) v
            where r.content_id = m.id
            returning 1
        )
        select count(*) from mended
    """,
    "contents with another number of comments": """
        with right_ as (
            select c.id, coalesce(max(m.ordinal), 0) as all_,
                   count(m.id) filter (where not m.deleted) + coalesce((
                       select sum(u.comments) from uncounted_comments u where u.content_id = c.id
                   ), 0) as live
            from contents c left join comments m on m.content_id = c.id group by c.id
        ), mended as (
            update contents c set comments = greatest(c.comments, n.all_),
                                  live_comments = n.live
            from right_ n
            where n.id = c.id and (c.comments < n.all_ or c.live_comments <> n.live)
            returning 1
        )
        select count(*) from mended
    """,
    "comments with another place among those that answer the same": """
        with right_ as (
            select id, row_number() over (
                partition by content_id, coalesce(parent_id, 0) order by ordinal
            ) as place
            from comments
        ), mended as (
            update comments m set place = n.place from right_ n
            where n.id = m.id and m.place is distinct from n.place
            returning 1
        )
        select count(*) from mended
    """,
    "contents with other counts than those of their days": """
        with right_ as (
            select c.id, coalesce(sum(d.plays), 0) as plays, coalesce(sum(d.players), 0) as players,
                   coalesce(sum(d.completions), 0) as completions,
                   coalesce(sum(d.downloads), 0) as downloads,
                   coalesce(sum(d.subscribers), 0) as subscribers,
                   coalesce(sum(d.favourites), 0) as favourites
            from contents c left join content_days d on d.content_id = c.id group by c.id
        ), mended as (
            update contents c
            set plays = n.plays, players = n.players, completions = n.completions,
                downloads = n.downloads, subscribers = n.subscribers, favourites = n.favourites
            from right_ n
            where n.id = c.id
              and (c.plays, c.players, c.completions, c.downloads, c.subscribers, c.favourites)
                  is distinct from (n.plays, n.players, n.completions, n.downloads, n.subscribers,
                                    n.favourites)
            returning c.number, c.players, c.subscribers
        ), ranked as (
            update content_ranks r set played = m.players, subscribed = m.subscribers
            from mended m where r.number = m.number
        )
        select count(*) from mended
    """,
    "words with another number of contents": """
        with right_ as (
            select w.word, sum(w.contents) as contents, sum(w.forms) as forms
            from documents d cross join lateral words_of(d.terms, d.number) w
            where not exists (
                select from uncounted_words u
                where d.number > u.after and d.number <= coalesce(u.upto, d.number)
            )
            group by w.word
        ), counted as (
            select word, sum(contents) as contents, sum(forms) as forms
            from (
                select word, contents, forms from words
                union all
                select word, contents, forms from word_tallies
            ) each_ group by word
        ), missing as (
            select word, coalesce(r.contents, 0) - coalesce(c.contents, 0) as contents,
                   coalesce(r.forms, 0) - coalesce(c.forms, 0) as forms
            from right_ r full join counted c using (word)
        ), mended as (
            insert into word_tallies (word, contents, forms)
            select word, contents, forms from missing where contents <> 0 or forms <> 0
            returning 1
        )
        select count(*) from mended
    """,
    # Which tags are equal is known elsewhere: all are counted anew then.
    "tags with another number of contents": """
        with right_ as (
            select s.spelling, count(*) as contents
            from contents c cross join lateral (select distinct unnest(c.tags)) s (spelling)
            where c.status = 'active' and not exists (
                select from uncounted_tags u
                where c.number > u.after and c.number <= coalesce(u.upto, c.number)
            )
            group by s.spelling
        ), counted as (
            select spelling, sum(contents) as contents
            from (
                select spelling, contents from tag_spellings
                union all
                select s.spelling, t.contents from tag_tallies t
                cross join lateral (select distinct unnest(t.tags)) s (spelling)
            ) each_ group by spelling
        ), wrong as materialized (
            select count(*) as wrong from right_ r full join counted c using (spelling)
            where coalesce(r.contents, 0) <> coalesce(c.contents, 0)
        ), gone as (
            delete from tags where (select wrong from wrong) > 0
        ), gone_spellings as (
            delete from tag_spellings where (select wrong from wrong) > 0
        ), gone_tallies as (
            delete from tag_tallies where (select wrong from wrong) > 0
        ), gone_rest as (
            delete from uncounted_tags where (select wrong from wrong) > 0
        ), again as (
            insert into uncounted_tags (after) select 0 where (select wrong from wrong) > 0
        )
        select wrong from wrong
    """,
    "collections with another number of items": """
        with right_ as (
            select c.id, count(i.content_id) as items
            from collections c left join collection_items i on i.collection_id = c.id group by c.id
        ), mended as (
            update collections c set items = n.items from right_ n
            where n.id = c.id and c.items <> n.items
            returning 1
        )
        select count(*) from mended
    """,
    "contents with another number of favourites": """
        with right_ as (
            select c.id, (
                       select count(*) from collection_items i
                       join collections k on k.id = i.collection_id
                       where i.content_id = c.id and k.id = k.owner_id
                   ) - c.favourites - coalesce((
                       select sum(t.favourites) from content_tallies t
                       where t.content_id = c.id and not t.added
                   ), 0) as missing
            from contents c
        ), mended as (
            insert into content_tallies (content_id, favourites)
            select id, missing from right_ where missing <> 0
            returning 1
        )
        select count(*) from mended
    """,
    "contents with another number of subscribers": """
        with right_ as (
            select c.id, (
                       select count(*) from subscriptions s where s.content_id = c.id
                   ) - c.subscribers - coalesce((
                       select sum(t.subscribers) from content_tallies t
                       where t.content_id = c.id and not t.added
                   ), 0) as missing
            from contents c
        ), mended as (
            insert into content_tallies (content_id, subscribers)
            select id, missing from right_ where missing <> 0
            returning 1
        )
        select count(*) from mended
    """,
    "logs of notifications with another number or another count of unread ones": """
        with right_ as (
            select c.user_id, coalesce(max(n.seq), 0) as newest,
                   count(*) filter (where not n.read) as unread
            from notification_counters c left join notifications n on n.user_id = c.user_id
            group by c.user_id
        ), mended as (
            update notification_counters c
            set unread = n.unread, changes = c.changes + 1, seq = greatest(c.seq, n.newest),
                newest = case when c.seq < n.newest then null else c.newest end
            from right_ n
            where n.user_id = c.user_id and (c.seq < n.newest or c.unread <> n.unread)
            returning 1
        )
        select count(*) from mended
    """,
    "users with another sum of files": """
        with right_ as (
            select coalesce(s.user_id, f.user_id) as user_id, coalesce(f.used, 0) as used,
                   coalesce(f.pending, 0) as pending
            from storage s full join (
                select user_id, sum(size) as used, count(*) filter (where not sent) as pending
                from user_files group by user_id
            ) f on f.user_id = s.user_id
        ), mended as (
            insert into storage as s (user_id, used, pending)
            select n.user_id, n.used, n.pending from right_ n
            left join storage o on o.user_id = n.user_id
            where (o.used, o.pending) is distinct from (n.used::bigint, n.pending::integer)
            on conflict (user_id) do update set used = excluded.used, pending = excluded.pending
            returning 1
        )
        select count(*) from mended
    """,
    "users with another sum of progress data": """
        with right_ as (
            select u.user_id, count(p.key) as keys,
                   coalesce(sum(p.size), 0) as bytes
            from progress_usage u left join progress p on p.user_id = u.user_id group by u.user_id
        ), mended as (
            update progress_usage u set keys = n.keys, bytes = n.bytes from right_ n
            where n.user_id = u.user_id and (u.keys, u.bytes) is distinct from (n.keys, n.bytes)
            returning 1
        )
        select count(*) from mended
    """,
    "design challenges with another number of entries": """
        with right_ as (
            select t.challenge_id, count(e.challenge_id) as entries,
                   count(*) filter (where e.hidden) as hidden,
                   count(*) filter (where e.withheld) as withheld
            from challenge_tallies t left join challenge_entries e using (challenge_id)
            group by t.challenge_id
        ), mended as (
            update challenge_tallies t
            set entries = n.entries, hidden = n.hidden, withheld = n.withheld from right_ n
            where n.challenge_id = t.challenge_id and (t.entries, t.hidden, t.withheld)
                  is distinct from (n.entries, n.hidden, n.withheld)
            returning 1
        )
        select count(*) from mended
    """,
}
_SEQUENCES: Final = """
    select c.relname, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
      and a.attidentity <> '' and not a.attisdropped
"""


def mend(cursor: Any) -> list[tuple[str, int]]:
    """Count them again, in the transaction under way. Gives what was wrong, in plain words, and
    how often."""
    wrong = []
    for what, statement in _MENDS.items():
        cursor.execute(statement)
        wrong.append((what, cursor.fetchone()[0]))
    cursor.execute(_SEQUENCES)
    for table, column, sequence in cursor.fetchall():
        cursor.execute(
            f'select setval(%s::regclass, m.highest) from (select max("{column}") as highest'
            f' from "{table}") m, {sequence} s where m.highest > s.last_value',
            (sequence,),
        )
        wrong.append((f"sequences behind their numbers ({table})", cursor.rowcount))
    return [(what, count) for what, count in wrong if count]
