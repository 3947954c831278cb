-- The names that a search finds by their beginning: without those of guests.
create index users_searched on users (username_key) where not guest;
