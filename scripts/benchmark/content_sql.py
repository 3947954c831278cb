"""The data set's content, and what users say of it, in SQL."""

RATINGS = """
    insert into ratings (user_id, content_id, up, voted)
    select md5('user ' || u)::uuid, md5('content ' || a + a / %(active_run)s)::uuid,
           random() < 0.8, %(moment)s - make_interval(secs => random() * 5e7)
    from generate_series(0, %(rated)s - 1) as k, generate_series(0, %(regulars)s - 1) as u,
         lateral (select (u * 131 + k) %% %(active)s as a) as active;
    insert into ratings (user_id, content_id, up, voted)
    select md5('user ' || u)::uuid, md5('content ' || k)::uuid,
           random() < 0.5 + (k %% 64) / 128.0, %(moment)s - make_interval(secs => random() * 5e7)
    from generate_series(0::bigint, %(ratings)s - %(regulars)s * %(rated)s - 1) as m,
         lateral (select %(regulars)s + m %% %(others)s as u, m / %(others)s as pass) as split,
         lateral (select (u * 7919 + pass * 977) %% %(contents)s as x) as spread,
         -- Every second vote is for one of the popular ones.
         lateral (select case when (u + pass) %% 2 = 0 then x
                              else floor(power(x::float8 / %(contents)s, 3) * %(contents)s)::bigint
                         end as k) as chosen
    on conflict do nothing
"""
# Numbered in the order of their creation: first one on each content, then the second on each, at
# the end the many on the popular ones.
COMMENTS = """
    insert into comments (id, content_id, ordinal, parent_id, author_id, body, created, updated,
                          deleted, place)
    overriding system value
    select id, md5('content ' || k)::uuid, ordinal,
           case when ordinal > 1 and ordinal %% 4 = 0 then id - before end,
           md5('user ' || floor(random() * %(users)s))::uuid,
           case when id %% 97 = 0 then ''
                else 'Nineteen floors, then a gust. ' || repeat('More cranes! ', id %% 9) end,
           %(moment)s - make_interval(secs => (%(comments)s - id) * 100),
           %(moment)s - make_interval(secs => (%(comments)s - id) * 100), id %% 97 = 0,
           -- One answers at most, and of four in a row three answer none.
           case when ordinal > 1 and ordinal %% 4 = 0 then 1 else ordinal - ordinal / 4 end
    from (
        select (ordinal - 1) * %(contents)s + k + 1 as id, k, ordinal, %(contents)s as before
        from generate_series(1, %(commented)s) as ordinal, generate_series(0, %(contents)s - 1) as k
        union all
        select %(commented)s * %(contents)s + p * %(popular_comments)s + n,
               p * %(popular_every)s, %(commented)s + n, 1
        from generate_series(0, %(popular)s - 1) as p, generate_series(1, %(popular_comments)s) as n
    ) as made;
    select setval(pg_get_serial_sequence('comments', 'id'), %(comments)s)
"""
# What is drawn for a content is a function of its number k, so that two parts of this can agree.
# `place` is its place by age, from 0 on: one author's are not neighbours in it.
CONTENTS = """
    create function pg_temp.drawn(k bigint, what integer) returns float8
        language sql immutable as $$
            select (hashint8extended(k, what) & 1048575) / 1048576.0::float8
        $$;
    create temp table places as
        select k, place,
               %(moment)s - make_interval(secs => 6e7 * (1 - place / %(contents)s.0)) as made
        from generate_series(0::bigint, %(contents)s - 1) as k,
             lateral (select k * 7919 %% %(contents)s as place) as p;
    create function pg_temp.word(n float8) returns text language plpgsql stable as $$
    declare
        syllables text[] := current_setting('bench.syllables');
        word integer := floor(n * 230400);
    begin
        return syllables[1 + word / 480] || syllables[1 + word %% 480];
    end $$;
    insert into contents (id, number, listing_id, revision_id, author_id, type, status, suspended,
                          deleted, name, description, screenshots, tags, featured, up, down,
                          comments, live_comments, created, updated, attributes)
    select c.id, place + 1, place + 1 + case when k %% 10 = 0 then %(contents)s else 0 end,
           md5('revision ' || k)::uuid, md5('user ' || %(regulars)s + k / %(listed)s)::uuid,
           (array['game', 'asset', 'avatar_box', 'gameplay_box', 'scene_box'])
               [1 + k %% case when place < %(contents)s / 10 then 5 else 4 end],
           case when deleted then 'deleted' when suspended then 'suspended' else 'active' end,
           suspended, deleted,
           initcap(pg_temp.word(pg_temp.drawn(k, 1))) || ' '
           || initcap(pg_temp.word(power(pg_temp.drawn(k, 2), 4))),
           'Stack it as high as it goes. ' || repeat('It will go higher. ', (k %% 12)::integer)
           || 'With ' || concat_ws(' and ', pg_temp.word(power(pg_temp.drawn(k, 3), 4)),
                                   pg_temp.word(power(pg_temp.drawn(k, 4), 2)), tenth.words),
           array['shots/' || k || '/1.png', 'shots/' || k || '/2.png', 'shots/' || k || '/3.png'],
           array['tag ' || k %% 17, 'tag ' || 20 + k %% 23, %(common_tag)s]
           || case when k %% 50 = 0 then array['series ' || k / 5000] else '{}' end
           || case when place >= %(contents)s * 0.70 and place < %(contents)s * 0.71
                   then array[%(season)s] else '{}' end,
           k %% 41 = 0, coalesce(votes.up, 0), coalesce(votes.down, 0),
           coalesce(remarks.number, 0), coalesce(remarks.live, 0), made, %(moment)s,
           -- Apart from what was updated last, which is every tenth.
           json_build_object('co-op', k / 10 %% 2 = 0, 'players', 1 + k / 20 %% 10,
                             'series', 's' || k / 50)
    from places
    cross join lateral (
        select md5('content ' || k)::uuid as id, (k + 1) %% %(hidden_every)s = 0 as hidden
    ) as c
    cross join lateral (
        select hidden and k / %(hidden_every)s %% 3 <> 1 as suspended,
               hidden and k / %(hidden_every)s %% 3 <> 0 as deleted
    ) as flags
    cross join lateral (
        select string_agg(word, ' and ') as words
        from unnest(%(tenth)s) with ordinality as tenth (word, n)
        where pg_temp.drawn(k, 100 + n::integer) < 0.1
    ) as tenth
    left join (select content_id, count(*) filter (where ratings.up) as up,
                      count(*) filter (where not ratings.up) as down
               from ratings group by 1) as votes on votes.content_id = c.id
    left join (select content_id, count(*) as number, count(*) filter (where not deleted) as live
               from comments group by 1) as remarks on remarks.content_id = c.id
    -- Rows lie as they were written, so neighbours in the table are only of one time.
    order by place;
    select setval('listing_ids', 2 * %(contents)s)
"""
# A tenth of the content has an earlier revision, a thousandth has thirty. Half of the content fits
# the game from 2.0 on, and the other half from 1.0 on; the thousandth fits any that has VR.
REVISIONS = """
    create temp table published as
        select k, ordinal,
               'revision ' || k || suffix as id, 'core revision ' || k || suffix as core,
               least(made + make_interval(secs => (ordinal - 1) * 1e5), %(moment)s) as created
        from places,
             lateral (select case when k %% 1000 = 0 then 30 when k %% 10 = 0 then 1 else 0 end
                      as earlier) as many,
             generate_series(1, earlier + 1) as ordinal,
             lateral (select case when ordinal > earlier then '' else ' ' || ordinal end
                      as suffix) as named;
    insert into revisions (id, content_id, version, description, entity_id, entity_revision,
                           ordinal, publisher_id, created, requires, game_min, features)
    select md5(id)::uuid, md5('content ' || k)::uuid, ordinal || '.0', 'The one of ' || ordinal,
           md5('core ' || k)::uuid, md5(core)::uuid, ordinal,
           md5('user ' || %(regulars)s + k / %(listed)s)::uuid, created,
           case when vr then '{"features":["vr"]}'
                else '{"game":{"min":"' || 2 - k %% 2 || '.0"}}' end,
           case when not vr then array[2 - k %% 2, 0, 0, 0] end,
           case when vr then '{vr}'::text[] end
    from published, lateral (select k %% 1000 = 0 as vr) as needs;
    insert into entities (entity_id, revision_id, path, content_id)
    select md5('core ' || k)::uuid, md5(core)::uuid,
           'entities/' || k || '/core-' || ordinal || '.bin', md5('content ' || k)::uuid
    from published
    union all
    select md5('part ' || k || ' ' || p)::uuid, md5('part revision ' || k || ' ' || p)::uuid,
           'entities/' || k || '/' || p || '.bin', md5('content ' || k)::uuid
    from places, generate_series(1, %(parts)s) as p;
    insert into revision_entities (revision_id, originating, place, entity_id, entity_revision)
    select md5('revision ' || k)::uuid, true, p, md5('part ' || k || ' ' || p)::uuid,
           md5('part revision ' || k || ' ' || p)::uuid
    from places, generate_series(1, %(parts)s) as p
    union all
    select md5('revision ' || k)::uuid, false, %(parts)s + 1 + p,
           md5('core ' || used)::uuid, md5('core revision ' || used)::uuid
    from places, generate_series(0, %(uses)s) as p,
         lateral (select case p when 0 then k - k %% 1000 else (k + p) %% %(contents)s end
                  as used) as other
    where used <> k and (p = 0 or used <> k - k %% 1000);
    insert into packages (id, win64, osx64, linux64, content_id)
    select md5('package ' || k)::uuid, 'win64/' || k || '.pak', 'osx64/' || k || '.pak',
           'linux64/' || k || '.pak', md5('content ' || k)::uuid
    from places where k %% 4 < %(parts)s;
    insert into revision_packages (revision_id, place, package_id)
    select md5('revision ' || k)::uuid, 1, md5('package ' || k)::uuid
    from places where k %% 4 < %(parts)s;
    insert into content_uses (used, number, content_id)
    select distinct e.content_id, c.number, c.id
    from contents c
    join revision_entities d on d.revision_id = c.revision_id
    join entities e on e.entity_id = d.entity_id and e.revision_id = d.entity_revision
    where e.content_id <> c.id
"""
RANKS = """
    insert into content_ranks (number, content_id, type, listing_id, top, net, trending, played,
                               subscribed)
    select c.number, c.id, c.type, c.listing_id, wilson(c.up, c.down), net, trend(net),
           abs(hashtext(c.id::text)) %% 100000, abs(hashtext('s' || c.id::text)) %% 300
    from contents c
    left join (
        select content_id, sum(vote_weight(voted) * case when up then 1 else -1 end) as sum
        from ratings group by 1
    ) votes on votes.content_id = c.id
    cross join lateral (select coalesce(votes.sum, 0) as net) as weighed
    order by c.number
"""
DOCUMENTS = """
    insert into documents (content_id, number, source, stale, terms)
    select c.id, c.number, source_of(c), false,
           shelved(made.words, c.number)::tsvector || filters_of(c)
    from unnest(%(ids)s::uuid[], %(words)s) as made (id, words) join contents c on c.id = made.id
    order by c.number
"""
ENTRIES = """
    insert into challenges (name, ordinal, description, theme, win, participate, closed)
    select 'Challenge ' || n, n, 'Build it tall.', 'towers', reward, reward,
           case when n <= 25 then %(moment)s end
    from generate_series(1, 50) as n, lateral (select json_build_object(
        'achievement', json_build_object(
            'key', 'tallest-' || n, 'name', 'Tallest', 'description', 'Built the tallest tower.',
            'visibilityStart', null, 'visibilityStop', null),
        'emblem', json_build_object(
            'name', 'Crane', 'description', 'A golden crane.', 'image', 'emblems/crane.png',
            'color', '#ffb000', 'id', md5('emblem ' || n)::uuid)) as reward) as made;
    insert into challenge_entries (challenge_id, content_id, author_id, hidden)
    select h.id, c.id, c.author_id, c.status <> 'active'
    from places join contents c on c.id = md5('content ' || k)::uuid
    join challenges h on h.ordinal = 1 + k / 4 %% 50
    where k %% 4 = 0 order by place;
    insert into challenge_tallies (challenge_id, entries, hidden)
    select challenge_id, count(*), count(*) filter (where hidden) from challenge_entries group by 1;
    insert into challenge_rewards (challenge_id, user_id, won, content_id, earned)
    select distinct on (challenge_id, author_id) challenge_id, author_id, false, content_id, closed
    from challenge_entries e join challenges h on h.id = e.challenge_id
    where closed is not null and not hidden
    order by challenge_id, author_id, e.number desc
"""
