-- Collections of content (content#collections).
-- The collection of a user's own id is the favourites: everybody has it, and it has a row once something of
-- it has been written (contentsvc/store/content/collections.py). Whoever changes a collection or its items locks its row.
create table collections (
    id          uuid constraint collections_id primary key,
    owner_id    uuid not null constraint collections_owner references users on delete cascade,
    -- Where it stands in the list of its owner's. The favourites come before all others.
    number      bigint not null generated always as identity,
    name        text not null,
    description text not null,
    public      boolean not null,
    -- How many items it has, those that nobody sees too.
    items       integer not null default 0,
    updated     timestamptz not null default clock_timestamp()
);
create unique index collections_number on collections (owner_id, number);

create table collection_items (
    collection_id uuid not null references collections on delete cascade,
    content_id    uuid not null references contents on delete cascade,
    -- The order. There are gaps between two places, so that a move writes one row: only where a gap is used up, all of
    -- the collection get new places.
    place         bigint not null,
    primary key (collection_id, content_id)
);
create index collection_items_place on collection_items (collection_id, place);
