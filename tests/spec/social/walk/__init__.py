"""A random walk of players and an admin, and a small world in Python that does what social#friends,
notifications#notifications and moderation#moderation say."""
