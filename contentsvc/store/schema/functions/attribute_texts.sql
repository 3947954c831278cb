-- The attributes of a content as the texts that they are found by. Not in line, as let_in().
create or replace function attribute_texts(attributes json) returns text[]
    language plpgsql immutable parallel safe as $$
begin
    return array(select key || '=' || value from json_each_text(attributes) order by key);
end $$;
