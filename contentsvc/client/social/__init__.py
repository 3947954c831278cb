"""The Python client's part of follows, friends, parties, messages."""
