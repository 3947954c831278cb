-- Whether another admin is left is asked before one is banned.

create index users_admins on users (id) where admin;
