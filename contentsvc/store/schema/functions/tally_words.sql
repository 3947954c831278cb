-- The words by which a misspelt search is mended follow from the documents (tables/words.sql), whoever writes these.

-- The words of a document that count: of 3 characters or more, because one with 4 letters is mended to no shorter one,
-- and no mere numbers.
create or replace function words_of(terms tsvector, number bigint)
    returns table (word text, contents integer, forms integer)
    language sql immutable parallel safe as $$
        select substr(t.lexeme, length(shelf(number)) + 2), (t.weights[1] <> 'C')::integer,
               (t.weights[1] = 'C')::integer
        from unnest(ts_filter(terms, '{a, b, c}')) t
        where length(t.lexeme) > length(shelf(number)) + 3
          and translate(substr(t.lexeme, length(shelf(number)) + 2), '0123456789', '') <> ''
          and terms @@ quote_literal(shelf(number) || '!active')::tsquery
    $$;

create or replace function tally_words() returns trigger language plpgsql as $$
begin
    -- A document that is still to be counted is counted as it is then. The lock has the count wait for this transaction.
    perform from uncounted_words u
    where coalesce(new.number, old.number) > u.after
      and coalesce(new.number, old.number) <= coalesce(u.upto, new.number, old.number)
    for share;
    if found then
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into word_tallies (word, contents, forms)
        select word, contents, forms from words_of(new.terms, new.number);
    elsif tg_op = 'DELETE' then
        insert into word_tallies (word, contents, forms)
        select word, -contents, -forms from words_of(old.terms, old.number);
    else
        insert into word_tallies (word, contents, forms)
        select word, sum(contents), sum(forms)
        from (
            select * from words_of(new.terms, new.number)
            union all
            select word, -contents, -forms from words_of(old.terms, old.number)
        ) changed
        group by word
        having sum(contents) <> 0 or sum(forms) <> 0;
    end if;
    return null;
end $$;

drop trigger if exists documents_words on documents;
create trigger documents_words after insert or delete on documents
    for each row execute function tally_words();

drop trigger if exists documents_other_words on documents;
create trigger documents_other_words after update of terms on documents
    for each row when (old.terms <> new.terms) execute function tally_words();
