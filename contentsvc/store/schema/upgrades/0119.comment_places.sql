-- Comments get a place among those that answer the same one. Nobody reads or writes one while those that are there get
-- theirs. What others need more is locked last.
alter table comments add column place integer;
update comments m set place = n.place
from (
    select id, row_number() over (partition by content_id, coalesce(parent_id, 0) order by ordinal) as place from comments
) n
where n.id = m.id;
create index comments_placed on comments (content_id, coalesce(parent_id, 0), place);

-- The trigger also gives them to what the release before writes, before the functions come with the last upgrade.
create or replace function place_comment() returns trigger language plpgsql as $$
begin
    select 1 + coalesce(max(place), 0) into new.place from comments
    where content_id = new.content_id and coalesce(parent_id, 0) = coalesce(new.parent_id, 0);
    return new;
end $$;

create trigger comments_placed before insert on comments
    for each row when (new.place is null) execute function place_comment();

-- Acts are listed by what they were, also of one admin.
create index moderation_actions_kind on moderation_actions (action, service, subject_kind, number);
create index moderation_actions_admin_kind on moderation_actions (admin, action, subject_kind, number);

-- Sessions say what has logged in. Of those that are there it is not known.
alter table sessions add column device text;
