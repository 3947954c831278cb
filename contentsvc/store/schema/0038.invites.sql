-- The invites to parties that a user has not answered, by age. Apart from other migrations: while the index is
-- made, nobody can write invites.
create index party_invites_unanswered on party_invites (recipient, changed) where answer is null;
