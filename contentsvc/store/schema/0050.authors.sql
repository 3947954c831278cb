-- See 0046.

alter table comments drop constraint comments_author_id_fkey;
create trigger comments_author after insert on comments
    for each row execute function author_stays();
