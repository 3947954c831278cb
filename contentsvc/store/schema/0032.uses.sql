-- What a revision uses is written without a look at each used content. The foreign keys cost as much as
-- the rows: two look-ups for each, and a lock on the used content, which writes into its row. They are not
-- needed: the trigger writes only contents that entities and packages name, and a revision's dependencies
-- keep those.

alter table content_uses
    drop constraint content_uses_used_fkey,
    drop constraint content_uses_content_id_fkey;

create function forget_uses() returns trigger language plpgsql as $$
begin
    delete from content_uses u using gone where u.content_id = gone.id;
    delete from content_uses u using gone where u.used = gone.id;
    return null;
end $$;
create trigger contents_gone after delete on contents
    referencing old table as gone for each statement execute function forget_uses();
