"""SQL of content: publishing, revisions, comments, ratings, search."""
