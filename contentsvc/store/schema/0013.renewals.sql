-- What the successor of a spent refresh token is made of, together with that token itself: so a
-- token that comes twice within the grace gets the same successor twice, and neither of the two
-- can be told from what is stored. It is there for as long as the grace may last.

alter table refresh_tokens add column salt bytea;
