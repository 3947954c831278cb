"""The Python client's part of content: publishing, revisions, comments, ratings, search."""
