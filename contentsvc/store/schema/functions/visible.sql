-- Who sees a content, in every statement: everybody while it is active; then its author and admins. Without a viewer it
-- is false and not null, so that it can be negated. It is put in line, and the plans are those of its text: it must
-- stay one expression, that uses each parameter once, neither strict nor with settings of its own.
create or replace function visible(status text, author uuid, viewer uuid, moderate boolean) returns boolean
    language sql immutable parallel safe
    as $$ select status = 'active' or author is not distinct from viewer or moderate $$;
