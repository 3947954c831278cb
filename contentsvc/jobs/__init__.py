"""The work that a daemon does by itself."""
