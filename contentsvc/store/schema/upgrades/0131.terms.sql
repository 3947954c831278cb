-- Users accept a version of the terms of the service.
alter table users add column terms text, add column terms_accepted timestamptz;
