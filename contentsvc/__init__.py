"""A content-sharing service that a game studio hosts itself."""
