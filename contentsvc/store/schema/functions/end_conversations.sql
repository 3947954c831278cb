-- A pair that goes takes its conversation out of the lists at once. The messages, which may be many, go later.
create or replace function end_conversations() returns trigger language plpgsql as $$
begin
    with ended as (
        delete from conversations c using gone g where c.pair = g.number returning c.pair
    )
    insert into ended_conversations (pair) select pair from ended on conflict do nothing;
    return null;
end $$;

drop trigger if exists pairs_messages on pairs;
create trigger pairs_messages after delete on pairs
    referencing old table as gone for each statement execute function end_conversations();
