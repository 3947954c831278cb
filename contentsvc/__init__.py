"""A content-sharing service that a game studio hosts itself."""

__version__ = "1.0.0"
