"""A random walk of players and an admin, and a small world in Python that does what extensions §4,
§5 and §7 say."""
