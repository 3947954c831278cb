-- How many entries a challenge has, how many of them are hidden, and how many are not public.
create or replace function tally_entries() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into challenge_tallies as t (challenge_id, entries, hidden, withheld)
        select challenge_id, count(*), count(*) filter (where hidden), count(*) filter (where withheld) from came
        group by challenge_id
        -- All take their locks in one order.
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries + excluded.entries, hidden = t.hidden + excluded.hidden,
            withheld = t.withheld + excluded.withheld;
    elsif tg_op = 'DELETE' then
        insert into challenge_tallies as t (challenge_id, entries, hidden, withheld)
        select challenge_id, count(*), count(*) filter (where hidden), count(*) filter (where withheld) from gone
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update
        set entries = t.entries - excluded.entries, hidden = t.hidden - excluded.hidden,
            withheld = t.withheld - excluded.withheld;
    else
        insert into challenge_tallies as t (challenge_id, entries, hidden, withheld)
        select challenge_id, 0, sum(hidden), sum(withheld) from (
            select challenge_id, hidden::integer, withheld::integer from came
            union all select challenge_id, -hidden::integer, -withheld::integer from gone
        ) changed
        group by challenge_id
        order by challenge_id
        on conflict (challenge_id) do update
        set hidden = t.hidden + excluded.hidden, withheld = t.withheld + excluded.withheld;
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
