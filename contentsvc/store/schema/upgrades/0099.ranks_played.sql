-- Lists of content by its players. Each index has a transaction of its own, for which votes and publications wait.

create index if not exists content_ranks_played on content_ranks (type, played, number);
