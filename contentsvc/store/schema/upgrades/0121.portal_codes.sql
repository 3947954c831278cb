-- Sessions say how they began. Of those that are there it is not known, nor of those that a release before begins.
alter table sessions add column kind text;

create table portal_codes (
    hash       bytea primary key,
    session_id uuid not null references sessions on delete cascade,
    expires    timestamptz not null,
    begun      uuid
);
create index portal_codes_session on portal_codes (session_id);
create index portal_codes_begun on portal_codes (begun) where begun is not null;
create index portal_codes_expires on portal_codes (expires);
