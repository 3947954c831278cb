-- The daemons' processes, as each tells every few seconds: for an operator, who asks what runs.

create table processes (
    id      uuid primary key,
    host    text not null,
    pid     integer not null,
    version text not null,
    started timestamptz not null default clock_timestamp(),
    seen    timestamptz not null default clock_timestamp(),
    sockets integer not null,
    -- Connected ones.
    users   integer not null,
    -- The jobs that fail, as a JSON array: name, since (Unix seconds), error.
    failing text not null
) with (fillfactor = 50);
