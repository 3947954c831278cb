-- Which refresh tokens are over: with the last of them a session is deleted.

create index refresh_tokens_expires on refresh_tokens (expires);
