-- Has a user keep a content, with this pin, or changes the pin of one that is kept (library §1). Gives what came of it:
-- `changed`, `kept` if nothing changes, or the code of the error, with the number of the user's subscriptions where that
-- is the quota, `most`; 0 for any number.
--
-- Who changes a content locks its row, and then looks whether anybody keeps it, who is to be told. Who has the row
-- locked now may have looked already: then a task tells of that change when it is over, and this is `unsettled`.
-- Whoever locks the row later finds the subscription, for until it commits the row is locked here. Nobody waits.
--
-- A user's come one after the other, so that each counts those before: in a volatile function each statement sees what
-- has been committed while it waited for the lock.
create or replace function subscribe(
    subscriber uuid, wanted uuid, pinned uuid, moderate boolean, most integer, out outcome text, out used integer,
    out unsettled boolean
)
    language plpgsql volatile as $$
declare
    there boolean;
    given_up boolean;
begin
    unsettled := false;
    perform rate_limit_lock('subscriptions', subscriber);
    there := exists (select from subscriptions s where s.user_id = subscriber and s.content_id = wanted);
    used := 0;
    if not exists (
        select from contents c left join users u on u.id = c.author_id
        where c.id = wanted
          and visible(
              case when u.id is null then 'deleted' else c.status end, c.id, c.author_id, subscriber, moderate
          )
    ) then
        outcome := case when there then 'kept' else 'content_not_found' end;
        return;
    end if;
    if pinned is not null then
        select r.gone into given_up from revisions r where r.id = pinned and r.content_id = wanted;
        if given_up is null then
            outcome := 'revision_not_found';
            return;
        elsif given_up then
            outcome := 'revision_gone';
            return;
        end if;
    end if;
    if there then
        update subscriptions s set pin = pinned
        where s.user_id = subscriber and s.content_id = wanted and s.pin is distinct from pinned;
        outcome := case when found then 'changed' else 'kept' end;
        return;
    end if;
    if most > 0 then
        used := (select count(*) from subscriptions s where s.user_id = subscriber);
        if used >= most then
            outcome := 'quota_exceeded';
            return;
        end if;
    end if;
    insert into subscriptions (user_id, content_id, pin) values (subscriber, wanted, pinned);
    perform from contents c where c.id = wanted for share skip locked;
    unsettled := not found;
    if unsettled then
        -- See LibraryChanged in contentsvc/store/tasks.py.
        insert into tasks (queue, kind, task, topic, due)
        values (
            'steps', 'LibraryChanged',
            json_build_object(
                'kind', 'LibraryChanged', 'content', wanted, 'unsettled', true,
                -- Before the change, which has not committed.
                'before', (select c.status from contents c where c.id = wanted)
            )::text,
            'library ' || wanted, clock_timestamp()
        );
    end if;
    outcome := 'changed';
end $$;
