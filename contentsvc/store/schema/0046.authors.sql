-- See 0045. Apart from it, with the busiest tables: each of these needs a lock on its table and on users.

alter table ratings drop constraint ratings_user_id_fkey;
create trigger ratings_voter after insert on ratings
    for each row execute function voter_stays();
