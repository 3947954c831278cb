-- Who sees a content, in every statement: everybody while it is active; then its author and admins, and those to whom
-- it is shown. Without a viewer it is never null, so that it can be negated. `status` is that of the table, whose
-- author may be leaving. It is put in line, and the plans are those of its text: it must stay one expression without a
-- subquery that uses `status` once, neither strict nor with settings of its own.
create or replace function visible(status text, content uuid, author uuid, viewer uuid, moderate boolean)
    returns boolean
    language sql stable parallel safe
    as $$
        select status = 'active' or author is not distinct from viewer or moderate or shown_to(content, viewer)
    $$;

-- To whom content is shown that is neither public nor hidden: all who have the id of what is unlisted, friends of the
-- author, and whom the author has let in.
create or replace function shown_to(content uuid, viewer uuid) returns boolean
    language plpgsql stable parallel safe as $$
declare
    sight  text;
    author uuid;
begin
    select c.status, c.author_id into sight, author from contents c
    where c.id = content and c.status in ('unlisted', 'friends', 'private')
      and not exists (select from departures d where d.user_id = c.author_id and d.pending);
    if sight is null then
        return false;
    end if;
    if sight = 'unlisted' then
        return true;
    end if;
    return sight = 'friends' and exists (
        select from pairs p
        where p.lesser = least(author, viewer) and p.greater = greatest(author, viewer) and p.friends is not null
    ) or exists (select from content_guests g where g.content_id = content and g.user_id = viewer);
end $$;

-- Whether the author has let somebody in. Not in line: where next to nobody asks, it costs a statement nothing then.
create or replace function let_in(content uuid, viewer uuid) returns boolean
    language plpgsql stable parallel safe as $$
begin
    return exists (select from content_guests g where g.content_id = content and g.user_id = viewer);
end $$;

-- Whether somebody may edit content as a member. Not in line, likewise.
create or replace function edits(content uuid, viewer uuid) returns boolean
    language plpgsql stable parallel safe as $$
begin
    return exists (
        select from content_guests g
        where g.content_id = content and g.user_id = viewer and g.role = 'editor' and g.accepted
    );
end $$;
