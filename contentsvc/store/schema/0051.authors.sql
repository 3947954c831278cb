-- See 0046.

alter table contents drop constraint contents_author_id_fkey;
create trigger contents_author after insert on contents
    for each row execute function author_stays();

-- What goes with a user is looked up by the user.
create index party_invites_recipient on party_invites (recipient);
create index challenge_rewards_of_user on challenge_rewards (user_id);
