"""Settings: the kinds of their values, and where they are read from."""
