-- Whether a revision that requires this fits a client that says this of itself (content#fitting-revisions). What
-- either does not say fits. `game` has four numbers, as `game_min` has; `game_max` is compared on as many as it has.
-- It is put in line, as visible().
create or replace function fits(
    game_min integer[], game_max integer[], platforms text[], features text[],
    game integer[], platform text, had text[]
) returns boolean
    language sql immutable parallel safe
    as $$
        select (game is null or (game_min is null or game_min <= game)
                                and (game_max is null or game[1:cardinality(game_max)] <= game_max))
           and (platform is null or platforms is null or platform = any(platforms))
           and (had is null or features is null or features <@ had)
    $$;
