-- The search of similar names uses the one without guests.
drop index users_trigrams;
alter index users_similar rename to users_trigrams;
