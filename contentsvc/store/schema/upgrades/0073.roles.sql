-- Who is no player has a role. Admins from before have theirs from now on.

alter table users add column role text collate "C" not null default 'player';
alter table users add column role_since timestamptz not null default now();
alter table users add column role_number bigint;
create sequence role_numbers owned by users.role_number;
update users set role = 'admin', role_number = nextval('role_numbers') where admin;
create index users_staff on users (role_number) where role <> 'player';
