-- Gives numbers to events whose transactions have committed, at most so many, and says which number is the newest now,
-- and how many were given. Webhooks that are to get some of them have a task with the same commit.
--
-- One at a time, until its commit: whoever waits for the row sees in its next statement all that were numbered before.
-- So numbers become visible in their order, and nothing comes at or below one that was read. A transaction whose ids
-- are lower, but which commits later, gets higher numbers.
create or replace function number_events(most integer, out newest bigint, out given integer)
    language plpgsql volatile as $$
begin
    given := 0;
    if exists (select from new_events) then
        insert into event_numbers default values on conflict do nothing;
        select n.newest into number_events.newest from event_numbers n for update;
        with gone as (
            delete from new_events
            where id = any(array(select e.id from new_events e order by e.id limit most))
            returning *
        )
        insert into events (number, kind, actor, subject_kind, subject, content_id, data, created)
        select number_events.newest + row_number() over (order by g.id),
               g.kind, g.actor, g.subject_kind, g.subject, g.content_id, g.data, g.created
        from gone g;
        get diagnostics given = row_count;
        newest := newest + given;
        if given > 0 then
            update event_numbers set newest = number_events.newest;
            perform wake_webhooks(newest - given);
        end if;
    else
        newest := coalesce((select n.newest from event_numbers n), 0);
    end if;
end $$;
