-- What belongs to the service itself: its schema, its processes, its work and its limits.

-- The upgrades that this database has had, or does not need because it was made later.
create table schema_upgrades (
    name    text collate "C" primary key,
    applied timestamptz not null default now()
);

-- The text of which this database's schema was made: the files of tables/ and functions/. By it a start sees which
-- functions have changed, and a back-up has what its rows need.
create table schema_files (
    path    text collate "C" primary key,
    text    text not null,
    -- The version that has put it here. An older one leaves it as it is.
    release text not null
);

-- Whether the schema is whole: what it must have, by name, and the tables by number too.
--
-- A dump has these rows, but no database into which it is loaded gives its tables the same numbers. So the rows are
-- wrong in each database that was made from a dump, until `contentsvc restore` or `contentsvc restore --finish`
-- writes them anew. A copy of the server's files keeps the numbers.
--
-- Each process holds a lock on this table for as long as it serves. Whoever drops it, as a restore does before it
-- makes new tables, waits until no process uses the database any more.
create table schema_marks (
    object text collate "C" primary key,
    -- The oid of a table; null for what is no table.
    number bigint
);

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

-- Whether the service is closed for maintenance: a row while it is (docs/guides/maintenance.md). Each process reads
-- it with its beats, and between them.
create table maintenance (
    -- There is one row at most.
    one     boolean primary key default true check (one),
    started timestamptz not null default clock_timestamp(),
    -- When it ends by itself; null for never.
    until   timestamptz,
    -- What players are told.
    message text,
    -- Whether what only reads is answered all the same.
    reads   boolean not null
);

-- What is still to be done after a cause has committed, and how far each task has come (notifications#delivery). A
-- row is written in the transaction of its cause, and any process does it. A step is done in transactions, a batch of
-- recipients at a time, with its row locked. An effect on the outside is done by the process that has its lease.
create table tasks (
    id      bigint generated always as identity primary key,
    -- `steps`, or the kind of an effect: so none waits behind effects whose other side is away.
    queue   text not null,
    -- What is done, and what is remembered for it, as JSON text with the kind as its tag. A daemon leaves a kind that it
    -- does not know to those of a newer release.
    kind    text not null,
    task    text not null,
    -- Rows about one thing are done one after the other: who is told that a content is suspended, and then that it is
    -- active, must hear of it in this order.
    topic   text,
    -- Where the next batch begins; null for the first.
    place   text,
    created timestamptz not null default clock_timestamp(),
    -- When it is to be done. Rows take turns: a batch moves this to its end, a failure beyond a pause, a claim to the end
    -- of its lease.
    due     timestamptz not null default clock_timestamp(),
    -- How often the next batch has failed, or the effect, and why the last time.
    tries   integer not null default 0,
    failure text,
    -- Of the process that does the effect; others may claim it once it is due.
    lease   uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index tasks_due on tasks (queue, due, id);
create index tasks_topic on tasks (topic, id) where topic is not null;
-- Effects that take turns by their cause look how many of the same wait.
create index tasks_place on tasks (queue, place) where place is not null;

-- Followers who have been told of the author's publication that is being told now, before their turn: they were
-- connected. By the number of the follow.
create table told_followers (
    author uuid not null,
    number bigint not null,
    primary key (author, number)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- How often something may happen: a row for each effect that counts for a limit. The function rate_limit reads and
-- writes them, and contentsvc/store/rate_limits.py has the list of the limits.
create table rate_limits (
    -- The limit, and who or what it is for: the id of a user, or the digest of something else. No foreign key: it
    -- would lock the user's row with each effect.
    name    text not null,
    subject uuid not null,
    -- When it does not count any more.
    expires timestamptz not null,
    -- The user with whom it goes, where the subject is not the user's id.
    account uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index rate_limits_subject on rate_limits (subject, name, expires);
create index rate_limits_account on rate_limits (account) where account is not null;
-- What retention deletes.
create index rate_limits_expires on rate_limits (expires);

-- What happened on each day of UTC (studio#statistics). Each cause appends a row, so that none waits for another, and
-- a job adds them up. Nothing here is a user's.
create table tallies (
    day    date not null,
    what   text collate "C" not null,
    number bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index tallies_day on tallies (day);
