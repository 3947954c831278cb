-- A content gets a new listing id with each publication. In 0002 that is a unique column, and Postgres
-- locks a row FOR UPDATE to change one: that would wait for all who only refer to the row, such as those
-- who rate it, and they for it. The sequence makes the ids unique. So this index takes the place of the
-- unique one, which goes in 0031: apart from this, since readers wait meanwhile.

create index contents_listing on contents (listing_id);
