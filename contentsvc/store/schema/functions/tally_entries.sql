-- How many entries a challenge has, and how many of them are hidden.
create or replace function tally_entries() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, count(*), count(*) filter (where hidden) from came
        group by challenge_id
        -- All take their locks in one order.
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries + excluded.entries, hidden = t.hidden + excluded.hidden;
    elsif tg_op = 'DELETE' then
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, count(*), count(*) filter (where hidden) from gone
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries - excluded.entries, hidden = t.hidden - excluded.hidden;
    else
        insert into challenge_tallies as t (challenge_id, entries, hidden)
        select challenge_id, 0, sum(change) from (
            select challenge_id, hidden::integer as change from came
            union all select challenge_id, -hidden::integer from gone
        ) changed
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update set hidden = t.hidden + excluded.hidden;
    end if;
    return null;
end $$;

drop trigger if exists challenge_entries_came on challenge_entries;
create trigger challenge_entries_came after insert on challenge_entries
    referencing new table as came for each statement execute function tally_entries();

drop trigger if exists challenge_entries_gone on challenge_entries;
create trigger challenge_entries_gone after delete on challenge_entries
    referencing old table as gone for each statement execute function tally_entries();

drop trigger if exists challenge_entries_changed on challenge_entries;
create trigger challenge_entries_changed after update on challenge_entries
    referencing old table as gone new table as came
    for each statement execute function tally_entries();
