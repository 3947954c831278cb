-- A notification's id, which begins with the lowest 32 bits of its number; the others are those of a random one.
create or replace function numbered_id(seq bigint, random uuid) returns uuid
    language sql immutable strict parallel safe as $$
    select (right('0000000' || to_hex(seq), 8) || substr(random::text, 9))::uuid
$$;
