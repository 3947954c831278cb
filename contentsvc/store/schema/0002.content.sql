-- Content, what it is made of, ratings and comments.

create sequence listing_ids;

create table contents (
    id            uuid constraint contents_id primary key,
    listing_id    bigint not null default nextval('listing_ids') unique,
    revision_id   uuid not null,
    author_id     uuid not null references users on delete cascade,
    type          text not null,
    status        text not null default 'active' check (status in ('active', 'suspended')),
    name          text not null,
    description   text not null,
    screenshots   text[] not null check (cardinality(screenshots) > 0),
    tags          text[] not null,
    featured      boolean not null default false,
    -- Tallies, kept by the triggers and statements that write what they count.
    up            integer not null default 0,
    down          integer not null default 0,
    comments      integer not null default 0,
    live_comments integer not null default 0,
    created       timestamptz not null default now(),
    updated       timestamptz not null default now()
) with (fillfactor = 85);
create index contents_author on contents (author_id, listing_id);
-- The few that are hidden: cheaper to look for than what is visible.
create index contents_suspended on contents (id) include (author_id) where status <> 'active';

create table revisions (
    id               uuid constraint revisions_id primary key,
    content_id       uuid not null references contents on delete cascade,
    version          text not null,
    description      text not null,
    entity_id        uuid not null,
    entity_revision  uuid not null,
    created          timestamptz not null default now()
);
create index revisions_content on revisions (content_id);

-- Every entity revision ever registered, and the content that brought it.
create table entities (
    entity_id   uuid not null,
    revision_id uuid not null,
    path        text not null,
    content_id  uuid not null references contents on delete cascade,
    primary key (entity_id, revision_id)
);
create index entities_content on entities (content_id);

create table packages (
    id         uuid primary key,
    win64      text,
    osx64      text,
    linux64    text,
    content_id uuid not null references contents on delete cascade
);
create index packages_content on packages (content_id);

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

create table ratings (
    user_id    uuid not null references users on delete cascade,
    content_id uuid not null constraint ratings_content references contents on delete cascade,
    up         boolean not null,
    -- All of it is in the index, from which a user's map of ratings is read.
    primary key (user_id, content_id) include (up)
);
create index ratings_content_index on ratings (content_id);

-- The tallies of votes: a trigger, because only here are the old and the new value of a
-- concurrent upsert both known.
create function tally_rating() returns trigger language plpgsql as $$
declare
    change_up   integer := 0;
    change_down integer := 0;
begin
    if tg_op <> 'INSERT' then
        if old.up then change_up := -1; else change_down := -1; end if;
    end if;
    if tg_op <> 'DELETE' then
        if new.up then change_up := change_up + 1; else change_down := change_down + 1; end if;
    end if;
    if change_up <> 0 or change_down <> 0 then
        update contents set up = up + change_up, down = down + change_down
        where id = coalesce(new.content_id, old.content_id);
    end if;
    return null;
end $$;
create trigger ratings_tally after insert or update or delete on ratings
    for each row execute function tally_rating();

create table comments (
    id         bigint primary key generated always as identity,
    content_id uuid not null references contents on delete cascade,
    -- Dense and in order of creation within the content: a page is a range of it.
    ordinal    integer not null,
    parent_id  bigint,
    author_id  uuid not null references users on delete cascade,
    body       text not null,
    created    timestamptz not null,
    updated    timestamptz not null,
    deleted    boolean not null default false,
    constraint comments_ordinal unique (content_id, ordinal),
    constraint comments_of_content unique (content_id, id),
    constraint comments_parent foreign key (content_id, parent_id)
        references comments (content_id, id)
);
create index comments_author on comments (author_id);
