-- Plays and downloads of content, and what they add up to (content#plays).

-- What changes the counts of a content, one row for each cause, so that none waits for another. A job adds them up
-- (contentsvc/store/content/content_counts.py). Those of a user are kept for a day after that, because by them a repeat is known:
-- the same id of a play, or one more download on the same day. All others go at once.
create table content_tallies (
    content_id  uuid not null,
    -- Of UTC.
    day         date not null default (clock_timestamp() at time zone 'UTC')::date,
    -- Who has played or downloaded. No foreign key: it would lock the user's row with each.
    user_id     uuid,
    -- The id of the play, which the client has made up.
    play        uuid,
    created     timestamptz not null default clock_timestamp(),
    added       boolean not null default false,
    plays       smallint not null default 0,
    players     smallint not null default 0,
    completions smallint not null default 0,
    seconds     integer not null default 0,
    downloads   smallint not null default 0,
    subscribers integer not null default 0,
    favourites  integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create unique index content_tallies_play on content_tallies (user_id, play) where play is not null;
create unique index content_tallies_download on content_tallies (user_id, content_id, day) where downloads > 0;
create index content_tallies_due on content_tallies (content_id) where not added;
create index content_tallies_old on content_tallies (created) where added;

-- Who has ever played a content, so that each counts once.
create table content_players (
    user_id    uuid not null constraint content_players_user references users on delete cascade,
    content_id uuid not null,
    since      timestamptz not null default clock_timestamp(),
    primary key (user_id, content_id)
);

-- The change of each day of UTC. All days of a content add up to the counts in its row.
create table content_days (
    content_id  uuid not null references contents on delete cascade,
    day         date not null,
    plays       bigint not null,
    players     bigint not null,
    completions bigint not null,
    seconds     bigint not null,
    downloads   bigint not null,
    subscribers bigint not null,
    favourites  bigint not null,
    primary key (content_id, day)
);
