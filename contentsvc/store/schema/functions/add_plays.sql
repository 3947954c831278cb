-- Plays of content (content#plays), as daemons of 1.0.0 count them: they may serve beside the release after it. It does so
-- by `add` of contentsvc/store/content/content_counts.py.

-- Counts a play. Gives 0 if it is counted, or is a repeat; above 0 the seconds until the user may report one more; -1 if
-- the user sees no such content, -2 if it has no such revision. The limit's lock, if there is one, makes the plays of a
-- user come one after the other.
create or replace function add_play(
    player uuid, played uuid, moderate boolean, revision uuid, id uuid, seconds integer, completed boolean,
    most integer, span interval
) returns integer
    language plpgsql volatile as $$
declare
    author  uuid;
    known   boolean;
    earlier timestamptz;
    wait    integer;
begin
    if most > 0 then
        perform rate_limit_lock('plays', player);
    end if;
    -- There is a row in any case.
    select c.author_id, revision is null or exists (
               select from revisions r where r.id = revision and r.content_id = played
           ), t.created
    into author, known, earlier
    from (select t.created from (select) one left join content_tallies t on t.user_id = player and t.play = id) t
    left join contents c on c.id = played and visible(
        case when c.author_id = any(array(select d.user_id from departures d where d.pending)) then 'deleted'
             else c.status end,
        c.id, c.author_id, player, moderate
    );
    if earlier > clock_timestamp() - interval '24 hours' then
        return 0;
    elsif author is null then
        return -1;
    elsif not known then
        return -2;
    end if;
    if most > 0 then
        wait := rate_limit('plays', player, most, span);
        if wait > 0 then
            return wait;
        end if;
    end if;
    -- An old one that nobody has deleted yet is no repeat.
    if earlier is not null then
        delete from content_tallies t where t.user_id = player and t.play = id and t.added;
    end if;
    if author <> player then
        with fresh as (
            insert into content_players (user_id, content_id) values (player, played) on conflict do nothing
            returning 1
        )
        insert into content_tallies (content_id, user_id, play, plays, players, completions, seconds)
        values (played, player, id, 1, (select count(*) from fresh), completed::integer, seconds)
        on conflict do nothing;
    else
        -- An author's own count nowhere. The row is there for repeats.
        insert into content_tallies (content_id, user_id, play, added) values (played, player, id, true)
        on conflict do nothing;
    end if;
    return 0;
end $$;

-- Counts plays, of which one is a place of each array, and gives for each what add_play does. All take the locks of the
-- limit in one order.
create or replace function add_plays(
    players uuid[], contents uuid[], moderate boolean[], revisions uuid[], ids uuid[], seconds integer[],
    completed boolean[], most integer[], span interval
) returns integer[] language plpgsql volatile as $$
declare
    answers integer[] := array_fill(0, array[cardinality(players)]);
    n integer;
begin
    for n in
        select p.n from unnest(players) with ordinality p (player, n) order by hashtext(p.player::text), p.n
    loop
        answers[n] := add_play(
            players[n], contents[n], moderate[n], revisions[n], ids[n], seconds[n], completed[n], most[n], span
        );
    end loop;
    return answers;
end $$;
