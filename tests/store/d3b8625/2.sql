-- The rest of it.
CREATE FUNCTION visible(status text, author uuid, viewer uuid, admin boolean) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ select status = 'active' or author is not distinct from viewer or admin $$;
CREATE FUNCTION vote_weight(voted timestamp with time zone) RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
        select round(4294967296 * power(2::float8,
                   least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000)
                   - floor(least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000))
               ))::bigint
               * trunc(power(2::numeric, floor(
                   least(greatest(date_part('epoch', voted) / 604800 - 2922, 0), 10000)
               )::integer))
    $$;
CREATE FUNCTION voter_stays() RETURNS trigger LANGUAGE plpgsql AS $$
begin
    if (select u.id from users u where u.id = new.user_id for key share) is null then
        raise foreign_key_violation using message = 'There is no such voter.', constraint = 'ratings_voter';
    end if;
    return null;
end $$;
CREATE FUNCTION wilson(up integer, down integer) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        select case when up = 0 then 0 else (
            up + 1.9208::float8
            - 1.96::float8 * sqrt(up::float8 * down / (up::float8 + down) + 0.9604::float8)
        ) / (up::float8 + down + 3.8416::float8) end
    $$;
CREATE FUNCTION write_comment(content uuid, writer uuid, by_admin boolean, parent bigint, body text, most integer, span interval) RETURNS TABLE(comment bigint, blocked boolean, wait integer, told told) LANGUAGE plpgsql AS $$ begin end $$;
CREATE PROCEDURE write_comments(IN contents uuid[], IN writers uuid[], IN by_admin boolean[], IN parents bigint[], IN bodies text[], IN most integer[], IN spans integer[], INOUT answer text) LANGUAGE plpgsql AS $$ begin end $$;
CREATE TABLE _yoyo_log ( id character varying(36) NOT NULL, migration_hash character varying(64), migration_id character varying(255), operation character varying(10), username character varying(255), hostname character varying(255), comment character varying(255), created_at_utc timestamp without time zone );
CREATE TABLE _yoyo_migrations ( migration_hash character varying(64) NOT NULL, migration_id character varying(255), applied_at_utc timestamp without time zone );
CREATE TABLE _yoyo_version ( version integer NOT NULL, installed_at_utc timestamp without time zone );
CREATE TABLE bans ( user_id uuid NOT NULL, reason text NOT NULL, until timestamp with time zone, created timestamp with time zone DEFAULT now() NOT NULL );
CREATE TABLE blocked_files ( sha256 text NOT NULL COLLATE pg_catalog."C", reason text NOT NULL, created timestamp with time zone DEFAULT now() NOT NULL, due timestamp with time zone DEFAULT now() );
CREATE TABLE challenge_entries ( challenge_id uuid NOT NULL, content_id uuid NOT NULL, number bigint NOT NULL, author_id uuid NOT NULL, hidden boolean DEFAULT false NOT NULL );
ALTER TABLE challenge_entries ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME challenge_entries_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE challenge_rewards ( challenge_id uuid NOT NULL, user_id uuid NOT NULL, won boolean NOT NULL, content_id uuid NOT NULL, number bigint NOT NULL, earned timestamp with time zone NOT NULL, taken boolean DEFAULT false NOT NULL );
ALTER TABLE challenge_rewards ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME challenge_rewards_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE challenge_tallies ( challenge_id uuid NOT NULL, entries integer NOT NULL, hidden integer NOT NULL );
CREATE TABLE challenges ( id uuid DEFAULT gen_random_uuid() NOT NULL, name text NOT NULL, ordinal integer NOT NULL, description text NOT NULL, theme text NOT NULL, win json NOT NULL, participate json NOT NULL, created timestamp with time zone DEFAULT now() NOT NULL, opens bigint, closes bigint, types text[], judging text DEFAULT 'admins'::text NOT NULL, win_emblem uuid DEFAULT gen_random_uuid() NOT NULL, participate_emblem uuid DEFAULT gen_random_uuid() NOT NULL, closed timestamp with time zone, winners uuid[] DEFAULT '{}'::uuid[] NOT NULL, CONSTRAINT challenges_judging_check CHECK ((judging = ANY (ARRAY['admins'::text, 'votes'::text]))) );
CREATE TABLE claims ( holder uuid NOT NULL, kind text NOT NULL COLLATE pg_catalog."C", path text NOT NULL COLLATE pg_catalog."C", content_id uuid, owner_id uuid );
CREATE TABLE comments ( id bigint NOT NULL, content_id uuid NOT NULL, ordinal integer NOT NULL, parent_id bigint, author_id uuid NOT NULL, body text NOT NULL, created timestamp with time zone NOT NULL, updated timestamp with time zone NOT NULL, deleted boolean DEFAULT false NOT NULL );
ALTER TABLE comments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME comments_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE content_ranks ( number bigint NOT NULL, content_id uuid NOT NULL, type text NOT NULL, listing_id bigint NOT NULL, top double precision DEFAULT 0 NOT NULL, net numeric DEFAULT 0 NOT NULL, trending double precision DEFAULT 0 NOT NULL, counted boolean DEFAULT true NOT NULL );
CREATE TABLE content_uses ( used uuid NOT NULL, number bigint NOT NULL, content_id uuid NOT NULL );
CREATE TABLE conversations ( pair bigint NOT NULL, lesser uuid NOT NULL, greater uuid NOT NULL, newest bigint NOT NULL );
CREATE TABLE departures ( user_id uuid NOT NULL, name bytea NOT NULL, departed timestamp with time zone DEFAULT clock_timestamp() NOT NULL );
CREATE TABLE dependency_tellings ( dependency uuid NOT NULL, recipient uuid NOT NULL, told timestamp with time zone NOT NULL );
CREATE TABLE documents ( content_id uuid NOT NULL, number bigint NOT NULL, source bigint, stale boolean NOT NULL, terms tsvector NOT NULL );
CREATE TABLE ended_conversations ( pair bigint NOT NULL );
CREATE TABLE entities ( entity_id uuid NOT NULL, revision_id uuid NOT NULL, path text NOT NULL, content_id uuid NOT NULL );
CREATE TABLE failed_log_ins ( account uuid NOT NULL, address uuid NOT NULL, failures integer NOT NULL, since timestamp with time zone NOT NULL );
CREATE TABLE files ( path text NOT NULL COLLATE pg_catalog."C", size bigint, stored boolean DEFAULT false NOT NULL, invalid boolean DEFAULT false NOT NULL, due timestamp with time zone DEFAULT (now() + '24:00:00'::interval), collecting boolean DEFAULT false NOT NULL );
CREATE TABLE follows ( follower uuid NOT NULL, followed uuid NOT NULL, number bigint NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() );
ALTER TABLE follows ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME follows_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE friend_asks ( asker uuid NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL );
CREATE TABLE identities ( id uuid DEFAULT gen_random_uuid() NOT NULL, number bigint NOT NULL, user_id uuid NOT NULL, issuer text NOT NULL COLLATE pg_catalog."C", subject text NOT NULL COLLATE pg_catalog."C", linked timestamp with time zone DEFAULT now() NOT NULL, CONSTRAINT identities_issuer_check CHECK (((char_length(issuer) >= 1) AND (char_length(issuer) <= 512))), CONSTRAINT identities_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255))) );
ALTER TABLE identities ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME identities_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE login_failures ( user_id uuid NOT NULL, failures integer NOT NULL, since timestamp with time zone NOT NULL );
CREATE TABLE mails ( id uuid DEFAULT gen_random_uuid() NOT NULL, purpose text NOT NULL, user_id uuid, email text NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL, due timestamp with time zone DEFAULT clock_timestamp(), tries integer DEFAULT 0 NOT NULL, failure text, expires timestamp with time zone, ended boolean DEFAULT false NOT NULL, CONSTRAINT mails_purpose_check CHECK ((purpose = ANY (ARRAY['reset'::text, 'confirm'::text, 'change'::text, 'changed'::text]))) ) WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='1000');
CREATE TABLE messages ( pair bigint NOT NULL, number bigint NOT NULL, sender uuid NOT NULL, id uuid NOT NULL, text text NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL );
ALTER TABLE messages ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME messages_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE moderation_actions ( number bigint NOT NULL, id uuid DEFAULT gen_random_uuid() NOT NULL, admin uuid NOT NULL, action text NOT NULL, subject_kind text NOT NULL, subject text NOT NULL, reason text NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL, warning uuid );
ALTER TABLE moderation_actions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME moderation_actions_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE notification_counters ( user_id uuid NOT NULL, seq bigint NOT NULL, unread bigint NOT NULL, newest uuid, previous uuid, trimmed bigint DEFAULT 0 NOT NULL, muted text[] DEFAULT '{}'::text[] NOT NULL, changes bigint DEFAULT 0 NOT NULL, deleted bigint DEFAULT 0 NOT NULL ) WITH (fillfactor='50');
COMMENT ON COLUMN notification_counters.newest IS 'The id of the newest notification; null before the first.';
COMMENT ON COLUMN notification_counters.previous IS 'The id of the notification before those that one statement stored last. They end with the newest, and know the ones before them.';
CREATE TABLE notifications ( user_id uuid NOT NULL, seq bigint NOT NULL, id uuid DEFAULT gen_random_uuid() NOT NULL, kind text NOT NULL, data text NOT NULL, created timestamp with time zone NOT NULL, read boolean DEFAULT false NOT NULL );
CREATE SEQUENCE outbox_turns START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE TABLE outbox ( id bigint NOT NULL, turn bigint DEFAULT nextval('outbox_turns'::regclass) NOT NULL, kind text NOT NULL, task text NOT NULL, topic text, place text, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL, tries integer DEFAULT 0 NOT NULL, failure text, due timestamp with time zone ) WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');
ALTER TABLE outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME outbox_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE packages ( id uuid NOT NULL, win64 text, osx64 text, linux64 text, content_id uuid NOT NULL );
CREATE SEQUENCE pair_numbers START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
CREATE VIEW pair_sides AS SELECT pairs.lesser AS user_id, pairs.greater AS other_id, pairs.friends, pairs.friends_since, pairs.requested, pairs.requested_since, pairs.requester, pairs.lesser_blocks AS blocks, pairs.lesser_blocks_since AS blocks_since, pairs.greater_blocks AS blocked, pairs.lesser_asked AS asked, pairs.lesser_followed AS followed FROM pairs UNION ALL SELECT pairs.greater AS user_id, pairs.lesser AS other_id, pairs.friends, pairs.friends_since, pairs.requested, pairs.requested_since, pairs.requester, pairs.greater_blocks AS blocks, pairs.greater_blocks_since AS blocks_since, pairs.lesser_blocks AS blocked, pairs.greater_asked AS asked, pairs.greater_followed AS followed FROM pairs;
ALTER TABLE pairs ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME pairs_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE party_invites ( sender uuid NOT NULL, recipient uuid NOT NULL, party uuid NOT NULL, answer text, changed timestamp with time zone NOT NULL, CONSTRAINT party_invites_answer_check CHECK ((answer = ANY (ARRAY['accept'::text, 'decline'::text]))) );
CREATE TABLE processes ( id uuid NOT NULL, host text NOT NULL, pid integer NOT NULL, version text NOT NULL, started timestamp with time zone DEFAULT clock_timestamp() NOT NULL, seen timestamp with time zone DEFAULT clock_timestamp() NOT NULL, sockets integer NOT NULL, users integer NOT NULL, failing text NOT NULL ) WITH (fillfactor='50');
CREATE TABLE progress ( user_id uuid NOT NULL, key text NOT NULL COLLATE pg_catalog."C", value json NOT NULL, written timestamp with time zone NOT NULL, version bigint DEFAULT 1 NOT NULL, write_id uuid, size integer, grown integer );
CREATE TABLE progress_deleted ( user_id uuid NOT NULL, key text NOT NULL COLLATE pg_catalog."C", version bigint NOT NULL, deleted timestamp with time zone NOT NULL );
CREATE TABLE progress_usage ( user_id uuid NOT NULL, keys bigint NOT NULL, bytes bigint NOT NULL, dropped bigint DEFAULT 0 NOT NULL ) WITH (fillfactor='50');
CREATE TABLE ratings ( user_id uuid NOT NULL, content_id uuid NOT NULL, up boolean NOT NULL, voted timestamp with time zone DEFAULT now() NOT NULL );
CREATE TABLE refresh_tokens ( hash bytea NOT NULL, session_id uuid NOT NULL, expires timestamp with time zone NOT NULL, spent timestamp with time zone, salt bytea );
CREATE TABLE report_decisions ( subject bigint NOT NULL, upto bigint NOT NULL, outcome text NOT NULL, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL );
CREATE TABLE report_evidence ( subject bigint NOT NULL, digest bytea NOT NULL, evidence text NOT NULL );
CREATE TABLE report_queue ( subject bigint NOT NULL, reason text NOT NULL COLLATE pg_catalog."C", kind text NOT NULL COLLATE pg_catalog."C", reports integer NOT NULL, newest bigint NOT NULL );
CREATE TABLE report_subjects ( number bigint NOT NULL, kind text NOT NULL, id text NOT NULL COLLATE pg_catalog."C", content_id uuid, reports integer DEFAULT 0 NOT NULL, reasons jsonb DEFAULT '{}'::jsonb NOT NULL, oldest bigint, newest bigint, decided bigint DEFAULT 0 NOT NULL );
ALTER TABLE report_subjects ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME report_subjects_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE reports ( number bigint NOT NULL, id uuid DEFAULT gen_random_uuid() NOT NULL, subject bigint NOT NULL, reporter uuid NOT NULL, reason text NOT NULL, text text NOT NULL, digest bytea NOT NULL, messages text, created timestamp with time zone DEFAULT clock_timestamp() NOT NULL, replaced boolean DEFAULT false NOT NULL, repeats boolean DEFAULT false NOT NULL );
ALTER TABLE reports ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME reports_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );
CREATE TABLE revision_entities ( revision_id uuid NOT NULL, originating boolean NOT NULL, place integer NOT NULL, entity_id uuid NOT NULL, entity_revision uuid NOT NULL );
CREATE TABLE revision_packages ( revision_id uuid NOT NULL, place integer NOT NULL, package_id uuid NOT NULL );
CREATE TABLE revisions ( id uuid NOT NULL, content_id uuid NOT NULL, version text NOT NULL, description text NOT NULL, entity_id uuid NOT NULL, entity_revision uuid NOT NULL, created timestamp with time zone DEFAULT now() NOT NULL, ordinal integer DEFAULT 1 NOT NULL, publisher_id uuid, gone boolean DEFAULT false NOT NULL );
CREATE TABLE sessions ( id uuid DEFAULT gen_random_uuid() NOT NULL, user_id uuid NOT NULL, created timestamp with time zone DEFAULT now() NOT NULL, used timestamp with time zone DEFAULT now() NOT NULL, revoked timestamp with time zone );
CREATE TABLE storage ( user_id uuid NOT NULL, used bigint DEFAULT 0 NOT NULL, pending integer DEFAULT 0 NOT NULL );
CREATE TABLE uncounted_comments ( author_id uuid NOT NULL, content_id uuid NOT NULL, comments integer NOT NULL );
CREATE TABLE unfollows ( follower uuid NOT NULL, created timestamp with time zone NOT NULL );
CREATE TABLE user_files ( user_id uuid NOT NULL, path text NOT NULL COLLATE pg_catalog."C", size bigint NOT NULL, sent boolean DEFAULT false NOT NULL, token uuid DEFAULT gen_random_uuid() NOT NULL, apart boolean DEFAULT false NOT NULL, due timestamp with time zone DEFAULT (now() + '24:00:00'::interval) );
CREATE TABLE users ( id uuid DEFAULT gen_random_uuid() NOT NULL, username text NOT NULL, username_key text GENERATED ALWAYS AS (lower((username COLLATE "C"))) STORED NOT NULL COLLATE pg_catalog."C", email text, email_key text GENERATED ALWAYS AS (lower((email COLLATE "C"))) STORED COLLATE pg_catalog."C", password_hash text, admin boolean DEFAULT false NOT NULL, avatar text, emblem uuid, full_profile text, public_profile text, created timestamp with time zone DEFAULT now() NOT NULL, email_since timestamp with time zone DEFAULT now() NOT NULL, email_confirmed boolean DEFAULT false NOT NULL );
ALTER TABLE _yoyo_log ADD CONSTRAINT _yoyo_log_pkey PRIMARY KEY (id);
ALTER TABLE _yoyo_migrations ADD CONSTRAINT _yoyo_migrations_pkey PRIMARY KEY (migration_hash);
ALTER TABLE _yoyo_version ADD CONSTRAINT _yoyo_version_pkey PRIMARY KEY (version);
ALTER TABLE bans ADD CONSTRAINT bans_pkey PRIMARY KEY (user_id);
ALTER TABLE blocked_files ADD CONSTRAINT blocked_files_pkey PRIMARY KEY (sha256);
ALTER TABLE challenge_entries ADD CONSTRAINT challenge_entries_pkey PRIMARY KEY (content_id, challenge_id);
ALTER TABLE challenge_rewards ADD CONSTRAINT challenge_rewards_pkey PRIMARY KEY (challenge_id, user_id, won);
ALTER TABLE challenge_tallies ADD CONSTRAINT challenge_tallies_pkey PRIMARY KEY (challenge_id);
ALTER TABLE challenges ADD CONSTRAINT challenges_participate_emblem UNIQUE (participate_emblem);
ALTER TABLE challenges ADD CONSTRAINT challenges_pkey PRIMARY KEY (id);
ALTER TABLE challenges ADD CONSTRAINT challenges_win_emblem UNIQUE (win_emblem);
ALTER TABLE claims ADD CONSTRAINT claims_pkey PRIMARY KEY (holder, path, kind);
ALTER TABLE comments ADD CONSTRAINT comments_of_content UNIQUE (content_id, id);
ALTER TABLE comments ADD CONSTRAINT comments_ordinal UNIQUE (content_id, ordinal);
ALTER TABLE comments ADD CONSTRAINT comments_pkey PRIMARY KEY (id);
ALTER TABLE content_ranks ADD CONSTRAINT content_ranks_number PRIMARY KEY (number) INCLUDE (top, trending, listing_id);
ALTER TABLE content_uses ADD CONSTRAINT content_uses_pkey PRIMARY KEY (used, number);
ALTER TABLE contents ADD CONSTRAINT contents_id PRIMARY KEY (id);
ALTER TABLE conversations ADD CONSTRAINT conversations_pkey PRIMARY KEY (pair);
ALTER TABLE departures ADD CONSTRAINT departures_pkey PRIMARY KEY (user_id);
ALTER TABLE dependency_tellings ADD CONSTRAINT dependency_tellings_pkey PRIMARY KEY (dependency, recipient);
ALTER TABLE documents ADD CONSTRAINT documents_id PRIMARY KEY (content_id);
ALTER TABLE ended_conversations ADD CONSTRAINT ended_conversations_pkey PRIMARY KEY (pair);
ALTER TABLE entities ADD CONSTRAINT entities_pkey PRIMARY KEY (entity_id, revision_id);
ALTER TABLE failed_log_ins ADD CONSTRAINT failed_log_ins_pkey PRIMARY KEY (account, address);
ALTER TABLE files ADD CONSTRAINT files_path PRIMARY KEY (path);
ALTER TABLE follows ADD CONSTRAINT follows_pkey PRIMARY KEY (follower, followed);
ALTER TABLE identities ADD CONSTRAINT identities_pkey PRIMARY KEY (id);
ALTER TABLE identities ADD CONSTRAINT identities_subject UNIQUE (issuer, subject);
ALTER TABLE login_failures ADD CONSTRAINT login_failures_pkey PRIMARY KEY (user_id);
ALTER TABLE mails ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (pair, sender, id);
ALTER TABLE moderation_actions ADD CONSTRAINT moderation_actions_pkey PRIMARY KEY (number);
ALTER TABLE notification_counters ADD CONSTRAINT notification_counters_pkey PRIMARY KEY (user_id);
ALTER TABLE notifications ADD CONSTRAINT notifications_pkey PRIMARY KEY (user_id, seq);
ALTER TABLE notifications ADD CONSTRAINT notifications_user_id_id_key UNIQUE (user_id, id);
ALTER TABLE outbox ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);
ALTER TABLE packages ADD CONSTRAINT packages_pkey PRIMARY KEY (id);
ALTER TABLE pairs ADD CONSTRAINT pairs_pkey PRIMARY KEY (lesser, greater);
ALTER TABLE party_invites ADD CONSTRAINT party_invites_pkey PRIMARY KEY (sender, recipient, party);
ALTER TABLE processes ADD CONSTRAINT processes_pkey PRIMARY KEY (id);
ALTER TABLE progress_deleted ADD CONSTRAINT progress_deleted_pkey PRIMARY KEY (user_id, key);
ALTER TABLE progress ADD CONSTRAINT progress_pkey PRIMARY KEY (user_id, key);
ALTER TABLE progress_usage ADD CONSTRAINT progress_usage_pkey PRIMARY KEY (user_id);
ALTER TABLE ratings ADD CONSTRAINT ratings_pkey PRIMARY KEY (user_id, content_id) INCLUDE (up);
ALTER TABLE refresh_tokens ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE report_decisions ADD CONSTRAINT report_decisions_pkey PRIMARY KEY (subject, upto);
ALTER TABLE report_evidence ADD CONSTRAINT report_evidence_pkey PRIMARY KEY (subject, digest);
ALTER TABLE report_queue ADD CONSTRAINT report_queue_pkey PRIMARY KEY (subject, reason);
ALTER TABLE report_subjects ADD CONSTRAINT report_subjects_id UNIQUE (kind, id);
ALTER TABLE report_subjects ADD CONSTRAINT report_subjects_pkey PRIMARY KEY (number);
ALTER TABLE reports ADD CONSTRAINT reports_id UNIQUE (id);
ALTER TABLE reports ADD CONSTRAINT reports_pkey PRIMARY KEY (number);
ALTER TABLE revision_entities ADD CONSTRAINT revision_entities_pkey PRIMARY KEY (revision_id, originating, place);
ALTER TABLE revision_packages ADD CONSTRAINT revision_packages_pkey PRIMARY KEY (revision_id, place);
ALTER TABLE revisions ADD CONSTRAINT revisions_id PRIMARY KEY (id);
ALTER TABLE sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE storage ADD CONSTRAINT storage_pkey PRIMARY KEY (user_id);
ALTER TABLE uncounted_comments ADD CONSTRAINT uncounted_comments_pkey PRIMARY KEY (author_id, content_id);
ALTER TABLE user_files ADD CONSTRAINT user_files_pkey PRIMARY KEY (user_id, path);
ALTER TABLE user_files ADD CONSTRAINT user_files_token UNIQUE (token);
ALTER TABLE users ADD CONSTRAINT users_email UNIQUE (email_key);
ALTER TABLE users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE users ADD CONSTRAINT users_username UNIQUE (username_key);
CREATE INDEX blocked_files_due ON blocked_files (due) WHERE (due IS NOT NULL);
CREATE INDEX challenge_entries_hidden ON challenge_entries (author_id, challenge_id) WHERE hidden;
CREATE UNIQUE INDEX challenge_entries_number ON challenge_entries (challenge_id, number);
CREATE INDEX challenge_rewards_of_user ON challenge_rewards (user_id);
CREATE INDEX challenge_rewards_user ON challenge_rewards (user_id, number) WHERE (NOT taken);
CREATE INDEX challenges_due ON challenges (closes) WHERE ((closed IS NULL) AND (judging = 'votes'::text));
CREATE INDEX claims_path ON claims (path, owner_id);
CREATE INDEX comments_author_newest ON comments (author_id, id);
CREATE INDEX content_ranks_top ON content_ranks (type, top, number);
CREATE INDEX content_ranks_trending ON content_ranks (type, trending, number);
CREATE INDEX content_ranks_uncounted ON content_ranks (number) WHERE (NOT counted);
CREATE INDEX content_uses_content ON content_uses (content_id);
CREATE INDEX contents_deleted ON contents (author_id, number) WHERE deleted;
CREATE INDEX contents_newest ON contents (type, number);
CREATE UNIQUE INDEX contents_number ON contents (author_id, number);
CREATE INDEX contents_suspended ON contents (id) INCLUDE (author_id) WHERE (status <> 'active'::text);
CREATE INDEX contents_updated ON contents (type, listing_id);
CREATE INDEX contents_withdrawn ON contents (withdrawn) WHERE (withdrawn IS NOT NULL);
CREATE INDEX conversations_of_greater ON conversations (greater, newest);
CREATE INDEX conversations_of_lesser ON conversations (lesser, newest);
CREATE INDEX departures_departed ON departures (departed);
CREATE INDEX departures_name ON departures (name);
CREATE INDEX dependency_tellings_told ON dependency_tellings (told);
CREATE INDEX documents_stale ON documents (number) WHERE stale;
CREATE INDEX documents_terms ON documents USING gin (terms) WITH (fastupdate=off);
CREATE INDEX entities_content ON entities (content_id);
CREATE INDEX failed_log_ins_since ON failed_log_ins (since);
CREATE INDEX files_collecting ON files (path) WHERE collecting;
CREATE INDEX files_due ON files (due) WHERE ((due IS NOT NULL) AND (NOT collecting));
CREATE INDEX follows_of_followed ON follows (followed, number);
CREATE INDEX follows_of_follower ON follows (follower, number);
CREATE INDEX friend_asks_asker ON friend_asks (asker, created);
CREATE INDEX friend_asks_created ON friend_asks (created);
CREATE INDEX identities_of_user ON identities (user_id, number);
CREATE INDEX mails_asked ON mails (lower((email COLLATE "C"))) WHERE (user_id IS NULL);
CREATE INDEX mails_created ON mails (created);
CREATE INDEX mails_due ON mails (due) WHERE (due IS NOT NULL);
CREATE INDEX mails_user ON mails (user_id, created);
CREATE UNIQUE INDEX messages_pair_number ON messages (pair, number);
CREATE INDEX messages_sender_number ON messages (sender, number);
CREATE INDEX moderation_actions_admin ON moderation_actions (admin, number);
CREATE INDEX moderation_actions_subject ON moderation_actions (subject, number);
CREATE UNIQUE INDEX moderation_actions_warning ON moderation_actions (subject, warning) WHERE (warning IS NOT NULL);
CREATE INDEX outbox_topic ON outbox (topic, id) WHERE (topic IS NOT NULL);
CREATE INDEX outbox_turn ON outbox (turn);
CREATE INDEX packages_content ON packages (content_id);
CREATE INDEX pairs_blocks_of_greater ON pairs (greater, greater_blocks) WHERE (greater_blocks IS NOT NULL);
CREATE INDEX pairs_blocks_of_lesser ON pairs (lesser, lesser_blocks) WHERE (lesser_blocks IS NOT NULL);
CREATE INDEX pairs_friends_of_greater ON pairs (greater, friends) WHERE (friends IS NOT NULL);
CREATE INDEX pairs_friends_of_lesser ON pairs (lesser, friends) WHERE (friends IS NOT NULL);
CREATE INDEX pairs_greater ON pairs (greater);
CREATE INDEX pairs_requests_made ON pairs (requester, requested) WHERE (requested IS NOT NULL);
CREATE INDEX pairs_requests_of_greater ON pairs (greater, requested) WHERE (requested IS NOT NULL);
CREATE INDEX pairs_requests_of_lesser ON pairs (lesser, requested) WHERE (requested IS NOT NULL);
CREATE INDEX party_invites_recipient ON party_invites (recipient);
CREATE INDEX party_invites_unanswered ON party_invites (recipient, changed) WHERE (answer IS NULL);
CREATE INDEX ratings_content_index ON ratings (content_id);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires);
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX report_queue_order ON report_queue (reason, kind, reports, newest);
CREATE INDEX reports_repeats ON reports (reporter, subject, number) WHERE repeats;
CREATE INDEX reports_reporter ON reports (reporter, number) WHERE (NOT repeats);
CREATE INDEX reports_reporter_subject ON reports (reporter, subject, number) WHERE (NOT replaced);
CREATE INDEX reports_subject ON reports (subject, number) WHERE (NOT replaced);
CREATE INDEX revision_entities_entity ON revision_entities (entity_id, entity_revision);
CREATE INDEX revision_packages_package ON revision_packages (package_id);
CREATE INDEX revisions_core ON revisions (entity_id, entity_revision);
CREATE UNIQUE INDEX revisions_ordinal ON revisions (content_id, ordinal);
CREATE INDEX revisions_publisher ON revisions (publisher_id, created);
CREATE INDEX sessions_revoked ON sessions (revoked) WHERE (revoked IS NOT NULL);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX unfollows_created ON unfollows (created);
CREATE INDEX unfollows_follower ON unfollows (follower, created);
CREATE INDEX user_files_due ON user_files (due) WHERE (due IS NOT NULL);
CREATE INDEX user_files_path ON user_files (path);
CREATE TRIGGER challenge_entries_came AFTER INSERT ON challenge_entries REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_entries();
CREATE TRIGGER challenge_entries_changed AFTER UPDATE ON challenge_entries REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_entries();
CREATE TRIGGER challenge_entries_gone AFTER DELETE ON challenge_entries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tally_entries();
CREATE TRIGGER challenges_claims AFTER DELETE ON challenges REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_claims('challenge');
CREATE TRIGGER claims_gone AFTER DELETE ON claims REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_files();
CREATE TRIGGER comments_author AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION author_stays();
CREATE TRIGGER contents_author AFTER INSERT ON contents FOR EACH ROW EXECUTE FUNCTION author_stays();
CREATE TRIGGER contents_claims AFTER DELETE ON contents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_claims('content');
CREATE CONSTRAINT TRIGGER contents_document AFTER INSERT OR UPDATE OF name, description, tags, featured, status, suspended, deleted ON contents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_document();
CREATE TRIGGER contents_gone AFTER DELETE ON contents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_uses();
CREATE TRIGGER contents_gone_ranks AFTER DELETE ON contents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_ranks();
CREATE TRIGGER contents_hidden AFTER UPDATE OF status, suspended, deleted ON contents FOR EACH ROW WHEN (((new.suspended AND (NOT old.suspended)) OR (new.deleted AND (NOT old.deleted)))) EXECUTE FUNCTION hold_uses();
CREATE TRIGGER contents_hidden_entries AFTER UPDATE OF status, suspended, deleted ON contents FOR EACH ROW WHEN (((old.status = 'active'::text) <> (new.status = 'active'::text))) EXECUTE FUNCTION hide_entries();
CREATE TRIGGER contents_relisted AFTER UPDATE OF listing_id ON contents FOR EACH ROW WHEN ((new.listing_id <> old.listing_id)) EXECUTE FUNCTION relist_ranks();
CREATE TRIGGER contents_status BEFORE UPDATE OF status, suspended, deleted ON contents FOR EACH ROW EXECUTE FUNCTION derive_status();
CREATE CONSTRAINT TRIGGER contents_uses AFTER INSERT OR UPDATE OF revision_id ON contents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION renew_uses();
CREATE TRIGGER moderation_actions_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON moderation_actions FOR EACH STATEMENT EXECUTE FUNCTION keep_actions();
CREATE TRIGGER pairs_messages AFTER DELETE ON pairs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_conversations();
CREATE TRIGGER progress_begun AFTER INSERT ON progress FOR EACH ROW EXECUTE FUNCTION progress_begun();
CREATE TRIGGER progress_ended AFTER DELETE ON progress FOR EACH ROW EXECUTE FUNCTION progress_ended();
CREATE TRIGGER progress_older_counted AFTER UPDATE ON progress FOR EACH ROW WHEN ((new.size IS NULL)) EXECUTE FUNCTION progress_older_counted();
CREATE TRIGGER progress_older_update BEFORE UPDATE ON progress FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION progress_older_update();
CREATE TRIGGER ratings_new AFTER INSERT ON ratings REFERENCING NEW TABLE AS new_votes FOR EACH STATEMENT EXECUTE FUNCTION tally_votes();
CREATE TRIGGER ratings_tally AFTER DELETE OR UPDATE ON ratings FOR EACH ROW EXECUTE FUNCTION tally_rating();
CREATE TRIGGER ratings_voter AFTER INSERT ON ratings FOR EACH ROW EXECUTE FUNCTION voter_stays();
CREATE TRIGGER report_subjects_queue AFTER UPDATE ON report_subjects FOR EACH ROW EXECUTE FUNCTION queue_subject();
CREATE TRIGGER revisions_claims AFTER DELETE ON revisions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_claims('revision');
CREATE TRIGGER user_files_came AFTER INSERT ON user_files REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_storage();
CREATE TRIGGER user_files_changed AFTER UPDATE ON user_files REFERENCING OLD TABLE AS gone NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tally_storage();
CREATE TRIGGER user_files_gone AFTER DELETE ON user_files REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tally_storage();
CREATE TRIGGER users_claims AFTER DELETE ON users REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_claims('user');
CREATE TRIGGER users_departed AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_departure();
CREATE TRIGGER users_named AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse_name();
ALTER TABLE bans ADD CONSTRAINT bans_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE challenge_entries ADD CONSTRAINT challenge_entries_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(id);
ALTER TABLE challenge_entries ADD CONSTRAINT challenge_entries_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE challenge_rewards ADD CONSTRAINT challenge_rewards_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(id) ON DELETE CASCADE;
ALTER TABLE challenge_rewards ADD CONSTRAINT challenge_rewards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE challenge_tallies ADD CONSTRAINT challenge_tallies_challenge_id_fkey FOREIGN KEY (challenge_id) REFERENCES challenges(id) ON DELETE CASCADE;
ALTER TABLE comments ADD CONSTRAINT comments_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE comments ADD CONSTRAINT comments_parent FOREIGN KEY (content_id, parent_id) REFERENCES comments(content_id, id);
ALTER TABLE documents ADD CONSTRAINT documents_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE entities ADD CONSTRAINT entities_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE follows ADD CONSTRAINT follows_followed FOREIGN KEY (followed) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE follows ADD CONSTRAINT follows_follower_fkey FOREIGN KEY (follower) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE friend_asks ADD CONSTRAINT friend_asks_asker_fkey FOREIGN KEY (asker) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE identities ADD CONSTRAINT identities_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE login_failures ADD CONSTRAINT login_failures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE mails ADD CONSTRAINT mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE notification_counters ADD CONSTRAINT notification_counters_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE packages ADD CONSTRAINT packages_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE pairs ADD CONSTRAINT pairs_greater FOREIGN KEY (greater) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE pairs ADD CONSTRAINT pairs_lesser FOREIGN KEY (lesser) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE party_invites ADD CONSTRAINT party_invites_recipient FOREIGN KEY (recipient) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE party_invites ADD CONSTRAINT party_invites_sender FOREIGN KEY (sender) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE progress_deleted ADD CONSTRAINT progress_deleted_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE progress_usage ADD CONSTRAINT progress_usage_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE progress ADD CONSTRAINT progress_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE ratings ADD CONSTRAINT ratings_content FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE refresh_tokens ADD CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;
ALTER TABLE report_decisions ADD CONSTRAINT report_decisions_subject_fkey FOREIGN KEY (subject) REFERENCES report_subjects(number);
ALTER TABLE report_queue ADD CONSTRAINT report_queue_subject_fkey FOREIGN KEY (subject) REFERENCES report_subjects(number);
ALTER TABLE reports ADD CONSTRAINT reports_subject_fkey FOREIGN KEY (subject) REFERENCES report_subjects(number);
ALTER TABLE revision_entities ADD CONSTRAINT revision_entities_entity_id_entity_revision_fkey FOREIGN KEY (entity_id, entity_revision) REFERENCES entities(entity_id, revision_id);
ALTER TABLE revision_entities ADD CONSTRAINT revision_entities_revision_id_fkey FOREIGN KEY (revision_id) REFERENCES revisions(id) ON DELETE CASCADE;
ALTER TABLE revision_packages ADD CONSTRAINT revision_packages_package_id_fkey FOREIGN KEY (package_id) REFERENCES packages(id);
ALTER TABLE revision_packages ADD CONSTRAINT revision_packages_revision_id_fkey FOREIGN KEY (revision_id) REFERENCES revisions(id) ON DELETE CASCADE;
ALTER TABLE revisions ADD CONSTRAINT revisions_content_id_fkey FOREIGN KEY (content_id) REFERENCES contents(id) ON DELETE CASCADE;
ALTER TABLE revisions ADD CONSTRAINT revisions_publisher_id_fkey FOREIGN KEY (publisher_id) REFERENCES users(id) ON DELETE SET NULL;
ALTER TABLE storage ADD CONSTRAINT storage_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE unfollows ADD CONSTRAINT unfollows_follower_fkey FOREIGN KEY (follower) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE user_files ADD CONSTRAINT user_files_path_fkey FOREIGN KEY (path) REFERENCES files(path);
do $do$
begin
    if not exists (select from pg_available_extensions where name = 'pg_trgm') then
        raise exception using errcode = 'undefined_file';
    end if;
    create extension if not exists pg_trgm;
    create index users_trigrams on users using gin (username_key gin_trgm_ops);
    create function find_users(q text) returns table (id uuid, rank integer, similarity real)
        language sql stable parallel safe as $$
            with beginning as materialized (
                select id, username_key from users_starting_with(q)
            )
            select id, case when username_key = (select lower(q collate "C")) then 0 else 1 end,
                   similarity(username_key, (select plain(q)))
            from beginning
            union all
            select id, 2, similarity(username_key, (select plain(q)))
            from users
            where (select count(*) from beginning) < 2000
              and username_key % (select plain(q))
              and similarity(username_key, (select plain(q))) >= 0.3
              and not starts_with(username_key, (select lower(q collate "C")))
        $$;
exception when undefined_file or insufficient_privilege then
    -- pg_trgm's own: every word with two blanks before it and one after, cut into threes.
    create function trigrams(name text) returns text[]
        language sql immutable parallel safe as $$
            select coalesce(array_agg(distinct substr(padded, place, 3)), '{}')
            from (select '  ' || word || ' ' as padded
                  -- As plain(), which a restore would not find: it sets no search path.
                  from regexp_split_to_table(lower(name collate "C"), '[^a-z0-9]+') as word
                  where word <> '') as words,
                 generate_series(1, length(padded) - 2) as place
        $$;
    -- A tsvector, for its index tells which names share several of them.
    alter table users add column trigrams tsvector not null
        generated always as (array_to_tsvector(trigrams(username))) stored;
    create index users_trigrams on users using gin (trigrams);

    -- A name that is similar shares at least 0.3 of the n asked for, and never only one. So it
    -- shares two of any n - ceil(0.3 n) + 2 of them: the rarest make the shortest work.
    create function rarest(asked text[]) returns text[]
        language sql stable parallel safe as $$
            select array_agg(rare.trigram) from (
                select trigram from unnest(asked) as trigram
                left join (
                    select unnest(most_common_elems::text::text[]) as element,
                           unnest(most_common_elem_freqs) as frequency
                    from pg_stats
                    where schemaname = current_schema() and tablename = 'users'
                      and attname = 'trigrams'
                ) as common on element = trigram
                order by coalesce(frequency, 0), trigram
                limit cardinality(asked) - greatest(ceil(cardinality(asked) * 0.3)::integer - 2, 0)
            ) as rare
        $$;
    create function sharing_two(asked text[]) returns tsquery
        language sql immutable parallel safe as $$
            select string_agg(
                quote_literal(asked[n]) || ' & (' || (
                    select string_agg(quote_literal(other), ' | ')
                    from unnest(asked[n + 1:]) as other
                ) || ')', ' | ')::tsquery
            from generate_series(1, cardinality(asked) - 1) as n
        $$;
    create function find_users(q text) returns table (id uuid, rank integer, similarity real)
        language sql stable parallel safe as $$
            with asked as materialized (
                select t as trigrams, cardinality(t) as n, sharing_two(rarest(t)) as two
                from trigrams(q) as t
            ), beginning as materialized (
                select id, username_key from users_starting_with(q)
            ), found as (
                select b.id, case when b.username_key = (select lower(q collate "C")) then 0 else 1
                             end as rank, u.trigrams
                from beginning b join users u on u.id = b.id
                union all
                select s.id, 2, s.trigrams
                from users s
                where (select count(*) from beginning) < 2000
                  and s.trigrams @@ (select two from asked)
                  and not starts_with(s.username_key, (select lower(q collate "C")))
            ), measured as (
                select id, rank, n + length(found.trigrams) as together,
                       length(found.trigrams)
                       - length(ts_delete(found.trigrams, asked.trigrams)) as shared
                from found, asked
            )
            select id, rank, ratio
            from measured, lateral (
                -- Names without a letter or digit have no trigrams at all.
                select coalesce(shared::real / nullif(together - shared, 0)::real, 0) as ratio
            ) as compared
            where rank < 2 or ratio >= 0.3
        $$;
end $do$;
insert into _yoyo_migrations (migration_hash, migration_id, applied_at_utc) select id, id, now() from unnest('{0001.users, 0002.content, 0003.notifications, 0004.challenges, 0005.search, 0006.bans, 0007.unix, 0008.progress, 0009.log_ins, 0010.floods, 0011.logs, 0012.sessions, 0013.renewals, 0014.comments, 0015.marks, 0016.visible, 0017.previous, 0018.lifecycle, 0019.numbers, 0020.numbered, 0021.withdrawal, 0022.outbox, 0023.processes, 0024.search, 0025.documents, 0026.listings, 0027.challenges, 0028.entries, 0029.unfollows, 0030.files, 0031.purged, 0032.pairs, 0033.muted, 0034.actions, 0035.messages, 0036.reports, 0038.invites, 0039.comments, 0042.accounts, 0043.mails, 0044.identities, 0045.leaving, 0046.authors, 0047.mends, 0050.authors, 0051.authors}'::text[]) id;
