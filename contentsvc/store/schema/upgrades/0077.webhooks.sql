-- Where events are sent. The release before neither wakes hooks nor sends anything.

create table webhooks (
    id            uuid primary key,
    number        bigint not null generated always as identity constraint webhooks_number unique,
    url           text not null,
    -- The kinds of events that it gets; null for all.
    kinds         text[],
    enabled       boolean not null,
    -- It changes with the URL, and when the hook is turned on or off: what an attempt from before brought does not count.
    version       bigint not null default 0,
    -- The last event that it has got, or the newest one that was there before it.
    delivered     bigint not null,
    -- Up to this number nothing is to be sent to it: as `delivered`, or higher where the events in between are of other
    -- kinds.
    passed        bigint not null,
    -- What is being sent, as JSON text, and the number of its last event: what failed is sent again as it was.
    body          text,
    last          bigint,
    -- Since when nothing has been delivered that should, and why the last time.
    failing_since timestamptz,
    error         text,
    -- Whether the service has turned it off, and nobody has changed it since.
    given_up      boolean not null default false,
    -- It signs, so it is stored itself. The one before signs too for some time.
    secret        text,
    earlier       text,
    earlier_until timestamptz
) with (fillfactor = 50);
