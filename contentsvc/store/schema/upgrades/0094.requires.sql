-- What a revision requires of a game.

alter table revisions add column requires text;
alter table revisions add column game_min integer[];
alter table revisions add column game_max integer[];
alter table revisions add column platforms text[];
alter table revisions add column features text[];
