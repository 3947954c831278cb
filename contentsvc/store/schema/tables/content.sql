-- Content, what it is made of, ratings, comments, and by what it is found.

create sequence listing_ids;

create table contents (
    id              uuid constraint contents_id primary key,
    -- New with each publication. The sequence makes it unique, and no index does: Postgres locks a row FOR UPDATE to
    -- change a unique column, which would wait for all who only refer to the row, such as those who rate it, and they
    -- for it. An index of listing ids alone would be a trap too: as long as nobody revises content, Postgres thinks
    -- that it reads the newest of one type from there at less cost, and reads everything for a type that only old
    -- content has. contents_public_updated is one for each type.
    listing_id      bigint not null default nextval('listing_ids'),
    revision_id     uuid not null,
    author_id       uuid not null,
    type            text not null,
    -- Who sees it (functions/visible.sql). It follows from `suspended`, `deleted` and `visibility`: only what is public
    -- is active here, and what is neither suspended nor deleted has its visibility. To users all of that is active.
    status          text not null default 'active',
    name            text not null,
    description     text not null,
    screenshots     text[] not null check (cardinality(screenshots) > 0),
    tags            text[] not null,
    featured        boolean not null default false,
    -- Tallies, kept by the triggers and statements that write what they count.
    up              integer not null default 0,
    down            integer not null default 0,
    comments        integer not null default 0,
    live_comments   integer not null default 0,
    created         timestamptz not null default now(),
    updated         timestamptz not null default now(),
    -- Where a content stands in lists by age: it keeps this number, whatever is published later. It comes from the
    -- sequence of listings.
    number          bigint not null default nextval('listing_ids'),
    -- What admins and the author have decided.
    suspended       boolean not null default false,
    deleted         boolean not null default false,
    comments_locked boolean not null default false,
    -- Since when it is deleted. Null again once it has given up all of its files.
    withdrawn       timestamptz,
    -- It gives up its files, and cannot be restored.
    purged          boolean not null default false,
    -- Whom its author lets see it. The trigger of the status knows the values: for a check Postgres would parse its text
    -- whenever a row changes, as with each vote and comment.
    visibility      text not null default 'public',
    -- It has been seen by everybody: followers were told then, or would have been.
    announced       boolean not null default true,
    -- What it says of itself, by keys in their order: as it is shown, to the letter.
    attributes      json not null default '{}',
    -- What a job has added up of content_tallies.
    plays           bigint not null default 0,
    players         bigint not null default 0,
    completions     bigint not null default 0,
    downloads       bigint not null default 0,
    subscribers     bigint not null default 0,
    favourites      bigint not null default 0
) with (fillfactor = 85);
create unique index contents_number on contents (author_id, number);
-- The few that are hidden: cheaper to look for than what is visible.
create index contents_suspended on contents (id) include (author_id) where status <> 'active';
create index contents_deleted on contents (author_id, number) where deleted;
create index contents_withdrawn on contents (withdrawn) where withdrawn is not null;
-- Lists of all content, by age and by the latest publication. Drafts, however many there are, are in none of them.
create index contents_public_newest on contents (type, number) where visibility = 'public';
create index contents_public_updated on contents (type, listing_id) where visibility = 'public';
-- Which types there are.
create index contents_newest on contents (type, number);

-- Whom authors have let in: testers, who see a content, and its members, who may edit it once they have accepted.
create table content_guests (
    content_id uuid not null references contents on delete cascade,
    user_id    uuid not null constraint content_guests_user references users on delete cascade,
    role       text not null check (role in ('tester', 'editor')),
    accepted   boolean not null,
    -- Their order, and since when.
    number     bigint not null generated always as identity,
    since      timestamptz not null default clock_timestamp(),
    primary key (content_id, user_id, role)
);
create unique index content_guests_of_user on content_guests (user_id, number);

-- Who was told of that, whatever became of it later: nobody is told twice.
create table guests_told (
    content_id uuid not null references contents on delete cascade,
    user_id    uuid not null references users on delete cascade,
    role       text not null,
    primary key (content_id, user_id, role)
);
create index guests_told_of_user on guests_told (user_id);

create table revisions (
    id              uuid constraint revisions_id primary key,
    content_id      uuid not null references contents on delete cascade,
    version         text not null,
    description     text not null,
    entity_id       uuid not null,
    entity_revision uuid not null,
    created         timestamptz not null default now(),
    -- Dense and in order of publication within the content. The first is that of the create.
    ordinal         integer not null default 1,
    -- Who has published it; null where that is not known.
    publisher_id    uuid references users on delete set null,
    -- It has given up its files, and cannot become the current one.
    gone            boolean not null default false,
    -- What it requires of a game (content#fitting-revisions): as it is shown, JSON, and of it what is compared, as
    -- fits() has it.
    requires        text,
    game_min        integer[],
    game_max        integer[],
    platforms       text[],
    features        text[]
);
create unique index revisions_ordinal on revisions (content_id, ordinal);
-- Whose core an entity revision is.
create index revisions_core on revisions (entity_id, entity_revision);
create index revisions_publisher on revisions (publisher_id, created);

-- Every entity revision ever registered, and the content that brought it.
create table entities (
    entity_id   uuid not null,
    revision_id uuid not null,
    path        text not null,
    content_id  uuid not null references contents on delete cascade,
    -- What its file is called where it is downloaded; null if whoever published it did not say.
    name        text,
    primary key (entity_id, revision_id)
);
create index entities_content on entities (content_id);

create table packages (
    id         uuid primary key,
    win64      text,
    osx64      text,
    linux64    text,
    content_id uuid not null references contents on delete cascade,
    -- The same, of each of its files.
    name       text,
    -- The paths of its files for other platforms, by their names.
    others     jsonb
);
create index packages_content on packages (content_id);

-- The platforms that `others` of some package has, or had.
create table package_platforms (
    name text primary key
);

-- The dependencies of a revision, in the order they were given.
create table revision_entities (
    revision_id     uuid not null references revisions on delete cascade,
    originating     boolean not null,
    place           integer not null,
    entity_id       uuid not null,
    entity_revision uuid not null,
    primary key (revision_id, originating, place),
    foreign key (entity_id, entity_revision) references entities
);
create index revision_entities_entity on revision_entities (entity_id, entity_revision);

create table revision_packages (
    revision_id uuid not null references revisions on delete cascade,
    place       integer not null,
    package_id  uuid not null references packages,
    primary key (revision_id, place)
);
create index revision_packages_package on revision_packages (package_id);

-- The content that uses what another has brought, by its current revision. It has the user's number, so that a list of
-- them is a range of the index. Foreign keys would cost as much as the rows: two look-ups for each, and a lock on the
-- used content, which writes into its row. They are not needed: the trigger writes only contents that entities and
-- packages name, and a revision's dependencies keep those.
create table content_uses (
    used       uuid not null,
    number     bigint not null,
    content_id uuid not null,
    primary key (used, number)
);
create index content_uses_content on content_uses (content_id);

-- When a user was last told that the author of a content has withdrawn or restored it. Kept for a day, and bound to
-- nothing: a row of a user who has gone does no harm.
create table dependency_tellings (
    dependency uuid not null,
    recipient  uuid not null,
    told       timestamptz not null,
    primary key (dependency, recipient)
);
create index dependency_tellings_told on dependency_tellings (told);

create table ratings (
    user_id    uuid not null,
    content_id uuid not null constraint ratings_content references contents on delete cascade,
    up         boolean not null,
    -- When the vote was cast.
    voted      timestamptz not null default now(),
    -- All of it is in the index, from which a user's map of ratings is read.
    primary key (user_id, content_id) include (up)
);
create index ratings_content_index on ratings (content_id);

create table comments (
    id         bigint primary key generated always as identity,
    content_id uuid not null references contents on delete cascade,
    -- Dense and in order of creation within the content: a page is a range of it.
    ordinal    integer not null,
    parent_id  bigint,
    author_id  uuid not null,
    body       text not null,
    created    timestamptz not null,
    updated    timestamptz not null,
    deleted    boolean not null default false,
    -- A GUID by which the service knows the comment where its author sends it again, a tombstone too.
    write_id   uuid,
    -- As the ordinal, of those that answer the same comment, and of those that answer none (functions/place_comment.sql).
    -- So the last of them says how many there are.
    place      integer,
    constraint comments_ordinal unique (content_id, ordinal),
    constraint comments_of_content unique (content_id, id),
    constraint comments_parent foreign key (content_id, parent_id) references comments (content_id, id)
);
-- An author's comments.
create index comments_author_newest on comments (author_id, id);
-- What answers a comment, and what answers none.
create index comments_placed on comments (content_id, coalesce(parent_id, 0), place);
create unique index comments_write_id on comments (author_id, content_id, write_id) where write_id is not null;

-- By how much a content has fewer comments, because the author of some has left. The tombstones are there at once. The
-- contents, which may be busy, are told later.
create table uncounted_comments (
    author_id  uuid not null,
    content_id uuid not null,
    comments   integer not null,
    primary key (author_id, content_id)
);

-- What a content is found by: a row for each. `terms` has its words, tags and filters. It stands apart from the
-- content's row and from its ranks, so that a vote rewrites no words, and a change of words no ranks. Postgres' own
-- parser is not used: it depends on the server's locale. Words and tags come from Python
-- (contentsvc/store/content/tokenizer.py), filters from the content's row. Every term begins with the content's shelf,
-- in hexadecimal digits, and a mark, which no word has:
--     1f.castle      a word: weight A in the name, B in a tag, none in the description. A looser form of one, such as
--                    without accents, has weight C in a name or a tag
--     1f$(md5)       the whole name, in its loosest form
--     1f#(md5)       a whole tag
--     1f!game        a type, `featured`, or the status: only of what is public, so that nothing else is found
--     1f@(GUID)      the author
--     1f=(md5)       an attribute: its key, `=`, and its value as text
-- A shelf is 16,384 numbers. So the index is one for each shelf: whoever wants the newest matches looks at one shelf
-- after the other, and a word or a beginning that is frequent costs what it costs in a few of them.
create table documents (
    content_id uuid constraint documents_id primary key references contents on delete cascade,
    number     bigint not null,
    -- What the words were made from, see source_of(); null if there are no words yet.
    source     bigint,
    -- The words are missing, or are those of an earlier text. A job makes them.
    stale      boolean not null,
    terms      tsvector not null
);
-- Without a list of what is pending: each look at a shelf would read all of it.
create index documents_terms on documents using gin (terms) with (fastupdate = off);
create index documents_stale on documents (number) where stale;

-- How a content ranks: a row for each, too.
create table content_ranks (
    number     bigint not null,
    content_id uuid not null,
    -- The content's, and nothing as long as it is not public: then it is in no list.
    type       text not null,
    -- The content's own.
    listing_id bigint not null,
    -- wilson(up, down).
    top        float8 not null default 0,
    -- The sum of the up-votes' weights less that of the down-votes'. A whole number of any length, so that a vote that
    -- is taken back leaves nothing: a float would keep a residue.
    net        numeric not null default 0,
    -- trend(net).
    trending   float8 not null default 0,
    -- The content's players and subscribers.
    played     float8 not null default 0,
    subscribed float8 not null default 0,
    -- Whoever looks matches up has their numbers in order. So the ranks of many are read from a few pages of this
    -- index, and nothing from the table.
    constraint content_ranks_number primary key (number)
        include (top, trending, listing_id, played, subscribed, content_id)
);
-- One for each type: a list of all types merges them.
create index content_ranks_top on content_ranks (type, top, number);
create index content_ranks_trending on content_ranks (type, trending, number);
create index content_ranks_played on content_ranks (type, played, number);
create index content_ranks_subscribed on content_ranks (type, subscribed, number);

-- The content that a user keeps (content#subscriptions). No foreign key holds the content: rows of content stay, and
-- a check would write into a row that many keep at once.
create table subscriptions (
    user_id    uuid not null constraint subscriptions_user references users on delete cascade,
    content_id uuid not null,
    -- The revision that the user stays with; null for the current one.
    pin        uuid,
    since      timestamptz not null default clock_timestamp(),
    -- The order of subscribing, in which subscribers are told, and the cursor of the user's list.
    number     bigint not null generated always as identity,
    primary key (user_id, content_id)
);
create index subscriptions_of_user on subscriptions (user_id, number);
create index subscriptions_of_content on subscriptions (content_id, number);

-- When a user was last told of a new revision of a content that they keep. Kept for a day, also where the user keeps it
-- no more, and bound to nothing, as dependency_tellings.
create table subscription_tellings (
    content_id uuid not null,
    user_id    uuid not null,
    told       timestamptz not null,
    primary key (content_id, user_id)
);
create index subscription_tellings_told on subscription_tellings (told);
