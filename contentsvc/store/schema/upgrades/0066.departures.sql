-- Content of users who have left is deleted afterwards, and every statement takes it for deleted already. What is to be
-- deleted by then begins anew: the order is another one.
alter table departures add column pending boolean not null default false;
create index departures_pending on departures (user_id) where pending;
do $$
begin
    if to_regclass('outbox') is not null then
        update outbox set place = null where kind = 'Departure';
        update departures set pending = true
        where user_id in (select (task::json ->> 'user')::uuid from outbox where kind = 'Departure');
    else
        update tasks set place = null where kind = 'Departure';
        update departures set pending = true
        where user_id in (select (task::json ->> 'user')::uuid from tasks where kind = 'Departure');
    end if;
end $$;
