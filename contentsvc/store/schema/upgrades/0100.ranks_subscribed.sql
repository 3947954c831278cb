-- Lists of content by its subscribers.

create index if not exists content_ranks_subscribed on content_ranks (type, subscribed, number);
