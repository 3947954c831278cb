-- A content gets a new listing id with each publication. In 0002 that is a unique column, and Postgres
-- locks a row FOR UPDATE to change one: that would wait for all who only refer to the row, such as those
-- who rate it, and they for it. The sequence makes the ids unique. Lists have indexes of their own, in
-- 0027. One of listing ids alone would be a trap: as long as nobody revises content, Postgres thinks that
-- it reads the newest of one type from there at less cost, and reads everything for a type that only old
-- content has.

alter table contents drop constraint contents_listing_id_key;
