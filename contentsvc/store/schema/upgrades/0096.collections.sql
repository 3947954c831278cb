-- Collections of content, in the order that their owners choose.

create table collections (
    id          uuid constraint collections_id primary key,
    owner_id    uuid not null constraint collections_owner references users on delete cascade,
    number      bigint not null generated always as identity,
    name        text not null,
    description text not null,
    public      boolean not null,
    items       integer not null default 0,
    updated     timestamptz not null default clock_timestamp()
);
create unique index collections_number on collections (owner_id, number);

create table collection_items (
    collection_id uuid not null references collections on delete cascade,
    content_id    uuid not null references contents on delete cascade,
    place         bigint not null,
    primary key (collection_id, content_id)
);
create index collection_items_place on collection_items (collection_id, place);
