-- Whether a content has all of these attributes, given as the texts that they are found by. Not in line, as let_in().
create or replace function has_attributes(attributes json, wanted text[]) returns boolean
    language plpgsql immutable parallel safe as $$
begin
    return wanted <@ array(select key || '=' || value from json_each_text(attributes));
end $$;
