-- An act that is about several things says how many they were.

alter table moderation_actions add column counts jsonb;
